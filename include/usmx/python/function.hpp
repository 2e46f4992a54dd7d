// Functions without overloads, which say themselves what is wrong with an argument. A caster can
// only refuse an argument: then the binding library tries the next overload, and at last raises an
// error of its own, which does not know the reason. So a function that `usmx::python::def` defines
// takes any object where its C++ function has a parameter of usmx's casters (typed.hpp), and
// refuses it in its body, where every binding library lets a function throw what it likes. Users
// include usmx/python/nanobind.hpp or usmx/python/pybind11.hpp.
#pragma once

#include <Python.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "usmx/array/in.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/python/c_api.h"
#include "usmx/python/typed.hpp"

namespace usmx::python {

// Python objects that own memory which extensions make arrays of. Memory is let go on any thread,
// and mostly without the interpreter lock, where the objects of a binding library (nb::object,
// py::object) must not be released. Users include usmx/python/nanobind.hpp or
// usmx/python/pybind11.hpp.

/// Keeps a Python object alive that owns memory. It is the deleter for array::adopt: it frees
/// nothing, but lets the object go when the array's memory is let go. Also a deleter of your own
/// may hold one. Copies share the reference. They may be copied and destroyed on any thread, with
/// the interpreter lock, which the last one takes by itself, or without; when the interpreter has
/// ended, the object stays.
class owner {
 public:
  /// Keeps an object alive, or nothing for null. Needs the interpreter lock. Throws
  /// std::runtime_error if usmx cannot be imported.
  explicit owner(PyObject* object) {
    const usmx_api* table = usmx_import();
    if (table == nullptr) {
      throw std::runtime_error("usmx::python::owner: " + detail::taken_error_text());
    }
    object_.reset(Py_XNewRef(object), table->release_object);
  }

  /// Frees nothing: the memory is the object's.
  void operator()(const void*) const noexcept {}

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace usmx::python

namespace usmx::python::detail {

// The error of a call that fits none of a function's overloads. The binding libraries list all
// signatures, and pybind11 also the arguments by their repr, which waits for the work on an array.
// So the last overload of a function may be one that takes whatever is left, and refuses it in one
// line. Users include usmx/python/nanobind.hpp or usmx/python/pybind11.hpp.

/// An argument in a few words: its type, and what its array is, if it is usmx's. Others would have
/// to be asked once more.
inline std::string argument_text(PyObject* object) {
  const std::string type = type_name(object);
  taken<array> given;
  const usmx_api* table = type == exchanged<array>::name ? usmx_import() : nullptr;
  if (table == nullptr || exchanged<array>::take(*table, object, given) <= 0) {
    PyErr_Clear();
    return type;
  }
  const array& a = *given;
  const bool has_gaps = !a.layout().is_c_contiguous();
  const array_requirement as_it_is{
      .type = a.type(), .writable = true, .order = param::c_contig, .kinds = {}};
  return usmx::detail::message("USM array of ", found_text(as_it_is, a),
                               has_gaps ? ", not C-contiguous" : "");
}

/// The first positional argument of a call, of any type. Its casters take it only when the binding
/// library tries the overloads for the second time, with conversions: so the overload that takes
/// whatever is left comes after every conversion of the others, too.
struct left_argument {
  PyObject* object;

  /// Stands for the argument in a call that has none.
  static PyObject* none_given() noexcept { return Py_NotImplemented; }
};

/// The text of an error, such as "which(): no overload takes the arguments (USM array of float32
/// with 2 dimensions, in memory of kind device; str); help() lists the overloads". Needs the
/// interpreter lock.
inline std::string no_overload_text(const std::string& name, left_argument first,
                                    PyObject* positional, PyObject* named) {
  std::string arguments;
  const auto add = [&](const std::string& text) {
    arguments += (arguments.empty() ? "" : "; ") + text;
  };
  if (first.object != left_argument::none_given()) {
    add(argument_text(first.object));
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(positional); ++k) {
    add(argument_text(PyTuple_GET_ITEM(positional, k)));
  }
  PyObject *key, *value;
  for (Py_ssize_t position = 0; PyDict_Next(named, &position, &key, &value) != 0;) {
    add(characters_of(reference(Py_NewRef(key))) + "=" + argument_text(value));
  }
  return name + "(): no overload takes the arguments (" + arguments +
         "); help() lists the overloads";
}

}  // namespace usmx::python::detail

namespace usmx::python {
namespace detail {

/// The result of a caster for any object: a parameter, or the reason why the object is none.
template <class Parameter>
class argument {
 public:
  explicit argument(const cast_as<Parameter>& met) : content_(held_as(met)) {}
  explicit argument(std::string&& refusal) : content_(std::move(refusal)) {}

