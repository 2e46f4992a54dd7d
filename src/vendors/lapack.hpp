// Linear algebra by oneMKL's LAPACK for the host (docs/decisions.md, 163). Not installed.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "vendors/host_work.hpp"

namespace usmx::inline v1::internal {

/// The fate of the matrices of a call: that of one that failed, if any did.
enum class matrix_fate : int {
  fine,
  failed,      ///< singular, not positive definite, or a method that has not converged
  not_finite,  ///< a routine that needs finite elements found others
  no_memory    ///< no room for a workspace
};
using shared_fate = std::shared_ptr<std::atomic<matrix_fate>>;

/// A call of a row of the table in lapack.cpp. All arrays have the same first dimensions, which
/// are those of the stack; the others are those of a matrix, a vector or a number.
struct lapack_call {
  std::string_view routine;
  std::vector<array> inputs;   ///< of any strides
  std::vector<array> outputs;  ///< in C order
  bool option = false;         ///< "upper" or "full", if the routine has a choice
  double tolerance = 0;        ///< of lstsq
};

/// Whether oneMKL's LAPACK is found. Loads it.
USMX_API bool has_lapack();

/// The work of a call. The results of a matrix that fails are NaN, which `fate` says once the work
/// is done. Throws value_error for shapes that do not fit or have no elements, type_error for
/// types. has_lapack() has been true.
USMX_API host_work lapack_work(const lapack_call& call, shared_fate fate);

}  // namespace usmx::inline v1::internal
