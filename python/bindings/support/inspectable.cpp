#include "support/inspectable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos;) {
    text.erase(at, part.size());
  }
}

/// The signature for users: "name(x: Producer = 3)" for "def name(self, x: usmx._core._Producer =
/// 3) -> None".
std::string public_signature(std::string text, std::string_view name, bool is_method) {
  text.erase(0, text.find('('));
  text.resize(std::min(text.rfind(" -> "), text.size()));
  if (is_method) {
    text.erase(1, std::string_view("self").size());
    text.erase(1, text.starts_with("(, ") ? 2 : 0);
  }
  for (const std::string_view module :
       {"usmx._core.", "typing.", "typing_extensions.", "collections.abc."}) {
    erase_all(text, module);
  }
  for (std::size_t at = 0; (at = text.find(" _", at)) != text.npos; ++at) {
    text.erase(at + 1, 1);
  }
  return std::string(name) + text;
}

bool is_nanobinds(const nb::python_error& error, std::string_view name) {
  if (!error.matches(PyExc_TypeError)) {
    return false;
  }
  const nb::object text = checked(run_python([&] { return PyObject_Str(error.value().ptr()); }));
  return to_text("error", text.ptr())
      .starts_with(std::string(name) + "(): incompatible function arguments");
}

/// The call for a message: "name(int, axis=str)".
std::string call_text(std::string_view name, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords) {
  std::string text = std::string(name) + '(';
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < count + named; ++k) {
    text += k == 0 ? "" : ", ";
    if (k >= count) {
      text += to_text("keyword", PyTuple_GET_ITEM(keywords, k - count));
      text += '=';
    }
    text += type_name(arguments[k]);
  }
  return text + ')';
}

/// The name that usmx has for an argument of PyTorch's; empty if usmx has none.
std::string own_keyword(std::string_view pytorchs) {
  constexpr std::pair<std::string_view, const char*> names[] = {
      {"dim", "axis"},   {"dims", "axis"}, {"keepdim", "keepdims"},
      {"size", "shape"}, {"steps", "num"}, {"unbiased", "correction"},
  };
  for (const auto& [other, own] : names) {
    if (other == pytorchs) {
      return own;
    }
  }
  return "";
}

/// A hint such as ": axis is PyTorch's dim", if a keyword is PyTorch's for one of the signatures',
/// or if the call is PyTorch's view(3, 4).
std::string hint_of_pytorch(std::string_view name, std::string_view signatures, Py_ssize_t count,
                            PyObject* keywords) {
  if (name == "view" && count > 1) {
    return ": reshape is PyTorch's view";
  }
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < named; ++k) {
    const std::string_view keyword = to_text("keyword", PyTuple_GET_ITEM(keywords, k));
    const std::string own = own_keyword(keyword);
    if (!own.empty() && signatures.find(own) != signatures.npos) {
      return detail::message(": ", own, " is PyTorch's ", keyword);
    }
  }
  return {};
}

}  // namespace

std::string signatures_text(nb::handle function, std::string_view name, bool is_method) {
  const nb::object signatures = nb::getattr(function, "__nb_signature__");
  std::string text;
  for (const nb::handle each : nb::borrow<nb::tuple>(signatures)) {
    const nb::object declared = nb::borrow<nb::tuple>(each)[0];
    text += text.empty() ? "" : " or ";
    text += public_signature(std::string(to_text("signature", declared.ptr())), name, is_method);
  }
  return text;
}

void explain_refused_arguments(std::string_view nanobinds_name, std::string_view name,
                               std::string_view signatures, PyObject* const* arguments,
                               Py_ssize_t count, PyObject* keywords) noexcept {
  static_cast<void>(guarded<bool>(false, [&] {
    nb::python_error error;
    if (!is_nanobinds(error, nanobinds_name)) {
      error.restore();
      return false;
    }
    throw type_error(detail::message("expected ", signatures, ", found ",
                                     call_text(name, arguments, count, keywords),
                                     hint_of_pytorch(name, signatures, count, keywords)));
  }));
}

