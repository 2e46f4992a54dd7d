// Names that other libraries (Kokkos, std::mdspan, rmm, nanobind, dpctl) have for what has another
// name here: each is an error of the compiler that says the right one, in place of a list of all
// functions that do not fit. Nothing here runs. This header does not need SYCL.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace usmx::inline v1::detail {

/// The value false, but only once a template is instantiated: for a static_assert in functions that
/// nobody may call.
template <class...>
inline constexpr bool never = false;

/// The result of what nobody may call. It goes wherever a result may go, so that the compiler has
/// nothing to say but the error.
struct anything {
  anything() = default;
  template <class T>
  operator T() const;
  template <class T>
  anything& operator=(const T&);
  anything& operator++();
  anything& operator*();
  bool operator!=(const anything&) const;
};

/// A number of any type, but nothing that converts to one, as an array seems to.
struct any_number {
  template <class T>
    requires std::is_arithmetic_v<T>
  any_number(T) noexcept {}
};

/// An argument of a function that is called only if no other one fits: any argument fits, also
/// several in braces, but by a conversion, which every other function's is better than. Missing
/// arguments fit, too.
struct any_argument {
  any_argument() = default;
  template <class... T>
  any_argument(const T&...) noexcept {}
  any_argument(std::initializer_list<any_number>) noexcept {}
};

/// A first member that no value fits, so that the members behind it are set by their names alone:
/// braces without names are a list of axes.
struct named_members_follow {
  explicit named_members_follow() = default;
};

/// The names that others have for the option of an axis.
struct axis_spellings {
  [[no_unique_address]] named_members_follow members = named_members_follow();
  any_argument axes = {};
  any_argument dim = {};
};

