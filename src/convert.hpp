// Converting rows of elements from one plain type to another on the host: values as NumPy's astype
// gives them. No SYCL here.
#pragma once

#include <cstddef>

#include "usmx/dtype.hpp"

namespace usmx::detail {

/// Converts `count` elements that lie these bytes apart, at any alignment.
using row_conversion = void (*)(const std::byte* source, std::ptrdiff_t source_stride,
                                std::byte* destination, std::ptrdiff_t destination_stride,
                                std::ptrdiff_t count);

/// The conversion between two plain types, also of a type to itself.
///
/// Floats become integers by truncation; NaN and what is out of range gives an unspecified number.
/// What is not zero, NaN included, is true. Complex numbers become real by their real part. A
/// number is rounded once, to nearest even.
row_conversion conversion(dtype source, dtype destination) noexcept;

}  // namespace usmx::detail
