#include "usmx/exchange/c_arrays.hpp"

#include <unified-runtime/ur_api.h>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <sycl/exception.hpp>

#include "base/ranked_mutex.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

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

namespace {

static_assert(std::is_same_v<std::ptrdiff_t, std::int64_t>, "shapes are handed out as they are");
static_assert(static_cast<int>(type_code::structured) == USMX_STRUCTURED);
static_assert(static_cast<int>(type_code::complex128) == USMX_COMPLEX128);
static_assert(static_cast<int>(usm_kind::host) == USMX_KIND_HOST);

struct counted_array {
  array value;  // first member: an owner is its address
  std::atomic<std::size_t> count = 1;
};
static_assert(alignof(array) > lent_bit);

counted_array& counted(usmx_owner* owner) noexcept {
  return *reinterpret_cast<counted_array*>(owner);
}

/// The buffers whose bytes C code has. They live as long as the process, since that code may.
class given_bytes {
 public:
  static given_bytes& of_process() {
    static auto* const all = new given_bytes;
    return *all;
  }

  void* give(buffer&& made) {
    void* const first = made.data();
    const std::lock_guard lock(mutex_);
    given_.emplace(first, std::move(made));
    return first;
  }

  buffer take_back(void* first) {
    const std::lock_guard lock(mutex_);
    auto found = given_.extract(first);
    if (found.empty()) {
      throw value_error(detail::message(
          "expected bytes of allocate_bytes that are not freed yet, found ", first));
    }
    return std::move(found.mapped());
  }

 private:
  detail::ranked_mutex<detail::lock_rank::given_bytes> mutex_;
  std::unordered_map<void*, buffer> given_;
};

dtype plain_type(const usmx_view& view) {
  if (view.dtype < 0 || view.dtype >= type_count) {
    throw value_error(detail::message("dtype must be one of the ", type_count,
                                      " plain types (0 to ", type_count - 1, "), found ",
                                      view.dtype));
  }
  return static_cast<type_code>(view.dtype);
}

/// The type of an array that is made of `of`. A structured type can only be that of `of`.
dtype type_among(const array& of, const usmx_view& view) {
  return view.dtype == USMX_STRUCTURED && of.type().is_structured() ? of.type() : plain_type(view);
}

std::span<const std::ptrdiff_t> numbers(const usmx_view& view, const std::int64_t* first,
                                        const char* name) {
  if (view.ndim < 0 || view.ndim > max_ndim) {
    throw value_error(detail::message("ndim must be 0 to ", max_ndim, ", found ", view.ndim));
  }
  if (first == nullptr && view.ndim > 0) {
    throw value_error(detail::message("'", name, "' must point to ", view.ndim,
                                      " numbers, found a null pointer"));
  }
  return {first, static_cast<std::size_t>(view.ndim)};
}

std::span<const std::ptrdiff_t> shape_of(const usmx_view& view) {
  return numbers(view, view.shape, "shape");
}

std::optional<std::span<const std::ptrdiff_t>> strides_of(const usmx_view& view) {
  if (view.strides == nullptr) {
    return std::nullopt;
  }
  return numbers(view, view.strides, "strides");
}

bool is_readonly(const usmx_view& view) noexcept { return (view.flags & USMX_READ_ONLY) != 0; }

layout layout_of(const usmx_view& view, std::ptrdiff_t offset) {
  const auto strides = strides_of(view);
  return strides ? layout::strided(shape_of(view), *strides, offset)
                 : layout::c_order(shape_of(view), offset);
}

/// The offset of element zero from the first byte of the memory, in elements.
std::ptrdiff_t offset_in(const buffer& memory, const usmx_view& view, dtype type) {
  const auto nbytes = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(view.data) -
                                                  reinterpret_cast<std::uintptr_t>(memory.data()));
  const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
  if (nbytes % itemsize != 0) {
    throw value_error(detail::message("'data' must lie a whole number of elements of ", itemsize,
                                      " bytes from the first byte of the owner's memory, found ",
                                      nbytes, " bytes"));
  }
  return nbytes / itemsize;
}

}  // namespace

