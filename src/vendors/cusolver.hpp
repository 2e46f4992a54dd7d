// Linear algebra on CUDA devices by cuSOLVER, and by cuBLAS's functions for stacks of small
// matrices (docs/decisions.md, 191). Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "vendors/library.hpp"

namespace usmx::inline v1::detail {

/// Finds the library: one that is loaded already, else that of the newest version of CUDA that the
/// driver takes.
library_search find_cusolver();
/// Whether it is found, with all functions that are called. Loads it.
bool has_cusolver();

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1::internal {

/// A call of a routine for the matrices of a stack. All arrays are in C order, and the work writes
/// them. The libraries store matrices by columns, so the last dimension is that along a column: of
/// shape (count, columns, rows). The routines and their arrays:
///
/// - lu: matrices, which become their factors; pivots, int32 for functions that take whole stacks,
///   else int64; info.
/// - lu_solve: the factors and pivots; right sides, which become solutions; with `option` the
///   factored matrices count transposed.
/// - inverse: matrices of at most 32 rows; their inverses; info.
/// - cholesky: matrices, of whose lower (with `option` upper) triangle the factor is made; info.
/// - qr: matrices, which become Householder's vectors and R; their factors.
/// - q: the first columns of those vectors, which become Q; their factors.
/// - eigh: Hermitian matrices, of which the lower (with `option` upper) triangle is read, and which
///   become their vectors; the values; info.
/// - eigvalsh: the same without vectors; the matrices are spoilt.
/// - svd: matrices, which are spoilt; the singular values, U, V; info. By Jacobi's method.
/// - svd_steps: the same as svd, by QR, for matrices of no more columns than rows; it makes Vh.
///
/// info is int32, and not 0 for a matrix that has failed.
struct solver_call {
  std::string_view routine;
  std::vector<array> arrays;
  bool option = false;
  /// The addresses of the matrices of the first array, or of this one and another: uint64, a row
  /// for each array. Needed by `lu` and `lu_solve` with pivots of int32, of which the latter takes
  /// those of the right sides as well, by `inverse` for both arrays, and by `cholesky` of several
  /// matrices.
  std::optional<array> addresses = {};
};

/// A library of a device, or a function that plays it in tests.
struct device_solver {
  /// Starts calls: start_cuda_solver() or run_onemkl_solver().
  std::function<void(const solver_call&)> start = {};
  /// Whether it is cuSOLVER, which has functions for stacks of small matrices and Jacobi's methods;
  /// else it has those routines alone that run_onemkl_solver() has.
  bool has_stacks = true;

  explicit operator bool() const noexcept { return start != nullptr; }
};

/// The rows and columns of the matrices that one call of Jacobi's methods decomposes.
inline constexpr std::ptrdiff_t largest_of_jacobi = 32;

/// Starts a call on the queue of the arrays, which is a CUDA device's, in the order of all work on
/// them. Throws value_error for shapes that do not fit or have no elements, type_error for types,
/// and device_error where the libraries cannot be used or refuse.
USMX_API void start_cuda_solver(const solver_call&);

}  // namespace usmx::inline v1::internal
