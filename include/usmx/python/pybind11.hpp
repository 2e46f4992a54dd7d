// pybind11 casters for authors of SYCL extensions: functions may take usmx::array_view,
// usmx::array, sycl::queue, sycl::context, sycl::device and sycl::event, from any producer of
// __sycl_usm_array_interface__ and any object that holds one of the others, and return all but the
// view as usmx's own Python objects; pybind11's containers of them too (pybind11/stl.h).
//
// An object that claims to be USM memory and is not raises its error in Python, wherever it stands;
// it is not taken for another overload. A view is valid during the call; an array keeps its memory
// alive for as long as it exists, and may be released on any thread.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "usmx/array/array_view.hpp"
#include "usmx/python/exceptions.hpp"
#include "usmx/python/exchanged.hpp"

namespace usmx::python {

/// Call it first in PYBIND11_MODULE: then a usmx that is missing, or too different, is an
/// ImportError of the extension, and not one of the first function that needs it. From then on
/// exceptions of usmx and SYCL that leave the extension's functions arrive in Python as those of
/// usmx itself do.
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

}  // namespace usmx::python

namespace pybind11::detail {

/// pybind11 loads arguments, and elements of containers, where an error may be thrown.
template <class T>
class usmx_caster {
 public:
  static constexpr auto name = const_name(usmx::python::exchanged<T>::name);
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

/// As for an array, which it is a view of for the length of the call. A container drops the caster
/// of an element before the call ends: the call keeps the array.
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

}  // namespace pybind11::detail
