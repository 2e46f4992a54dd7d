#include "container/container.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "exchange/exchange.hpp"
#include "objects/waiting.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {
namespace {

// ---- basic keys

/// The most items of a key: a whole axis and a new one for each of max_ndim dimensions, and an
/// ellipsis.
constexpr std::size_t max_items = 2 * max_ndim + 1;
constexpr std::size_t few_items = 6;

index_item integer_item(PyObject* item) {
  const Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) {
    nb::raise_python_error();
  }
  return index_item::integer(value);
}

/// A bound that is given, or none. The least integer stands for none, so a bound of that value
/// becomes its neighbour, which clamps in the same way.
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
  if (run_python([&] { return PySlice_Unpack(item, &start, &stop, &step); }) != 0) {
    nb::raise_python_error();
  }
  return index_item::slice(bound(slice->start, start), bound(slice->stop, stop), step);
}

/// The capacity is a parameter because clearing room for the rare longest index takes longer than
/// the usual index itself.
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

/// Whether an item is an integer. A USMArray, or a sequence, has an __index__ too, which it uses
/// when it has one element.
bool is_integer(PyObject* object) {
  return PyLong_CheckExact(object) || (PyIndex_Check(object) && !PyBool_Check(object) &&
                                       !PySequence_Check(object) && as_array(object) == nullptr);
}

// ---- keys with arrays

bool is_index(const array_view& view) {
  const char kind = view.type().kind();
  return kind == 'b' || kind == 'i' || kind == 'u';
}

bool is_one_integer(const auto& values) {
  return values.ndim() == 0 && (values.type().kind() == 'i' || values.type().kind() == 'u');
}

/// The only element of an array of integers without dimensions.
std::ptrdiff_t integer_in(const array& values) {
  std::int64_t value = 0;
  const host_array place{reinterpret_cast<std::byte*>(&value), type_code::int64, {}, {}};
  ordered(is_short(values), [&] { copy_to_host(values, place); });
  return value;
}

/// The only element of a view of integers in ordinary memory.
std::ptrdiff_t integer_in(const array_view& values) {
  std::int64_t value = 0;
  convert_element(values.type(), values.data(), type_code::int64,
                  reinterpret_cast<std::byte*>(&value));
  return value;
}

/// Reads a key that is a list of Python integers only, at least one. Returns nothing for any other
/// key, and where an integer does not fit.
std::optional<std::vector<std::int64_t>> integers_of_list(PyObject* object) {
  if (!PyList_CheckExact(object) || PyList_GET_SIZE(object) == 0) {
    return std::nullopt;
  }
  const nb::object items = snapshot("index", "a list of integers", object);
  std::vector<std::int64_t> result;
  for (const nb::handle item : nb::borrow<nb::tuple>(items)) {
    int overflow = 0;
    if (!PyLong_CheckExact(item.ptr())) {
      return std::nullopt;
    }
    result.push_back(PyLong_AsLongLongAndOverflow(item.ptr(), &overflow));
    if (overflow != 0) {
      return std::nullopt;
    }
  }
  return result;
}

const bool truths[] = {false, true};

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

array_key::array_key(PyObject* key, const sycl::queue& queue) : queue_(queue) {
  if (!PyTuple_Check(key)) {
    add(key);
    return;
  }
  const std::size_t n = item_count(key);
  for (std::size_t k = 0; k < n; ++k) {
    add(PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(k)));
  }
}

array_key::array_key(PyObject* integers, int axis, int ndim, const sycl::queue& queue)
    : queue_(queue) {
  for (int k = 0; k < ndim; ++k) {
    if (k == axis) {
      add(integers);
    } else {
      items_.emplace_back(each_index{k, ndim});
    }
  }
}

void array_key::add(PyObject* item) {
  if (const array* own = as_array(item)) {
    return add_array(*own);
  }
  index_item basic;
  if (to_basic_item(item, basic)) {
    items_.emplace_back(basic);
    return;
  }
  if (PyBool_Check(item)) {
    items_.emplace_back(std::in_place_type<array_view>, const_cast<bool*>(&truths[item == Py_True]),
                        type_code::bool_, layout(), usm_kind::unknown, queue_, true);
    return;
  }
  if (auto plain = held_array::of_plain(item, queue_); plain && is_index(plain->view())) {
    return add_host_array(std::move(plain));
  }
  if (add_list_of_integers(item)) {
    return;
  }
  if (const nb::object view = view_of_producer(item); view.is_valid()) {
    return add_array(*as_array(view.ptr()));
  }
  add_host_array(held_array::of(hooks::host_index(nb::handle(item)), queue_));
}

/// Adds an item that is a list of integers. Returns false, with nothing added, for any other item.
bool array_key::add_list_of_integers(PyObject* item) {
  auto integers = integers_of_list(item);
  if (!integers) {
    return false;
  }
  const std::array count{std::ssize(*integers)};
  items_.emplace_back(std::in_place_type<array_view>, integers->data(), type_code::int64,
                      layout::c_order(count), usm_kind::unknown, queue_, true);
  lists_.push_back(*std::move(integers));  // the integers stay where they are
  return true;
}

void array_key::add_array(const array& values) {
  if (is_one_integer(values)) {
    items_.emplace_back(index_item::integer(integer_in(values)));
  } else {
    require_same_queue(values);
    items_.emplace_back(values);
  }
}

void array_key::require_same_queue(const array& values) const {
  const sycl::queue& queue = internal::private_queue(values);
  if (queue != queue_) {
    hooks::common_queue_of_key(own_object(queue_), own_object(queue));
  }
}

void array_key::add_host_array(std::unique_ptr<held_array> values) {
  if (is_one_integer(values->view())) {
    items_.emplace_back(index_item::integer(integer_in(values->view())));
    return;
  }
  items_.emplace_back(values->view());
  host_arrays_.push_back(std::move(values));
}

bool array_key::is_basic() const noexcept {
  return std::ranges::all_of(
      items_, [](const key_item& item) { return std::holds_alternative<index_item>(item); });
}

std::vector<index_item> array_key::basic_items() const {
  std::vector<index_item> result;
  for (const key_item& item : items_) {
    result.push_back(std::get<index_item>(item));
  }
  return result;
}

bool array_key::is_mask_of(const array& a) const noexcept {
  const auto masks_all = [&](const auto& values) {
    return values.type().kind() == 'b' && values.ndim() == a.ndim() && a.ndim() > 0;
  };
  if (items_.size() != 1) {
    return false;
  }
  if (const auto* own = std::get_if<array>(&items_[0])) {
    return masks_all(*own);
  }
  const auto* on_host = std::get_if<array_view>(&items_[0]);
  return on_host != nullptr && masks_all(*on_host);
}

selection array_key::select(const layout& where) const { return selection::of(where, items_); }

}  // namespace usmx::bindings
