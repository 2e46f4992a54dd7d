// nanobind casters for authors of SYCL extensions: functions may take usmx::array_view,
// usmx::array, sycl::queue and sycl::event, from any producer of __sycl_usm_array_interface__ and
// any queue or event object, and return usmx::array, sycl::queue and sycl::event as usmx's own
// Python objects.
//
// An object that claims to be USM memory and is not raises its error in Python (ValueError with
// key, expected, found); it is not taken for another overload. A view is valid during the call; an
// array keeps its memory alive for as long as it exists, and may be released on any thread.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "usmx/array/array_view.hpp"
#include "usmx/python/api.hpp"

namespace usmx::python {

/// Call it first in NB_MODULE. Throws Python's ImportError. From then on exceptions of usmx and
/// SYCL that leave the extension's functions arrive in Python as those of usmx itself do.
inline void import_usmx() {
  if (!try_import_usmx()) {
    nanobind::raise_python_error();
  }
  nanobind::register_exception_translator([](const std::exception_ptr& exception, void*) {
    if (api().set_error(exception) == 0) {
      std::rethrow_exception(exception);
    }
  });
}

}  // namespace usmx::python

namespace nanobind::detail {

/// What the casters have in common: the conversion runs in from_python, which must not throw, and
/// its error is raised when the value is taken.
template <class T>
class usmx_caster {
 public:
  template <class U>
  using Cast = movable_cast_t<U>;
  template <class U>
  static constexpr bool can_cast() {
    return true;
  }

  explicit operator T*() { return &value(); }
  explicit operator T&() { return value(); }
  explicit operator T&&() { return std::move(value()); }

 protected:
  /// Whether the argument is of this kind, by what the table's function has returned.
  bool hold(int status) noexcept {
    if (status < 0) {
      error_.emplace();
    }
    return status != 0;
  }
  T& value() {
    if (error_) {
      throw *std::exchange(error_, std::nullopt);
    }
    return *value_;
  }

  std::optional<T> value_;
  std::optional<python_error> error_;
};

template <>
struct type_caster<usmx::array> : usmx_caster<usmx::array> {
  static constexpr auto Name = const_name("usmx.USMArray");

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    return hold(usmx::python::api().as_array(source.ptr(), &value_));
  }
  static handle from_cpp(const usmx::array& source, rv_policy, cleanup_list*) noexcept {
    return usmx::python::api().from_array(source);
  }
};

/// As for an array, which it is a view of for the length of the call.
template <>
struct type_caster<usmx::array_view> : type_caster<usmx::array> {
  template <class U>
  using Cast = usmx::array_view;

  explicit operator usmx::array_view() { return value().view(); }
};

template <>
struct type_caster<sycl::queue> : usmx_caster<sycl::queue> {
  static constexpr auto Name = const_name("usmx.SyclQueue");

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    return hold(usmx::python::api().as_queue(source.ptr(), &value_));
  }
  static handle from_cpp(const sycl::queue& source, rv_policy, cleanup_list*) noexcept {
    return usmx::python::api().from_queue(source);
  }
};

template <>
struct type_caster<sycl::event> : usmx_caster<sycl::event> {
  static constexpr auto Name = const_name("usmx.SyclEvent");

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    return hold(usmx::python::api().as_event(source.ptr(), &value_));
  }
  static handle from_cpp(const sycl::event& source, rv_policy, cleanup_list*) noexcept {
    return usmx::python::api().from_event(source);
  }
};

}  // namespace nanobind::detail
