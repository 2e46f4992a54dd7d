#include "container/container.hpp"

#include <cstring>
#include <tuple>
#include <utility>
#include <variant>

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "usmx/array/reinterpreted.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

// ---- the right-hand side of a[key] = value

lazy_import numpy_asarray("numpy", "asarray");

/// The target that a key addresses. NumPy takes other values for each (docs/decisions.md, 116): to
/// an item it converts one number; a view takes no sequence that is nested more deeply than the
/// view has dimensions; a mask of the whole array takes values of one dimension at most. Scalars of
/// NumPy's that do not fit are cast for a mask and a selection, and refused for the others.
enum class assigned_to { item, view, mask, selection };

/// Elements to be assigned: a scalar, an array, a producer, a buffer or a nested list.
class assigned_value {
 public:
  /// Takes a value. Throws type_error (TypeError) if only one of the elements and the destination
  /// is structured, or both are in different ways. The errors and warnings of NumPy's conversions
  /// pass through.
  assigned_value(PyObject* value, const array& destination, assigned_to);

  /// Whether copying the elements is short work: see objects/waiting.hpp.
  bool is_short() const;

  /// Throws type_error if the target takes no values of so many dimensions.
  void require_dimensions_for(assigned_to) const;
  /// Throws value_error naming both shapes if the elements cannot be repeated to a shape. Warns if
  /// they lose parts, as NumPy only does for a shape that fits.
  void require_shape(std::span<const std::ptrdiff_t> shape) const;

  /// Sets all elements of an array. Orders itself, and waits.
  void copy_to(const array& destination) const;
  /// Sets the selected elements. Orders itself, waits, and throws as usmx::scatter. The caller does
  /// not hold the interpreter lock.
  void scatter_to(const array& destination, selection) const;

 private:
  using source = std::variant<element, array, std::unique_ptr<held_array>>;
  static source source_of(PyObject* value, const array& destination, assigned_to);
  static source source_of_host(PyObject* value, const array& destination, assigned_to);

  dtype type() const;
  layout where() const;
  array_view host_view() const;

  dtype type_;
  sycl::queue queue_;
  source source_;
};

/// Sets all elements of an array. Waits. Throws as assigned_value and its copy_to.
void assign(const array& destination, PyObject* value, assigned_to);

/// Whether an object is one of NumPy's scalars, which have a buffer, as arrays have, but are no
/// sequences.
bool is_numpy_scalar(PyObject* value) {
  return PyObject_CheckBuffer(value) && !PySequence_Check(value);
}

array convertible(const array& value, dtype expected) {
  require_convertible(value.type(), expected);
  return value;
}

using internal::with_layout;

array_view with_layout(const array_view& view, layout where) {
  return {view.origin(), view.type(), std::move(where), view.kind(), view.queue(), view.readonly()};
}

/// Sets every element to one scalar.
void set_all(const array& destination, element value) {
  if (destination.size() == 1 && is_short(destination)) {
    wait_for(destination);
    std::memcpy(internal::first_element(destination), value.data(), value.type().itemsize());
    return;
  }
  ordered(is_short(destination), [&] { fill(destination, value.data()); });
}

assigned_value::source assigned_value::source_of(PyObject* value, const array& destination,
                                                 assigned_to to) {
  const dtype type = destination.type();
  const bool structured = type.is_structured();
  const auto of_array = [&](nb::handle view) -> source {
    const array& own = *as_array(view.ptr());
    if (to == assigned_to::item && !structured && own.ndim() > 0) {
      return to_element(type, asnumpy(view, nb::none()));
    }
    return convertible(own, type);
  };
  if (!structured && is_python_number(value)) {
    return to_element(type, value);
  }
  if (as_array(value) != nullptr) {
    return of_array(value);
  }
  if (auto plain = structured ? nullptr
                              : held_array::of_plain(value, internal::private_queue(destination))) {
    if (plain->view().ndim() == 0 || to == assigned_to::item) {
      return to_element(type, value);
    }
    return plain;
  }
  if (const nb::object view = view_of_producer(value); view.is_valid()) {
    return of_array(view);
  }
  return source_of_host(value, destination, to);
}

/// The elements of a value that is neither an array of USM nor a NumPy array of a plain type.
assigned_value::source assigned_value::source_of_host(PyObject* value, const array& destination,
                                                      assigned_to to) {
  const dtype type = destination.type();
  const bool is_cast = to == assigned_to::selection || to == assigned_to::mask;
  if (!type.is_structured() && is_numpy_scalar(value)) {
    return to_element(type, is_cast ? numpy_asarray(nb::handle(value)) : nb::borrow(value));
  }
  if (!type.is_structured() && to == assigned_to::item) {
    return to_element(type, nb::handle(value));
  }
  const nb::object max_depth = is_cast ? nb::none() : nb::object(nb::int_(destination.ndim()));
  const nb::object on_host = hooks::host_value(nb::handle(value), to_numpy_dtype(type), max_depth);
  return held_array::of(on_host, internal::private_queue(destination));
}

