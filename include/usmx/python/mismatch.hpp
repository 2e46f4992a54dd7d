// Notes about arguments that fit no overload. The message of a binding library names neither the
// argument nor what is wrong with it. The casters of typed parameters (array/in.hpp) know that, but
// not whether another overload will take the argument, and so they note it here.
// python/explained.hpp makes the message.
#pragma once

#include <Python.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usmx::python {

/// A note that an argument does not meet the requirement of a parameter.
struct mismatch {
  /// The argument. Only its address is used.
  PyObject* argument;
  /// The requirement in words.
  std::string expected;
  /// What the argument is, in words.
  std::string found;
};

namespace detail {

/// The notes of one call, while it runs.
class [[gnu::visibility("hidden")]] call_notes {
 public:
  call_notes() noexcept : outer_(innermost()) { innermost() = this; }
  call_notes(const call_notes&) = delete;
  call_notes& operator=(const call_notes&) = delete;
  ~call_notes() { innermost() = outer_; }

  /// The notes of the call that runs on this thread; null if its function does not explain
  /// refusals.
  static call_notes* current() noexcept { return innermost(); }

  void add(mismatch noted) { noted_.push_back(std::move(noted)); }
  /// Notes that an argument fits one overload: if that is not called, the reason is another one.
  void add_fit(PyObject* argument) {
    if (!noted_.empty()) {  // overloads are tried twice: a mismatch that comes later is seen then
      fitting_.push_back(argument);
    }
  }

  /// The first argument that fits no overload; null when there is none.
  const mismatch* first() const noexcept {
    const auto found = std::ranges::find_if(noted_, [&](const mismatch& one) {
      return std::ranges::find(fitting_, one.argument) == fitting_.end();
    });
    return found == noted_.end() ? nullptr : &*found;
  }
  /// What the overloads expected of the same argument, without repetitions, and what it is.
  std::string text_of(const mismatch& shown) const {
    std::string expected;
    std::vector<std::string_view> said;
    for (const mismatch& one : noted_) {
      if (one.argument == shown.argument && std::ranges::find(said, one.expected) == said.end()) {
        expected += (said.empty() ? "expected a " : ", or a ") + one.expected;
        said.push_back(one.expected);
      }
    }
    return expected + "; found " + shown.found;
  }

 private:
  static call_notes*& innermost() noexcept {
    static constinit thread_local call_notes* call = nullptr;
    return call;
  }

  call_notes* outer_;
  std::vector<mismatch> noted_;
  std::vector<PyObject*> fitting_;
};

/// The text of an attribute; empty if there is no such attribute or it is no text.
inline std::string text_attribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  const char* characters = value == nullptr || PyUnicode_Check(value) == 0
                               ? nullptr
                               : PyUnicode_AsUTF8AndSize(value, nullptr);
  std::string text(characters == nullptr ? "" : characters);
  Py_XDECREF(value);
  PyErr_Clear();
  return text;
}

/// The name of an object's type as Python's messages have it: "numpy.ndarray", "list".
inline std::string type_name(PyObject* object) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  const std::string module = text_attribute(type, "__module__");
  const std::string name = text_attribute(type, "__qualname__");
  return module.empty() || module == "builtins" ? name : module + "." + name;
}

/// Describes an object that is no USM array, for messages.
inline std::string found_text(PyObject* object) {
  const std::string type = type_name(object);
  return type == "numpy.ndarray" ? "a " + type + ", which usmx.asarray copies into USM"
                                 : "an object of type " + type;
}

}  // namespace detail

/// Notes that an argument does not meet the requirement of a parameter. `found()` says in words
/// what the argument is. Does nothing in a call whose function does not explain refusals (see
/// explained_module). Needs the interpreter lock.
template <class Found>
void note_mismatch(PyObject* argument, std::string_view expected, const Found& found) noexcept {
  detail::call_notes* call = detail::call_notes::current();
  if (call == nullptr) {
    return;
  }
  try {
    call->add({argument, std::string(expected), found()});
  } catch (const std::exception&) {  // no memory: the binding library's own words have to do
  }
}

/// Notes that an argument meets the requirement of one overload, so that a refusal of the call has
/// another reason. Does nothing in a call whose function does not explain refusals. Needs the
/// interpreter lock.
inline void note_fit(PyObject* argument) noexcept {
  detail::call_notes* call = detail::call_notes::current();
  if (call == nullptr) {
    return;
  }
  try {
    call->add_fit(argument);
  } catch (const std::exception&) {
  }
}

}  // namespace usmx::python
