// One call of sort() or argsort(), and the two ways of computing it. Not installed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "compute/rows.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/compute/sorting.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::internal {

/// The order of the elements of rows: the elements themselves, or their indices.
enum class ordered_by { elements, indices };

/// A call, checked.
class USMX_API ordering {
 public:
  /// `function` is what errors name.
  ordering(std::string_view function, ordered_by what, const array& x, sort_options how);

  /// The array that the result is computed in, and is: its layout, and its type.
  layout made_layout() const;
  dtype made_type() const noexcept { return wants_indices() ? int64 : x_.type(); }

  /// Whether the host computes it now, sooner than a kernel and with the same bits.
  bool is_for_host() const;
  void run_on_host(const array& made) const;
  void run_kernels(const array& made, row_sharing sharing = row_sharing::by_device) const;

 private:
  bool wants_indices() const noexcept { return what_ == ordered_by::indices; }
  std::ptrdiff_t columns() const noexcept { return shape_.back(); }

  ordered_by what_;
  sort_options how_;
  array x_;  // with the axis last
  int axis_;
  std::vector<std::ptrdiff_t> shape_;  // of the rows
};

}  // namespace usmx::inline v1::internal
