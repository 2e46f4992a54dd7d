// The kinds of unified shared memory (USM), and information about an allocation. This header does
// not need SYCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The kinds of unified shared memory, as in SYCL 2020.
enum class usm_kind : std::uint8_t {
  unknown,  ///< The pointer is not USM in the context in question. Ordinary host memory is not USM.
  device,   ///< Memory of a device, which kernels access.
  shared,   ///< Memory of a device that the host accesses, too.
  host      ///< Memory of the host that kernels access, too.
};

/// The name of a kind: "unknown", "device", "shared" or "host". The string lives for ever.
constexpr std::string_view name(usm_kind kind) noexcept {
  switch (kind) {
    case usm_kind::device:
      return "device";
    case usm_kind::shared:
      return "shared";
    case usm_kind::host:
      return "host";
    case usm_kind::unknown:
      break;
  }
  return "unknown";
}

/// The kind of that name: "device", "shared" or "host". Returns none for any other string, and so
/// for "unknown".
constexpr std::optional<usm_kind> parse_usm_kind(std::string_view text) noexcept {
  for (usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (text == name(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

/// Whether the host may read and write all memory of this kind, on every device.
constexpr bool is_host_accessible(usm_kind kind) noexcept {
  return kind == usm_kind::shared || kind == usm_kind::host;
}

/// Writes the name of the kind.
USMX_API std::ostream& operator<<(std::ostream&, usm_kind);

/// Information about the allocation that a pointer points into.
struct allocation_info {
  /// The kind of memory, or `unknown` if the pointer is not USM in the context.
  usm_kind kind = usm_kind::unknown;
  /// The first byte of the allocation, or null if `bounds_known` is false.
  const std::byte* base = nullptr;
  /// The size of the allocation in bytes, or 0 if `bounds_known` is false.
  std::size_t nbytes = 0;
  /// Whether the back end can tell where the allocation begins and ends.
  bool bounds_known = false;
};

}  // namespace usmx::inline v1
