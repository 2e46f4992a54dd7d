// Types of parameters that state what they need, and what the function does with its argument.
// `in` takes an array that meets the requirement, and waits until its elements are ready. `read`
// and `write` do not wait: the function submits its work by submit() (array/submit.hpp), in order.
// `host` is for code that touches the elements itself. `convert` takes a copy where the argument
// does not meet the requirement. With the casters for nanobind and pybind11 (usmx/python) they take
// part in the choice of an overload. In functions that `usmx::python::def` defines, a TypeError
// says what was needed and what was given. The words of a requirement are in array/requirement.hpp.
//
//   usmx::read<double, 2, usmx::c_contig>              two dimensions, rows without gaps; read
//   usmx::write<float, usmx::shape<usmx::any, 3>>      written to; any number of points
//   usmx::host<const int, 1>                           the host reads it
//
// They are in the namespace usmx::param, too, with their words, for programs that do not want
// `read` and `any` in usmx (USMX_NO_PARAMETER_WORDS, array/requirement.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "usmx/array/array.hpp"
#include "usmx/array/requirement.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/strided_view.hpp"

namespace usmx::inline v1 {
namespace param {

/// An array of T that meets the requirement of its words. It shares the array's memory and keeps it
/// alive. The words stand in any order, each at most once: a number of dimensions or a `shape`,
/// `c_contig` or `f_contig`, and a kind of memory such as `host_accessible`. If T is not const, the
/// function may write the elements, and a read-only array does not meet the requirement.
///
/// The caster waits until the elements are ready, as for a parameter `usmx::array`: whatever the
/// function does with them is right, but calls do not run ahead of the device. `read`, `write` and
/// `unordered` do not wait.
template <element_type T, auto... Words>
class in {
 public:
  /// The requirement that the words make.
  static constexpr array_requirement requirement = detail::requirement_of<T, Words...>();
  /// Whether the words say the number of dimensions.
  static constexpr bool has_rank = requirement.ndim != array_requirement::any_ndim;
  /// Whether the words say that the elements lie without gaps.
  static constexpr bool is_contiguous = requirement.order != param::strided;
  /// Whether the host may touch the elements: the words say that it may touch the memory, and the
  /// caster waits.
  static constexpr bool is_for_host = (requirement.kinds.bits & ~host_accessible.bits) == 0 &&
                                      requirement.work == detail::unfinished_work::is_waited_for;
  /// The number of dimensions that the words say; 0 if has_rank is false.
  static constexpr std::size_t rank = has_rank ? static_cast<std::size_t>(requirement.ndim) : 0;

  /// Takes an array that meets the requirement. Throws type_error otherwise, which names the
  /// requirement and what was found.
  explicit in(usmx::array given) : array_(std::move(given)) {
    if (!is_met(requirement, array_)) {
      throw type_error(detail::message("expected a ", detail::text_of(requirement).view(),
                                       "; found ", found_text(requirement, array_)));
    }
  }

  /// Takes an array that a caster has checked already.
  in(usmx::array&& given, detail::requirement_is_met) noexcept : array_(std::move(given)) {}

  /// The elements in `rank` dimensions, valid as long as an array shares the memory: for the host
  /// where the words say that it may touch the memory and the caster has waited, else for kernels.
  /// Exposes the array (see `array`) unless this is a `read` or a `write`.
  auto view() const&
    requires has_rank
  {
    const strided_view<T, rank> elements = strided();
    if constexpr (is_for_host) {
      return elements;
    } else {
      return device_view<T, rank>(elements);
    }
  }
  /// Deleted: a view does not keep the memory alive, which a temporary may be the last to share.
  void view() &&
    requires has_rank
  = delete;
  /// The elements of a contiguous array in the order in which they lie in memory, for the host.
  /// Exposes the array (see `array`).
  std::span<T> elements() const&
    requires(is_contiguous && is_for_host)
  {
    return {data(), static_cast<std::size_t>(size())};
  }
  /// Deleted: a span does not keep the memory alive, which a temporary may be the last to share.
  void elements() &&
    requires(is_contiguous && is_for_host)
  = delete;
  /// A pointer to element zero. Exposes the array (see `array`) unless this is a `read` or a
  /// `write`.
  T* data() const noexcept { return reinterpret_cast<T*>(first()); }

