// Linear algebra by a device's own library, which stores matrices by columns and writes where it
// reads: what is copied, transposed and put together before and after its calls
// (docs/decisions.md, 191). Not installed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compute/linalg.hpp"
#include "usmx/array/array.hpp"
#include "vendors/cusolver.hpp"

namespace usmx::inline v1::internal {

/// Whether the calls of such a library compute a routine.
bool is_by_columns(std::string_view routine);

/// Computes the results of a call, none of whose arrays is empty. Returns none if the call is
/// checked and a matrix has no result; else the results of such matrices are NaN.
std::optional<std::vector<array>> computed_by_columns(const linalg_call& call,
                                                      const linalg_way& how,
                                                      const device_solver& solver);

}  // namespace usmx::inline v1::internal