namespace {

/// A function of nanobind's, and the data that Python keeps pointers to as long as it runs.
struct definition {
  PyObject* function = nullptr;  // owned; null again when its class or module is gone
  vectorcallfunc call = nullptr;
  one_argument_answer answer = nullptr;
  std::string name;
  std::string shown_name;  // that of the class, if it is a constructor
  std::string signatures;  // for messages
  bool is_method = false;
  std::string text;  // the signature and the docstring, as Python wants them
  PyMethodDef as_method;
};

// The number of C functions, one for each method descriptor, which passes nothing on that would say
// which function was called. About 120 are used.
constexpr std::size_t slot_count = 256;
std::array<definition, slot_count> definitions;
std::size_t used_slots = 0;

std::vector<std::pair<std::string_view, one_argument_answer>> answers;

PyObject* call(const definition& called, PyObject* const* arguments, Py_ssize_t count,
               PyObject* keywords) {
  if (called.function == nullptr) {
    return PyErr_Format(PyExc_RuntimeError, "%s was called after usmx had been unloaded",
                        called.name.c_str());
  }
  const internal::kept_thread_state kept;
  PyObject* const result =
      called.call(called.function, arguments, static_cast<std::size_t>(count), keywords);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    const Py_ssize_t self = called.is_method ? 1 : 0;
    explain_refused_arguments(called.name, called.shown_name, called.signatures, arguments + self,
                              count - self, keywords);
  }
  return result;
}

PyObject* call_or_answer(const definition& called, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keywords) {
  if (called.answer != nullptr && count == 1 && keywords == nullptr) {
    const internal::kept_thread_state kept;
    return guarded<PyObject*>(nullptr, [&] { return called.answer(arguments[0]).release().ptr(); });
  }
  return call(called, arguments, count, keywords);
}

/// Calls a function of nanobind's, which takes `self` as the first argument.
PyObject* call_with_self(const definition& called, PyObject* self, PyObject* const* arguments,
                         Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t all = count + (keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
  constexpr Py_ssize_t few = 8;
  PyObject* on_stack[few + 1];
  std::unique_ptr<PyObject*[]> on_heap;
  PyObject** with_self = on_stack;
  if (all > few) {
    on_heap.reset(new (std::nothrow) PyObject*[static_cast<std::size_t>(all) + 1]);
    if (on_heap == nullptr) {
      return PyErr_NoMemory();
    }
    with_self = on_heap.get();
  }
  with_self[0] = self;
  std::copy_n(arguments, all, with_self + 1);
  return call(called, with_self, count + 1, keywords);
}

template <std::size_t slot>
PyObject* call_function(PyObject*, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keywords) {
  return call_or_answer(definitions[slot], arguments, count, keywords);
}

template <std::size_t slot>
PyObject* call_method(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords) {
  return call_with_self(definitions[slot], self, arguments, count, keywords);
}

using c_function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template <std::size_t... slot>
constexpr std::array<c_function, slot_count> all_calls_of_functions(std::index_sequence<slot...>) {
  return {&call_function<slot>...};
}
template <std::size_t... slot>
constexpr std::array<c_function, slot_count> all_calls_of_methods(std::index_sequence<slot...>) {
  return {&call_method<slot>...};
}
constexpr auto calls_of_functions = all_calls_of_functions(std::make_index_sequence<slot_count>());
constexpr auto calls_of_methods = all_calls_of_methods(std::make_index_sequence<slot_count>());

// ---- signatures

/// The signature in the form that Python finds: "name($self, x=3)" for "def name(self, x: int = 3)
/// -> None".
std::string text_signature(std::string_view declared, std::string_view name, bool is_method) {
  std::string text = std::string(name) + '(';
  bool is_first = true;
  for (std::string_view rest = parameters_text(declared); !rest.empty(); is_first = false) {
    const parameter next = take_parameter(rest);
    text += is_first ? (is_method ? "$" : "") : ", ";
    text += next.name;
    if (!next.value.empty()) {
      text += '=';
      text += next.value;
    }
  }
  return text + ")\n--\n\n";
}

// ---- functions

/// Whether there is a free C function. A module that is imported again and again keeps nanobind's
/// functions when there is none.
bool has_slot() { return used_slots < slot_count; }

/// Fills the next slot. `shown_name` is empty for the function's own.
definition& define(nb::handle function, const c_function* calls, bool is_method,
                   std::string shown_name = {}) {
  const nb::object signatures = nb::getattr(function, "__nb_signature__");
  const nb::object first = signatures[0];
  const nb::object declared = first[0];
  const nb::object doc = first[1];
  const nb::object name = nb::getattr(function, "__name__");
  definition& made = definitions[used_slots];
  made.name = to_text("__name__", name.ptr());
  made.shown_name = shown_name.empty() ? made.name : std::move(shown_name);
  made.is_method = is_method;
  made.signatures = signatures_text(function, made.shown_name, is_method);
  made.text = text_signature(to_text("signature", declared.ptr()), made.name, is_method);
  if (!doc.is_none()) {
    made.text += to_text("__doc__", doc.ptr());
  }
  made.as_method = {made.name.c_str(),
                    reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(calls[used_slots])),
                    METH_FASTCALL | METH_KEYWORDS, made.text.c_str()};
  made.function = nb::borrow(function).release().ptr();
  made.call = PyVectorcall_Function(made.function);
  ++used_slots;
  return made;
}

