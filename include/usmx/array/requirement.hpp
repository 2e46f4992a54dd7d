// Requirements: what a function needs its argument to be, the words that parameters (array/in.hpp)
// state it with, and whether an array meets it; and requests, which say all that a new array shall
// be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// A request for an array: its type, its memory, its queue and the order of its elements.
struct array_request {
  /// The element type.
  dtype type;
  /// The kind of memory.
  usm_kind kind;
  /// The queue, which names the device and the context.
  sycl::queue queue;
  /// Whether the array must be on this very queue. If false, any queue of the same device and
  /// context will do.
  bool exactly_on_queue;
  /// The order in which the elements lie without gaps; `keep` asks for no order.
  element_order order;
};

/// The reason why an array must be copied to be as requested, for messages: "the element type is
/// float32, not float64". None when the array is as requested. Throws value_error for an array
/// without memory.
USMX_API std::optional<std::string> reason_to_copy(const array&, const array_request&);

namespace detail {

/// The extent that stands for any size. As a function, which `any` is elsewhere, it is an error.
struct extent_of_any_size {
  constexpr operator std::ptrdiff_t() const noexcept { return -1; }
  /// @cond
  template <class... More>
  anything operator()(any_argument, const More&...) const {
    static_assert(never<More...>, "usmx::any_of(a, axis), of usmx/compute/functions.hpp");
    return {};
  }
  /// @endcond
};

}  // namespace detail

namespace param {

/// The extent in a `shape` that stands for any size.
inline constexpr detail::extent_of_any_size any;

}  // namespace param

namespace detail {

/// The extents of a parameter, `any` among them.
template <std::ptrdiff_t... Extents>
struct required_shape {
  static constexpr std::array<std::ptrdiff_t, sizeof...(Extents)> extents{Extents...};
};

/// A set of kinds of memory: bit k says whether the kind with the number k is in it.
struct required_kinds {
  std::uint8_t bits;

  constexpr bool contains(usm_kind kind) const noexcept {
    return ((bits >> static_cast<unsigned>(kind)) & 1u) != 0;
  }
  friend constexpr bool operator==(required_kinds, required_kinds) noexcept = default;
};

/// The treatment of unfinished work on the elements of an argument when a function is called.
enum class unfinished_work : std::uint8_t {
  is_waited_for,  ///< The elements are ready when the function begins.
  is_followed,    ///< The function orders its work after it, and records its own.
  is_ignored      ///< The function sees to it.
};

constexpr required_kinds only(usm_kind kind) noexcept {
  return {static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind))};
}

}  // namespace detail

/// Words of parameters, and the parameters themselves (array/in.hpp): what a function needs.
namespace param {

/// The word for a shape: these extents, one for each dimension. `param::shape<param::any, 3>` is
/// any number of rows of 3.
template <std::ptrdiff_t... Extents>
inline constexpr detail::required_shape<Extents...> shape{};

/// The word for C-contiguous elements: they lie without gaps, and the last index varies fastest.
inline constexpr element_order c_contig = element_order::c;
/// The word for Fortran-contiguous elements: they lie without gaps, and the first index varies
/// fastest.
inline constexpr element_order f_contig = element_order::f;
/// The word for elements with any strides. It is the default.
inline constexpr element_order strided = element_order::keep;

/// The word for memory of kind `device`.
inline constexpr detail::required_kinds device_kind = detail::only(usm_kind::device);
/// The word for memory of kind `shared`.
inline constexpr detail::required_kinds shared_kind = detail::only(usm_kind::shared);
/// The word for memory of kind `host`.
inline constexpr detail::required_kinds host_kind = detail::only(usm_kind::host);
/// The word for memory that the host may read and write: of kind `shared` or `host`.
inline constexpr detail::required_kinds host_accessible{shared_kind.bits | host_kind.bits};

}  // namespace param

#if !defined(USMX_NO_PARAMETER_WORDS)
using param::any;
using param::c_contig;
using param::device_kind;
using param::f_contig;
using param::host_accessible;
using param::host_kind;
using param::shape;
using param::shared_kind;
using param::strided;
#endif

/// The requirement of a function on its argument.
struct array_requirement {
  /// The value of `ndim` for any number of dimensions.
  static constexpr int any_ndim = -1;
  /// The value of `kinds` for any memory.
  static constexpr detail::required_kinds any_kind{0xff};

  /// The element type.
  dtype type;
  /// Whether the function writes the elements, so that a read-only array does not meet this.
  bool writable;
  /// The number of dimensions, or any_ndim.
  int ndim = any_ndim;
  /// An extent for each dimension, which may be `any`; empty where all extents may have any size.
  std::span<const std::ptrdiff_t> extents = {};
  /// The order in which the elements lie without gaps: c_contig, f_contig, or `strided` for any.
  element_order order = param::strided;
  /// The kinds of memory: any_kind or a word such as host_accessible.
  detail::required_kinds kinds = any_kind;
  /// The treatment of unfinished work on the elements. Every array meets this.
  detail::unfinished_work work = detail::unfinished_work::is_waited_for;
};

namespace detail {

/// States that an array is known to meet a requirement.
struct requirement_is_met {};

inline bool has_extents(const array& a, std::span<const std::ptrdiff_t> needed) noexcept {
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (needed[k] != param::any && needed[k] != a.shape()[k]) {
      return false;
    }
  }
  return true;
}

}  // namespace detail

/// Whether an array meets a requirement.
inline bool is_met(const array_requirement& needed, const array& a) noexcept {
  return a.type() == needed.type && !(needed.writable && a.readonly()) &&
         (needed.ndim == array_requirement::any_ndim || needed.ndim == a.ndim()) &&
         detail::has_extents(a, needed.extents) &&
         (needed.order == param::strided || is_contiguous_in(a.layout(), needed.order)) &&
         (needed.kinds == array_requirement::any_kind || needed.kinds.contains(a.kind()));
}