usmx_owner* new_owner(array&& value) {
  return reinterpret_cast<usmx_owner*>(new counted_array{std::move(value)});
}

usmx_owner* retain(usmx_owner* owner) {
  std::ignore = detail::required(owner, "retain", "an owner of an array");
  if (is_lent(owner)) {
    return new_owner(array(array_of(owner)));
  }
  counted(owner).count.fetch_add(1, std::memory_order_relaxed);
  return owner;
}

void release(usmx_owner* owner) noexcept {
  if (owner == nullptr || is_lent(owner)) {
    return;
  }
  if (counted(owner).count.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete &counted(owner);
  }
}

namespace {

usmx_view described(const array& a, const std::byte* data, const sycl::queue& queue) {
  const dtype type = a.type();
  return {.data = const_cast<std::byte*>(data),
          .shape = a.shape().data(),
          .strides = a.strides().data(),
          .offset = a.layout().offset(),
          .size = a.size(),
          .itemsize = static_cast<std::int64_t>(type.itemsize()),
          .typestr = type.typestr().data(),
          .format = type.format(),
          .dtype = static_cast<std::int32_t>(type.code()),
          .ndim = a.ndim(),
          .kind = static_cast<std::int32_t>(a.kind()),
          .flags = a.readonly() ? std::uint32_t{USMX_READ_ONLY} : 0,
          .queue = const_cast<sycl::queue*>(&queue),
          .context = const_cast<sycl::context*>(&a.memory().context())};
}

}  // namespace

usmx_view describe_to_c(const array& a) { return described(a, a.data(), a.queue()); }

usmx_view describe_to_c_in_order(const array& a) {
  const sycl::queue& queue = detail::ordered_access::queue(a);
  return described(a, detail::ordered_access::data(a), queue);
}

array with_view(const array& of, const usmx_view& view) {
  const buffer& memory = of.memory();
  const dtype type = type_among(of, view);
  layout where = layout_of(view, 0);
  if (where.size() != 0) {
    where = where.with_offset(offset_in(memory, view, type));
  }
  return array(of.owner(), type, std::move(where), of.readonly() || is_readonly(view));
}

array allocate(const usmx_view& wanted) {
  if (wanted.kind < USMX_KIND_DEVICE || wanted.kind > USMX_KIND_HOST) {
    throw value_error(
        detail::message("kind must be device (1), shared (2) or host (3), found ", wanted.kind));
  }
  const dtype type = plain_type(wanted);
  const auto* queue = static_cast<const sycl::queue*>(wanted.queue);
  return empty(shape_of(wanted), type, queue != nullptr ? *queue : internal::default_queue(),
               static_cast<usm_kind>(wanted.kind));
}

array adopt(const usmx_view& described, detail::release_action release) {
  if (described.queue == nullptr) {
    throw value_error("'queue' must be a queue of the memory's context, found a null pointer");
  }
  usm_array_interface values;
  values.data = reinterpret_cast<std::uintptr_t>(described.data);
  values.readonly = is_readonly(described);
  values.typestr = plain_type(described).typestr();
  values.shape = shape_of(described);
  values.strides = strides_of(described);
  return to_array(check(values, *static_cast<const sycl::queue*>(described.queue)),
                  std::move(release), true);
}

void* allocate_bytes(std::size_t nbytes, usm_kind kind, const sycl::queue& queue) {
  buffer made = buffer::allocate(nbytes, kind, queue);
  made.expose();
  return given_bytes::of_process().give(std::move(made));
}

void free_bytes(void* bytes) {
  if (bytes != nullptr) {
    given_bytes::of_process().take_back(bytes);  // freed here, under no lock
  }
}

}  // namespace usmx::inline v1::exchange