nb::object new_function(nb::handle function, nb::handle owner, nb::handle module_name) {
  definition& made = define(function, calls_of_functions.data(), false);
  const auto known = std::ranges::find(answers, made.name, [](const auto& a) { return a.first; });
  made.answer = known == answers.end() ? nullptr : known->second;
  return checked(PyCFunction_NewEx(&made.as_method, owner.ptr(), module_name.ptr()));
}

nb::object new_method(nb::handle function, nb::handle cls) {
  const nb::object name = nb::getattr(function, "__name__");
  const bool is_constructor = to_text("__name__", name.ptr()) == "__init__";
  const nb::object of_class = nb::getattr(cls, "__name__");
  const auto shown = std::string(is_constructor ? to_text("__name__", of_class.ptr()) : "");
  definition& made = define(function, calls_of_methods.data(), true, shown);
  return checked(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), &made.as_method));
}

/// Ends the functions that were defined since then together with their owner: descriptors keep
/// their class.
void let_functions_go_with(nb::handle owner, std::size_t first) {
  if (first == used_slots) {
    return;
  }
  struct range {
    std::size_t first, end;
  };
  auto kept = std::unique_ptr<range>(new range{first, used_slots});
  const nb::capsule capsule(kept.get(), [](void* given) noexcept {
    const std::unique_ptr<range> of_owner(static_cast<range*>(given));
    for (std::size_t k = of_owner->first; k < of_owner->end; ++k) {
      Py_CLEAR(definitions[k].function);
    }
  });
  static_cast<void>(kept.release());
  nb::setattr(owner, "_functions", capsule);
}

/// Whether an object is a function of nanobind's, and which of the two kinds.
bool has_class(nb::handle object, const char* name) {
  return std::string_view(Py_TYPE(object.ptr())->tp_name) == name;
}
bool is_function(nb::handle object) { return has_class(object, "nanobind.nb_func"); }
bool is_method(nb::handle object) { return has_class(object, "nanobind.nb_method"); }

std::vector<std::pair<nb::str, nb::object>> attributes_of(nb::handle owner) {
  nb::dict attributes;
  attributes.update(nb::getattr(owner, "__dict__"));
  std::vector<std::pair<nb::str, nb::object>> result;
  for (const auto [name, value] : attributes) {
    result.emplace_back(nb::borrow<nb::str>(name), nb::borrow(value));
  }
  return result;
}

// ---- constructors, which nanobind calls without the method __init__

vectorcallfunc nanobinds_construction = nullptr;
std::vector<std::pair<PyTypeObject*, const definition*>> constructors;  // classes live for ever

PyObject* construct(PyObject* cls, PyObject* const* arguments, std::size_t count,
                    PyObject* keywords) {
  const internal::kept_thread_state kept;
  PyObject* const result = nanobinds_construction(cls, arguments, count, keywords);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    const auto* const type = reinterpret_cast<PyTypeObject*>(cls);
    const auto found = std::ranges::find(constructors, type, [](const auto& c) { return c.first; });
    if (found != constructors.end()) {
      const definition& called = *found->second;
      explain_refused_arguments(called.name, called.shown_name, called.signatures, arguments,
                                PyVectorcall_NARGS(count), keywords);
    }
  }
  return result;
}

