// The answer of usmx's table about an object, which the nanobind casters of one call share:
// nanobind tries all overloads, each of them twice, but an object is asked once. Users include
// usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "usmx/python/exchanged.hpp"
#include "usmx/python/nanobind/error.hpp"
#include "usmx/python/nanobind/import.hpp"

namespace NB_NAMESPACE {
namespace detail {

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

}  // namespace detail
}  // namespace NB_NAMESPACE
