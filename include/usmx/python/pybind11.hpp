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

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "usmx/array/array_of.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/python/exchanged.hpp"
#include "usmx/python/function.hpp"
#include "usmx/python/typed.hpp"

#if PYBIND11_VERSION_MAJOR < 3
#error "usmx/python/pybind11.hpp needs pybind11 3.0 or newer: pip install 'pybind11>=3.0'"
#endif

namespace usmx::python::detail {

/// Python's error is set already, by a function that had the interpreter lock for a while. Who
/// throws this may lack the lock, and must not ask for it: the interpreter may be ending.
class pending_error : public std::runtime_error {
 public:
  pending_error() : std::runtime_error("Python's error is set") {}
};

}  // namespace usmx::python::detail

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
      try {
        if (exception) {
          detail::translate(exception);
        }
      } catch (const detail::pending_error&) {
        // The exception has become Python's error.
      }
    });
  });
  return *table;
}

}  // namespace usmx::python

namespace PYBIND11_NAMESPACE {
namespace detail {

/// The caster of a single value. pybind11 loads arguments, and elements of containers, where an
/// error may be thrown. The elements of an array that is for `Parameter` are made ready when the
/// value is taken: under the function's call guard, and so perhaps without the interpreter lock.
template <class T, class Parameter = T>
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

  explicit operator const T&() { return seen(); }
  explicit operator T*() { return &own(); }
  explicit operator T&() { return own(); }
  explicit operator T&&() { return std::move(own()); }

 protected:
  const T& seen() {
    if constexpr (std::is_same_v<T, usmx::array>) {
      if (!usmx::python::detail::make_ready<Parameter>(usmx::python::import_usmx(), *value_)) {
        throw usmx::python::detail::pending_error();
      }
    }
    return *value_;
  }
  T& own() {
    seen();
    return value_.own();
  }

  usmx::python::taken<T> value_;
};

template <class T>
  requires requires { usmx::python::exchanged<T>::name; }
class type_caster<T> : public usmx_caster<T> {};

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
    try {
      loader_life_support::add_patient(keeper);
    } catch (const cast_error&) {
      // Outside of a call, as in py::cast: the caster alone keeps the array.
    }
    return true;
  }
  explicit operator usmx::array_view() { return seen().view(); }
};

/// The name of a parameter's type in signatures.
template <class Parameter>
constexpr auto usmx_name() {
  if constexpr (std::derived_from<Parameter, usmx::array> &&
                !std::same_as<Parameter, usmx::array>) {
    return io_name(usmx::python::annotation<Parameter>.characters,
                   usmx::python::exchanged<usmx::array>::name);
  } else if constexpr (usmx::python::detail::states_requirement<Parameter>) {
    return const_name(usmx::python::annotation<Parameter>.characters);
  } else {
    return usmx_caster<usmx::python::detail::cast_as<Parameter>>::name;
  }
}

/// The caster of a typed parameter, or of an argument in the place of any (`Taken`).
template <class Parameter, class Taken>
class usmx_typed_caster : public usmx_caster<usmx::python::detail::cast_as<Parameter>, Parameter> {
  using base = usmx_caster<usmx::python::detail::cast_as<Parameter>, Parameter>;
  using base::value_;

 public:
  static constexpr auto name = usmx_name<Parameter>();
  template <class U>
  using cast_op_type = Taken;

  bool load(handle source, bool convert) {
    refusing_.reset();
    const bool is_taken = base::load(source, convert);
    if (is_taken && usmx::python::detail::fits<Parameter>(*value_)) {
      return true;
    }
    if constexpr (usmx::python::takes_copies<Parameter>) {
      if (convert) {
        return take_copy(source);
      }
    }
    return is_taken ? refuse_array() : refuse_object(source);
  }

  explicit operator Taken() {
    if constexpr (requires { refusing_.refused(); }) {
      if (refusing_.is_refused()) {
        return refusing_.refused();
      }
    }
    return refusing_.taken(base::seen());
  }

