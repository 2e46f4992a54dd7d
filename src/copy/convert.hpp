// Converting rows of elements from one plain type to another on the host: values as NumPy's astype
// gives them. No SYCL here.
#pragma once

#include <cstddef>

#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::detail {

/// The conversion between two plain types, also of a type to itself. Elements may lie at any
/// alignment.
///
/// Floats become integers by truncation; NaN and numbers out of range give an unspecified number.
/// Every number but zero is true, NaN included. A complex number becomes real by its real part. A
/// number is rounded once, to nearest even.
struct conversion {
  conversion(dtype source, dtype destination) noexcept;

  /// Adjacent elements on both sides.
  void (*adjacent)(const std::byte* source, std::byte* destination, std::ptrdiff_t count) noexcept;
  /// Elements with these steps in bytes.
  void (*strided)(const std::byte* source, std::ptrdiff_t source_step, std::byte* destination,
                  std::ptrdiff_t destination_step, std::ptrdiff_t count) noexcept;
};

}  // namespace usmx::inline v1::detail
