#include "container/container.hpp"

#include <algorithm>
#include <array>

#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

// ---- elements that the host can read

/// The elements of an array for reading by the host, as long as this and the array live: in place,
/// or in a packed copy. Making one waits for the work on the memory.
class readable_elements {
 public:
  explicit readable_elements(const array& a) {
    if (is_host_accessible(a.kind()) || internal::host_reaches(a)) {
      wait_for(a);
      memory_ = a.owner()->data();
      where_ = a.layout();
      return;
    }
    ordered(false, [&] { copied_.emplace(internal::staging::fetched(a, a.type())); });
    memory_ = copied_->view().origin();
    where_ = copied_->view().layout();
  }

  /// The address that the layout's offsets count from.
  const std::byte* memory() const noexcept { return memory_; }
  const layout& where() const noexcept { return where_; }

 private:
  const std::byte* memory_ = nullptr;
  layout where_;
  std::optional<internal::staging> copied_;
};

/// Calls NumPy's item() or tolist(), which make tuples of structured elements.
nb::object through_numpy(const array& a, const char* method) {
  return asnumpy(to_python(a), nb::none()).attr(method)();
}

// ---- one element

/// The element of an array that has exactly one.
nb::object only_element(const array& a) {
  if (a.type().is_structured()) {
    return through_numpy(a, "item");
  }
  const readable_elements elements(a);
  const std::ptrdiff_t place =
      elements.where().offset() * static_cast<std::ptrdiff_t>(a.type().itemsize());
  return checked(new_number(elements.memory() + place, a.type().code()));
}

/// Requires one number, by the rule of the array API and dpnp.tensor: an array of one element that
/// has an axis is no number.
void require_scalar(const array& a, const char* wrong_size) {
  if (a.size() != 1) {
    throw value_error(detail::message(wrong_size, ", found shape ", tuple_text(a.shape())));
  }
  if (a.ndim() != 0) {
    throw type_error(detail::message(
        "only 0-dimensional arrays can be converted to Python scalars, found shape ",
        tuple_text(a.shape()), ": a.item() takes any array of one element"));
  }
  if (a.type().is_structured()) {
    throw type_error(
        detail::message("a structured element is not a number, found dtype ", a.type()));
  }
}

nb::object scalar_of(PyObject* self) {
  const array& a = ready_instance<py_array>(self).value;
  require_scalar(a, "only size-1 arrays can be converted to Python scalars");
  return only_element(a);
}

PyObject* to_int(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] { return PyNumber_Long(scalar_of(self).ptr()); });
}

PyObject* to_float(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] { return PyNumber_Float(scalar_of(self).ptr()); });
}

/// Answers __index__. Errors are always a TypeError, as with NumPy: bytes(a) and bytearray(a) then
/// ask for the buffer.
PyObject* to_index(PyObject* self) {
  return guarded<PyObject*>(nullptr, [&] {
    const array& a = ready_instance<py_array>(self).value;
    if (a.ndim() != 0 || (a.type().kind() != 'i' && a.type().kind() != 'u')) {
      throw type_error(
          detail::message("only 0-dimensional integer arrays are an index, found shape ",
                          tuple_text(a.shape()), " and dtype ", a.type()));
    }
    return only_element(a).release().ptr();
  });
}

int to_bool(PyObject* self) {
  return guarded(-1, [&] {
    const array& a = ready_instance<py_array>(self).value;
    require_scalar(a, a.size() == 0
                          ? "the truth value of an empty array is ambiguous: ask a.size"
                          : "the truth value of an array with more than one element is ambiguous");
    return PyObject_IsTrue(only_element(a).ptr());
  });
}

nb::object to_complex(nb::handle_t<py_array> self) {
  return nb::handle(reinterpret_cast<PyObject*>(&PyComplex_Type))(scalar_of(self.ptr()));
}

// ---- item

/// The layout of the element with one index for each axis.
layout element_at(const layout& where, std::span<const std::ptrdiff_t> indices) {
  if (indices.size() != where.shape().size()) {
    throw value_error(detail::message("item() takes no index, one, or one for each of ",
                                      where.ndim(), " axes, found ", indices.size()));
  }
  std::array<index_item, max_ndim> items;
  std::ranges::transform(indices, items.begin(), index_item::integer);
  return subscript(where, {items.data(), indices.size()});
}

nb::object item(const py_array& self, const nb::args& args) {
  const array& a = self.value;
  if (args.size() == 0) {
    if (a.size() != 1) {
      throw value_error(detail::message(
          "item() without an index needs an array of size 1, found shape ", tuple_text(a.shape())));
    }
    return only_element(a);
  }
  const bool one_argument = args.size() == 1;
  if (one_argument && PyIndex_Check(args[0].ptr())) {
    const std::ptrdiff_t index = to_count("index", "an integer", args[0].ptr());
    return only_element(internal::with_layout(a, element_in_c_order(a.layout(), index)));
  }
  const nb::object given = one_argument ? nb::object(args[0]) : nb::object(args);
  return only_element(
      internal::with_layout(a, element_at(a.layout(), counts("index", given.ptr()).span())));
}

// ---- tolist

/// The elements from axis `axis` on, as lists in lists; `first` is the first one of them.
nb::object nested_list(const std::byte* first, const layout& where, dtype type, int axis) {
  if (axis == where.ndim()) {
    return checked(new_number(first, type.code()));
  }
  const auto k = static_cast<std::size_t>(axis);
  const std::ptrdiff_t step = where.strides()[k] * static_cast<std::ptrdiff_t>(type.itemsize());
  nb::object list = checked(PyList_New(where.shape()[k]));
  for (Py_ssize_t i = 0; i < where.shape()[k]; ++i) {
    PyList_SET_ITEM(list.ptr(), i,
                    nested_list(first + i * step, where, type, axis + 1).release().ptr());
  }
  return list;
}

nb::object to_list(const py_array& self) {
  const array& a = self.value;
  if (a.type().is_structured()) {
    return through_numpy(a, "tolist");
  }
  const readable_elements elements(a);
  const auto itemsize = static_cast<std::ptrdiff_t>(a.type().itemsize());
  const std::ptrdiff_t first = a.size() == 0 ? 0 : elements.where().offset() * itemsize;
  return nested_list(elements.memory() + first, elements.where(), a.type(), 0);
}

const PyType_Slot scalar_slots[] = {
    {Py_nb_int, reinterpret_cast<void*>(to_int)},
    {Py_nb_float, reinterpret_cast<void*>(to_float)},
    {Py_nb_index, reinterpret_cast<void*>(to_index)},
    {Py_nb_bool, reinterpret_cast<void*>(to_bool)},
};

}  // namespace

std::vector<PyType_Slot> with_scalars(std::span<const PyType_Slot> others) {
  std::vector<PyType_Slot> all(std::begin(scalar_slots), std::end(scalar_slots));
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void bind_scalars(nb::class_<py_array>& cls) {
  declare<"def __complex__(self) -> complex">(cls, &to_complex);
  declare<"def item(self, *args: typing.Any) -> typing.Any">(cls, &item);
  declare<"def tolist(self) -> typing.Any">(cls, &to_list);
}

}  // namespace usmx::bindings