/// The members that an array has by another name. Class array has this one as a base.
struct array_spellings {
  template <class... Indices>
  anything operator()(const Indices&...) const {
    static_assert(never<Indices...>,
                  "arrays have no elements of their own: take x = a.host_as<T, N>(), or "
                  "a.host_view() of an array_of<T, N>, and then x(i, j)");
    return {};
  }
  template <class Index>
  anything operator[](const Index&) const {
    static_assert(never<Index>,
                  "arrays have no elements of their own: take x = a.host_as<T, N>(), or "
                  "a.host_view() of an array_of<T, N>, and then x[i]; a part is a.slice(i)");
    return {};
  }
  template <class... Nothing>
  anything begin(const Nothing&...) const {
    static_assert(
        never<Nothing...>,
        "arrays have no iterators: for (T& x : a.host_as<T, 1>()), or a.host_view() of an "
        "array_of<T, 1>");
    return {};
  }
  template <class... Nothing>
  anything end(const Nothing&...) const {
    return {};  // begin() has said it
  }
  template <class... Arguments>
  anything fill(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::fill(a, value), of usmx/copy/values.hpp");
    return {};
  }
  template <class... Arguments>
  anything copy(const Arguments&...) const {
    static_assert(never<Arguments...>,
                  "usmx::clone(a), of usmx/copy/values.hpp, or usmx::copy(source, destination)");
    return {};
  }
  template <class... Arguments>
  anything clone(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::clone(a), of usmx/copy/values.hpp");
    return {};
  }
  template <class... Arguments>
  anything astype(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::astype(a, type), of usmx/copy/values.hpp");
    return {};
  }
  template <class T, class... Nothing>
  anything astype(const Nothing&...) const {
    static_assert(never<T, Nothing...>, "usmx::astype<T>(a), of usmx/copy/values.hpp");
    return {};
  }
  template <class... Arguments>
  anything to_vector(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::to_vector<T>(a), of usmx/copy/values.hpp");
    return {};
  }
  template <class T = void, std::size_t N = 0, class... Nothing>
  anything host_view(const Nothing&...) const {
    static_assert(never<Nothing...>,
                  "a.host_as<T, N>() names what the compiler does not know of an array; an "
                  "array_of<T, N> has host_view()");
    return {};
  }
  template <class... Nothing>
  anything mdspan(const Nothing&...) const {
    static_assert(never<Nothing...>,
                  "a.host_as<T, N>() is a view, which converts to a std::mdspan");
    return {};
  }
  template <class... Destination>
  anything to_host(const Destination&...) const {
    static_assert(never<Destination...>,
                  "usmx::to_host(a, data), of usmx/copy/host_data.hpp, or usmx::to_vector<T>(a)");
    return {};
  }
  template <class... Nothing>
  anything flatten(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.reshaped(-1), or usmx::to_vector<T>(a) for a copy");
    return {};
  }
  template <class... Nothing>
  anything ravel(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.reshaped(-1)");
    return {};
  }
  template <class... Extents>
  anything reshape(std::initializer_list<std::ptrdiff_t>, const Extents&...) const {
    static_assert(never<Extents...>, "a.reshaped({2, 3}), which returns another array");
    return {};
  }
  template <class... Axes>
  anything transpose(const Axes&...) const {
    static_assert(never<Axes...>, "a.transposed(), which returns another array");
    return {};
  }
  template <class... Arguments>
  anything device(const Arguments&...) const {
    static_assert(never<Arguments...>, "a.queue().get_device()");
    return {};
  }
  template <class... Arguments>
  anything to_device(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::clone(a, queue), of usmx/copy/values.hpp");
    return {};
  }
  template <class... Arguments>
  anything to(const Arguments&...) const {
    static_assert(never<Arguments...>,
                  "usmx::clone(a, queue) or usmx::clone(a, usmx::usm_kind::host), or "
                  "usmx::astype(a, type), of usmx/copy/values.hpp");
    return {};
  }
  template <class... Arguments>
  anything copy_to(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::copy(a, destination), of usmx/copy/copy.hpp");
    return {};
  }
  template <class... Arguments>
  anything squeeze(const Arguments&...) const {
    static_assert(never<Arguments...>, "a.reshaped(shape)");
    return {};
  }
  template <class... Arguments>
  anything print(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::to_string(a), of usmx/copy/text.hpp");
    return {};
  }
  template <class... Arguments>
  anything to_string(const Arguments&...) const {
    static_assert(never<Arguments...>, "usmx::to_string(a), of usmx/copy/text.hpp");
    return {};
  }
  template <class... Nothing>
  anything itemsize(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.type().itemsize()");
    return {};
  }
  template <class... Nothing>
  anything size_bytes(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.nbytes()");
    return {};
  }
  template <class... Nothing>
  anything rank(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.ndim(); the views and array_of<T, N> have rank()");
    return {};
  }
  template <class... Nothing>
  anything data_handle(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.data()");
    return {};
  }
  template <class... Nothing>
  anything get_data(const Nothing&...) const {
    static_assert(never<Nothing...>, "a.data(), or a.view().contiguous<T>(), which is checked");
    return {};
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  operator T() const {
    static_assert(never<T>, "a.item<T>() is the value of an array of one element");
    return T();
  }
  template <class... More>
  anything sum(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::sum(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything prod(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::prod(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything mean(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::mean(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything max(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::max(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything min(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::min(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything argmax(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::argmax(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything argmin(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::argmin(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything any(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::any_of(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  template <class... More>
  anything all(any_argument = {}, const More&...) const {
    static_assert(never<More...>, "usmx::all_of(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
};

/// Operands of which one is an array.
template <class X1, class X2>
concept some_array =
    std::derived_from<X1, array_spellings> || std::derived_from<X2, array_spellings>;

template <class X1, class X2>
anything missing_operator() {
  static_assert(never<X1, X2>,
                "operators of arrays are in usmx/compute/operators.hpp, and the other operand is "
                "an array or a number");
  return {};
}

/// @cond
// The operators where usmx/compute/operators.hpp, whose own are more constrained, is not included
// or has none for the other operand.
#define USMX_OPERATOR(symbol)                      \
  template <class X1, class X2>                    \
    requires some_array<X1, X2>                    \
  anything operator symbol(const X1&, const X2&) { \
    return missing_operator<X1, X2>();             \
  }
USMX_OPERATOR(+)
USMX_OPERATOR(-)
USMX_OPERATOR(*)
USMX_OPERATOR(/)
USMX_OPERATOR(%)
USMX_OPERATOR(&)
USMX_OPERATOR(|)
USMX_OPERATOR(^)
USMX_OPERATOR(==)
USMX_OPERATOR(!=)
USMX_OPERATOR(<)
USMX_OPERATOR(<=)
USMX_OPERATOR(>)
USMX_OPERATOR(>=)
USMX_OPERATOR(+=)
USMX_OPERATOR(-=)
USMX_OPERATOR(*=)
USMX_OPERATOR(/=)
#undef USMX_OPERATOR

template <class X1, class X2>
anything missing_condition() {
  static_assert(never<X1, X2>,
                "of each element: x & y, x | y; a condition: usmx::all_of(x).item<bool>()");
  return {};
}
template <class X1, class X2>
  requires some_array<X1, X2>
anything operator&&(const X1&, const X2&) {
  return missing_condition<X1, X2>();
}
template <class X1, class X2>
  requires some_array<X1, X2>
anything operator||(const X1&, const X2&) {
  return missing_condition<X1, X2>();
}
template <std::derived_from<array_spellings> X>
anything operator!(const X&) {
  static_assert(never<X>, "of each element: ~x; a condition: !usmx::all_of(x).item<bool>()");
  return {};
}
/// @endcond

/// The members that a view of typed elements has by another name. Each class of views has its own
/// one as a base: two bases of one type, of a view and of a view in it, would take room.
template <class View>
struct view_spellings {
  template <class... Nothing>
  static anything shape(const Nothing&...) {
    static_assert(never<Nothing...>, "view.extents() or view.extent(k)");
    return {};
  }
  template <class... Nothing>
  static anything ndim(const Nothing&...) {
    static_assert(never<Nothing...>, "view.rank()");
    return {};
  }
  template <class... Indices>
  static anything at(const Indices&...) {
    static_assert(never<Indices...>, "view(i, j), which debug builds check, or view[i]");
    return {};
  }
  template <class... Nothing>
  static anything data_handle(const Nothing&...) {
    static_assert(never<Nothing...>, "view.data()");
    return {};
  }
};

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {

/// @cond
// Functions that others have by these names. Any function of such a name that a program has fits
// better.
template <class... T>
detail::anything all(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::all_of(a, axis), of usmx/compute/functions.hpp");
  return {};
}
template <class... T>
detail::anything product(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::prod(a, axis), of usmx/compute/functions.hpp");
  return {};
}
template <class... T>
detail::anything cumsum(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::cumulative_sum(a, axis), of usmx/compute/scans.hpp");
  return {};
}
template <class... T>
detail::anything cumprod(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::cumulative_prod(a, axis), of usmx/compute/scans.hpp");
  return {};
}
template <class... T>
detail::anything dot(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "usmx::matmul(a, b) or usmx::vecdot(a, b), of usmx/compute/products.hpp");
  return {};
}
template <class... T>
detail::anything transpose(detail::any_argument, detail::any_argument = {},
                           detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>, "a.transposed()");
  return {};
}
template <class... T>
detail::anything reshape(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) {
  static_assert(detail::never<T...>, "a.reshaped({2, 3})");
  return {};
}
template <class... T>
detail::anything squeeze(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) {
  static_assert(detail::never<T...>, "a.reshaped(shape)");
  return {};
}
template <class... T>
detail::anything expand_dims(detail::any_argument, detail::any_argument = {},
                             detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>, "a.slice(usmx::newaxis)");
  return {};
}
template <class... T>
detail::anything flip(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "a.slice(usmx::range(usmx::index_item::none, usmx::index_item::none, -1))");
  return {};
}
template <class... T>
detail::anything print(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}) {
  static_assert(detail::never<T...>, "std::cout << usmx::to_string(a), of usmx/copy/text.hpp");
  return {};
}
template <class... T>
detail::anything asarray(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp");
  return {};
}
template <class... T>
detail::anything arange(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "usmx::from_host(queue, data), of usmx/copy/host_data.hpp, where std::iota has filled data");
  return {};
}
template <class... T>
detail::anything linspace(detail::any_argument, detail::any_argument = {},
                          detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp");
  return {};
}
template <class... T>
detail::anything eye(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "usmx::zeros<T>({n, n}, queue), of usmx/copy/values.hpp, and usmx::fill of its "
                "diagonal, which is x.reshaped(-1).slice(usmx::range(0, n * n, n + 1))");
  return {};
}
template <class... T>
detail::anything concat(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "usmx::copy(a, c.slice(usmx::range(0, n))) into each part of an array c = "
                "usmx::empty(shape, type, queue)");
  return {};
}
template <class... T>
detail::anything stack(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}) {
  static_assert(
      detail::never<T...>,
      "usmx::copy(a, c.slice(i)) into each part of an array c = usmx::empty(shape, type, queue)");
  return {};
}
template <class... T>
detail::anything concatenate(detail::any_argument, detail::any_argument = {},
                             detail::any_argument = {}, detail::any_argument = {}) {
  static_assert(detail::never<T...>,
                "usmx::copy(a, c.slice(usmx::range(0, n))) into each part of an array c = "
                "usmx::empty(shape, type, queue)");
  return {};
}
template <std::derived_from<detail::array_spellings> X1,
          std::derived_from<detail::array_spellings> X2>
detail::anything max(const X1&, const X2&) {
  static_assert(detail::never<X1, X2>, "usmx::maximum(a, b), of usmx/compute/functions.hpp");
  return {};
}
template <std::derived_from<detail::array_spellings> X1,
          std::derived_from<detail::array_spellings> X2>
detail::anything min(const X1&, const X2&) {
  static_assert(detail::never<X1, X2>, "usmx::minimum(a, b), of usmx/compute/functions.hpp");
  return {};
}
/// @endcond

}  // namespace usmx::inline v1
