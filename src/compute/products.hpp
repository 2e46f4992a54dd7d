// One product of matrices or vectors: its types and shapes, and the ways of computing it. Not
// installed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compute/host_products.hpp"
#include "memory/buffer.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::internal {

/// The ways of computing that a call may take: tests leave some out.
struct product_ways {
  bool host = true;
  bool vendor = true;
  bool kernels = true;
};

/// The way that a call has taken.
enum class product_way : std::uint8_t { none, host, vendor, kernels };

/// A call of matmul(), checked. It refers to the operands.
class USMX_API matrix_product {
 public:
  /// `function` is what errors name.
  matrix_product(std::string_view function, const array& x1, const array& x2);

  layout made_layout() const;
  dtype made_type() const noexcept { return type_; }
  usm_kind made_kind() const;
  /// The first use of new memory for the result.
  first_use made_use() const;

  /// Whether the host computes it now, in less time than it takes to submit a command.
  bool is_for_host() const;
  void run_on_host(const array& made) const;
  /// Computes or starts the product in the best of these ways. `none`: no way was possible, and
  /// nothing has been done.
  product_way run(const array& made, product_ways,
                  const std::function<void(std::chrono::seconds)>& progress) const;

 private:
  /// The matrices of an operand as rows of one dimension, in the type of the result.
  array matrices_of(const array& operand, bool is_left) const;

  const array& x_;
  const array& y_;
  std::optional<host_product> direct_;  // of the operands as they are, if these are no stacks
  bool is_direct_on_host_ = false;      // and their memory is the host's
  dtype type_;
  std::vector<std::ptrdiff_t> stack_;  // the dimensions before those of matrices
};

/// The matrices whose product tensordot() computes, and the shape that it has then.
struct tensor_matrices {
  array rows;
  array columns;
  std::vector<std::ptrdiff_t> shape;
};
/// Both lists are as long. Copies what does not lie as a matrix does.
USMX_API tensor_matrices matrices_of_tensors(const array& x1, const array& x2,
                                             std::span<const std::ptrdiff_t> of_x1,
                                             std::span<const std::ptrdiff_t> of_x2);

/// A call of vecdot(), checked.
class USMX_API vector_product {
 public:
  vector_product(const array& x1, const array& x2, std::ptrdiff_t axis);

  /// Computes few elements on the host, with the bits of the kernel. None, and has done nothing,
  /// where that is not possible now.
  std::optional<array> run_on_host() const;
  array run_kernel(const std::function<void(std::chrono::seconds)>& progress) const;

 private:
  /// Whether the host may compute it, once the memory is idle.
  bool is_little() const;

  array x_;  // with the axis last
  array y_;
  dtype type_;
};

}  // namespace usmx::inline v1::internal