  /// The parameter. Throws type_error, if it is none, with the reason after the text `where()`.
  template <class Where>
  decltype(auto) met(const Where& where) {
    if (const auto* refusal = std::get_if<std::string>(&content_)) {
      throw type_error(where() + ": " + *refusal);
    }
    if constexpr (std::is_same_v<Parameter, array_view>) {
      return std::get<held>(content_).view();  // of the array that this holds during the call
    } else {
      return std::get<held>(std::move(content_));
    }
  }

 private:
  using held = std::conditional_t<states_requirement<Parameter>, Parameter, cast_as<Parameter>>;

  static held held_as(const cast_as<Parameter>& met) {
    if constexpr (states_requirement<Parameter>) {
      return Parameter(array(met), usmx::detail::requirement_is_met());
    } else {
      return met;
    }
  }

  std::variant<held, std::string> content_;
};

/// The reaction of a caster of `Taken` to an object that does not fit. A parameter leaves the
/// object to the next overload.
template <class Taken>
class refusing {
 public:
  static constexpr bool is_refused() noexcept { return false; }
  static constexpr void reset() noexcept {}
  /// Whether the caster succeeds all the same. `text()` is the reason.
  template <class Text>
  static constexpr bool refuse(const Text&) noexcept {
    return false;
  }
  Taken taken(const array& met) const {
    return Taken(array(met), usmx::detail::requirement_is_met());
  }
};

/// An argument keeps the reason.
template <class Parameter>
class refusing<argument<Parameter>> {
 public:
  bool is_refused() const noexcept { return refusal_.has_value(); }
  void reset() noexcept { refusal_.reset(); }
  template <class Text>
  bool refuse(const Text& text) noexcept {
    try {
      refusal_.emplace(text());
      return true;
    } catch (...) {  // no memory: the binding library's own words have to do
      return false;
    }
  }
  argument<Parameter> refused() { return argument<Parameter>(*std::move(refusal_)); }
  argument<Parameter> taken(const cast_as<Parameter>& met) const {
    return argument<Parameter>(met);
  }

 private:
  std::optional<std::string> refusal_;
};

/// The type that a function takes in place of a T, so that it can refuse the object itself, and the
/// conversion to a T. The general case is for types that have nothing to refuse.
template <class T>
struct asked {};

template <class T>
  requires(states_requirement<T> || passes_as_it_is<T>)
struct asked<T> {
  using type = argument<T>;
  template <class Where>
  static decltype(auto) met(type& given, const Where& where) {
    return given.met(where);
  }
};

template <class T>
concept may_be_refused = requires { typename asked<T>::type; };

template <may_be_refused T>
struct asked<std::optional<T>> {
  using type = std::optional<typename asked<T>::type>;
  template <class Where>
  static std::optional<T> met(type& given, const Where& where) {
    return given ? std::optional<T>(asked<T>::met(*given, where)) : std::nullopt;
  }
};

template <may_be_refused T, class Allocator>
struct asked<std::vector<T, Allocator>> {
  using type = std::vector<typename asked<T>::type>;
  template <class Where>
  static std::vector<T, Allocator> met(type& given, const Where& where) {
    std::vector<T, Allocator> result;
    result.reserve(given.size());
    for (auto& element : given) {
      result.push_back(asked<T>::met(
          element, [&] { return where() + ", element " + std::to_string(result.size()); }));
    }
    return result;
  }
};

/// Parameters that a function gets by value or by a reference that cannot change them: the others
/// refer to what the binding library holds.
template <class T>
concept is_asked = may_be_refused<std::remove_cvref_t<T>> &&
                   (!std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>);

/// The parameter that stands in a function's signature for one of type T.
template <class T>
struct asked_for {
  using type = T;
};
template <is_asked T>
struct asked_for<T> : asked<std::remove_cvref_t<T>> {};
template <class T>
using asked_for_t = typename asked_for<T>::type;

/// A C++ function whose arguments are checked when it is called.
template <class Function, class Signature>
class checked_function;

template <class Function, class Result, class... Ts>
class checked_function<Function, Result(Ts...)> {
 public:
  /// `names` are those of the arguments after the first `unnamed` ones; some may be missing.
  checked_function(Function function, std::string name, std::vector<std::string> names,
                   std::size_t unnamed)
      : function_(std::move(function)),
        name_(std::move(name)),
        names_(std::move(names)),
        unnamed_(unnamed) {}

  /// A function object with one signature, as binding libraries need it.
  auto bound() && {
    return [checked = std::move(*this)](asked_for_t<Ts>... given) -> Result {
      return checked.call(std::index_sequence_for<Ts...>(), given...);
    };
  }

 private:
  template <std::size_t... Indices>
  Result call(std::index_sequence<Indices...>, asked_for_t<Ts>&... given) const {
    // The braces check the arguments from left to right.
    std::tuple<decltype(met<Ts>(given, Indices))...> arguments{met<Ts>(given, Indices)...};
    return std::apply(function_, std::move(arguments));
  }

