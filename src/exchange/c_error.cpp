#include "usmx/exchange/c_error.hpp"

#include <new>

#include <unified-runtime/ur_api.h>
#include <sycl/exception.hpp>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::exchange {
namespace {

/// Whether the driver has no memory left, be it for a command or an object of its own.
bool lacks_memory(const sycl::exception& e) {
  if (e.code() == sycl::errc::memory_allocation) {
    return true;
  }
  switch (sycl::detail::get_ur_error(e)) {  // such errors are errc::runtime, as most are
    case UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE:
    case UR_RESULT_ERROR_OUT_OF_HOST_MEMORY:
    case UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
      return true;
    default:
      return false;
  }
}

}  // namespace

c_error to_c_error(const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const type_error& e) {
    return {USMX_TYPE_ERROR, e.what()};
  } catch (const read_only_error& e) {
    return {USMX_READ_ONLY_ERROR, e.what()};
  } catch (const value_error& e) {
    return {USMX_VALUE_ERROR, e.what()};
  } catch (const axis_error& e) {
    return {USMX_AXIS_ERROR, e.what()};
  } catch (const index_error& e) {
    return {USMX_INDEX_ERROR, e.what()};
  } catch (const overflow_error& e) {
    return {USMX_OVERFLOW_ERROR, e.what()};
  } catch (const buffer_error& e) {
    return {USMX_BUFFER_ERROR, e.what()};
  } catch (const allocation_error& e) {
    return {USMX_ALLOCATION_ERROR, e.what()};
  } catch (const device_error& e) {
    return {USMX_DEVICE_ERROR, e.what()};
  } catch (const fork_error& e) {
    return {USMX_FORK_ERROR, e.what()};
  } catch (const runtime_conflict& e) {
    return {USMX_RUNTIME_CONFLICT, e.what()};
  } catch (const sycl::exception& e) {
    return {lacks_memory(e) ? USMX_ALLOCATION_ERROR : USMX_SYCL_ERROR, e.what()};
  } catch (const std::bad_alloc& e) {
    return {USMX_MEMORY_ERROR, e.what()};
  } catch (const std::exception& e) {
    return {USMX_OTHER_ERROR, e.what()};
  } catch (...) {
    return {USMX_OTHER_ERROR, "usmx: unknown C++ exception"};
  }
}

}  // namespace usmx::inline v1::exchange
