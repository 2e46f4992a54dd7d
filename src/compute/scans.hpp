// Cumulative sums and products: the types and shapes of a call, and the two ways of computing it.
// Not installed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "compute/rows.hpp"
#include "user_kernels/kernel_code.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/scans.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::internal {

enum class scanned { sum, product };

/// The results so far of the rows of an array, by kernels. The rows of `made` are `lead` elements
/// longer, and begin with the result of nothing.
class row_scan {
 public:
  using progress = std::function<void(std::chrono::seconds)>;

  /// Both are in C order, and have elements. Compiles the kernels, if that was not done before.
  row_scan(scanned what, const array& x, const array& made, std::ptrdiff_t lead,
           const progress& told, row_sharing sharing = row_sharing::by_device);

  void start() const;

 private:
  array x_;
  array made_;
  std::ptrdiff_t lead_;
  std::ptrdiff_t items_;  // for a part
  std::ptrdiff_t length_;
  std::ptrdiff_t parts_;
  array totals_;
  held_kernels kernels_;
};

/// A call of cumulative_sum() or cumulative_prod(), checked.
class USMX_API accumulation {
 public:
  accumulation(scanned what, const array& x, cumulative_options how);

  /// The array that the result is computed in: its layout, and its type.
  layout made_layout() const;
  dtype made_type() const noexcept { return type_; }

  /// Whether the host computes it now, sooner than a kernel and with the same bits.
  bool is_for_host() const;
  void run_on_host(const array& made) const;
  void run_kernels(const array& made, row_sharing sharing = row_sharing::by_device) const;
  /// The result: the array, or `out` with its elements.
  array written(const array& made) const;

 private:
  std::string_view name() const noexcept;
  /// The array that results are computed in as rows.
  array rows_of(const array& made) const;

  scanned what_;
  cumulative_options how_;
  array x_;  // with the axis last
  int axis_ = 0;
  dtype type_ = float64;
  std::ptrdiff_t lead_ = 0;
  std::vector<std::ptrdiff_t> shape_;  // of the rows of results
};

}  // namespace usmx::inline v1::internal
