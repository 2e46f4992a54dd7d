// The types that pass between Python and extensions, for the casters of any binding library: the
// name of each in Python, and how usmx's table of C functions takes and gives it. What crosses that
// table is plain data; the objects of C++ are made here, by the extension.
#pragma once

#include <optional>
#include <utility>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/exchange/c_arrays.hpp"
#include "usmx/python/c_api.h"

namespace usmx::python {

/// What an object has given, or nothing.
template <class T>
class taken {
 public:
  explicit operator bool() const noexcept { return value_.has_value(); }
  const T& operator*() const noexcept { return *value_; }
  /// The same for somebody who may change it, or move it away.
  T& own() noexcept { return *value_; }

  void set(T&& value) noexcept { value_.emplace(std::move(value)); }
  void reset() noexcept { value_.reset(); }

 private:
  std::optional<T> value_;
};

/// An array is looked at where it is, in its Python object if it is one of usmx's: valid as long as
/// the object. A copy of this needs no object.
template <>
class taken<array> {
 public:
  taken() noexcept {}  // own_ needs no zeros
  taken(const taken& other) {
    if (other) {
      set(exchange::retain(other.owner_));
    }
  }
  taken& operator=(taken other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(seen_, other.seen_);
    own_.reset();
    return *this;
  }
  ~taken() { reset(); }

  explicit operator bool() const noexcept { return seen_ != nullptr; }
  const array& operator*() const noexcept { return *seen_; }
  array& own() {
    if (!own_) {
      own_.emplace(*seen_);
    }
    return *own_;
  }

  /// Releases the owner at its end.
  void set(usmx_owner* owner) noexcept {
    reset();
    owner_ = owner;
    seen_ = &exchange::array_of(owner);
  }
  void reset() noexcept {
    if (seen_ != nullptr) {
      if (!exchange::is_lent(owner_)) {
        exchange::release(owner_);
      }
      if (own_) {
        own_.reset();
      }
      seen_ = nullptr;
    }
  }

 private:
  usmx_owner* owner_ = nullptr;
  const array* seen_ = nullptr;
  std::optional<array> own_;
};

/// `take` asks an object once and returns what the functions named as_... of usmx/c_api.h return;
/// `give` makes the Python object of a value, or returns null with Python's error set.
template <class T>
struct exchanged;

template <>
struct exchanged<array> {
  static constexpr char name[] = "usmx.USMArray";
  static int take(const usmx_api& table, PyObject* object, taken<array>& result) noexcept {
    usmx_owner* owner = nullptr;
    const int status = table.as_array(object, nullptr, &owner);
    if (status > 0) {
      result.set(owner);
    }
    return status;
  }
  static PyObject* give(const usmx_api& table, const array& value) noexcept {
    return table.from_array(nullptr, exchange::lend(value));
  }
};

namespace detail {

template <class T, auto Take, auto Free, auto Give>
struct exchanged_sycl_object {
  static int take(const usmx_api& table, PyObject* object, taken<T>& result) noexcept {
    void* made = nullptr;
    const int status = (table.*Take)(object, &made);
    if (status > 0) {
      result.set(std::move(*static_cast<T*>(made)));
      (table.*Free)(made);
    }
    return status;
  }
  static PyObject* give(const usmx_api& table, const T& value) noexcept {
    return (table.*Give)(&value);
  }
};

}  // namespace detail

template <>
struct exchanged<sycl::queue>
    : detail::exchanged_sycl_object<sycl::queue, &usmx_api::as_queue, &usmx_api::free_queue,
                                    &usmx_api::from_queue> {
  static constexpr char name[] = "usmx.SyclQueue";
};

template <>
struct exchanged<sycl::context>
    : detail::exchanged_sycl_object<sycl::context, &usmx_api::as_context, &usmx_api::free_context,
                                    &usmx_api::from_context> {
  static constexpr char name[] = "usmx.SyclContext";
};

template <>
struct exchanged<sycl::device>
    : detail::exchanged_sycl_object<sycl::device, &usmx_api::as_device, &usmx_api::free_device,
                                    &usmx_api::from_device> {
  static constexpr char name[] = "usmx.SyclDevice";
};

template <>
struct exchanged<sycl::event>
    : detail::exchanged_sycl_object<sycl::event, &usmx_api::as_event, &usmx_api::free_event,
                                    &usmx_api::from_event> {
  static constexpr char name[] = "usmx.SyclEvent";
};

/// What a signature of Python says of such a parameter.
template <class T>
inline constexpr const auto& taken_as = exchanged<T>::name;
template <>
inline constexpr const auto& taken_as<array> = "usmx.SupportsUsmArrayInterface";

/// The Python object for a value; null with a Python error set.
template <class T>
PyObject* give(const T& value) noexcept {
  const usmx_api* table = usmx_import();
  return table == nullptr ? nullptr : exchanged<T>::give(*table, value);
}

}  // namespace usmx::python
