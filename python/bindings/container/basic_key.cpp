#include "container/basic_key.hpp"

#include <algorithm>
#include <array>

#include "objects/array.hpp"

namespace usmx::bindings {
namespace {

/// A whole axis and a new one for each of max_ndim dimensions, and an ellipsis.
constexpr std::size_t max_items = 2 * max_ndim + 1;
constexpr std::size_t few_items = 6;

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

/// Capacity is a parameter because clearing room for the rare longest index takes longer than the
/// usual index itself.
template <std::size_t Capacity>
std::optional<layout> subscript_by_tuple(const layout& where, PyObject* key, std::size_t n) {
  std::array<index_item, Capacity> items;
  for (std::size_t k = 0; k < n; ++k) {
    if (!to_basic_item(PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(k)), items[k])) {
      return std::nullopt;
    }
  }
  return subscript(where, {items.data(), n});
}

/// A USMArray, or a sequence, has an __index__ too, which it uses when it has one element.
bool is_integer(PyObject* object) {
  return PyLong_CheckExact(object) || (PyIndex_Check(object) && !PyBool_Check(object) &&
                                       !PySequence_Check(object) && as_array(object) == nullptr);
}

}  // namespace

std::size_t item_count(PyObject* tuple) {
  const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
  if (n > max_items) {
    throw index_error(
        detail::message("too many indices for array: at most ", max_items, ", found ", n));
  }
  return n;
}

bool to_basic_item(PyObject* object, index_item& item) {
  if (PySlice_Check(object)) {
    item = slice_item(object);
  } else if (object == Py_Ellipsis) {
    item = index_item::ellipsis();
  } else if (object == Py_None) {
    item = index_item::newaxis();
  } else if (is_integer(object)) {
    item = integer_item(object);
  } else {
    return false;
  }
  return true;
}

std::optional<layout> subscript_by(const layout& where, PyObject* key) {
  if (!PyTuple_Check(key)) {
    index_item item;
    if (!to_basic_item(key, item)) {
      return std::nullopt;
    }
    return subscript(where, {&item, 1});
  }
  const std::size_t n = item_count(key);
  return n <= few_items ? subscript_by_tuple<few_items>(where, key, n)
                        : subscript_by_tuple<max_items>(where, key, n);
}

}  // namespace usmx::bindings
