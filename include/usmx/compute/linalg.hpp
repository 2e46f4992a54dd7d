// Linear algebra by the vendor's library: Python's functions of usmx.linalg.
//
//   const usmx::array x = usmx::linalg::solve(a, b);
//
// All take stacks of matrices, which have the last two dimensions, of any strides. Results are new,
// beside the operands. LAPACK has float32, float64 and their complex types; integers and bools
// become the default real type. cuSOLVER computes on CUDA devices, and oneMKL's LAPACK on memory
// that the host reaches.
#pragma once

#include <cstddef>
#include <optional>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"

/// Linear algebra. All functions throw linalg_error for shapes that are no matrices; value_error
/// for a triangle or a mode that there is not; type_error for other elements, such as float16 and
/// structures; placement_error for operands on two queues; and
/// device_error where no library computes, which says what to install.
namespace usmx::inline v1::linalg {

/// The options of a call.
struct options {
  /// Whether the call waits, and throws linalg_error for a matrix that has no result. Else it does
  /// not wait, and such results are NaN.
  bool is_checked = true;
};

/// A triangle of square matrices.
enum class triangle {
  lower,  ///< On and below the diagonal.
  upper   ///< On and above the diagonal.
};

/// Solves a x = b for each matrix of a stack. `b` is a vector, or has matrices; the stacks of both
/// are broadcast together. Waits unless told not to. Throws linalg_error for a singular matrix,
/// value_error for shapes that do not fit.
USMX_API array solve(const array& a, const array& b, const options& how = {});
/// Inverts each matrix of a stack. Waits unless told not to. Throws linalg_error for a singular
/// matrix.
USMX_API array inv(const array& x, const options& how = {});
/// Computes the determinant of each matrix of a stack. Does not wait.
USMX_API array det(const array& x);

/// Signs and logarithms of determinants.
struct slogdet_result {
  array sign;       ///< Complex for complex matrices.
  array logabsdet;  ///< Real; -infinity for a singular matrix.
};
/// Computes the sign and the logarithm of the determinant of each matrix of a stack. Does not wait.
USMX_API slogdet_result slogdet(const array& x);

/// The results of lstsq().
struct lstsq_result {
  array x;                ///< The solutions.
  array residuals;        ///< The sums of the squares of what is left, or none.
  std::ptrdiff_t rank;    ///< That of `a`.
  array singular_values;  ///< Those of `a`.
};
/// Finds the x for which a x is nearest to `b`, a vector or a matrix, by singular values. Those of
/// at most `rcond` times the largest count as 0: by default the precision of the type times the
/// larger extent. `residuals` is empty if the rank is less than the number of columns, or `a` has
/// no more rows than these. Waits. Throws linalg_error for shapes that do not fit, and if the
/// singular values did not converge.
USMX_API lstsq_result lstsq(const array& a, const array& b, std::optional<double> rcond = {});

/// Factors Hermitian and positive definite matrices into L and its conjugate transpose, or, for the
/// upper triangle, U and its. Only this triangle is read, and the factor's other one is 0. Waits
/// unless told not to. Throws linalg_error for a matrix that is not positive definite.
USMX_API array cholesky(const array& x, triangle of = triangle::lower, const options& how = {});

/// Factors of matrices.
struct qr_result {
  array q;  ///< Its columns are orthonormal.
  array r;  ///< Upper triangles.
};
/// The number of columns of Q.
enum class qr_mode {
  reduced,  ///< The less of rows and columns.
  complete  ///< All rows: Q is square.
};
/// Factors each matrix of a stack into an orthonormal and an upper one. Does not wait.
USMX_API qr_result qr(const array& x, qr_mode mode = qr_mode::reduced);

/// Singular values and vectors.
struct svd_result {
  array u;   ///< Columns for the rows of the matrices.
  array s;   ///< The singular values, real and in descending order.
  array vh;  ///< Rows for the columns of the matrices.
};
/// Decomposes each matrix of a stack by singular values. U and Vh are square, or as long as `s`.
/// Waits unless told not to. Throws linalg_error if the method did not converge, as for NaN.
USMX_API svd_result svd(const array& x, bool full_matrices = true, const options& how = {});
/// Computes the singular values of each matrix of a stack. Waits and throws as svd().
USMX_API array svdvals(const array& x, const options& how = {});

/// Eigenvalues and eigenvectors, which are the columns.
struct eig_result {
  array eigenvalues;   ///< Of each matrix of the stack.
  array eigenvectors;  ///< Of length 1.
};
/// Computes the real eigenvalues, in ascending order, and the eigenvectors of Hermitian matrices,
/// of which one triangle is read. Waits unless told not to. Throws linalg_error if the method did
/// not converge, as for NaN.
USMX_API eig_result eigh(const array& x, triangle of = triangle::lower, const options& how = {});
/// Computes the eigenvalues of Hermitian matrices. Waits and throws as eigh().
USMX_API array eigvalsh(const array& x, triangle of = triangle::lower, const options& how = {});
/// Computes the complex eigenvalues, in no order, and eigenvectors of square matrices. Waits unless
/// told not to. Throws linalg_error if the method did not converge, or an element is not finite.
USMX_API eig_result eig(const array& x, const options& how = {});
/// Computes the eigenvalues of square matrices. Waits and throws as eig().
USMX_API array eigvals(const array& x, const options& how = {});

}  // namespace usmx::inline v1::linalg