  /// The array itself, to be kept or returned.
  const usmx::array& array() const& noexcept { return array_; }
  /// Takes the array out of a temporary.
  usmx::array array() && noexcept { return std::move(array_); }
  /// The queue of the elements, which others see. Exposes the array (see `array`) unless this is a
  /// `read` or a `write`.
  const sycl::queue& queue() const {
    return is_followed ? detail::ordered_access::queue(array_) : array_.queue();
  }
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape() const noexcept { return array_.shape(); }
  /// The strides in elements, one for each dimension.
  std::span<const std::ptrdiff_t> strides() const noexcept { return array_.strides(); }
  /// The number of elements.
  std::ptrdiff_t size() const noexcept { return array_.size(); }
  /// Announces unfinished work on these elements, which ends with `event`: work that writes them,
  /// or that only reads them if T is const. The memory outlives that work, and whatever usmx does
  /// with these elements afterwards comes after it.
  void record(const sycl::event& event) const {
    if constexpr (std::is_const_v<T>) {
      array_.record_read(event);
    } else {
      array_.record_write(event);
    }
  }

 private:
  static constexpr bool is_followed = requirement.work == detail::unfinished_work::is_followed;

  std::byte* first() const noexcept {
    return is_followed ? detail::ordered_access::data(array_) : array_.data();
  }
  strided_view<T, rank> strided() const noexcept {
    std::array<std::ptrdiff_t, rank> extents;
    std::array<std::ptrdiff_t, rank> strides;
    for (std::size_t k = 0; k != rank; ++k) {
      extents[k] = shape()[k];
      strides[k] = this->strides()[k];
    }
    return {data(), extents, strides};
  }

  usmx::array array_;
};

/// An array whose elements the function's work reads: `in<const T, words...>` whose caster does not
/// wait. The function promises to submit all work on the elements by submit(), or to order it after
/// pending_events() and to record it. So data(), view() and queue() do not expose the array.
template <element_type T, auto... Words>
using read = in<const T, Words..., detail::unfinished_work::is_followed>;

/// An array whose elements the function's work writes, or reads and writes: `in<T, words...>` whose
/// caster does not wait. The function promises what it promises for `read`.
template <element_type T, auto... Words>
  requires(!std::is_const_v<T>)
using write = in<T, Words..., detail::unfinished_work::is_followed>;

/// An array with which the caster does nothing: it does not wait. The function sees itself to the
/// order of all work on the elements. data(), view() and queue() expose the array.
template <element_type T, auto... Words>
using unordered = in<T, Words..., detail::unfinished_work::is_ignored>;

/// An array whose elements the function touches on the host: in memory that the host may touch, and
/// ready when the function begins. `host<const T>` reads them.
template <element_type T, auto... Words>
using host = in<T, Words..., host_accessible>;

/// An array of const T that meets the requirement of its words, or a copy that does. The words are
/// those of `in`. Where the element type, the order of elements or the kind of memory of an
/// argument is another one, the casters copy it by Python's `usmx.asarray`; so they take NumPy
/// arrays, numbers and lists as well. The number of dimensions and the extents must be right.
template <element_type T, auto... Words>
class convert : public in<T, Words...> {
  static_assert(std::is_const_v<T>,
                "usmx::convert may pass a copy, so its elements are const: usmx::convert<const T>");

 public:
  using in<T, Words...>::in;
};

}  // namespace param

#if !defined(USMX_NO_PARAMETER_WORDS)
using param::convert;
using param::host;
using param::in;
using param::read;
using param::unordered;
using param::write;
#endif

}  // namespace usmx::inline v1
