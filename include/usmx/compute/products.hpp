// Products of matrices and vectors: Python's functions of usmx.
//
//   const usmx::array z = usmx::matmul(x, y);
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

/// The options of a product.
struct product_options {
  /// An array for the result, of its shape, to whose type it can be cast without a change of kind.
  std::optional<array> out = {};
  /// A function as in compile_options, for what the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

/// Multiplies matrices, which have the last two dimensions; the others are broadcast together. An
/// array of one dimension is a row on the left and a column on the right, and that dimension is not
/// in the result. It is new, on the queue of the operands and of the type that they are promoted
/// to, or `out`. A vendor's library computes it where one is installed, and the host what it has
/// done before a command has begun. Waits for memory that others may work on, and for the compiler
/// at the first call for a type. Throws value_error for shapes that do not fit, and for an operand
/// without dimensions; type_error for structured elements, and for the type of `out`;
/// placement_error; read_only_error.
USMX_API array matmul(const array& x1, const array& x2, const product_options& how = {});

/// Adds up the products of the elements of two arrays along an axis, which counts in each of them;
/// the others are broadcast together. Of complex numbers the conjugates of `x1` count. Throws as
/// matmul() does, and axis_error for an axis that there is not.
USMX_API array vecdot(const array& x1, const array& x2, std::ptrdiff_t axis = -1,
                      const product_options& how = {});

/// Adds up the products along axes of both: the first of `of_x1` with the first of `of_x2`, and so
/// on. The axes of the result are the others of `x1`, and then those of `x2`. Throws as matmul()
/// does, axis_error for an axis that there is not, and value_error for one that is named twice.
USMX_API array tensordot(const array& x1, const array& x2, const std::vector<std::ptrdiff_t>& of_x1,
                         const std::vector<std::ptrdiff_t>& of_x2, const product_options& how = {});
/// Adds up the products along the last `count` axes of `x1` and the first ones of `x2`. Throws
/// value_error unless both have so many.
USMX_API array tensordot(const array& x1, const array& x2, std::ptrdiff_t count = 2,
                         const product_options& how = {});

/// Computes the Kronecker product: blocks of `b`, each times an element of `a`. The array of fewer
/// dimensions gets others in front. Throws as multiply(), and overflow_error for too many elements.
[[nodiscard]] USMX_API array kron(const array& a, const array& b);

}  // namespace usmx::inline v1
