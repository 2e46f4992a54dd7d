// Functions that explain why they refused their arguments. When no overload takes the arguments, a
// binding library raises a TypeError in words of its own. If casters have noted more
// (python/mismatch.hpp), their notes replace these words.
#pragma once

#include <Python.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "usmx/python/mismatch.hpp"

namespace usmx::python {
namespace detail {

/// The parameters of a signature, "x: T" and "k: int = 3", whose opening parenthesis is at `begin`.
/// Commas in brackets and quotes do not separate parameters.
inline std::vector<std::string_view> parameters(std::string_view text, std::size_t begin) {
  std::vector<std::string_view> found;
  int depth = 0;
  char quote = 0;
  std::size_t start = begin + 1;
  for (std::size_t k = start; k < text.size(); ++k) {
    const char c = text[k];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (depth == 0 && (c == ',' || c == ')')) {
      found.push_back(text.substr(start, k - start));
      if (c == ')') {
        return found;
      }
      start = k + 2;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return {};
}

/// A call that a binding library has refused, with its own words for that.
struct refused_call {
  PyObject* const* arguments;
  std::size_t positional;
  PyObject* keywords;  // a tuple of the names of those that follow, or null
  std::string_view refusal;

  /// "argument 'x'", by the signatures in the refusal.
  std::string name_of(PyObject* argument) const {
    const std::size_t count =
        positional + (keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(keywords)));
    const std::size_t place =
        static_cast<std::size_t>(std::find(arguments, arguments + count, argument) - arguments);
    if (place == count) {
      return "an element of an argument";
    }
    if (place >= positional) {
      PyObject* text = PyTuple_GetItem(keywords, static_cast<Py_ssize_t>(place - positional));
      const char* name = PyUnicode_AsUTF8AndSize(text, nullptr);
      return name == nullptr ? "an argument" : "argument '" + std::string(name) + "'";
    }
    for (std::size_t line = refusal.find("\n    1. "); line != std::string_view::npos;
         line = refusal.find("\n    ", line + 1)) {
      const auto listed = parameters(refusal, refusal.find('(', line));
      if (place < listed.size()) {
        return "argument '" + std::string(listed[place].substr(0, listed[place].find(':'))) + "'";
      }
    }
    return "argument " + std::to_string(place + 1);
  }

  /// The refusal with what is wrong in front; what there is to choose from only where there is.
  std::string explained(const call_notes& notes, const mismatch& shown) const {
    const std::size_t name_end = refusal.find("): incompatible ") + 1;
    std::string text(refusal.substr(0, name_end));
    text += ": " + name_of(shown.argument) + ": " + notes.text_of(shown);
    if (refusal.find("\n    2. ") != std::string_view::npos) {
      text += ". ";
      text += refusal.substr(refusal.find("The following argument types"));
    }
    return text;
  }
};

/// Puts what the call has noted into the TypeError in which no overload took its arguments. Any
/// other error stays as it is.
inline void explain_refusal(const call_notes& notes, PyObject* const* arguments,
                            std::size_t positional, PyObject* keywords) noexcept {
  const mismatch* shown = notes.first();
  if (shown == nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
    return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* text = PyObject_Str(value);
  const char* characters = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, nullptr);
  bool is_explained = false;
  if (characters != nullptr) {
    const std::string_view refusal(characters);
    if (refusal.find("): incompatible function arguments") != std::string_view::npos ||
        refusal.find("): incompatible constructor arguments") != std::string_view::npos) {
      try {
        const refused_call call{arguments, positional, keywords, refusal};
        PyErr_SetString(PyExc_TypeError, call.explained(notes, *shown).c_str());
        is_explained = true;
      } catch (const std::exception&) {  // no memory: the refusal has to do
      }
    }
  }
  Py_XDECREF(text);
  if (is_explained) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
  } else {
    PyErr_Restore(type, value, traceback);
  }
}

/// The entries by which Python calls a binding library's functions, and a stand-in for each, which
/// calls the entry and explains what it refuses. `Entry` is the type of a pointer to an entry. A
/// library has a few entries, whatever the number of its functions.
template <class Entry>
class [[gnu::visibility("hidden")]] explained_entries {
 public:
  /// The stand-in of an entry; the entry itself if there are too many or if it is a stand-in.
  static Entry stand_in_for(Entry entry) noexcept {
    if (std::ranges::find(stand_ins(), entry) != stand_ins().end()) {
      return entry;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (originals()[k] == nullptr) {
        originals()[k] = entry;
      }
      if (originals()[k] == entry) {
        return stand_ins()[k];
      }
    }
    return entry;
  }

