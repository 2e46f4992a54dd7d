// The step from an element type that is known when the program runs to a C++ type. This header does
// not need SYCL.
#pragma once

#include <string>
#include <type_traits>

#include "usmx/base/error.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1 {

namespace detail {

template <class... Ts>
[[noreturn]] void throw_no_alternative(dtype type) {
  std::string names;
  ((names += (names.empty() ? "" : ", "), names += dtype::of<Ts>().name()), ...);
  throw type_error(message("element type must be one of ", names, "; found ", type));
}

/// Tries `tried`, then the rest. `All` are the types that the message lists.
template <class... All, class F, class Tried, class... Rest>
decltype(auto) visit_among(dtype type, F& f, std::type_identity<Tried> tried,
                           std::type_identity<Rest>... rest) {
  if (type == dtype::of<Tried>()) {
    return f(tried);
  }
  if constexpr (sizeof...(Rest) > 0) {
    return visit_among<All...>(type, f, rest...);
  } else {
    throw_no_alternative<All...>(type);
  }
}

}  // namespace detail

/// Calls `f(std::type_identity<T>())` with the type T of the list whose element type is `type`, and
/// returns the result of the call. `f` must return the same type for all types of the list. Throws
/// type_error, whose message has the list, when no T fits.
///
/// \code{.cpp}
/// usmx::visit<float, double>(a.type(), [&]<class T>(std::type_identity<T>) { ... });
/// \endcode
template <element_type First, element_type... Rest, class F>
decltype(auto) visit(dtype type, F&& f) {
  return detail::visit_among<First, Rest...>(type, f, std::type_identity<First>(),
                                             std::type_identity<Rest>()...);
}
/// @cond
template <class... T>
detail::anything visit(detail::any_argument, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "visit<float, double>(a.type(), f), where all are element types");
  return {};
}
/// @endcond

}  // namespace usmx::inline v1
