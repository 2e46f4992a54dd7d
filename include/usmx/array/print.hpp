// Printing: the elements of views, and std::format for everything of usmx that can be printed. This
// header is for the programs that print: what std::format needs takes longer to compile than all of
// usmx. Without it, `<<` prints a dtype, a layout, a kind of memory, and what an array or
// array_view is.
//
//   std::cout << a.host_as<const float, 2>();     // [[0, 1.5],
//                                                 //  [2, 3]]
//   std::cout << a << " on " << queue.get_device();
//   std::format("{:>20}", a.type());              // where C++20's std::format is
#pragma once

#include <concepts>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <version>

#include <sycl/device.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/layout/strided_view.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/usm_kind.hpp"

#if defined(__cpp_lib_format)
#include <format>
#endif

namespace usmx::inline v1 {

namespace detail {

/// Views with more elements are printed by the first and the last few of each dimension, as by
/// NumPy.
inline constexpr std::ptrdiff_t most_printed = 1000;
inline constexpr std::ptrdiff_t printed_edge = 3;

template <class T>
void print_element(std::ostream& out, const T& element) {
  if constexpr (std::same_as<T, bool>) {
    out << (element ? "true" : "false");
  } else if constexpr (std::integral<T>) {
    out << +element;  // a number, not a character
  } else {
    out << element;
  }
}

template <class T, std::size_t N>
void print_elements(std::ostream& out, const strided_view<T, N>& view, bool are_few,
                    std::string_view line_break) {
  if constexpr (N == 0) {
    print_element(out, view());
  } else {
    const std::string deeper = std::string(line_break) + ' ';
    const std::ptrdiff_t count = view.extent(0);
    const bool are_all = are_few || count <= 2 * printed_edge;
    out << '[';
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      if (i != 0) {
        out << ',' << (N == 1 ? std::string_view(" ") : std::string_view(deeper));
      }
      if (!are_all && i == printed_edge) {
        out << "...";
        i = count - printed_edge - 1;
      } else if constexpr (N == 1) {
        print_element(out, view(i));
      } else {
        print_elements(out, view[i], are_few, deeper);
      }
    }
    out << ']';
  }
}

}  // namespace detail

/// Prints the elements as nested lists: "[[0, 1],\n [2, 3]]". Of more than 1000 elements it prints
/// the first and the last 3 along each dimension. The host must be able to access the memory, and
/// no work on it may be under way.
template <class T, std::size_t N>
std::ostream& operator<<(std::ostream& out, const strided_view<T, N>& view) {
  detail::print_elements(out, view, view.size() <= detail::most_printed, "\n");
  return out;
}
/// Prints the elements, as those of a strided_view.
template <class T, std::size_t N>
std::ostream& operator<<(std::ostream& out, const held_view<T, N>& view) {
  return out << view.view();
}

}  // namespace usmx::inline v1

namespace sycl::inline _V1 {

/// Prints the description of a device: "Intel(R) ... [opencl:cpu:0]". A template, so that it gives
/// way to one of the runtime's own.
template <std::same_as<device> Device>
std::ostream& operator<<(std::ostream& out, const Device& printed) {
  return out << usmx::describe(printed);
}

}  // namespace sycl::inline _V1

#if defined(__cpp_lib_format)

namespace usmx::inline v1::detail {

/// The text that `<<` prints.
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}
/// The operator for devices is in SYCL's namespace, where a name of this one hides it.
inline std::string printed(const sycl::device& device) { return describe(device); }

/// Formats what `<<` prints, with the width and the alignment of a string.
template <class T>
struct text_formatter : std::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string_view>::format(printed(value), context);
  }
};

}  // namespace usmx::inline v1::detail

/// Formats the name of an element type.
template <>
struct std::formatter<usmx::dtype> : usmx::detail::text_formatter<usmx::dtype> {};
/// Formats shape, strides and offset.
template <>
struct std::formatter<usmx::layout> : usmx::detail::text_formatter<usmx::layout> {};
/// Formats the name of a kind of memory.
template <>
struct std::formatter<usmx::usm_kind> : usmx::detail::text_formatter<usmx::usm_kind> {};
/// Formats what an array is.
template <>
struct std::formatter<usmx::array> : usmx::detail::text_formatter<usmx::array> {};
/// Formats what an array is whose type the compiler knows.
template <class T, std::size_t N>
struct std::formatter<usmx::array_of<T, N>> : usmx::detail::text_formatter<usmx::array> {};
/// Formats what a view of an array is.
template <>
struct std::formatter<usmx::array_view> : usmx::detail::text_formatter<usmx::array_view> {};
/// Formats the elements of a view.
template <class T, std::size_t N>
struct std::formatter<usmx::strided_view<T, N>>
    : usmx::detail::text_formatter<usmx::strided_view<T, N>> {};
/// Formats the elements of a view that keeps the memory.
template <class T, std::size_t N>
struct std::formatter<usmx::held_view<T, N>> : usmx::detail::text_formatter<usmx::held_view<T, N>> {
};
/// Formats the description of a device.
template <>
struct std::formatter<sycl::device> : usmx::detail::text_formatter<sycl::device> {};

#endif