 private:
  static constexpr std::size_t count = 16;

  template <class Size>
  struct call_of;
  template <class Size>
  struct call_of<PyObject* (*)(PyObject*, PyObject* const*, Size, PyObject*)> {
    template <std::size_t K>
    static PyObject* call(PyObject* self, PyObject* const* arguments, Size nargs,
                          PyObject* keywords) {
      call_notes notes;
      PyObject* result = originals()[K](self, arguments, nargs, keywords);
      if (result == nullptr) [[unlikely]] {
        explain_refusal(notes, arguments, positional_count(nargs), keywords);
      }
      return result;
    }
  };

  static std::size_t positional_count(std::size_t nargsf) noexcept {
    constexpr std::size_t offset_flag = ~(~std::size_t{0} >> 1);  // PY_VECTORCALL_ARGUMENTS_OFFSET
    return nargsf & ~offset_flag;
  }
  static std::size_t positional_count(Py_ssize_t nargs) noexcept {
    return static_cast<std::size_t>(nargs);
  }

  static std::array<Entry, count>& originals() noexcept {
    static std::array<Entry, count> entries{};
    return entries;
  }
  static const std::array<Entry, count>& stand_ins() noexcept {
    static constexpr auto entries = []<std::size_t... Ks>(std::index_sequence<Ks...>) {
      return std::array<Entry, count>{&call_of<Entry>::template call<Ks>...};
    }(std::make_index_sequence<count>());
    return entries;
  }
};

/// Goes over the functions that a module has defined.
class explaining_walk {
 public:
  using step = void (*)(PyObject* function) noexcept;

  explaining_walk(PyObject* module, step explain)
      : module_(text_attribute(module, "__name__")), explain_(explain) {}

  void over(PyObject* scope) {
    visited_.push_back(scope);
    PyObject* contents = PyObject_GetAttrString(scope, "__dict__");
    PyObject* values = contents == nullptr ? nullptr : PyMapping_Values(contents);
    Py_XDECREF(contents);
    for (Py_ssize_t k = 0; values != nullptr && k < PyList_Size(values); ++k) {
      PyObject* value = PyList_GetItem(values, k);
      if (!is_scope(value)) {
        explain_(value);
      } else if (std::ranges::find(visited_, value) == visited_.end()) {
        over(value);
      }
    }
    Py_XDECREF(values);
    PyErr_Clear();
  }

 private:
  /// Whether it is one of the module's classes or submodules.
  bool is_scope(PyObject* value) const {
    if (PyModule_Check(value) != 0) {
      return text_attribute(value, "__name__").starts_with(module_ + ".");
    }
    return PyType_Check(value) != 0 && text_attribute(value, "__module__").starts_with(module_);
  }

  std::string module_;
  step explain_;
  std::vector<PyObject*> visited_;
};

}  // namespace detail

/// Makes the functions of a module explain what they refuse: when it ends, it goes over the
/// functions of the module, of its classes and of its submodules. Extensions get one from
/// import_usmx and keep it until the module is complete. Needs the interpreter lock.
class [[nodiscard]] explained_module {
 public:
  /// Goes over a module at its end. `explain` makes one function explain its refusals; it does
  /// nothing to objects that are no functions of the binding library.
  explained_module(PyObject* module, detail::explaining_walk::step explain) noexcept
      : module_(module), explain_(explain) {}
  explained_module(const explained_module&) = delete;
  explained_module& operator=(const explained_module&) = delete;
  /// Goes over the module, unless a Python error is set: then the import of the module has failed.
  ~explained_module() {
    if (PyErr_Occurred() != nullptr) {
      return;  // the import has failed
    }
    try {
      detail::explaining_walk(module_, explain_).over(module_);
    } catch (const std::exception&) {  // no memory: the binding library's own words have to do
    }
  }

 private:
  PyObject* module_;
  detail::explaining_walk::step explain_;
};

}  // namespace usmx::python
