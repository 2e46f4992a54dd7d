// The casters of single values. An error waits until the value is taken.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "usmx/array/array_view.hpp"
#include "usmx/python/nanobind/answer.hpp"

namespace nanobind::detail {

template <class T>
class usmx_caster {
 public:
  static constexpr auto Name = usmx_type<T>::name;
  static constexpr bool usmx_error_waits = true;
  template <class U>
  using Cast = movable_cast_t<U>;

  bool from_python(handle source, std::uint32_t, cleanup_list* call) noexcept {
    source_ = source;
    call_ = call;
    try {
      answer_ = usmx_ask<T>(source, call);
    } catch (...) {
      answer_ = {std::nullopt, usmx_error::handled()};
    }
    return answer_.value || answer_.error;
  }
  static handle from_cpp(const T& source, rv_policy, cleanup_list*) noexcept {
    const usmx::python::api_table* table = usmx::python::api();
    return table == nullptr ? nullptr : (table->*usmx_type<T>::give)(source);
  }

  template <class U>
  bool can_cast() const noexcept {
    answer_.error.leave_in(call_);
    return answer_.value.has_value();
  }
  explicit operator T*() { return &value(); }
  explicit operator T&() { return value(); }
  explicit operator T&&() { return std::move(value()); }

 protected:
  T& value() {
    answer_.error.raise_if_any();
    return *answer_.value;
  }

  usmx_answer<T> answer_;
  handle source_;
  cleanup_list* call_ = nullptr;
};

template <>
struct type_caster<usmx::array> : usmx_caster<usmx::array> {};
template <>
struct type_caster<sycl::queue> : usmx_caster<sycl::queue> {};
template <>
struct type_caster<sycl::event> : usmx_caster<sycl::event> {};

/// As for an array, which it is a view of for the length of the call.
template <>
struct type_caster<usmx::array_view> : usmx_caster<usmx::array> {
  template <class U>
  using Cast = usmx::array_view;

  /// A container drops the caster of an element before the call ends: the call keeps the array.
  template <class U>
  bool can_cast() noexcept {
    try {
      if (answer_.value) {
        usmx_kept_answer<usmx::array>::keep(call_, source_, answer_);
      }
    } catch (...) {
      answer_ = {std::nullopt, usmx_error::handled()};
    }
    return usmx_caster::can_cast<U>();
  }
  explicit operator usmx::array_view() { return value().view(); }
};

}  // namespace nanobind::detail
