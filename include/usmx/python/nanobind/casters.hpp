// The nanobind casters of single values. An error waits until the value is taken. Users include
// usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "usmx/array/array_view.hpp"
#include "usmx/python/nanobind/answer.hpp"
#include "usmx/python/typed.hpp"

namespace NB_NAMESPACE {
namespace detail {

/// The caster of a single value. It puts an answer into the call's list only if somebody may want
/// it again: when the caster ends and its value has not been taken, since another argument did not
/// fit; or when can_cast is asked, which only containers and nb::cast do, before they take the
/// value. The elements of an array that is for `Parameter` are made ready only then.
template <class T, class Parameter = T>
class usmx_caster {
 public:
  static constexpr auto Name = io_name(usmx::python::taken_as<T>, usmx::python::exchanged<T>::name);
  static constexpr bool usmx_error_waits = true;
  template <class U>
  using Cast = std::conditional_t<std::is_same_v<U, const T&>, const T&, movable_cast_t<U>>;

  usmx_caster() noexcept {}  // answer_ needs no zeros
  usmx_caster(const usmx_caster&) = delete;
  usmx_caster& operator=(const usmx_caster&) = delete;
  ~usmx_caster() {
    if (is_worth_keeping_ && !is_cast_) {  // nb::cast has let go of its list by now
      keep();
    }
  }

  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    source_ = source;
    call_ = call;
    is_cast_ = (flags & cast_flags::manual) != 0;
    answer_.clear();  // a list's caster takes one element after another
    is_ready_ = false;
    is_worth_keeping_ = false;
    try {
      is_worth_keeping_ = usmx_ask(source, call, answer_);
    } catch (...) {
      answer_ = {{}, usmx_error::handled()};
    }
    return answer_.value || answer_.error;
  }
  static handle from_cpp(const T& source, rv_policy, cleanup_list*) noexcept {
    return usmx::python::give(source);
  }

  template <class U>
  bool can_cast() const noexcept {
    if (is_worth_keeping_) {
      keep();
    }
    make_ready();
    answer_.error.leave_in(call_);
    return answer_.value && !answer_.error;
  }
  explicit operator const T&() { return seen(); }
  explicit operator T*() { return &value(); }
  explicit operator T&() { return value(); }
  explicit operator T&&() { return std::move(value()); }

 protected:
  T& value() {
    seen();
    return answer_.value.own();
  }
  const T& seen() {
    is_worth_keeping_ = false;
    make_ready();
    answer_.error.raise_if_any();
    return *answer_.value;
  }
  /// Waits for the elements of an array, once. Where that fails, the answer is an error.
  void make_ready() const noexcept {
    if constexpr (std::is_same_v<T, usmx::array>) {
      if (!is_ready_ && answer_.value &&
          !usmx::python::detail::make_ready<Parameter>(usmx::python::import_usmx(),
                                                       *answer_.value)) {
        answer_.error = usmx_error::current();
      }
      is_ready_ = true;
    }
  }
  /// Puts the answer into the call's list, if it has one. False if there is no memory for that:
  /// then the object is asked again.
  bool keep() const noexcept {
    try {
      usmx_kept_answer<T>::keep(call_, source_, answer_);
      return true;
    } catch (...) {
      return false;
    }
  }

  mutable usmx_answer<T> answer_;
  handle source_;
  cleanup_list* call_ = nullptr;
  bool is_worth_keeping_ = false;
  bool is_cast_ = false;
  mutable bool is_ready_ = false;
};

template <>
struct type_caster<usmx::array> : usmx_caster<usmx::array> {};
template <>
struct type_caster<sycl::queue> : usmx_caster<sycl::queue> {};
template <>
struct type_caster<sycl::context> : usmx_caster<sycl::context> {};
template <>
struct type_caster<sycl::device> : usmx_caster<sycl::device> {};
template <>
struct type_caster<sycl::event> : usmx_caster<sycl::event> {};

/// The caster of a view: it takes an array, and views it during the call.
template <>
struct type_caster<usmx::array_view> : usmx_caster<usmx::array> {
  template <class U>
  using Cast = usmx::array_view;

  /// A container drops the caster of an element before the call ends, and so the call keeps the
  /// array.
  template <class U>
  bool can_cast() const noexcept {
    return usmx_caster::can_cast<U>() && keep();
  }
  explicit operator usmx::array_view() { return seen().view(); }
};

}  // namespace detail
}  // namespace NB_NAMESPACE