void explain_constructions_of(nb::handle cls, const definition& constructor) {
  auto* const type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (type->tp_vectorcall == nullptr || type->tp_vectorcall == construct) {
    return;
  }
  nanobinds_construction = type->tp_vectorcall;  // one function for all classes
  constructors.emplace_back(type, &constructor);
  type->tp_vectorcall = construct;
}

void make_class_inspectable(nb::handle cls) {
  const std::size_t first = used_slots;
  // Python puts a function of its own into the slot when a __new__ is set.
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  const newfunc slot = type->tp_new;
  for (const auto& [name, value] : attributes_of(cls)) {
    if (is_method(value) && has_slot()) {
      nb::setattr(cls, name, new_method(value, cls));
      if (name.c_str() == std::string_view("__init__")) {
        explain_constructions_of(cls, definitions[used_slots - 1]);
      }
    } else if (is_function(value) && has_slot()) {
      nb::setattr(cls, name, new_function(value, cls, nb::none()));
    }
  }
  type->tp_new = slot;
  let_functions_go_with(cls, first);
}

void make_inspectable(nb::handle m) {
  const nb::object name_of_module = nb::getattr(m, "__name__");
  std::vector<nb::object> classes;
  const std::size_t first = used_slots;
  for (const auto& [name, value] : attributes_of(m)) {
    if (PyType_Check(value.ptr()) != 0) {
      classes.push_back(value);
    } else if (is_function(value) && name.c_str()[0] != '_' && has_slot()) {
      nb::setattr(m, name, new_function(value, m, name_of_module));
    }
  }
  let_functions_go_with(m, first);
  for (const nb::object& cls : classes) {
    make_class_inspectable(cls);
  }
}

}  // namespace

void answer_one_argument(const char* function, one_argument_answer answer) {
  answers.emplace_back(function, answer);
}

void bind_inspectable(nb::module_& m) {
  declare<"def _make_inspectable(module: types.ModuleType) -> None">(
      m, &make_inspectable,
      "Make builtin functions and methods of a module's public ones, which inspect.signature, "
      "pickle and help() know.");
  declare<"def _own_keyword(pytorchs: str) -> str">(
      m, &own_keyword,
      "The name that usmx has for an argument of PyTorch's; empty if usmx has none.");
}

namespace {

/// The contents of an instance, which has none: Python makes instances by __new__ alone.
struct refusing {};

/// Refuses a buffer. The package has all other operations (python/usmx/_stand_ins.py). Classes in
/// Python cannot define this one before Python 3.12.
int refuse_buffer(PyObject* self, Py_buffer* view, int) noexcept {
  view->obj = nullptr;
  return guarded(-1, [&]() -> int {
    raise_if_stand_in(self);
    throw type_error("the class of a stand-in must define _refuse, which raises");
  });
}

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&refuse_buffer)}, {0, nullptr}};

bool is_forked_child() {
  try {
    require_usable_process();
  } catch (const fork_error&) {
    return true;
  }
  return false;
}

}  // namespace

void raise_if_stand_in(nb::handle object) {
  if (!nb::isinstance<refusing>(object)) {
    return;
  }
  if (const nb::object refuse = nb::getattr(object.type(), "_refuse", nb::none());
      !refuse.is_none()) {
    refuse(object);
  }
}

void bind_refusing(nb::module_& m) {
  nb::class_<refusing>(
      m, "_Refusing", nb::type_slots(slots),
      "An object in place of one that could not be unpickled: a subclass defines every operation, "
      "and `_refuse`, which raises.");
  m.def("_is_forked_child", &is_forked_child,
        "Whether this process was forked after its parent had used the SYCL runtime.");
  m.def("_require_usable_process", &require_usable_process,
        "Raise RuntimeError in a process that was forked after its parent had used the SYCL "
        "runtime.");
}

}  // namespace usmx::bindings
