#include "memory/memory.hpp"

#include <string_view>

#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {

std::size_t alignment_argument(nb::handle alignment) {
  const std::ptrdiff_t value =
      to_count("alignment", "0 or a power of two, an integer", alignment.ptr());
  if (value < 0) {
    throw value_error(detail::message("alignment must be 0 or a power of two, found ", value));
  }
  return static_cast<std::size_t>(value);
}

std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options) {
  if (nbytes <= 0) {
    throw value_error(
        detail::message("number of bytes to allocate must be positive, found ", nbytes));
  }
  return make_memory(static_cast<std::size_t>(nbytes), kind,
                     queue_argument(options.queue, nb::none()), first_use::in_order,
                     options.alignment);
}

std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options) {
  const sycl::queue queue = options.queue.is_none() ? internal::private_queue(*existing)
                                                    : queue_argument(options.queue, nb::none());
  if (options.copy) {
    if (existing->nbytes() == 0) {
      throw value_error("a copy of memory needs at least one byte, found none");
    }
    auto copied =
        make_memory(existing->nbytes(), kind, queue, first_use::at_once, options.alignment);
    copy_buffer(existing, copied);
    return copied;
  }
  if (existing->kind() != kind) {
    throw value_error(detail::message("a view of memory must be of its kind: expected ", name(kind),
                                      " memory, found ", name(existing->kind()),
                                      " memory; copy=True copies it"));
  }
  if (options.alignment != 0 &&
      reinterpret_cast<std::uintptr_t>(existing->data()) % options.alignment != 0) {
    throw value_error(detail::message("memory must be aligned to ", options.alignment,
                                      " bytes, found address ",
                                      static_cast<const void*>(existing->data())));
  }
  if (queue != internal::private_queue(*existing)) {
    throw value_error(
        "a view of memory stays on its own queue, found another: copy=True copies "
        "the memory to that queue");
  }
  return existing;
}

namespace {

lazy_import numpy_empty("numpy", "empty");

/// Ordinary host memory as one side of a copy.
struct host_bytes {
  host_bytes(void* first, std::size_t nbytes)
      : data(static_cast<std::byte*>(first)), shape{static_cast<std::ptrdiff_t>(nbytes)} {}

  host_array array() const { return {data, type_code::uint8, shape, adjacent}; }

  std::byte* data;
  std::ptrdiff_t shape[1];
  static constexpr std::ptrdiff_t adjacent[1] = {1};
};

void require_writable(const buffer& memory) {
  if (memory.readonly()) {
    throw read_only_error("memory is read-only: expected writable memory");
  }
}

void copy_to_bytes(const std::shared_ptr<buffer>& memory, void* destination) {
  const array source = first_bytes(memory, memory->nbytes());
  const host_bytes host(destination, memory->nbytes());
  ordered(is_short(source), [&] { usmx::copy_to_host(source, host.array()); });
}

/// Whether a PEP 3118 format has 'O' anywhere but in the names of fields, which are between colons.
bool holds_objects(std::string_view format) {
  bool in_name = false;
  for (const char c : format) {
    if (c == 'O' && !in_name) {
      return true;
    }
    in_name = in_name != (c == ':');
  }
  return false;
}

/// Refuses a destination with references to Python objects: bytes written over them would crash the
/// process later.
void require_no_objects(const held_buffer& destination) {
  const char* const format = destination.view().format;
  if (format != nullptr && holds_objects(format)) {
    throw value_error("destination must be a buffer of plain bytes, found one of Python objects");
  }
}

}  // namespace

array elements_of(const std::shared_ptr<buffer>& memory, dtype type, std::size_t count) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(count)};
  return internal::unchecked_array(memory, type, layout::c_order(shape), memory->readonly());
}

nb::object to_python_bytes(const std::shared_ptr<buffer>& memory) {
  nb::object result =
      checked(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(memory->nbytes())));
  copy_to_bytes(memory, PyBytes_AS_STRING(result.ptr()));
  return result;
}

nb::object copy_to_host(const std::shared_ptr<buffer>& memory, nb::object destination) {
  if (destination.is_none()) {
    destination = numpy_empty(memory->nbytes(), "u1");
  }
  constexpr int of_bytes = PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS;
  // The buffer's format is not needed for NumPy's dates, which have none, and are no objects.
  const held_buffer target(destination, of_bytes | PyBUF_FORMAT, of_bytes);
  require_no_objects(target);
  if (target.nbytes() < memory->nbytes()) {
    throw value_error(detail::message("destination must have at least ", memory->nbytes(),
                                      " bytes, found ", target.nbytes()));
  }
  copy_to_bytes(memory, target.data());
  return destination;
}

void copy_from_host(const std::shared_ptr<buffer>& memory, nb::handle source_object) {
  require_writable(*memory);
  const held_buffer source(source_object, PyBUF_ANY_CONTIGUOUS);
  if (source.nbytes() > memory->nbytes()) {
    throw value_error(detail::message("source must have at most ", memory->nbytes(),
                                      " bytes, found ", source.nbytes()));
  }
  const array destination = first_bytes(memory, source.nbytes());
  const host_bytes host(source.data(), source.nbytes());
  ordered(is_short(destination), [&] { usmx::copy_from_host(host.array(), destination); });
}

void copy_buffer(const std::shared_ptr<buffer>& source,
                 const std::shared_ptr<buffer>& destination) {
  const array from = first_bytes(source, source->nbytes());
  const array to = first_bytes(destination, source->nbytes());
  ordered(is_short(from) && is_short(to), [&] { copy(from, to); });
}

void copy_from_device(const std::shared_ptr<buffer>& memory, nb::handle producer) {
  require_writable(*memory);
  const std::shared_ptr<buffer> source = memory_of_producer(producer.ptr());
  if (source == nullptr) {
    throw_wrong_type("sycl_usm_ary", "an object with __sycl_usm_array_interface__", producer.ptr());
  }
  if (source->nbytes() > memory->nbytes()) {
    throw value_error(detail::message("source must have at most ", memory->nbytes(),
                                      " bytes, found ", source->nbytes()));
  }
  copy_buffer(source, memory);
}

void memset_bytes(buffer& memory, nb::handle val) {
  require_writable(memory);
  const std::ptrdiff_t value = to_count("val", "a byte, 0 to 255", val.ptr());
  if (value < 0 || value > 255) {
    throw value_error(detail::message("'val' must be a byte, 0 to 255, found ", value));
  }
  ordered(false, [&] { internal::fill_bytes(memory, static_cast<std::byte>(value)); });
}

}  // namespace usmx::bindings
