// Norms, ranks, inverses, powers and products of matrices, made of other functions: Python's of
// usmx.linalg. What LAPACK computes is in linalg.hpp.
//
//   const usmx::array length = usmx::linalg::vector_norm(x);
//   const usmx::array inverse = usmx::linalg::pinv(x);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/linalg.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"

namespace usmx::inline v1::linalg {

// ---- parts

/// A view of a diagonal of each matrix of a stack, as the last axis: 0 for the main one, positive
/// above it, negative below it. Throws value_error for less than two dimensions.
[[nodiscard]] USMX_API array diagonal(const array& x, std::ptrdiff_t offset = 0);
/// Adds up a diagonal of each matrix of a stack. Throws as diagonal().
[[nodiscard]] USMX_API array trace(const array& x, std::ptrdiff_t offset = 0);

// ---- norms

/// The options of norms of vectors.
struct vector_norm_options {
  /// Infinity for the largest absolute value, -infinity for the smallest, 0 for the number of
  /// elements that are not 0, else p for the p-th root of the sum of the p-th powers.
  double order = 2;
  /// The axes along which the vectors lie. By default all elements are one vector.
  axes_argument axes = std::nullopt;
  /// Whether these axes stay, with one element.
  bool are_kept = false;
};
/// Computes norms of vectors: a new array of real numbers. Does not wait. Throws axis_error for an
/// axis that there is not, type_error for structured elements.
[[nodiscard]] USMX_API array vector_norm(const array& x, const vector_norm_options& how = {});

/// Norms of matrices.
enum class matrix_norm_order : std::uint8_t {
  frobenius,          ///< The root of the sum of the squares.
  nuclear,            ///< The sum of the singular values.
  largest_singular,   ///< The largest singular value: Python's 2.
  smallest_singular,  ///< The smallest one: -2.
  largest_column,     ///< The largest of the sums of the columns' absolute values: 1.
  smallest_column,    ///< The smallest one: -1.
  largest_row,        ///< The largest of the sums of the rows' absolute values: infinity.
  smallest_row        ///< The smallest one: -infinity.
};
/// Computes a norm of each matrix of a stack: a new array of real numbers. Waits for singular
/// values alone. Throws linalg_error for less than two dimensions, and for singular values that did
/// not converge; value_error for another norm.
[[nodiscard]] USMX_API array matrix_norm(const array& x,
                                         matrix_norm_order order = matrix_norm_order::frobenius,
                                         bool are_kept = false);

/// The options of norms of vectors or matrices.
struct norm_options {
  /// The root of the sum of the squares if there is none; else for vectors as in
  /// vector_norm_options.
  std::optional<double> order = {};
  /// The axis of vectors, or the two of matrices. By default all of an array of one or two
  /// dimensions, and without an order all elements as one vector.
  axes_argument axes = std::nullopt;
  /// Whether these axes stay, with one element.
  bool are_kept = false;
};
/// Computes a norm of vectors, or of matrices if there are two axes: NumPy's function for
/// vector_norm() and matrix_norm(), of whose orders 1, -1, 2, -2 and both infinities have numbers.
/// Waits and throws as these do; value_error for another order or number of axes.
[[nodiscard]] USMX_API array norm(const array& x, const norm_options& how = {});

/// Computes the condition number of each matrix of a stack: its norm times that of its inverse,
/// which is infinity for a singular matrix. Waits. Throws linalg_error for empty matrices, and for
/// those that are not square, unless the norm is of singular values; value_error for another norm.
[[nodiscard]] USMX_API array cond(const array& x,
                                  matrix_norm_order order = matrix_norm_order::largest_singular);

// ---- ranks and inverses

/// Counts the singular values of each matrix of a stack that are above `rtol` times the largest
/// one: an array of int64. By default that is the precision of the type times the larger extent.
/// The rank of a vector or a number is 1, or 0 for zeros. Waits. Throws linalg_error for singular
/// values that did not converge.
[[nodiscard]] USMX_API array matrix_rank(const array& x, std::optional<double> rtol = {});
/// Computes the pseudo-inverse of each matrix of a stack. Singular values of at most `rtol` times
/// the largest one count as 0. Waits and throws as matrix_rank(), and for less than two dimensions.
[[nodiscard]] USMX_API array pinv(const array& x, std::optional<double> rtol = {});

/// Inverts an array for tensordot(): of shape (*p, *q), where p are the first `count` extents and
/// both have one product. The result has the shape (*q, *p). Waits. Throws linalg_error if it is
/// singular, or not square; value_error if `count` is less than 1.
[[nodiscard]] USMX_API array tensorinv(const array& a, int count = 2);
/// Solves tensordot(a, x, x.ndim()) = b for an `a` whose shape begins with that of `b`. Before
/// that, `axes` of `a` are moved to the end. Waits. Throws linalg_error if `a` is singular, or not
/// square; axis_error for an axis that there is not.
[[nodiscard]] USMX_API array tensorsolve(const array& a, const array& b,
                                         const std::vector<std::ptrdiff_t>& axes = {});

// ---- powers and products

/// Raises each matrix of a stack to an integer power; a negative one is of the inverse. Waits for
/// inverses alone. Throws linalg_error for matrices that are not square, or have no inverse.
[[nodiscard]] USMX_API array matrix_power(const array& x, std::int64_t power);
/// Multiplies matrices in the order that takes the fewest operations. The first and the last one
/// may be vectors. Throws value_error for fewer than two, and for shapes that do not fit;
/// linalg_error for other dimensions.
[[nodiscard]] USMX_API array multi_dot(std::span<const array> arrays);
/// Multiplies each element of a vector by each of another one. Throws value_error for other
/// dimensions.
[[nodiscard]] USMX_API array outer(const array& x1, const array& x2);
/// Computes the cross products of vectors of three elements along an axis; the other axes are
/// broadcast. Throws value_error for vectors of another length, axis_error.
[[nodiscard]] USMX_API array cross(const array& x1, const array& x2, std::ptrdiff_t axis = -1);

}  // namespace usmx::inline v1::linalg