  template <class T>
  decltype(auto) met(asked_for_t<T>& given, std::size_t index) const {
    if constexpr (is_asked<T>) {
      return asked<std::remove_cvref_t<T>>::met(given, [&] { return where(index); });
    } else {
      return static_cast<T&&>(given);
    }
  }

  /// The beginning of an error's text, such as "f(): argument 'x'".
  std::string where(std::size_t index) const {
    const std::size_t k = index - unnamed_;
    const bool is_named = k < names_.size() && !names_[k].empty();
    return name_ + "(): argument " + (is_named ? "'" + names_[k] + "'" : std::to_string(k + 1));
  }

  Function function_;
  std::string name_;
  std::vector<std::string> names_;
  std::size_t unnamed_;
};

/// Makes a function of a function pointer or of an object with one operator(). `Self` is the class
/// that it becomes a method of, or void.
template <class Self, class Function>
  requires(!std::is_member_function_pointer_v<Function>)
auto checked_as(Function function, const char* name, std::vector<std::string> names) {
  using signature = decltype(std::function(function));
  return [&]<class Result, class... Ts>(const std::function<Result(Ts...)>*) {
    constexpr std::size_t unnamed = std::is_void_v<Self> ? 0 : 1;
    return checked_function<Function, Result(Ts...)>(std::move(function), name, std::move(names),
                                                     unnamed)
        .bound();
  }(static_cast<const signature*>(nullptr));
}
/// Makes a function of a pointer to a method.
template <class Self, class Result, class Class, class... Ts>
auto checked_as(Result (Class::*method)(Ts...), const char* name, std::vector<std::string> names) {
  using object = std::conditional_t<std::is_void_v<Self>, Class, Self>;
  return checked_as<Self>(
      [method](object& self, Ts... given) -> Result {
        return (self.*method)(std::forward<Ts>(given)...);
      },
      name, std::move(names));
}
template <class Self, class Result, class Class, class... Ts>
auto checked_as(Result (Class::*method)(Ts...) const, const char* name,
                std::vector<std::string> names) {
  using object = std::conditional_t<std::is_void_v<Self>, Class, Self>;
  return checked_as<Self>(
      [method](const object& self, Ts... given) -> Result {
        return (self.*method)(std::forward<Ts>(given)...);
      },
      name, std::move(names));
}

/// Throws type_error if a module or a class has defined that name: the function that comes first
/// would take all objects. Special methods are inherited, and so they are always there.
inline void refuse_overload(PyObject* scope, const char* name) {
  const reference contents(PyObject_GetAttrString(scope, "__dict__"));
  const bool is_defined = contents != nullptr && !std::string_view(name).starts_with("__") &&
                          PyMapping_HasKeyString(contents.get(), name) != 0;
  PyErr_Clear();
  if (is_defined) {
    throw type_error("usmx::python::def: '" + std::string(name) +
                     "' is defined already; overloads need the binding library's own def");
  }
}

/// The class that the functions of a scope become methods of; void for a module. The headers of
/// binding libraries specialise it for classes.
template <class Scope>
struct class_of {
  using type = void;
};

/// The name that an extra gives to an argument, which may be null. The headers of binding libraries
/// specialise it for the extras that stand for arguments.
template <class Extra>
struct argument_of {};

template <class Extra>
void add_name([[maybe_unused]] std::vector<std::string>& names, const Extra& extra) {
  if constexpr (requires { argument_of<Extra>::name(extra); }) {
    const char* name = argument_of<Extra>::name(extra);
    names.emplace_back(name == nullptr ? "" : name);
  }
}

}  // namespace detail

/// Makes a function object that checks the arguments of a C++ function as those of `def` are
/// checked, for what `def` does not define: constructors, static methods and properties. In errors
/// it has the name `name`, and its parameters have `names`, in order; some may be missing.
template <class Function>
auto checked(Function function, const char* name, std::vector<std::string> names = {}) {
  return detail::checked_as<void>(std::move(function), name, std::move(names));
}

/// Defines a function of a module, or a method of a class, that has no overloads. It is as
/// `scope.def`, with the same extras, but an argument that does not fit its parameter (usmx::in and
/// its like, usmx::array, sycl::queue and its like, and std::optional and std::vector of these)
/// raises a TypeError that names the argument, what was needed and what was given. Throws
/// type_error if the scope has a function of that name.
template <class Scope, class Function, class... Extras>
void def(Scope&& scope, const char* name, Function function, const Extras&... extras) {
  detail::refuse_overload(scope.ptr(), name);
  std::vector<std::string> names;
  (detail::add_name(names, extras), ...);
  using self = typename detail::class_of<std::remove_cvref_t<Scope>>::type;
  scope.def(name, detail::checked_as<self>(std::move(function), name, std::move(names)), extras...);
}

}  // namespace usmx::python
