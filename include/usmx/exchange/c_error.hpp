// What the exceptions of usmx, of SYCL and of the standard library are in the C interface.
#pragma once

#include <exception>

#include "usmx/base/api.hpp"
#include "usmx/c_api.h"

namespace usmx::inline v1::exchange {

struct c_error {
  usmx_error code;
  const char* text;  // lives as long as the exception
};

/// Any other exception is USMX_OTHER_ERROR, whose text is that of std::exception where it is one.
USMX_API c_error to_c_error(const std::exception_ptr&) noexcept;

/// Whether it is one of usmx's exceptions or SYCL's.
constexpr bool is_own(usmx_error code) noexcept {
  return code != USMX_MEMORY_ERROR && code != USMX_OTHER_ERROR;
}

}  // namespace usmx::inline v1::exchange
