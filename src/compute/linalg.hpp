// Calls of LAPACK's routines for stacks of matrices: their rules, and who computes them
// (docs/decisions.md, 202). Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "compute/vendor_calls.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/linalg.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/runtime/usm_kind.hpp"
#include "vendors/cusolver.hpp"

namespace usmx::inline v1::internal {

/// A result of a call: its shape, with that of the stack, and its type.
struct linalg_result {
  std::vector<std::ptrdiff_t> shape;
  dtype type;
};

/// A checked call of a routine of lapack_call.
struct linalg_call {
  std::string_view routine;
  std::string_view function;  ///< what errors name
  std::vector<array> inputs;  ///< in the type and for the stack of the call
  std::vector<linalg_result> results;
  usm_kind kind;     ///< of the results' memory
  bool option;       ///< "upper" or "full", if the routine has a choice
  double tolerance;  ///< of lstsq
  bool is_checked;   ///< whether a matrix without a result is an error
};

/// The options of a call, and how it may compute.
struct linalg_way : vendor_call_way {
  bool is_checked = true;
  /// The caller's way of computing, for memory on which oneMKL does not compute: the results, or
  /// none if the host has to do it.
  std::function<std::optional<std::vector<array>>(const linalg_call&)> caller = {};
  /// The device's own library; null: the one that is found, on the devices that have one.
  device_solver solver = {};
};

/// Computes the results of a routine: for the table of lapack_call see vendors/lapack.cpp. `right`
/// is the second operand, if there is one. Throws as the functions of usmx::linalg do.
USMX_API std::vector<array> run_routine(std::string_view routine, const array& x,
                                        const array* right, bool option, const linalg_way&);

USMX_API linalg::lstsq_result least_squares(const array& a, const array& b,
                                            std::optional<double> rcond, const linalg_way&);

/// Whether oneMKL computes a call on these elements, and may begin at once.
USMX_API bool is_ready_for_lapack(const array&);

/// Throws the error of a matrix that has no result: `not_finite` says that some element is not.
[[noreturn]] USMX_API void throw_matrix_fate(std::string_view routine, bool not_finite);

}  // namespace usmx::inline v1::internal
