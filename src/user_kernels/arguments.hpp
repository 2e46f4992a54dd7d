// Whether an argument suits a kernel's parameter, and the bytes that the kernel gets. Nothing here
// calls the SYCL runtime, but for the question whether a pointer is USM. Private to the library.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <sycl/context.hpp>

#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// What the kernel gets for a parameter that is no local memory.
struct argument_bytes {
  /// Of a number.
  std::array<std::byte, 8> number;
  /// Of a structure; null for a number and a pointer.
  const void* structure;
  /// Of a pointer.
  void* address;
};

/// Throws value_error or type_error, with the signature, the argument's place and what was found,
/// unless the argument suits the parameter at `place`.
argument_bytes checked_argument(const kernel_signature&, std::size_t place, const kernel_argument&,
                                const sycl::context&);

/// Throws value_error unless there are as many arguments as parameters.
void require_count(const kernel_signature&, std::size_t found);

/// The size in bytes of a local_memory argument. Throws as checked_argument() does.
std::size_t checked_local_nbytes(const kernel_signature&, std::size_t place,
                                 const kernel_argument&);

}  // namespace usmx::inline v1::detail
