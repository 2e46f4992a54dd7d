// How an extension that uses nanobind imports usmx, and the nanobind casters of single values and
// of containers. An error waits until the value is taken. Users include usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "usmx/array/array_view.hpp"
#include "usmx/python/c_api.h"
#include "usmx/python/exchanged.hpp"
#include "usmx/python/typed.hpp"

namespace usmx::python {

/// Imports usmx. An extension calls it first in NB_MODULE, so that a usmx that is missing or has
/// another version raises its ImportError (or ModuleNotFoundError) when the extension is imported.
/// From then on, exceptions of usmx and SYCL that leave the extension's functions become the Python
/// errors that usmx itself raises. Returns the table of functions.
inline const usmx_api& import_usmx() {
  const usmx_api* table = usmx_import();
  if (table == nullptr) {
    nanobind::raise_python_error();
  }
  detail::once_an_extension([] {
    nanobind::register_exception_translator(
        [](const std::exception_ptr& exception, void*) { detail::translate(exception); });
  });
  return *table;
}

}  // namespace usmx::python

namespace NB_NAMESPACE {

// An exception that waits until it may be thrown: nanobind's from_python must not throw, and its
// containers take the values of their elements where nothing may be thrown, but ask can_cast
// before. Users include usmx/python/nanobind.hpp.

namespace detail {

/// A Python exception, or none.
class usmx_error {
 public:
  /// No exception.
  usmx_error() = default;
  /// Python's current error.
  static usmx_error current() noexcept { return usmx_error(borrow(python_error().value())); }
  /// The exception that is being handled.
  static usmx_error handled() noexcept {
    try {
      throw;
    } catch (python_error& e) {
      return usmx_error(borrow(e.value()));
    } catch (...) {
      PyErr_NoMemory();
      return current();
    }
  }

  explicit operator bool() const noexcept { return exception_.is_valid(); }

  void raise_if_any() const {
    if (exception_.is_valid()) {
      PyErr_SetObject(exception_.type().ptr(), exception_.ptr());
      raise_python_error();
    }
  }

  /// Puts it into the list of objects that live until the call ends, for the container that asks.
  void leave_in(cleanup_list* call) const noexcept {
    if (exception_.is_valid() && call != nullptr) {
      call->append(exception_.inc_ref().ptr());
    }
  }
  /// The exception that was put into the list since it had that size.
  static usmx_error left_in(const cleanup_list* call, std::size_t size_before) noexcept {
    for (std::size_t k = size_before; call != nullptr && k < call->size(); ++k) {
      if (PyExceptionInstance_Check((*call)[k]) != 0) {
        return usmx_error(borrow((*call)[k]));
      }
    }
    return usmx_error();
  }

 private:
  explicit usmx_error(object exception) noexcept : exception_(std::move(exception)) {}

  object exception_;
};

// The answer of usmx's table about an object, which the nanobind casters of one call share:
// nanobind tries all overloads, each of them twice, but an object is asked once. Users include
// usmx/python/nanobind.hpp.

/// The answer about an object: a value, an exception in place of it, or neither for an object that
/// is no T.
template <class T>
struct usmx_answer {
  usmx::python::taken<T> value;
  usmx_error error;

  void clear() noexcept {
    value.reset();
    error = usmx_error();
  }
};

/// An answer in the list of objects that live until the call has ended.
template <class T>
class usmx_kept_answer {
 public:
  static const usmx_answer<T>* find(const cleanup_list* call, handle asked) noexcept {
    for (std::size_t k = 1; call != nullptr && k < call->size(); ++k) {
      if (PyCapsule_IsValid((*call)[k], name) != 0) {
        const auto* kept = in_capsule((*call)[k]);
        if (kept->asked_.is(asked)) {
          return &kept->answer_;
        }
      }
    }
    return nullptr;
  }

  static void keep(cleanup_list* call, handle asked, const usmx_answer<T>& answer) {
    if (call == nullptr || find(call, asked) != nullptr) {
      return;
    }
    auto kept = std::make_unique<usmx_kept_answer>(asked, answer);
    PyObject* capsule = PyCapsule_New(kept.get(), name, [](PyObject* ending) {
      const error_scope untouched;
      delete in_capsule(ending);
    });
    if (capsule == nullptr) {
      raise_python_error();
    }
    kept.release();
    call->append(capsule);
  }

  usmx_kept_answer(handle asked, const usmx_answer<T>& answer)
      : asked_(borrow(asked)), answer_(answer) {}

 private:
  static constexpr const char* name = usmx::python::exchanged<T>::name;

  static usmx_kept_answer* in_capsule(PyObject* capsule) noexcept {
    return static_cast<usmx_kept_answer*>(PyCapsule_GetPointer(capsule, name));
  }

  object asked_;
  usmx_answer<T> answer_;
};

/// Asks an object, unless the call keeps its answer, and writes the result into an empty answer.
/// True if the answer is worth keeping: code of others was run.
template <class T>
bool usmx_ask(handle asked, const cleanup_list* call, usmx_answer<T>& answer) {
  if (const usmx_answer<T>* known = usmx_kept_answer<T>::find(call, asked)) {
    answer = *known;
    return false;
  }
  const int status =
      usmx::python::exchanged<T>::take(usmx::python::import_usmx(), asked.ptr(), answer.value);
  if (status < 0) {
    answer.error = usmx_error::current();
  }
  return status < 0 || status > 1;
}

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

template <class T>
  requires requires { usmx::python::exchanged<T>::name; }
struct type_caster<T> : usmx_caster<T> {};

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

// The nanobind casters of std::optional, std::vector and std::variant of the types that usmx has
// casters for, and of such containers. They work as nanobind's own do, but the error of an element
// passes through. In nanobind's other containers, an object that claims to be of such a type and is
// not counts as one of a wrong type. Users include usmx/python/nanobind.hpp.

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
