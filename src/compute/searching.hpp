// Searches as the library and the bindings call them, which know more kinds of numbers. Not
// installed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "compute/promotion.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/searching.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

using search_progress = std::function<void(std::chrono::seconds)>;

/// Does as searchsorted() and isin(), for values of that kind.
USMX_API array search_sorted(const array& sorted, const kernel_argument& values, operand_kind,
                             const search_options&);
USMX_API array search_members(const kernel_argument& values, operand_kind, const array& searched,
                              const membership_options&);

/// Parts of the result of a search for different elements, besides the values.
enum class unique_parts : std::uint8_t { values, counts, inverse, all };

/// The parts that were asked for; others are arrays without memory. `function` is what errors name.
USMX_API unique_all_result find_unique(std::string_view function, const array& x, unique_parts,
                                       const search_progress&);

}  // namespace usmx::inline v1::internal
