#include "memory/byte_copies.hpp"

#include <string_view>

#include "exchange/producers.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/held_buffer.hpp"
#include "support/lazy_import.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {
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

/// Bytes written over references to Python objects would crash the process later.
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
  // NumPy's dates have no format, and are no objects.
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
