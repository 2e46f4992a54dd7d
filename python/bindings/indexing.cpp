#include "indexing.hpp"

#include <algorithm>
#include <array>

namespace usmx::bindings {
namespace {

/// A whole axis and a new one for each of max_ndim dimensions, and an ellipsis.
constexpr std::size_t max_items = 2 * max_ndim + 1;
constexpr std::size_t few_items = 6;

[[noreturn]] void throw_no_basic_index(PyObject* item) {
  throw index_error(detail::message(
      "an index must be an integer, a slice, Ellipsis, None or a tuple of them, found ",
      Py_TYPE(item)->tp_name));
}

index_item integer_item(PyObject* item) {
  const Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) {
    nb::raise_python_error();
  }
  return index_item::integer(value);
}

/// A bound that is given; the least integer, which stands for none, clamps like its neighbour.
std::ptrdiff_t bound(PyObject* given, Py_ssize_t value) {
  if (given == Py_None) {
    return index_item::none;
  }
  return std::max<std::ptrdiff_t>(value, index_item::none + 1);
}

index_item slice_item(PyObject* item) {
  const auto* slice = reinterpret_cast<PySliceObject*>(item);
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(item, &start, &stop, &step) != 0) {
    nb::raise_python_error();
  }
  return index_item::slice(bound(slice->start, start), bound(slice->stop, stop), step);
}

index_item to_item(PyObject* item) {
  if (PySlice_Check(item)) {
    return slice_item(item);
  }
  if (item == Py_Ellipsis) {
    return index_item::ellipsis();
  }
  if (item == Py_None) {
    return index_item::newaxis();
  }
  if (PyBool_Check(item) || !PyIndex_Check(item)) {
    throw_no_basic_index(item);
  }
  return integer_item(item);
}

/// Capacity is a parameter because clearing room for the rare longest index takes longer than the
/// usual index itself.
template <std::size_t Capacity>
layout subscript_by_tuple(const layout& where, PyObject* key, std::size_t n) {
  std::array<index_item, Capacity> items;
  for (std::size_t k = 0; k < n; ++k) {
    items[k] = to_item(PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(k)));
  }
  return subscript(where, {items.data(), n});
}

}  // namespace

layout subscript_by(const layout& where, PyObject* key) {
  if (!PyTuple_Check(key)) {
    const index_item item = to_item(key);
    return subscript(where, {&item, 1});
  }
  const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(key));
  if (n > max_items) {
    throw index_error(
        detail::message("too many indices for array: at most ", max_items, ", found ", n));
  }
  return n <= few_items ? subscript_by_tuple<few_items>(where, key, n)
                        : subscript_by_tuple<max_items>(where, key, n);
}

}  // namespace usmx::bindings
