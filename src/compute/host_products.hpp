// Products of matrices and vectors by the host's own loops. Integers have the bits of the kernels;
// sums of floating-point numbers may differ in the last ones, as those of vendors' libraries do.
// Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::inline v1::internal {

/// The products of matrices, which have the last two of three dimensions of arrays, of two
/// matrices, or of a matrix and a vector: a row on the left, a column on the right.
class USMX_API host_product {
 public:
  /// Makes none for types that have no loops here, for shapes that do not fit without a broadcast,
  /// and where there is no element. The arrays are of any layout. Keeps no array, but refers to
  /// their memory, which the host reaches.
  static std::optional<host_product> of(const array& x, const array& y);

  /// Whether it takes less time than it takes to submit a command.
  bool is_little() const noexcept;
  /// Whether no library does it faster: matrices by vectors, which are bound by the memory's rate,
  /// and matrices that are not large.
  bool is_best_here() const noexcept;
  /// Whether it is faster than a kernel on the same processor.
  bool beats_kernels() const noexcept;
  /// Whether it takes a few milliseconds at most.
  bool is_quick() const noexcept;

  /// Writes the products to elements in C order, which are elsewhere than the operands, on the
  /// calling thread or on as many as pay. The memory is idle.
  void run(std::byte* to, bool on_all_threads) const noexcept;

 private:
  struct stack {
    const std::byte* first;
    std::array<std::ptrdiff_t, 3> strides;  // in elements
  };

  host_product(const array& x, const array& y);
  bool is_by_vector() const noexcept;
  bool is_vectorized() const noexcept;
  template <class T>
  void run_as(std::byte* to, bool on_all_threads) const noexcept;

  type_code type_;
  std::ptrdiff_t matrices_;
  std::ptrdiff_t rows_;
  std::ptrdiff_t depth_;
  std::ptrdiff_t columns_;
  std::ptrdiff_t count_;  // of products that are added; the greatest number if there are more
  stack x_;
  stack y_;
};

}  // namespace usmx::inline v1::internal
