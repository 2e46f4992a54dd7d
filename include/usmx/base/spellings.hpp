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
  template <class T>
  T item() const;
  template <class T, std::size_t N>
  anything host_as() const;
  anything extent(...) const;
  anything slice(...) const;
  std::ptrdiff_t ndim() const;
  std::ptrdiff_t size() const;
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

/// The names that others have for the options of functions.
struct option_spellings {
  [[no_unique_address]] named_members_follow members = named_members_follow();
  any_argument upper = {};
  any_argument lower = {};
  any_argument full_matrices = {};
  any_argument mode = {};
  any_argument ord = {};
  any_argument p = {};
  any_argument axis = {};
  any_argument dim = {};
  any_argument keepdims = {};
  any_argument keepdim = {};
};

/// Members of options that have another name: to set one is an error that says the right one.
struct not_out {
  not_out() = default;
  template <class T>
  not_out(const T&) noexcept {
    static_assert(never<T>, "the option is {.outputs = {y}}");
  }
};
struct not_ddof {
  not_ddof() = default;
  template <class T>
  not_ddof(const T&) noexcept {
    static_assert(never<T>, "the option is {.correction = 1}");
  }
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
    static_assert(
        never<Index>,
        "arrays have no elements of their own: take x = a.host_as<T, N>(), or "
        "a.host_view() of an array_of<T, N>, and then x[i]; a part is a.slice(i), and the "
        "elements of a mask or of indices are gather(a, selection::of(a.layout(), key), out)");
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
  template <class T, class... Nothing>
  anything astype(const Nothing&...) const {
    static_assert(never<T, Nothing...>, "usmx::astype<T>(a), of usmx/copy/values.hpp");
    return {};
  }
  template <class T, class... Nothing>
  anything data_as(const Nothing&...) const {
    static_assert(never<T, Nothing...>, "a.view().contiguous<T>(), which is checked, or a.data()");
    return {};
  }
  template <class T = void, std::size_t N = 0, class... Nothing>
  anything host_view(const Nothing&...) const {
    static_assert(never<Nothing...>,
                  "a.host_as<T, N>() names what the compiler does not know of an array; an "
                  "array_of<T, N> has host_view()");
    return {};
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  operator T() const {
    static_assert(never<T>, "a.item<T>() is the value of an array of one element");
    return T();
  }
  /// @cond
#define USMX_MEMBER_IS(name, text)                                            \
  template <class... More>                                                    \
  anything name(any_argument = {}, any_argument = {}, const More&...) const { \
    static_assert(never<More...>, text);                                      \
    return {};                                                                \
  }
  USMX_MEMBER_IS(fill, "usmx::fill(a, value), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(copy,
                 "usmx::clone(a), of usmx/copy/values.hpp, or usmx::copy(source, destination)")
  USMX_MEMBER_IS(clone,
                 "usmx::clone(a), of usmx/copy/values.hpp, or usmx::copy(source, destination)")
  USMX_MEMBER_IS(astype, "usmx::astype(a, type), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(to_vector, "usmx::to_vector<T>(a), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(tolist, "usmx::to_vector<T>(a), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(mdspan, "a.host_as<T, N>() is a view, which converts to a std::mdspan")
  USMX_MEMBER_IS(to_host,
                 "usmx::to_host(a, data), of usmx/copy/host_data.hpp, or usmx::to_vector<T>(a)")
  USMX_MEMBER_IS(cpu,
                 "usmx::to_host(a, data), of usmx/copy/host_data.hpp, or usmx::to_vector<T>(a)")
  USMX_MEMBER_IS(numpy,
                 "usmx::to_host(a, data), of usmx/copy/host_data.hpp, or usmx::to_vector<T>(a)")
  USMX_MEMBER_IS(flatten, "a.reshaped(-1), or usmx::to_vector<T>(a) for a copy")
  USMX_MEMBER_IS(ravel, "a.reshaped(-1)")
  USMX_MEMBER_IS(reshape, "a.reshaped({2, 3}), which returns another array")
  USMX_MEMBER_IS(resize, "a.reshaped({2, 3}), which returns another array")
  USMX_MEMBER_IS(transpose,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
  USMX_MEMBER_IS(permute,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
  USMX_MEMBER_IS(permuted,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
  USMX_MEMBER_IS(swapaxes,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
  USMX_MEMBER_IS(device, "a.queue().get_device()")
  USMX_MEMBER_IS(get_device, "a.queue().get_device()")
  USMX_MEMBER_IS(get_queue, "a.queue()")
  USMX_MEMBER_IS(sycl_queue, "a.queue()")
  USMX_MEMBER_IS(to_device, "usmx::clone(a, queue), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(to,
                 "usmx::clone(a, queue) or usmx::clone(a, usmx::usm_kind::host), or "
                 "usmx::astype(a, type), of usmx/copy/values.hpp")
  USMX_MEMBER_IS(copy_to, "usmx::copy(a, destination), of usmx/copy/copy.hpp")
  USMX_MEMBER_IS(squeeze, "a.reshaped(shape)")
  USMX_MEMBER_IS(unsqueeze, "a.slice(usmx::newaxis)")
  USMX_MEMBER_IS(expand_dims, "a.slice(usmx::newaxis)")
  USMX_MEMBER_IS(print, "usmx::to_string(a), of usmx/copy/text.hpp")
  USMX_MEMBER_IS(to_string, "usmx::to_string(a), of usmx/copy/text.hpp")
  USMX_MEMBER_IS(itemsize, "a.type().itemsize()")
  USMX_MEMBER_IS(get_type, "a.type()")
  USMX_MEMBER_IS(usm_type, "a.kind()")
  USMX_MEMBER_IS(size_bytes, "a.nbytes()")
  USMX_MEMBER_IS(numel, "a.size(), or a.extent(0)")
  USMX_MEMBER_IS(length, "a.size(), or a.extent(0)")
  USMX_MEMBER_IS(empty, "a.size() == 0")
  USMX_MEMBER_IS(is_contiguous, "a.layout().is_c_contiguous()")
  USMX_MEMBER_IS(rank, "a.ndim(); the views and array_of<T, N> have rank()")
  USMX_MEMBER_IS(dim, "a.ndim(); the views and array_of<T, N> have rank()")
  USMX_MEMBER_IS(data_handle, "a.data()")
  USMX_MEMBER_IS(data_ptr, "a.data()")
  USMX_MEMBER_IS(get_data, "a.data(), or a.view().contiguous<T>(), which is checked")
  USMX_MEMBER_IS(any, "usmx::any_of(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(all, "usmx::all_of(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(sort, "usmx::sort(a, axis) or usmx::argsort(a, axis), of usmx/compute/sorting.hpp")
  USMX_MEMBER_IS(argsort,
                 "usmx::sort(a, axis) or usmx::argsort(a, axis), of usmx/compute/sorting.hpp")
  USMX_MEMBER_IS(cumsum, "usmx::cumulative_sum(a, axis), of usmx/compute/scans.hpp")
  USMX_MEMBER_IS(cumulative_sum, "usmx::cumulative_sum(a, axis), of usmx/compute/scans.hpp")
  USMX_MEMBER_IS(cumprod, "usmx::cumulative_prod(a, axis), of usmx/compute/scans.hpp")
  USMX_MEMBER_IS(cumulative_prod, "usmx::cumulative_prod(a, axis), of usmx/compute/scans.hpp")
  USMX_MEMBER_IS(dot, "usmx::matmul(a, b) or usmx::vecdot(a, b), of usmx/compute/products.hpp")
  USMX_MEMBER_IS(matmul, "usmx::matmul(a, b) or usmx::vecdot(a, b), of usmx/compute/products.hpp")
  USMX_MEMBER_IS(
      norm,
      "usmx::linalg::vector_norm(a) or usmx::linalg::matrix_norm(a), of usmx/compute/matrices.hpp")
  USMX_MEMBER_IS(sum, "usmx::sum(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(prod, "usmx::prod(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(mean, "usmx::mean(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(max, "usmx::max(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(min, "usmx::min(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(argmax, "usmx::argmax(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(argmin, "usmx::argmin(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(std, "usmx::std(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(var, "usmx::var(a, axis), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(median, "usmx::median(a, ...), of usmx/compute/statistics.hpp")
  USMX_MEMBER_IS(quantile, "usmx::quantile(a, ...), of usmx/compute/statistics.hpp")
  USMX_MEMBER_IS(percentile, "usmx::percentile(a, ...), of usmx/compute/statistics.hpp")
  USMX_MEMBER_IS(trace, "usmx::linalg::trace(a), of usmx/compute/matrices.hpp")
  USMX_MEMBER_IS(diagonal, "usmx::linalg::diagonal(a), of usmx/compute/matrices.hpp")
  USMX_MEMBER_IS(inv, "usmx::linalg::inv(a), of usmx/compute/linalg.hpp")
  USMX_MEMBER_IS(det, "usmx::linalg::det(a), of usmx/compute/linalg.hpp")
  USMX_MEMBER_IS(abs, "usmx::abs(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(sqrt, "usmx::sqrt(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(exp, "usmx::exp(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(log, "usmx::log(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(sin, "usmx::sin(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(cos, "usmx::cos(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(tanh, "usmx::tanh(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(round, "usmx::round(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(floor, "usmx::floor(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(ceil, "usmx::ceil(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(conj, "usmx::conj(a), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(pow, "usmx::pow(a, b), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(clip, "usmx::clip(a, min, max), of usmx/compute/functions.hpp")
  USMX_MEMBER_IS(clamp, "usmx::clip(a, min, max), of usmx/compute/functions.hpp")
#undef USMX_MEMBER_IS
  /// @endcond
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
// Functions that others have by these names, or call with other arguments. Any function of such a
// name that a program has fits better.
#define USMX_FUNCTION_IS(name, text)                                                     \
  template <class... T>                                                                  \
  detail::anything name(detail::any_argument = {}, detail::any_argument = {},            \
                        detail::any_argument = {}, detail::any_argument = {}) {          \
    static_assert(detail::never<T...>, text);                                            \
    return {};                                                                           \
  }                                                                                      \
  template <class... T>                                                                  \
  detail::anything name(const detail::array_spellings&, const detail::option_spellings&, \
                        detail::any_argument = {}) {                                     \
    static_assert(detail::never<T...>, text);                                            \
    return {};                                                                           \
  }
USMX_FUNCTION_IS(all, "usmx::all_of(a, axis), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(product, "usmx::prod(a, axis), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(cumsum, "usmx::cumulative_sum(a, axis), of usmx/compute/scans.hpp")
USMX_FUNCTION_IS(cumprod, "usmx::cumulative_prod(a, axis), of usmx/compute/scans.hpp")
USMX_FUNCTION_IS(dot, "usmx::matmul(a, b) or usmx::vecdot(a, b), of usmx/compute/products.hpp")
USMX_FUNCTION_IS(transpose, "a.transposed()")
USMX_FUNCTION_IS(reshape, "a.reshaped({2, 3})")
USMX_FUNCTION_IS(squeeze, "a.reshaped(shape)")
USMX_FUNCTION_IS(expand_dims, "a.slice(usmx::newaxis)")
USMX_FUNCTION_IS(flip, "a.slice(usmx::range(usmx::index_item::none, usmx::index_item::none, -1))")
USMX_FUNCTION_IS(print, "std::cout << usmx::to_string(a), of usmx/copy/text.hpp")
USMX_FUNCTION_IS(asarray, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp")
USMX_FUNCTION_IS(
    arange,
    "usmx::from_host(queue, data), of usmx/copy/host_data.hpp, where std::iota has filled data")
USMX_FUNCTION_IS(linspace, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp")
USMX_FUNCTION_IS(eye,
                 "usmx::zeros<T>({n, n}, queue), of usmx/copy/values.hpp, and usmx::fill of its "
                 "diagonal, which is x.reshaped(-1).slice(usmx::range(0, n * n, n + 1))")
USMX_FUNCTION_IS(concatenate, "usmx::concat({a, b}, axis), of usmx/compute/joining.hpp")
USMX_FUNCTION_IS(solve, "usmx::linalg::solve, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(inv, "usmx::linalg::inv, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(det, "usmx::linalg::det, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(slogdet, "usmx::linalg::slogdet, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(svd, "usmx::linalg::svd, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(svdvals, "usmx::linalg::svdvals, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(qr, "usmx::linalg::qr, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(cholesky, "usmx::linalg::cholesky, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(eig, "usmx::linalg::eig, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(eigh, "usmx::linalg::eigh, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(eigvals, "usmx::linalg::eigvals, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(eigvalsh, "usmx::linalg::eigvalsh, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(lstsq, "usmx::linalg::lstsq, of usmx/compute/linalg.hpp")
USMX_FUNCTION_IS(trace, "usmx::linalg::trace, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(diagonal, "usmx::linalg::diagonal, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(vector_norm, "usmx::linalg::vector_norm, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(matrix_norm, "usmx::linalg::matrix_norm, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(matrix_rank, "usmx::linalg::matrix_rank, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(matrix_power, "usmx::linalg::matrix_power, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(cond, "usmx::linalg::cond, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(pinv, "usmx::linalg::pinv, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(multi_dot, "usmx::linalg::multi_dot, of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(diag, "usmx::linalg::diagonal(a), of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(norm, "usmx::linalg::norm(a), of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(rfft, "usmx::fft::rfft, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(irfft, "usmx::fft::irfft, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(ifft, "usmx::fft::ifft, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(fftn, "usmx::fft::fftn, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(ifftn, "usmx::fft::ifftn, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(rfftn, "usmx::fft::rfftn, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(irfftn, "usmx::fft::irfftn, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(fftfreq, "usmx::fft::fftfreq, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(fftshift, "usmx::fft::fftshift, of usmx/compute/fft.hpp")
USMX_FUNCTION_IS(
    rand,
    "usmx::random::generator rng(seed), and rng.random({2, 3}), rng.standard_normal({2, 3}) or "
    "rng.integers(0, 10, {2, 3}), of usmx/compute/random.hpp")
USMX_FUNCTION_IS(
    randn,
    "usmx::random::generator rng(seed), and rng.random({2, 3}), rng.standard_normal({2, 3}) or "
    "rng.integers(0, 10, {2, 3}), of usmx/compute/random.hpp")
USMX_FUNCTION_IS(
    randint,
    "usmx::random::generator rng(seed), and rng.random({2, 3}), rng.standard_normal({2, 3}) or "
    "rng.integers(0, 10, {2, 3}), of usmx/compute/random.hpp")
USMX_FUNCTION_IS(power, "usmx::pow(a, b), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(mod, "usmx::remainder(a, b) or a % b, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(fmod, "usmx::remainder(a, b) or a % b, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(fabs, "usmx::abs(a), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(absolute, "usmx::abs(a), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arcsin, "usmx::asin, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arccos, "usmx::acos, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arctan, "usmx::atan, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arcsinh, "usmx::asinh, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arccosh, "usmx::acosh, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arctanh, "usmx::atanh, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(arctan2, "usmx::atan2, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(bitwise_not, "usmx::bitwise_invert(a) or ~a, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(invert, "usmx::bitwise_invert(a) or ~a, of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(identity,
                 "usmx::zeros<T>({n, n}, queue), of usmx/copy/values.hpp, and usmx::fill of its "
                 "diagonal, which is x.reshaped(-1).slice(usmx::range(0, n * n, n + 1))")
USMX_FUNCTION_IS(from_vector, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp")
USMX_FUNCTION_IS(from_numpy, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp")
USMX_FUNCTION_IS(tensor, "usmx::from_host(queue, data), of usmx/copy/host_data.hpp")
USMX_FUNCTION_IS(unique, "usmx::unique_values(a), of usmx/compute/searching.hpp")
USMX_FUNCTION_IS(ravel, "a.reshaped(-1)")
USMX_FUNCTION_IS(flatten, "a.reshaped(-1)")
USMX_FUNCTION_IS(permute_dims,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
USMX_FUNCTION_IS(permute,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
USMX_FUNCTION_IS(swapaxes,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
USMX_FUNCTION_IS(moveaxis,
                 "a.transposed(), which reverses all axes; for another order "
                 "a.with_layout(layout), of usmx/layout/layout.hpp")
USMX_FUNCTION_IS(amax, "usmx::max(a, axis), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(amin, "usmx::min(a, axis), of usmx/compute/functions.hpp")
USMX_FUNCTION_IS(allclose,
                 "usmx::all_of(a == b).item<bool>(), or usmx::abs(a - b) < x in the place of a == "
                 "b, of usmx/compute/operators.hpp")
USMX_FUNCTION_IS(array_equal,
                 "usmx::all_of(a == b).item<bool>(), or usmx::abs(a - b) < x in the place of a == "
                 "b, of usmx/compute/operators.hpp")
USMX_FUNCTION_IS(device_count, "usmx::get_devices().size(), of usmx/runtime/devices.hpp")
USMX_FUNCTION_IS(devices, "usmx::get_devices(), of usmx/runtime/devices.hpp")
USMX_FUNCTION_IS(wait, "a.wait(), or usmx::synchronize()")
USMX_FUNCTION_IS(set_default_device,
                 "usmx::set_default_queue(usmx::cached_queue(usmx::select_device(text)))")
USMX_FUNCTION_IS(default_queue,
                 "usmx::cached_queue(usmx::select_device(text)) is the queue of another device")
USMX_FUNCTION_IS(quantile, "quantile(a, {0.25, 0.75}, axis, usmx::quantile_method::lower)")
USMX_FUNCTION_IS(percentile, "percentile(a, {25, 75}, axis, usmx::quantile_method::lower)")
USMX_FUNCTION_IS(median, "median(a, axis) or median(a, {.axes = 1, .are_kept = true})")
USMX_FUNCTION_IS(partition, "partition(a, kth, {.axis = 0})")
USMX_FUNCTION_IS(argpartition, "argpartition(a, kth, {.axis = 0})")
USMX_FUNCTION_IS(searchsorted, "searchsorted(a, values, {.side = usmx::search_side::right})")
USMX_FUNCTION_IS(
    take, "take(a, indices, axis), where the indices are an array: usmx::from_host(queue, {0, 1})")
USMX_FUNCTION_IS(
    isin, "isin(values, searched), where the second is an array: usmx::from_host(queue, {0, 1})")
USMX_FUNCTION_IS(outer, "usmx::linalg::outer(a, b), of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(cross, "usmx::linalg::cross(a, b), of usmx/compute/matrices.hpp")
USMX_FUNCTION_IS(inner, "usmx::vecdot(a, b), of usmx/compute/products.hpp")
USMX_FUNCTION_IS(vdot, "usmx::vecdot(a, b), of usmx/compute/products.hpp")
USMX_FUNCTION_IS(
    where,
    "usmx::where(condition, a, b), or usmx::nonzero(condition), of usmx/copy/select/selection.hpp")
USMX_FUNCTION_IS(astype, "usmx::astype(a, usmx::float32), of usmx/copy/values.hpp")
namespace fft {
USMX_FUNCTION_IS(fft, "fft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(ifft, "ifft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(rfft, "rfft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(irfft, "irfft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(hfft, "hfft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(ihfft, "ihfft(a, {.n = 8, .axis = 0})")
USMX_FUNCTION_IS(fftn, "fftn(a, {.axes = {0, 1}})")
USMX_FUNCTION_IS(ifftn, "ifftn(a, {.axes = {0, 1}})")
USMX_FUNCTION_IS(rfftn, "rfftn(a, {.axes = {0, 1}})")
USMX_FUNCTION_IS(irfftn, "irfftn(a, {.axes = {0, 1}})")
}  // namespace fft
namespace linalg {
USMX_FUNCTION_IS(inverse, "usmx::linalg::inv(a)")
USMX_FUNCTION_IS(matmul, "usmx::matmul(a, b), of usmx/compute/products.hpp")
USMX_FUNCTION_IS(cholesky, "cholesky(a, usmx::linalg::triangle::upper, {.is_checked = false})")
USMX_FUNCTION_IS(qr, "qr(a, usmx::linalg::qr_mode::complete)")
USMX_FUNCTION_IS(svd,
                 "svd(a, false, {.is_checked = false}), where false makes U and Vh as long as s")
USMX_FUNCTION_IS(eigh, "eigh(a, usmx::linalg::triangle::upper, {.is_checked = false})")
USMX_FUNCTION_IS(eigvalsh, "eigvalsh(a, usmx::linalg::triangle::upper, {.is_checked = false})")
USMX_FUNCTION_IS(vector_norm, "vector_norm(a, {.order = 1, .axes = 0, .are_kept = true})")
USMX_FUNCTION_IS(
    matrix_norm,
    "matrix_norm(a, usmx::linalg::matrix_norm_order::nuclear, true), where true keeps the axes")
USMX_FUNCTION_IS(cond, "cond(a, usmx::linalg::matrix_norm_order::frobenius)")
}  // namespace linalg
namespace random {
USMX_FUNCTION_IS(rand, "usmx::random::generator rng(seed), and rng.random({2, 3})")
USMX_FUNCTION_IS(randn, "usmx::random::generator rng(seed), and rng.standard_normal({2, 3})")
USMX_FUNCTION_IS(randint, "usmx::random::generator rng(seed), and rng.integers(0, 10, {2, 3})")
USMX_FUNCTION_IS(uniform, "usmx::random::generator rng(seed), and rng.uniform(0, 1, {2, 3})")
USMX_FUNCTION_IS(normal, "usmx::random::generator rng(seed), and rng.normal(0, 1, {2, 3})")
USMX_FUNCTION_IS(default_rng, "usmx::random::generator rng(seed)")
USMX_FUNCTION_IS(seed, "usmx::random::generator rng(seed)")
}  // namespace random
#undef USMX_FUNCTION_IS
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
