// What USMArray refuses: operators, comparisons, `in` and hashing. Each refusal says what to use
// instead; without these slots Python would compare identities.
#pragma once

#include <span>
#include <vector>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The slots of a class, ended as `others` is (by a zero entry), with those of the operators added.
std::vector<PyType_Slot> with_operators(std::span<const PyType_Slot> others);

}  // namespace usmx::bindings
