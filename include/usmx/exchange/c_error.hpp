// The numbers of the C interface (usmx/c_api.h) for exceptions of usmx, of SYCL and of the standard
// library.
#pragma once

#include <exception>

#include "usmx/base/api.hpp"
#include "usmx/c_api.h"

namespace usmx::inline v1::exchange {

/// An exception in the form of the C interface.
struct c_error {
  /// The number.
  usmx_error code;
  /// The text of the exception, which lives as long as the exception.
  const char* text;
};

/// The number and the text of an exception, which must not be null. A sycl::exception that says
/// that the driver has no memory is USMX_ALLOCATION_ERROR. Exceptions that have no number of their
/// own are USMX_OTHER_ERROR, with the text of those that are a std::exception.
USMX_API c_error to_c_error(const std::exception_ptr&) noexcept;

/// Whether a number stands for an exception of usmx or of SYCL.
constexpr bool is_own(usmx_error code) noexcept {
  return code != USMX_MEMORY_ERROR && code != USMX_OTHER_ERROR;
}

}  // namespace usmx::inline v1::exchange