assigned_value::assigned_value(PyObject* value, const array& destination, assigned_to to)
    : type_(destination.type()),
      queue_(internal::private_queue(destination)),
      source_(source_of(value, destination, to)) {}

void assigned_value::require_dimensions_for(assigned_to to) const {
  if (to == assigned_to::mask && where().ndim() > 1) {
    throw type_error(
        detail::message("the elements of a mask take values of 1 dimension at most, found shape ",
                        tuple_text(where().shape())));
  }
}

void assigned_value::require_shape(std::span<const std::ptrdiff_t> shape) const {
  std::ignore = broadcast_assigned(where(), shape);
  warn_of_lost_parts(type(), type_);
}

bool assigned_value::is_short() const {
  const auto* values = std::get_if<array>(&source_);
  return values == nullptr || bindings::is_short(*values);
}

dtype assigned_value::type() const {
  const auto* values = std::get_if<array>(&source_);
  return values == nullptr ? host_view().type() : values->type();
}

layout assigned_value::where() const {
  const auto* values = std::get_if<array>(&source_);
  return values == nullptr ? host_view().layout() : values->layout();
}

/// The elements of a value that is not an array of USM.
array_view assigned_value::host_view() const {
  if (const auto* scalar = std::get_if<element>(&source_)) {
    return {
        const_cast<std::byte*>(scalar->data()), type_, layout(), usm_kind::unknown, queue_, true};
  }
  return std::get<std::unique_ptr<held_array>>(source_)->view();
}

void assigned_value::copy_to(const array& destination) const {
  const auto repeated = [&](const auto& values) {
    return with_layout(values, broadcast_assigned(values.layout(), destination.shape()));
  };
  if (const auto* values = std::get_if<array>(&source_)) {
    copy(repeated(*values), destination);
  } else {
    copy_from_host(repeated(host_view()), destination);
  }
}

void assigned_value::scatter_to(const array& destination, selection selected) const {
  if (const auto* values = std::get_if<array>(&source_)) {
    if (values->type() == type_) {
      return scatter(*values, std::move(selected), destination);
    }
    const array converted =
        empty(values->shape(), type_, internal::private_queue(*values), values->kind());
    copy(*values, converted);
    return scatter(converted, std::move(selected), destination);
  }
  const array_view values = host_view();
  if (values.type() == type_) {
    return scatter(values, std::move(selected), destination);
  }
  scatter(internal::staging::fetched(values, type_).view(), std::move(selected), destination);
}

/// Sets the only element to an array without dimensions, where the host may do so now. False if it
/// did nothing.
bool moved_one_element(const array& destination, PyObject* value) {
  const array* from = as_array(value);
  if (from == nullptr || from->ndim() != 0 || destination.size() != 1 ||
      from->type() != destination.type() || from->type().is_structured()) {
    return false;
  }
  require_usable_process();
  look_for_peers();
  if (!internal::is_ready_for_host(destination) || !internal::is_readable(*from) ||
      !internal::host_reaches(*from)) {
    return false;
  }
  std::memmove(internal::first_element(destination), internal::first_element(*from),
               from->type().itemsize());
  return true;
}

void assign(const array& destination, PyObject* value, assigned_to to) {
  if (moved_one_element(destination, value)) {
    return;
  }
  if (!destination.type().is_structured() && is_python_number(value)) {
    return set_all(destination, to_element(destination.type(), value));
  }
  const assigned_value values(value, destination, to);
  values.require_shape(destination.shape());
  ordered(values.is_short() && is_short(destination), [&] { values.copy_to(destination); });
}

// ---- fields

std::string_view name_of_field(const array& a, PyObject* name) {
  const std::string_view text = to_text("name", name);
  if (find_field(a.type(), text) == nullptr) {
    PyErr_SetObject(PyExc_KeyError, name);
    nb::raise_python_error();
  }
  return text;
}

/// Whether a key is a list of strings, at least one.
bool is_list_of_names(PyObject* key) {
  if (!PyList_Check(key) || PyList_GET_SIZE(key) == 0) {
    return false;
  }
  const nb::ft_object_guard unchanged(key);
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(key); ++k) {
    if (!PyUnicode_Check(PyList_GET_ITEM(key, k))) {
      return false;
    }
  }
  return true;
}

