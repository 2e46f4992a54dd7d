// Looking plain types up in their table. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal {

/// The plain type of a kind (dtype::kind) and a size; none where there is no such type.
constexpr std::optional<dtype> find_plain_type(char kind, std::size_t itemsize) noexcept {
  const auto& all = detail::type_table;
  const auto* const found = std::ranges::find_if(all, [&](const detail::type_entry& entry) {
    return entry.kind == kind && entry.itemsize == itemsize;
  });
  return found == all.end() ? std::nullopt
                            : std::optional<dtype>(static_cast<type_code>(found - all.begin()));
}

/// The type of the real and the imaginary part of a complex number.
constexpr dtype part_type(dtype complex) noexcept {
  return *find_plain_type('f', complex.itemsize() / 2);
}

}  // namespace usmx::inline v1::internal
