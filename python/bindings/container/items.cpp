#include "container/items.hpp"

#include <array>
#include <utility>
#include <vector>

#include "container/array_key.hpp"
#include "container/assigned_value.hpp"
#include "container/basic_key.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/new_memory.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/errors.hpp"
#include "usmx/array/field_view.hpp"
#include "usmx/copy/select/gather.hpp"
#include "usmx/layout/structure.hpp"

namespace usmx::bindings {
namespace {

std::string_view name_of_field(const array& a, PyObject* name) {
  const std::string_view text = to_text("name", name);
  if (find_field(a.type(), text) == nullptr) {
    PyErr_SetObject(PyExc_KeyError, name);
    nb::raise_python_error();
  }
  return text;
}

/// A list of strings, at least one.
bool is_list_of_names(PyObject* key) {
  if (!PyList_Check(key) || PyList_GET_SIZE(key) == 0) {
    return false;
  }
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
    gather(source, selected, result);
    return result;
  });
}

/// What a key addresses that may have arrays among its items: if so a copy, else a view.
nb::object get_by_arrays(const py_array& a, PyObject* key) {
  const array_key parsed(key, internal::private_queue(a.value));
  if (parsed.is_basic()) {
    return to_python(
        internal::with_layout(a.value, subscript(a.value.layout(), parsed.basic_items())), a.base);
  }
  return to_python(selected_copy(a.value, parsed));
}

// ---- writing

void require_writable(const array& a) {
  if (a.readonly()) {
    throw read_only_error("assignment destination is read-only");
  }
}

void set_by_arrays(const array& a, PyObject* key, PyObject* value) {
  const array_key parsed(key, internal::private_queue(a));
  if (parsed.is_basic()) {
    return assign(internal::with_layout(a, subscript(a.layout(), parsed.basic_items())), value);
  }
  assigned_value values(value, a);
  ordered(false, [&] { values.scatter_to(a, parsed.select(a.layout())); });
}

// ---- masks

std::ptrdiff_t count_in(const py_array& a) {
  return ordered(is_short(a.value), [&] { return count_nonzero(a.value); });
}

std::vector<array> coordinates_of(const array& a) {
  const noted_call_site here;
  return ordered(false, [&] {
    const std::array count{count_nonzero(a)};
    std::vector<array> result;
    for (int k = 0; k < a.ndim(); ++k) {
      result.push_back(make_array(layout::c_order(count), type_code::int64,
                                  internal::private_queue(a), a.kind(), first_use::at_once));
    }
    nonzero(a, result);
    return result;
  });
}

nb::object coordinate_arrays(const py_array& a) {
  nb::list arrays;
  for (array& one : coordinates_of(a.value)) {
    arrays.append(to_python(std::move(one)));
  }
  return nb::tuple(arrays);
}

}  // namespace

void bind_items(nb::module_& m) {
  m.def("_nonzero", &coordinate_arrays,
        nb::sig("def _nonzero(array: USMArray, /) -> tuple[USMArray, ...]"),
        "The indices of the elements that are not zero, one array for each dimension. Waits.");
  m.def("_count_nonzero", &count_in, nb::sig("def _count_nonzero(array: USMArray, /) -> int"),
        "How many elements are not zero. Waits.");
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded<PyObject*>(nullptr, [&] {
    const auto& a = ready_instance<py_array>(self);
    if (names_field(a.value, key)) {
      return to_python(field_by_name(a.value, key), a.base).release().ptr();
    }
    if (names_fields(a.value, key)) {
      return to_python(fields_by_names(a.value, key), a.base).release().ptr();
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
      assign(field_by_name(a, key), value);
    } else if (auto where = subscript_by(a.layout(), key)) {
      assign(internal::with_layout(a, *std::move(where)), value);
    } else {
      set_by_arrays(a, key, value);
    }
    return 0;
  });
}

}  // namespace usmx::bindings
