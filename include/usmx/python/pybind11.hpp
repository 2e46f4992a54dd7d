// pybind11 casters for SYCL extensions. Functions may take usmx::array and usmx::array_view from
// any producer of __sycl_usm_array_interface__, and sycl::queue, sycl::context, sycl::device and
// sycl::event from any Python object that holds one. They may return all of these but the view,
// which become Python objects of usmx. The containers of pybind11/stl.h may hold them, too.
//
// An object that claims to be USM memory and is not raises its error, and is not tried with another
// overload. A view is valid during the call. An array keeps its memory alive as long as it exists,
// and may be released on any thread.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "usmx/array/array_view.hpp"
#include "usmx/python/exceptions.hpp"
#include "usmx/python/exchanged.hpp"
#include "usmx/python/explained.hpp"
#include "usmx/python/typed.hpp"

namespace usmx::python {

/// Imports usmx. An extension calls it first in PYBIND11_MODULE, so that a usmx that is missing or
/// has another version raises its ImportError (or ModuleNotFoundError) when the extension is
/// imported. From then on, exceptions of usmx and SYCL that leave the extension's functions become
/// the Python errors that usmx itself raises. Returns the table of functions.
inline const usmx_api& import_usmx() {
  const usmx_api* table = usmx_import();
  if (table == nullptr) {
    throw pybind11::error_already_set();
  }
  detail::once_an_extension([] {
    pybind11::register_local_exception_translator([](std::exception_ptr exception) {
      if (exception) {
        detail::translate(exception);
      }
    });
  });
  return *table;
}

namespace detail {

/// Makes a function of pybind11 explain what it refuses.
inline void explain_function(PyObject* object) noexcept {
  if (Py_IS_TYPE(object, &PyStaticMethod_Type) != 0) {
    const auto inner =
        pybind11::reinterpret_steal<pybind11::object>(PyObject_GetAttrString(object, "__func__"));
    return inner ? explain_function(inner.ptr()) : PyErr_Clear();
  }
  const pybind11::handle function = pybind11::detail::get_function(object);
  constexpr int flags = METH_FASTCALL | METH_KEYWORDS;  // as pybind11 3.1 and later make them
  if (!function || PyCFunction_Check(function.ptr()) == 0 ||
      PyCFunction_GET_FLAGS(function.ptr()) != flags ||
      PyCFunction_GET_SELF(function.ptr()) == nullptr ||
      !pybind11::detail::is_function_record_PyObject(PyCFunction_GET_SELF(function.ptr()))) {
    return;
  }
  using entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
  PyCFunction& called = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml->ml_meth;
  called = reinterpret_cast<PyCFunction>(
      reinterpret_cast<void (*)()>(explained_entries<entry>::stand_in_for(
          reinterpret_cast<entry>(reinterpret_cast<void (*)()>(called)))));
}

}  // namespace detail

/// Imports usmx for a module whose functions have typed parameters (usmx::in and usmx::convert). An
/// extension calls it first in PYBIND11_MODULE and keeps the result until the end: then the
/// TypeErrors of the module's functions name the argument that does not fit (with pybind11 3.1 and
/// later). Raises ImportError or ModuleNotFoundError when usmx is missing or has another version.
[[nodiscard]] inline explained_module import_usmx(pybind11::module_& module) {
  import_usmx();
  return explained_module(module.ptr(), &detail::explain_function);
}

}  // namespace usmx::python

namespace pybind11::detail {

/// The caster of a single value. pybind11 loads arguments, and elements of containers, where an
/// error may be thrown.
template <class T>
class usmx_caster {
 public:
  static constexpr auto name = io_name(usmx::python::taken_as<T>, usmx::python::exchanged<T>::name);
  template <class U>
  using cast_op_type =
      std::conditional_t<std::is_same_v<U, const T&>, const T&, movable_cast_op_type<U>>;

  bool load(handle source, bool) {
    const int status =
        usmx::python::exchanged<T>::take(usmx::python::import_usmx(), source.ptr(), value_);
    if (status < 0) {
      throw error_already_set();
    }
    return status != 0;
  }
  static handle cast(const T& source, return_value_policy, handle) {
    PyObject* made = usmx::python::give(source);
    if (made == nullptr) {
      throw error_already_set();
    }
    return made;
  }

  explicit operator const T&() { return *value_; }
  explicit operator T*() { return &value_.own(); }
  explicit operator T&() { return value_.own(); }
  explicit operator T&&() { return std::move(value_.own()); }

 protected:
  usmx::python::taken<T> value_;
};

template <>
class type_caster<usmx::array> : public usmx_caster<usmx::array> {};
template <>
class type_caster<sycl::queue> : public usmx_caster<sycl::queue> {};
template <>
class type_caster<sycl::context> : public usmx_caster<sycl::context> {};
template <>
class type_caster<sycl::device> : public usmx_caster<sycl::device> {};
template <>
class type_caster<sycl::event> : public usmx_caster<sycl::event> {};

/// The caster of a view: it takes an array, and views it during the call. A container drops the
/// caster of an element before the call ends, and so the call keeps the array.
template <>
class type_caster<usmx::array_view> : public usmx_caster<usmx::array> {
 public:
  template <class U>
  using cast_op_type = usmx::array_view;

  bool load(handle source, bool convert) {
    if (!usmx_caster::load(source, convert)) {
      return false;
    }
    auto kept = std::make_unique<usmx::array>(*value_);
    const capsule keeper(kept.get(), [](void* array) {
      const error_scope untouched;
      delete static_cast<usmx::array*>(array);
    });
    kept.release();
    loader_life_support::try_add_patient(keeper);
    return true;
  }
  explicit operator usmx::array_view() { return (*value_).view(); }
};

/// The caster of a typed parameter: it takes an array. One that does not meet the requirement may
/// fit another overload.
template <class Parameter>
class usmx_typed_caster : public usmx_caster<usmx::array> {
 public:
  static constexpr auto name = const_name(usmx::python::annotation<Parameter>.characters);
  template <class U>
  using cast_op_type = Parameter;

  bool load(handle source, bool convert) {
    const bool is_array = usmx_caster::load(source, convert);
    if constexpr (usmx::python::takes_copies<Parameter>) {
      if (!is_array || !is_met(Parameter::requirement, *value_)) {
        return convert && take_copy(source);
      }
    }
    if (!is_array) {
      usmx::python::note_no_array<Parameter>(source.ptr());
      return false;
    }
    return usmx::python::fits<Parameter>(source.ptr(), *value_);
  }

  explicit operator Parameter() {
    return Parameter(usmx::array(*value_), usmx::detail::requirement_is_met());
  }

 private:
  bool take_copy(handle source) {
    const usmx::array* given = value_ ? &*value_ : nullptr;
    const auto made =
        reinterpret_steal<object>(usmx::python::converted<Parameter>(source.ptr(), given));
    if (!made) {
      if (PyErr_Occurred() != nullptr) {
        throw error_already_set();
      }
      return false;
    }
    return usmx_caster::load(made, false) && usmx::python::fits<Parameter>(source.ptr(), *value_);
  }
};

template <class T, auto... Words>
class type_caster<usmx::in<T, Words...>> : public usmx_typed_caster<usmx::in<T, Words...>> {};
template <class T, auto... Words>
class type_caster<usmx::convert<T, Words...>>
    : public usmx_typed_caster<usmx::convert<T, Words...>> {};

}  // namespace pybind11::detail