bool names_field(const array& a, PyObject* key) {
  return a.type().is_structured() && PyUnicode_Check(key);
}

bool names_fields(const array& a, PyObject* key) {
  return a.type().is_structured() && is_list_of_names(key);
}

array field_by_name(const array& a, PyObject* name) {
  return field_view(a, name_of_field(a, name));
}

array fields_by_names(const array& a, PyObject* key) {
  const nb::object items = snapshot("key", "a list of names", key);
  std::vector<std::string_view> names;
  for (const nb::handle name : nb::borrow<nb::tuple>(items)) {
    names.push_back(name_of_field(a, name.ptr()));
  }
  return fields_view(a, names);
}

// ---- reading

array selected_copy(const array& source, const array_key& key) {
  const noted_call_site here;
  return ordered(false, [&] {
    const selection selected = key.select(source.layout());
    array result = make_array(layout::c_order(selected.shape()), source.type(),
                              internal::private_queue(source), source.kind(), first_use::at_once);
    internal::gather_to_fresh(source, selected, result);
    return result;
  });
}

/// Reads by a key that may have arrays among its items: if it has, the result is a copy, else a
/// view.
nb::object get_by_arrays(const py_array& a, PyObject* key) {
  if (const array* indices = as_array(key)) {
    require_usable_process();
    look_for_peers();
    constexpr std::ptrdiff_t soon_done = std::ptrdiff_t{1} << 14;  // before the lock is released
    const auto take = [&] {
      const without_interpreter_lock unlocked(indices->size() > soon_done);
      return internal::take_few(a.value, *indices);
    };
    if (std::optional<array> taken = take()) {
      return to_python(*std::move(taken));
    }
  }
  const array_key parsed(key, internal::private_queue(a.value));
  if (parsed.is_basic()) {
    return to_python(a, subscript(a.value.layout(), parsed.basic_items()));
  }
  return to_python(selected_copy(a.value, parsed));
}

// ---- writing

void require_writable(const array& a) {
  if (a.readonly()) {
    throw read_only_error("assignment destination is read-only");
  }
}

bool is_ellipsis_in(PyObject* key) {
  if (!PyTuple_Check(key)) {
    return key == Py_Ellipsis;
  }
  const Py_ssize_t n = PyTuple_GET_SIZE(key);
  for (Py_ssize_t k = 0; k < n; ++k) {
    if (PyTuple_GET_ITEM(key, k) == Py_Ellipsis) {
      return true;
    }
  }
  return false;
}

/// The target that a basic key addresses: with integers for all axes and no ellipsis, one item.
assigned_to addressed_by(PyObject* key, const array& destination) {
  return destination.ndim() == 0 && !is_ellipsis_in(key) ? assigned_to::item : assigned_to::view;
}

void assign_by(PyObject* key, const array& destination, PyObject* value) {
  assign(destination, value, addressed_by(key, destination));
}

void set_selected(const array& a, const array_key& key, PyObject* value) {
  const assigned_to to = key.is_mask_of(a) ? assigned_to::mask : assigned_to::selection;
  const assigned_value values(value, a, to);
  std::optional<selection> selected;
  std::span<const std::ptrdiff_t> shape;
  ordered(false, [&] {
    selected = key.select(a.layout());
    shape = selected->shape();  // of a mask on a device, which is counted there
  });
  values.require_dimensions_for(to);
  values.require_shape(shape);
  ordered(false, [&] { values.scatter_to(a, *std::move(selected)); });
}

void set_by_arrays(const array& a, PyObject* key, PyObject* value) {
  const array_key parsed(key, internal::private_queue(a));
  if (parsed.is_basic()) {
    return assign_by(key, internal::with_layout(a, subscript(a.layout(), parsed.basic_items())),
                     value);
  }
  set_selected(a, parsed, value);
}

// ---- integers for each place on the other axes

nb::object take_along_axis(const py_array& a, nb::handle indices, int axis) {
  const array_key key(indices.ptr(), axis, a.value.ndim(), internal::private_queue(a.value));
  return to_python(selected_copy(a.value, key));
}

void put_along_axis(const py_array& a, nb::handle indices, nb::handle values, int axis) {
  require_writable(a.value);
  const array_key key(indices.ptr(), axis, a.value.ndim(), internal::private_queue(a.value));
  set_selected(a.value, key, values.ptr());
}

// ---- masks

std::ptrdiff_t count_in(const py_array& a) {
  return ordered(is_short(a.value), [&] { return count_nonzero(a.value); });
}

