// Whether an argument suits a kernel's parameter, and the bytes that the kernel gets. Nothing here
// calls the SYCL runtime, but for the question whether a pointer is USM. Private to the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// A number of any type: complex128 has 16 bytes.
using number_bytes = std::array<std::byte, 16>;

/// The bytes that a kernel gets for a parameter that is no local memory.
struct argument_bytes {
  /// The value of a number.
  number_bytes number;
  /// The bytes of a structure; null for a number and a pointer.
  const void* structure;
  /// The value of a pointer.
  void* address;
  /// The words of a view: the address, the extents and the strides, as in include/usmx/kernel.hpp.
  std::vector<std::int64_t> view = {};
};

inline bool is_view(parameter_form form) noexcept {
  return form == parameter_form::view || form == parameter_form::const_view;
}

/// The bytes of a view that is not checked: those of a device_view.
inline std::size_t view_nbytes(const kernel_parameter& view) noexcept {
  return sizeof(void*) + 2 * sizeof(std::ptrdiff_t) * static_cast<std::size_t>(view.ndim);
}

/// Whether the kernel may write the memory of the parameter.
inline bool is_written(parameter_form form) noexcept {
  return form == parameter_form::pointer || form == parameter_form::view;
}

/// Describes an argument for messages: "a number".
std::string description(const kernel_argument&);

/// "axpy(float, const float*), argument 1 (float): ", the beginning of each message.
std::string place_text(const kernel_signature&, std::size_t place);

/// Where a kernel runs.
struct kernel_home {
  const sycl::context& context;
  const sycl::device& device;
};
inline kernel_home home_of(const kernel& of) noexcept { return {of.context(), of.device()}; }

/// Why kernels that run there cannot use the memory of an array; nothing if they can.
std::optional<std::string> reason_against(const array&, const kernel_home&);

/// Throws value_error or type_error, with the signature, the argument's place and what was found,
/// unless the argument suits the parameter at `place`.
argument_bytes checked_argument(const kernel_signature&, std::size_t place, const kernel_argument&,
                                const kernel_home&);

/// Throws value_error unless there are as many arguments as parameters.
void require_count(const kernel_signature&, std::size_t found);

/// Throws type_error unless these, without names, are the kernel's parameters.
void require_parameters(const kernel_signature&, std::span<const kernel_parameter> found);

/// The size in bytes of a local_memory argument. Throws as checked_argument() does.
std::size_t checked_local_nbytes(const kernel_signature&, std::size_t place,
                                 const kernel_argument&);

}  // namespace usmx::inline v1::detail
