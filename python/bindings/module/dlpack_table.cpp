#include "module/module.hpp"

#include <new>

#include "exchange/dlpack.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/errors.hpp"
#include "support/type_name.hpp"

namespace usmx::bindings {
namespace {

/// With or without the interpreter lock.
int allocate(dlpack::tensor* prototype, dlpack::managed_tensor** made, void* error_context,
             void (*set_error)(void*, const char*, const char*)) noexcept {
  try {
    const noted_call_site here;
    const without_interpreter_lock unlocked;
    *made = exchange::allocate_dlpack(*prototype);
    return 0;
  } catch (const std::bad_alloc& error) {
    set_error(error_context, "MemoryError", error.what());
  } catch (const buffer_error& error) {
    set_error(error_context, "BufferError", error.what());
  } catch (const value_error& error) {
    set_error(error_context, "ValueError", error.what());
  } catch (const overflow_error& error) {
    set_error(error_context, "ValueError", error.what());
  } catch (const std::exception& error) {
    set_error(error_context, "RuntimeError", error.what());
  }
  return -1;
}

/// The array, and whoever takes its memory next finds the work on it finished: the consumer knows
/// no queue to wait for.
const array& ready_array(void* object) {
  auto* given = static_cast<PyObject*>(object);
  const array* found = as_array(given);
  if (found == nullptr) {
    throw type_error(detail::message("expected a USMArray, found ", type_name(given)));
  }
  wait_for(*found);
  return *found;
}

int from_object(void* object, dlpack::managed_tensor** made) noexcept {
  return guarded_with_lock(-1, [&] {
    const array& a = ready_array(object);
    *made = exchange::to_dlpack(a, place_of(a));
    return 0;
  });
}

int to_object(dlpack::managed_tensor* given, void** object) noexcept {
  return guarded_with_lock(-1, [&] {
    taken_tensor taken(given);
    array made = taken.received().is_usm() ? to_array(std::move(taken), nullptr)
                                           : copy_to_usm(taken.received(), nb::none());
    *object = to_python(std::move(made)).release().ptr();
    return 0;
  });
}

int look_into(void* object, dlpack::tensor* seen) noexcept {
  return guarded_with_lock(-1, [&] {
    const array& a = ready_array(object);
    *seen = exchange::view_as_dlpack(a, place_of(a));
    return 0;
  });
}

/// None: DLPack has no streams of oneAPI's, and there is nothing to wait for. Of CUDA's that is the
/// legacy default stream.
int current_stream(dlpack::device_type, std::int32_t, void** stream) noexcept {
  *stream = nullptr;
  return 0;
}

constexpr dlpack::exchange_api dlpack_table = {
    .header = {.version = dlpack::current_version, .previous = nullptr},
    .allocate = allocate,
    .from_object = from_object,
    .to_object = to_object,
    .look_into = look_into,
    .current_stream = current_stream,
};

}  // namespace

void bind_dlpack_table() {
  const nb::handle cls(reinterpret_cast<PyObject*>(python_class<py_array>));
  cls.attr("__dlpack_c_exchange_api__") = nb::capsule(&dlpack_table, "dlpack_exchange_api");
}

}  // namespace usmx::bindings