nb::object coordinate_arrays(const py_array& a) {
  const noted_call_site here;
  nb::list arrays;
  for (array& one : ordered(false, [&] { return nonzero(a.value); })) {
    arrays.append(to_python(std::move(one)));
  }
  return nb::tuple(arrays);
}

// ---- iteration

struct array_iterator {
  nb::object array;
  std::ptrdiff_t next = 0;
};

std::ptrdiff_t remaining(const array_iterator& it) {
  return ready_instance<py_array>(it.array.ptr()).value.shape()[0] - it.next;
}

void require_axis(const array& a) {
  if (a.ndim() == 0) {
    throw type_error("iteration over a 0-dimensional array: expected at least one axis");
  }
}

/// Makes NumPy's iterator over numbers in one dimension that the host reaches: it gives scalars,
/// which Python's own functions compute with and hash. For other arrays makes one over views.
nb::object new_iterator(nb::object array) {
  const auto& a = ready_instance<py_array>(array.ptr()).value;
  if (a.ndim() == 1 && !a.type().is_structured() && internal::host_may_view(a)) {
    const nb::object elements = numpy_asarray(array);
    return checked(PyObject_GetIter(elements.ptr()));
  }
  return make_instance(array_iterator{std::move(array)});
}

PyObject* next_view(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const nb::ft_object_guard alone(self);
    auto& it = ready_instance<array_iterator>(self);
    if (remaining(it) == 0) {
      return nullptr;
    }
    const auto& a = ready_instance<py_array>(it.array.ptr());
    const index_item index = index_item::integer(it.next++);
    return to_python(a, subscript(a.value.layout(), {&index, 1})).release().ptr();
  });
}

nb::object reversed(const py_array& a) {
  require_axis(a.value);
  const index_item backwards = index_item::slice(index_item::none, index_item::none, -1);
  return new_iterator(to_python(a, subscript(a.value.layout(), {&backwards, 1})));
}

PyType_Slot iterator_slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(next_view)},
                                {0, nullptr}};

}  // namespace

void bind_items(nb::module_& m) {
  declare<"def _nonzero(array: USMArray, /) -> tuple[USMArray, ...]">(
      m, &coordinate_arrays,
      "The indices of the elements that are not zero, one array for each dimension. Waits.");
  declare<"def _count_nonzero(array: USMArray, /) -> int">(
      m, &count_in, "How many elements are not zero. Waits.");
  declare<"def _take_along_axis(array: USMArray, indices: object, axis: int, /) -> USMArray">(
      m, &take_along_axis,
      "Elements at an array of integers, of as many dimensions, along an axis >= 0. Waits.");
  declare<
      "def _put_along_axis(array: USMArray, indices: object, values: object, axis: int, /) -> "
      "None">(
      m, &put_along_axis,
      "Sets elements at an array of integers, of as many dimensions, along an axis >= 0. Waits.");
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded<PyObject*>(nullptr, [&] {
    const auto& a = ready_instance<py_array>(self);
    if (names_field(a.value, key)) {
      return to_python(a, field_by_name(a.value, key)).release().ptr();
    }
    if (names_fields(a.value, key)) {
      return to_python(a, fields_by_names(a.value, key)).release().ptr();
    }
    if (auto where = subscript_by(a.value.layout(), key)) {
      return to_python(a, *std::move(where)).release().ptr();
    }
    return get_by_arrays(a, key).release().ptr();
  });
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(-1, [&] {
    const array& a = ready_instance<py_array>(self).value;
    if (value == nullptr) {
      throw type_error("elements of a USMArray cannot be deleted");
    }
    require_writable(a);
    if (names_fields(a, key)) {
      throw index_error(detail::message("fields are assigned one by one: expected one name, found ",
                                        repr_text(key)));
    }
    if (names_field(a, key)) {
      assign(field_by_name(a, key), value, assigned_to::view);
    } else if (auto where = subscript_by(a.layout(), key)) {
      assign_by(key, internal::with_layout(a, *std::move(where)), value);
    } else {
      set_by_arrays(a, key, value);
    }
    return 0;
  });
}

void bind_iteration(nb::module_& m, nb::class_<py_array>& array_class) {
  nb::class_<array_iterator> cls(m, "_ArrayIterator", nb::type_slots(iterator_slots));
  cls.def("__length_hint__", &remaining);
  set_python_class<array_iterator>(cls);
  declare<"def __reversed__(self) -> typing.Iterator[typing.Any]">(array_class, &reversed);
}

PyObject* iterate(PyObject* array) {
  return guarded<PyObject*>(nullptr, [&] {
    require_axis(ready_instance<py_array>(array).value);
    return new_iterator(nb::borrow(array)).release().ptr();
  });
}

}  // namespace usmx::bindings
