// The nanobind casters of parameters that state what they need, usmx::in, usmx::convert and
// usmx::array_of, those of arguments that a function refuses itself, and what usmx::python::def
// needs to know of nanobind. Users include usmx/python/nanobind.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "usmx/array/array_of.hpp"
#include "usmx/python/function.hpp"
#include "usmx/python/nanobind/casters.hpp"
#include "usmx/python/typed.hpp"

namespace NB_NAMESPACE {
namespace detail {

/// The name of a parameter's type in signatures.
template <class Parameter>
constexpr auto usmx_name() {
  if constexpr (std::derived_from<Parameter, usmx::array> &&
                !std::same_as<Parameter, usmx::array>) {
    return io_name(usmx::python::annotation<Parameter>.characters,
                   usmx::python::exchanged<usmx::array>::name);
  } else if constexpr (usmx::python::detail::states_requirement<Parameter>) {
    return const_name(usmx::python::annotation<Parameter>.characters);
  } else {
    return usmx_caster<usmx::python::detail::cast_as<Parameter>>::Name;
  }
}

/// The caster of a typed parameter, or of an argument in the place of any (`Taken`). An object that
/// claims to be USM memory and is not raises its error.
template <class Parameter, class Taken>
class usmx_typed_caster : public usmx_caster<usmx::python::detail::cast_as<Parameter>, Parameter> {
  using base = usmx_caster<usmx::python::detail::cast_as<Parameter>, Parameter>;
  using base::answer_;
  using base::is_worth_keeping_;

 public:
  static constexpr auto Name = usmx_name<Parameter>();
  template <class U>
  using Cast = Taken;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    refusing_.reset();
    const bool is_taken = base::from_python(source, flags, call);
    if (answer_.error) {
      return true;
    }
    if (is_taken && usmx::python::detail::fits<Parameter>(*answer_.value)) [[likely]] {
      return true;
    }
    if constexpr (usmx::python::takes_copies<Parameter>) {
      if ((flags & cast_flags::convert) != 0) {
        return take_copy(source, flags, call);
      }
    }
    return is_taken ? refuse_array() : refuse_object(source);
  }

  template <class U>
  bool can_cast() const noexcept {
    return refusing_.is_refused() || base::template can_cast<U>();
  }
  explicit operator Taken() {
    if constexpr (requires { refusing_.refused(); }) {
      if (refusing_.is_refused()) {
        return refusing_.refused();
      }
    }
    return refusing_.taken(base::seen());
  }

 private:
  bool refuse_array() noexcept {
    if constexpr (usmx::python::detail::states_requirement<Parameter>) {
      return refusing_.refuse([&] { return usmx::python::refusal<Parameter>(*answer_.value); });
    } else {
      return false;  // whatever was taken fits
    }
  }
  bool refuse_object(handle source) noexcept {
    return refusing_.refuse([&] { return usmx::python::refusal<Parameter>(source.ptr()); });
  }
  bool take_copy(handle source, std::uint32_t flags, cleanup_list* call) noexcept {
    if (is_worth_keeping_) {
      base::keep();
    }
    const usmx::array* given = answer_.value ? &*answer_.value : nullptr;
    const object made = steal(usmx::python::converted<Parameter>(source.ptr(), given));
    if (made.is_valid()) {
      return base::from_python(made, flags, call) && answer_.value &&
             (is_met(Parameter::requirement, *answer_.value) || refuse_array());
    }
    if (!usmx::python::is_unsuitable()) {
      answer_.clear();
      answer_.error = usmx_error::current();
      return true;
    }
    const bool is_refused = refuse_object(source);
    PyErr_Clear();
    return is_refused;
  }

  [[no_unique_address]] usmx::python::detail::refusing<Taken> refusing_;
};

template <class T, auto... Words>
struct type_caster<usmx::param::in<T, Words...>>
    : usmx_typed_caster<usmx::param::in<T, Words...>, usmx::param::in<T, Words...>> {};
template <class T, auto... Words>
struct type_caster<usmx::param::convert<T, Words...>>
    : usmx_typed_caster<usmx::param::convert<T, Words...>, usmx::param::convert<T, Words...>> {};
template <class T, std::size_t N>
struct type_caster<usmx::array_of<T, N>>
    : usmx_typed_caster<usmx::array_of<T, N>, usmx::array_of<T, N>> {};
template <class Parameter>
struct type_caster<usmx::python::detail::argument<Parameter>>
    : usmx_typed_caster<Parameter, usmx::python::detail::argument<Parameter>> {};

template <>
struct type_caster<usmx::python::detail::left_argument> {
  NB_TYPE_CASTER(usmx::python::detail::left_argument, const_name("typing.Never"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list*) noexcept {
    value = {source.ptr()};
    return (flags & cast_flags::convert) != 0;
  }
};

}  // namespace detail
}  // namespace NB_NAMESPACE

namespace usmx::python::detail {

template <class T, class... Extras>
struct class_of<nanobind::class_<T, Extras...>> {
  using type = T;
};

template <class Extra>
  requires requires(const Extra& extra) { extra.name_; }  // nanobind::arg
struct argument_of<Extra> {
  static const char* name(const Extra& extra) noexcept { return extra.name_; }
};

}  // namespace usmx::python::detail

namespace usmx::python {

/// Ends the overloads of a function of a module, or of a method of a class: define it after them by
/// the same name. A call that fits none of them raises a TypeError of one line, which says what the
/// arguments are and does not wait for work on them, in place of the binding library's list of all
/// signatures.
template <class Scope>
void end_overloads(Scope&& scope, const char* name) {
  using self = typename detail::class_of<std::remove_cvref_t<Scope>>::type;
  const auto refuse = [name = std::string(name)](detail::left_argument first,
                                                 const nanobind::args& given,
                                                 const nanobind::kwargs& named) {
    throw type_error(detail::no_overload_text(name, first, given.ptr(), named.ptr()));
  };
  const auto define = [&](auto function, const std::string& first) {
    // Stubs have it as a signature that no call fits.
    const std::string signature = "def " + std::string(name) + first +
                                  "*args: typing.Never, **kwargs: typing.Never) -> typing.Never";
    scope.def(name, function,
              nanobind::arg().none() = nanobind::borrow(detail::left_argument::none_given()),
              nanobind::arg("args"), nanobind::arg("kwargs"), nanobind::sig(signature.c_str()));
  };
  if constexpr (std::is_void_v<self>) {
    define(refuse, "(");
  } else {
    define([refuse](nanobind::handle, detail::left_argument first, const nanobind::args& given,
                    const nanobind::kwargs& named) { refuse(first, given, named); },
           "(self, ");
  }
}

}  // namespace usmx::python
