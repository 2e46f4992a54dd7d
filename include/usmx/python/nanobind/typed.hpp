// The nanobind casters of parameters that state what they need: usmx::in and usmx::convert. Users
// include usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "usmx/python/nanobind/casters.hpp"
#include "usmx/python/typed.hpp"

namespace nanobind::detail {

/// The caster of a typed parameter: it takes an array. One that does not meet the requirement may
/// fit another overload; an object that claims to be USM memory and is not raises its error.
template <class Parameter>
class usmx_typed_caster : public usmx_caster<usmx::array> {
 public:
  static constexpr auto Name = const_name(usmx::python::annotation<Parameter>.characters);
  template <class U>
  using Cast = Parameter;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    const bool is_array = usmx_caster::from_python(source, flags, call);
    if (answer_.error) {
      return true;
    }
    if constexpr (usmx::python::takes_copies<Parameter>) {
      if (!is_array || !is_met(Parameter::requirement, *answer_.value)) {
        return (flags & cast_flags::convert) != 0 && take_copy(source, flags, call);
      }
    }
    if (!is_array) {
      usmx::python::note_no_array<Parameter>(source.ptr());
      return false;
    }
    return usmx::python::fits<Parameter>(source.ptr(), *answer_.value);
  }

  explicit operator Parameter() {
    return Parameter(usmx::array(seen()), usmx::detail::requirement_is_met());
  }

 private:
  bool take_copy(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    if (is_worth_keeping_) {
      keep();
    }
    const usmx::array* given = answer_.value ? &*answer_.value : nullptr;
    const object made = steal(usmx::python::converted<Parameter>(source.ptr(), given));
    if (!made.is_valid()) {
      if (PyErr_Occurred() != nullptr) {
        answer_.clear();
        answer_.error = usmx_error::current();
      }
      return static_cast<bool>(answer_.error);
    }
    return usmx_caster::from_python(made, flags, call) && answer_.value &&
           usmx::python::fits<Parameter>(source.ptr(), *answer_.value);
  }
};

template <class T, auto... Words>
struct type_caster<usmx::in<T, Words...>> : usmx_typed_caster<usmx::in<T, Words...>> {};
template <class T, auto... Words>
struct type_caster<usmx::convert<T, Words...>> : usmx_typed_caster<usmx::convert<T, Words...>> {};

}  // namespace nanobind::detail
