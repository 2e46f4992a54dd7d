#include "exchange/exchange.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "elements/element.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/hooks.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {
namespace {

void put(PyObject* dictionary, PyObject* key, const nb::object& value) {
  if (PyDict_SetItem(dictionary, key, value.ptr()) != 0) {
    nb::raise_python_error();
  }
}

void put(PyObject* dictionary, interface_key k, const nb::object& value) {
  put(dictionary, key_name(k), value);
}

void put(PyObject* dictionary, interned& key, const nb::object& value) {
  put(dictionary, key.get(), value);
}

nb::object typestr_object(dtype type) {
  const std::string_view text = type.typestr();
  if (type.is_structured()) {
    return nb::str(text.data(), text.size());
  }
  static std::array<kept_object, type_count> made;
  return nb::borrow(made[static_cast<std::size_t>(type.code())].get(
      [&] { return nb::str(text.data(), text.size()); }));
}

nb::object data_object(std::uintptr_t pointer, bool readonly) {
  return checked(Py_BuildValue("(KO)", static_cast<unsigned long long>(pointer),
                               readonly ? Py_True : Py_False));
}

/// Raises AttributeError for memory that is not USM, so that hasattr() is False and the consumer
/// takes the buffer. Otherwise the consumer would ask the SYCL runtime for the kind of memory that
/// the runtime does not know.
void require_usm(const array& described) {
  if (described.owner() && is_system_memory(*described.owner())) {
    throw nb::attribute_error(
        "memory of from_shared_memory() is not USM to the SYCL runtime, so it has no dictionary: "
        "take its buffer, as numpy.asarray does, or export a copy (usmx.copy)");
  }
}

/// Raises AttributeError where there is no such dictionary, so that hasattr() is False.
exchange::cuda_array_interface described_for_cuda(const array& described) {
  require_usm(described);
  try {
    return exchange::describe_for_cuda(described);
  } catch (const buffer_error& reason) {
    throw nb::attribute_error(reason.what());
  }
}

}  // namespace

nb::object to_dictionary(const array& described) {
  require_usm(described);
  const array told = internal::as_told(described);
  const exchange::usm_array_interface values = handed_out_ready(described, [&] {
    described.owner()->expose();
    return exchange::describe(told);
  });
  nb::object result = checked(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, interface_key::data, data_object(values.data, values.readonly));
  put(dictionary, interface_key::shape, to_tuple(values.shape));
  put(dictionary, interface_key::strides, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, interface_key::typestr, typestr_object(described.type()));
  if (values.typedescr) {
    put(dictionary, interface_key::typedescr, to_python(*values.typedescr));
  }
  put(dictionary, interface_key::version, checked(PyLong_FromLong(1)));
  put(dictionary, interface_key::syclobj, queue_object_of(*described.owner()));
  put(dictionary, interface_key::offset, checked(PyLong_FromSsize_t(values.offset)));
  return result;
}

nb::object to_cuda_dictionary(const array& described) {
  const exchange::cuda_array_interface values = described_for_cuda(described);
  wait_for(described);
  nb::object result = checked(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, cuda_keys::shape, to_tuple(values.shape));
  put(dictionary, cuda_keys::typestr, typestr_object(described.type()));
  if (values.fields) {
    put(dictionary, cuda_keys::descr, to_python(*values.fields));
  }
  put(dictionary, cuda_keys::data, data_object(values.data, values.readonly));
  put(dictionary, cuda_keys::strides, values.strides ? to_tuple(*values.strides) : nb::none());
  put(dictionary, cuda_keys::version, checked(PyLong_FromLong(3)));
  put(dictionary, cuda_keys::stream, nb::none());
  return result;
}

nb::object to_numpy_dictionary(nb::handle object, const array& described) {
  if (const std::string reason = why_no_buffer(described); !reason.empty()) {
    throw nb::attribute_error(reason.c_str());
  }
  checked(PyMemoryView_FromObject(object.ptr()));
  nb::object strides = nb::none();
  if (!described.layout().is_c_contiguous()) {
    std::vector<std::ptrdiff_t> in_bytes(described.strides().begin(), described.strides().end());
    for (std::ptrdiff_t& each : in_bytes) {
      if (__builtin_mul_overflow(each, described.type().itemsize(), &each)) {
        each = 0;  // along an axis of one element: it means nothing
      }
    }
    strides = to_tuple(in_bytes);
  }
  nb::object result = checked(PyDict_New());
  PyObject* dictionary = result.ptr();
  put(dictionary, cuda_keys::shape, to_tuple(described.shape()));
  put(dictionary, cuda_keys::typestr, typestr_object(described.type()));
  put(dictionary, cuda_keys::strides, strides);
  put(dictionary, cuda_keys::version, checked(PyLong_FromLong(3)));
  return result;
}

}  // namespace usmx::bindings