 private:
  bool refuse_array() {
    if constexpr (usmx::python::detail::states_requirement<Parameter>) {
      return refusing_.refuse([&] { return usmx::python::refusal<Parameter>(*value_); });
    } else {
      return false;  // whatever was taken fits
    }
  }
  bool refuse_object(handle source) {
    return refusing_.refuse([&] { return usmx::python::refusal<Parameter>(source.ptr()); });
  }
  bool take_copy(handle source) {
    const usmx::array* given = value_ ? &*value_ : nullptr;
    const auto made =
        reinterpret_steal<object>(usmx::python::converted<Parameter>(source.ptr(), given));
    if (made) {
      return base::load(made, false) && (is_met(Parameter::requirement, *value_) || refuse_array());
    }
    if (!usmx::python::is_unsuitable()) {
      throw error_already_set();
    }
    const bool is_refused = refuse_object(source);
    PyErr_Clear();
    return is_refused;
  }

  [[no_unique_address]] usmx::python::detail::refusing<Taken> refusing_;
};

template <class T, auto... Words>
class type_caster<usmx::param::in<T, Words...>>
    : public usmx_typed_caster<usmx::param::in<T, Words...>, usmx::param::in<T, Words...>> {};
template <class T, auto... Words>
class type_caster<usmx::param::convert<T, Words...>>
    : public usmx_typed_caster<usmx::param::convert<T, Words...>,
                               usmx::param::convert<T, Words...>> {};
template <class T, std::size_t N>
class type_caster<usmx::array_of<T, N>>
    : public usmx_typed_caster<usmx::array_of<T, N>, usmx::array_of<T, N>> {};
template <class Parameter>
class type_caster<usmx::python::detail::argument<Parameter>>
    : public usmx_typed_caster<Parameter, usmx::python::detail::argument<Parameter>> {};

template <>
class type_caster<usmx::python::detail::left_argument> {
 public:
  PYBIND11_TYPE_CASTER(usmx::python::detail::left_argument, const_name("typing.Never"));

  bool load(handle source, bool convert) {
    value = {source.ptr()};
    return convert;
  }
};

}  // namespace detail
}  // namespace PYBIND11_NAMESPACE

namespace usmx::python::detail {

template <class T, class... Options>
struct class_of<pybind11::class_<T, Options...>> {
  using type = T;
};

template <std::derived_from<pybind11::arg> Extra>
struct argument_of<Extra> {
  static const char* name(const Extra& extra) noexcept { return extra.name; }
};

/// Sets what help() shows of a function: pybind11 writes it anew, with all signatures, whenever an
/// overload is added, and frees it with the function.
inline void set_doc(const pybind11::object& function, const pybind11::object& text) {
  PyObject* callable = function.ptr();
  if (PyInstanceMethod_Check(callable)) {
    callable = PyInstanceMethod_GET_FUNCTION(callable);
  }
  if (PyCFunction_Check(callable) && pybind11::isinstance<pybind11::str>(text)) {
    PyMethodDef* definition = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
    std::free(const_cast<char*>(definition->ml_doc));
    definition->ml_doc = strdup(text.cast<std::string>().c_str());
  }
}

}  // namespace usmx::python::detail

namespace usmx::python {

/// Ends the overloads of a function of a module, or of a method of a class: define it after them by
/// the same name. A call that fits none of them raises a TypeError of one line, which says what the
/// arguments are and does not wait for work on them, in place of the binding library's list of all
/// signatures. help() shows the overloads alone.
template <class Scope>
void end_overloads(Scope&& scope, const char* name) {
  const pybind11::object help = scope.attr(name).attr("__doc__");
  using self = typename detail::class_of<std::remove_cvref_t<Scope>>::type;
  const auto refuse = [name = std::string(name)](detail::left_argument first,
                                                 const pybind11::args& given,
                                                 const pybind11::kwargs& named) {
    throw type_error(detail::no_overload_text(name, first, given.ptr(), named.ptr()));
  };
  const auto define = [&](auto function) {
    const auto nothing =
        pybind11::reinterpret_borrow<pybind11::object>(detail::left_argument::none_given());
    scope.def(name, function, pybind11::arg() = nothing, pybind11::pos_only());
    detail::set_doc(scope.attr(name), help);
  };
  if constexpr (std::is_void_v<self>) {
    define(refuse);
  } else {
    define([refuse](pybind11::handle, detail::left_argument first, const pybind11::args& given,
                    const pybind11::kwargs& named) { refuse(first, given, named); });
  }
}

}  // namespace usmx::python
