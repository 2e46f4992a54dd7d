// The C++ types that pass between Python and extensions: the name of each in Python, and how usmx's
// table of C functions takes it from a Python object and gives it as one. It is for the casters of
// any binding library. Only plain data cross the table; this header makes the C++ objects, in the
// extension.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/exchange/c_arrays.hpp"
#include "usmx/python/c_api.h"

namespace usmx::python::detail {

// How exceptions that leave an extension's functions become Python errors: as a number and a text,
// through usmx's table of C functions. The casters of nanobind and pybind11 use it; it has nothing
// for users.

/// Sets the Python error that an exception of usmx or SYCL stands for; any other is thrown again.
inline void translate(const std::exception_ptr& exception) {
  const auto [code, text] = exchange::to_c_error(exception);
  if (!exchange::is_own(code)) {
    std::rethrow_exception(exception);
  }
  usmx_import()->set_error(code, text);
}

/// Runs `step` at the first call of an extension.
template <class Step>
[[gnu::visibility("hidden")]] void once_an_extension(Step step) {
  static bool is_done = false;
  if (!is_done) {
    step();
    is_done = true;
  }
}

}  // namespace usmx::python::detail

namespace usmx::python {

/// The value that was taken from a Python object, or nothing.
template <class T>
class taken {
 public:
  /// Whether there is a value.
  explicit operator bool() const noexcept { return value_.has_value(); }
  /// The value. Precondition: there is one.
  const T& operator*() const noexcept { return *value_; }
  /// The value, to be changed or moved away. Precondition: there is one.
  T& own() noexcept { return *value_; }

  /// Keeps a value.
  void set(T&& value) noexcept { value_.emplace(std::move(value)); }
  /// Drops the value, if there is one.
  void reset() noexcept { value_.reset(); }

 private:
  std::optional<T> value_;
};

/// The array that was taken from a Python object, or nothing. An array of usmx is used where it
/// lies in its Python object, which this holds meanwhile: all functions need the interpreter lock.
/// A copy of this holds no object.
template <>
class taken<array> {
 public:
  /// Holds nothing.
  taken() noexcept {}  // own_ needs no zeros
  /// Holds the same array, but no Python object.
  taken(const taken& other) {
    if (other) {
      set(exchange::retain(other.owner_), nullptr);
    }
  }
  /// Holds what the other one held.
  taken& operator=(taken other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(seen_, other.seen_);
    std::swap(lender_, other.lender_);
    own_.reset();
    return *this;
  }
  /// Releases the owner, or the Python object.
  ~taken() { reset(); }

  /// Whether there is an array.
  explicit operator bool() const noexcept { return seen_ != nullptr; }
  /// The array. Precondition: there is one.
  const array& operator*() const noexcept { return *seen_; }
  /// A copy of the array, which shares the memory, to be changed or moved away. Precondition: there
  /// is an array.
  array& own() {
    if (!own_) {
      own_.emplace(*seen_);
    }
    return *own_;
  }

  /// Keeps an owner, which it releases at its end. `object` is the Python object that the owner was
  /// taken from; it is held if it lends the array.
  void set(usmx_owner* owner, PyObject* object) noexcept {
    reset();
    owner_ = owner;
    seen_ = &exchange::array_of(owner);
    if (exchange::is_lent(owner)) {
      lender_ = Py_NewRef(object);
    }
  }
  /// Releases the owner, or the Python object, if there is one.
  void reset() noexcept {
    if (seen_ != nullptr) {
      seen_ = nullptr;
      if (own_) {
        own_.reset();
      }
      if (lender_ == nullptr) {
        exchange::release(owner_);
      } else {
        Py_CLEAR(lender_);
      }
    }
  }

 private:
  usmx_owner* owner_ = nullptr;
  const array* seen_ = nullptr;
  PyObject* lender_ = nullptr;
  std::optional<array> own_;
};

/// How a type passes between Python and C++. Its specialisations are for usmx::array, sycl::queue,
/// sycl::context, sycl::device and sycl::event. Each has `name`, the name of the Python class;
/// `take`, which asks an object once and returns 1 or 2 with a result, 0 for an object of another
/// kind, and -1 with Python's error set (see usmx/c_api.h); and `give`, which makes the Python
/// object of a value, or returns null with Python's error set. `take` and `give` need the
/// interpreter lock.
template <class T>
struct exchanged;

/// How usmx::array passes between Python and C++.
template <>
struct exchanged<array> {
  /// The Python class of results.
  static constexpr char name[] = "usmx.USMArray";
  /// Takes an array from any producer of __sycl_usm_array_interface__. Does not wait: see
  /// detail::make_ready() in python/typed.hpp. Returns 1 or 2 with a result, 0 for another object,
  /// -1 with Python's error set.
  static int take(const usmx_api& table, PyObject* object, taken<array>& result) noexcept {
    usmx_owner* owner = nullptr;
    const int status = table.as_array_for(object, USMX_USE_UNORDERED, nullptr, &owner);
    if (status > 0) {
      result.set(owner, object);
    }
    return status;
  }
  /// Makes a USMArray of the same memory; null with Python's error set on failure.
  static PyObject* give(const usmx_api& table, const array& value) noexcept {
    return table.from_array(nullptr, exchange::lend(value));
  }
};

namespace detail {

/// The specialisations for SYCL's types, by three functions of the table.
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

/// How sycl::queue passes between Python and C++.
template <>
struct exchanged<sycl::queue>
    : detail::exchanged_sycl_object<sycl::queue, &usmx_api::as_queue, &usmx_api::free_queue,
                                    &usmx_api::from_queue> {
  /// The Python class.
  static constexpr char name[] = "usmx.SyclQueue";
};

/// How sycl::context passes between Python and C++.
template <>
struct exchanged<sycl::context>
    : detail::exchanged_sycl_object<sycl::context, &usmx_api::as_context, &usmx_api::free_context,
                                    &usmx_api::from_context> {
  /// The Python class.
  static constexpr char name[] = "usmx.SyclContext";
};

/// How sycl::device passes between Python and C++.
template <>
struct exchanged<sycl::device>
    : detail::exchanged_sycl_object<sycl::device, &usmx_api::as_device, &usmx_api::free_device,
                                    &usmx_api::from_device> {
  /// The Python class.
  static constexpr char name[] = "usmx.SyclDevice";
};

/// How sycl::event passes between Python and C++.
template <>
struct exchanged<sycl::event>
    : detail::exchanged_sycl_object<sycl::event, &usmx_api::as_event, &usmx_api::free_event,
                                    &usmx_api::from_event> {
  /// The Python class.
  static constexpr char name[] = "usmx.SyclEvent";
};

/// The type of a parameter in a Python signature.
template <class T>
inline constexpr const auto& taken_as = exchanged<T>::name;
/// The type of a parameter in a Python signature, for arrays: any producer.
template <>
inline constexpr const auto& taken_as<array> = "usmx.SupportsUsmArrayInterface";

/// Makes the Python object of a value. Needs the interpreter lock. Returns null with Python's error
/// set on failure.
template <class T>
PyObject* give(const T& value) noexcept {
  const usmx_api* table = usmx_import();
  return table == nullptr ? nullptr : exchanged<T>::give(*table, value);
}

}  // namespace usmx::python
