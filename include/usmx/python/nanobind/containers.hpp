// The nanobind casters of std::optional, std::vector and std::variant of the types that usmx has
// casters for, and of such containers. They work as nanobind's own do, but the error of an element
// passes through. In nanobind's other containers, an object that claims to be of such a type and is
// not counts as one of a wrong type. Users include usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "usmx/python/nanobind/casters.hpp"

namespace NB_NAMESPACE {
namespace detail {

/// Types whose casters let an error wait.
template <class T>
concept usmx_waiting = requires { make_caster<T>::usmx_error_waits; };

/// A container's caster that takes over the error of the element that it fails at.
template <class Caster>
class usmx_container : public Caster {
 public:
  using Value = typename Caster::Value;
  static constexpr bool usmx_error_waits = true;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    call_ = call;
    error_ = usmx_error();
    const std::size_t size_before = call == nullptr ? 0 : call->size();
    if (Caster::from_python(source, flags, call)) {
      return true;
    }
    error_ = usmx_error::left_in(call, size_before);
    return static_cast<bool>(error_);
  }

  template <class U>
  bool can_cast() const noexcept {
    error_.leave_in(call_);
    return !error_;
  }
  explicit operator Value*() { return &value(); }
  explicit operator Value&() { return value(); }
  explicit operator Value&&() { return std::move(value()); }

 private:
  Value& value() {
    error_.raise_if_any();
    return Caster::operator Value&();
  }

  usmx_error error_;
  cleanup_list* call_ = nullptr;
};

/// A caster of std::vector that copies a list first: nanobind borrows the elements of a list, and a
/// producer's code may change the list while they are asked.
template <class Vector, class T>
class usmx_list_caster : public list_caster<Vector, T> {
 public:
  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    if (PyList_Check(source.ptr()) == 0) {
      return list_caster<Vector, T>::from_python(source, flags, call);
    }
    const object items = steal(PyList_AsTuple(source.ptr()));
    if (!items.is_valid()) {
      PyErr_Clear();  // no memory
      return false;
    }
    return list_caster<Vector, T>::from_python(items, flags, call);
  }
};

template <usmx_waiting T>
struct type_caster<std::optional<T>> : usmx_container<optional_caster<std::optional<T>>> {};

template <usmx_waiting T, class Allocator>
struct type_caster<std::vector<T, Allocator>>
    : usmx_container<usmx_list_caster<std::vector<T, Allocator>, T>> {};

/// A caster of std::variant: it takes the first alternative that fits without implicit conversions,
/// else the first one that fits.
template <class... Ts>
class usmx_variant_caster {
 public:
  using Value = std::variant<Ts...>;
  static constexpr auto Name = union_name(make_caster<Ts>::Name...);
  template <class U>
  using Cast = movable_cast_t<U>;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    const std::uint32_t strict = flags & ~std::uint32_t{cast_flags::convert};
    return (take<Ts>(source, strict, call) || ...) ||
           (flags != strict && (take<Ts>(source, flags, call) || ...));
  }
  template <class V>
  static handle from_cpp(V&& source, rv_policy policy, cleanup_list* call) noexcept {
    return std::visit(
        [&]<class T>(T&& value) {
          return make_caster<T>::from_cpp(std::forward<T>(value), policy, call);
        },
        std::forward<V>(source));
  }

  explicit operator Value&() { return *value_; }

 private:
  template <class T>
  bool take(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    make_caster<T> caster;
    if (!caster.from_python(source, flags_for_local_caster<T>(flags), call) ||
        !caster.template can_cast<T>()) {
      return false;
    }
    value_.emplace(caster.operator cast_t<T>());
    return true;
  }

  std::optional<Value> value_;
};

template <class... Ts>
  requires(usmx_waiting<Ts> || ...)
struct type_caster<std::variant<Ts...>> : usmx_container<usmx_variant_caster<Ts...>> {};

}  // namespace detail
}  // namespace NB_NAMESPACE
