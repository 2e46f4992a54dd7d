// The kinds of unified shared memory. No SYCL here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace usmx::inline v1 {

/// `unknown` is any pointer that is not USM in the context at hand: ordinary host memory too.
enum class usm_kind : std::uint8_t { unknown, device, shared, host };

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

/// The kind of that name; none for any other string, "unknown" included.
constexpr std::optional<usm_kind> parse_usm_kind(std::string_view text) noexcept {
  for (usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    if (text == name(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

/// Whether the host may read and write such memory by contract of the kind.
constexpr bool is_host_accessible(usm_kind kind) noexcept {
  return kind == usm_kind::shared || kind == usm_kind::host;
}

}  // namespace usmx::inline v1
