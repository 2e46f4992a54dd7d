#include "container/attributes.hpp"

#include <nanobind/stl/string_view.h>

#include "container/flags.hpp"
#include "elements/dtype_argument.hpp"
#include "exchange/cuda_dictionary.hpp"
#include "exchange/dictionary.hpp"
#include "internals.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/device.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "usmx/layout/axes.hpp"

namespace usmx::bindings {
namespace {

nb::object base_of(const py_array& a) {
  return a.base.is_valid() ? a.base : memory_object(a.value.owner());
}

/// The array API and dpnp.tensor have it for matrices only.
nb::object transposed_matrix(const py_array& a) {
  if (a.value.ndim() != 2) {
    throw value_error(detail::message(
        "T needs an array of 2 dimensions, found ", a.value.ndim(),
        ": mT swaps the last two, a.transpose() and usmx.permute_dims reorder any"));
  }
  return to_python(a, transposed(a.value.layout()));
}

}  // namespace

void bind_attributes(nb::class_<py_array>& cls) {
  const auto number = [&](const char* name, auto get, const char* doc = "") {
    cls.def_prop_ro(name, [get](const py_array& a) { return get(a.value); }, doc);
  };
  number("ndim", [](const array& a) { return a.ndim(); }, "The number of dimensions.");
  number(
      "nd", [](const array& a) { return a.ndim(); },
      "The number of dimensions, under NumPy's old name.");
  number("size", [](const array& a) { return a.size(); }, "The number of elements.");
  number(
      "nbytes", [](const array& a) { return a.nbytes(); },
      "The bytes of the elements. Gaps between them do not count.");
  number(
      "itemsize", [](const array& a) { return a.type().itemsize(); }, "The bytes of one element.");
  number(
      "offset", [](const array& a) { return a.layout().offset(); },
      "How many elements lie between the first byte of `base` and element zero.");
  number(
      "usm_type", [](const array& a) { return name(a.kind()); }, "'device', 'shared' or 'host'.");
  number(
      "_pointer",
      [](const array& a) {
        wait_for(a);
        return reinterpret_cast<std::uintptr_t>(a.data());
      },
      "The address of element zero. usmx waits for the work on the elements.");
  bind_where(
      cls, [](const py_array& a) -> const sycl::queue& { return internal::private_queue(a.value); },
      [](const py_array& a) { return queue_object_of(*a.value.owner()); });
  cls.def_prop_ro(
         "shape", [](const py_array& a) { return to_tuple(a.value.shape()); },
         nb::sig("def shape(self) -> tuple[int, ...]"), "The number of elements along each axis.")
      .def_prop_ro(
          "strides", [](const py_array& a) { return to_tuple(a.value.strides()); },
          nb::sig("def strides(self) -> tuple[int, ...]"),
          "The step from one index to the next along each axis, in elements. NumPy's strides count "
          "bytes.")
      .def_prop_ro(
          "dtype", [](const py_array& a) { return to_numpy_dtype(a.value.type()); },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"),
          "The element type, as a NumPy dtype.")
      .def_prop_ro(
          "flags", [](nb::handle self) { return flags_of(self); },
          nb::sig("def flags(self) -> Flags"),
          "Whether the array is contiguous and writable, by NumPy's names.")
      .def_prop_ro("base", &base_of, nb::sig("def base(self) -> _Memory"),
                   "The memory object that holds the elements.")
      .def_prop_ro("usm_data", &base_of, nb::sig("def usm_data(self) -> _Memory"),
                   "The memory object that holds the elements, under dpnp's name.")
      .def_prop_ro(
          "device",
          [](const py_array& a) {
            return make_instance(py_device{internal::private_queue(a.value)});
          },
          nb::sig("def device(self) -> Device"),
          "Where the array is: a Device, which every argument ``device`` accepts.")
      .def_prop_ro("T", &transposed_matrix, nb::sig("def T(self) -> USMArray"),
                   "A view of a matrix with its two dimensions swapped. Raises ValueError if there "
                   "are not 2 dimensions.")
      .def_prop_ro(
          "mT", [](const py_array& a) { return to_python(a, matrix_transposed(a.value.layout())); },
          nb::sig("def mT(self) -> USMArray"), "A view with the last two dimensions swapped.")
      .def_prop_ro(
          "__sycl_usm_array_interface__", [](const py_array& a) { return to_dictionary(a.value); },
          nb::sig("def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]"))
      .def_prop_ro(
          "__cuda_array_interface__", [](const py_array& a) { return to_cuda_dictionary(a.value); },
          nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
          "The dictionary of the CUDA array interface, version 3. usmx waits for the work on the "
          "elements, so that any stream may read them. Raises AttributeError if the memory is not "
          "that of a CUDA device.");
}

}  // namespace usmx::bindings