/// Describes an array that does not meet a requirement, for messages: "float32 with 2 dimensions".
/// Names what the requirement asks about.
inline std::string found_text(const array_requirement& needed, const array& a) {
  const std::string dimensions =
      needed.extents.empty()
          ? detail::message(" with ", a.ndim(), a.ndim() == 1 ? " dimension" : " dimensions")
          : " with shape " + tuple_text(a.shape());
  std::string text = detail::message(a.type(), dimensions);
  if (!is_contiguous_in(a.layout(), needed.order)) {
    text += needed.extents.empty() ? ", shape " + tuple_text(a.shape()) + " and strides "
                                   : std::string(" and strides ");
    text += tuple_text(a.strides());
  }
  if (needed.writable && a.readonly()) {
    text += ", read-only";
  }
  if (!needed.kinds.contains(a.kind())) {
    text += detail::message(", in memory of kind ", name(a.kind()));
  }
  return text;
}

namespace detail {

/// A text that the compiler puts together.
class constant_text {
 public:
  constexpr void put(std::string_view text) {
    for (const char c : text) {
      characters_.at(size_++) = c;
    }
  }
  constexpr void put_number(std::ptrdiff_t number) {
    if (number >= 10) {
      put_number(number / 10);
    }
    characters_.at(size_++) = static_cast<char>('0' + number % 10);
  }
  constexpr std::string_view view() const noexcept { return {characters_.data(), size_}; }

 private:
  std::array<char, 512> characters_{};
  std::size_t size_ = 0;
};

constexpr void put_extents(constant_text& text, std::span<const std::ptrdiff_t> needed) {
  text.put(" with shape (");
  for (std::size_t k = 0; k < needed.size(); ++k) {
    text.put(k == 0 ? "" : ", ");
    if (needed[k] == param::any) {
      text.put("any");
    } else {
      text.put_number(needed[k]);
    }
  }
  text.put(needed.size() == 1 ? ",)" : ")");
}

constexpr void put_dimensions(constant_text& text, const array_requirement& needed) {
  if (!needed.extents.empty()) {
    put_extents(text, needed.extents);
  } else if (needed.ndim != array_requirement::any_ndim) {
    text.put(" with ");
    text.put_number(needed.ndim);
    text.put(needed.ndim == 1 ? " dimension" : " dimensions");
  }
}

constexpr void put_kinds(constant_text& text, required_kinds kinds) {
  if (kinds == param::host_accessible) {
    text.put(", in memory that the host may touch");
    return;
  }
  std::string_view separator = ", in memory of kind ";
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (kinds.contains(kind)) {
      text.put(separator);
      text.put(name(kind));
      separator = " or ";
    }
  }
}

/// The words for a requirement, such as "USM array of float64 with 2 dimensions, C-contiguous".
constexpr constant_text text_of(const array_requirement& needed) {
  constant_text text;
  text.put("USM array of ");
  text.put(needed.type.name());
  put_dimensions(text, needed);
  text.put(needed.order == param::c_contig   ? ", C-contiguous"
           : needed.order == param::f_contig ? ", Fortran-contiguous"
                                             : "");
  text.put(needed.writable ? ", writable" : "");
  if (needed.kinds != array_requirement::any_kind) {
    put_kinds(text, needed.kinds);
  }
  return text;
}

constexpr void require(array_requirement& needed, int ndim) noexcept { needed.ndim = ndim; }
template <std::ptrdiff_t... Extents>
constexpr void require(array_requirement& needed, required_shape<Extents...> given) noexcept {
  needed.ndim = static_cast<int>(sizeof...(Extents));
  needed.extents = given.extents;
}
constexpr void require(array_requirement& needed, element_order order) noexcept {
  needed.order = order;
}
constexpr void require(array_requirement& needed, required_kinds kinds) noexcept {
  needed.kinds = kinds;
}
constexpr void require(array_requirement& needed, unfinished_work work) noexcept {
  needed.work = work;
}

constexpr bool is_possible(int ndim) noexcept { return ndim >= 0 && ndim <= max_ndim; }
template <std::ptrdiff_t... Extents>
constexpr bool is_possible(required_shape<Extents...>) noexcept {
  return sizeof...(Extents) <= max_ndim && ((Extents == param::any || Extents >= 0) && ...);
}
constexpr bool is_possible(element_order) noexcept { return true; }
constexpr bool is_possible(required_kinds) noexcept { return true; }
constexpr bool is_possible(unfinished_work) noexcept { return true; }

template <class Sort, auto... Words>
inline constexpr int words_of =
    (0 + ... + int{std::is_same_v<Sort, std::remove_cv_t<decltype(Words)>>});

template <class T, auto... Words>
constexpr array_requirement requirement_of() noexcept {
  constexpr int orders = words_of<element_order, Words...>;
  constexpr int kinds = words_of<required_kinds, Words...>;
  constexpr int works = words_of<unfinished_work, Words...>;
  static_assert(orders <= 1, "a parameter says once how its elements lie");
  static_assert(kinds <= 1, "a parameter says once which kinds of memory it takes");
  static_assert(works <= 1, "a parameter says once what becomes of unfinished work");
  static_assert(sizeof...(Words) - orders - kinds - works <= 1,
                "a parameter says once its number of dimensions or its shape");
  static_assert((is_possible(Words) && ...), "no array has these dimensions");
  array_requirement needed{.type = dtype::of<T>(), .writable = !std::is_const_v<T>};
  (require(needed, Words), ...);
  return needed;
}

}  // namespace detail
}  // namespace usmx::inline v1
