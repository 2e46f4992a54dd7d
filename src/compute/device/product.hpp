// Products of matrices, in tiles: each work group makes a tile of the result, with slices of both
// operands in local memory, and each work item `each` x `each` elements of it, which it holds in
// registers. X is the type of the operands, A that of the sums, R that of the result. JOIN adds the
// product of `a` and `b` to `c`.
#include <preamble>

inline A joined(A a, A b, A c) { return JOIN; }

USMX_KERNEL(3) product(view<const X, 3> x, view<const X, 3> y, view<R, 3> z) {
  constexpr int items = 16;  // in a group, along both axes
  constexpr int each = 4;
  constexpr int tile = items * each;
  constexpr int slice = 16;
  local_array<X, 16, 65> of_x;  // of a slice of columns; the odd extent keeps banks apart
  local_array<X, 16, 64> of_y;
  const auto at = local_id<3>();
  const long batch = global_id<3>().i;
  const long first_row = group_id<3>().j * tile;
  const long first_column = group_id<3>().k * tile;
  const int place = int(at.j) * items + int(at.k);
  const long rows = z.extent(1);
  const long columns = z.extent(2);
  const long depth = x.extent(2);
  A sums[each][each];
  for (int i = 0; i < each; ++i) {
    for (int k = 0; k < each; ++k) {
      sums[i][k] = A(0);
    }
  }
  for (long begin = 0; begin < depth; begin += slice) {
    for (int load = place; load < slice * tile; load += items * items) {
      const long row = first_row + load / slice;
      const long in_row = begin + load % slice;
      of_x[load % slice][load / slice] =
          row < rows && in_row < depth ? x(batch, row, in_row) : X(0);
      const long in_column = begin + load / tile;
      const long column = first_column + load % tile;
      of_y[load / tile][load % tile] =
          in_column < depth && column < columns ? y(batch, in_column, column) : X(0);
    }
    barrier();
    for (int step = 0; step < slice; ++step) {
      A a[each];
      A b[each];
      for (int i = 0; i < each; ++i) {
        a[i] = A(of_x[step][int(at.j) + items * i]);
        b[i] = A(of_y[step][int(at.k) + items * i]);
      }
      for (int i = 0; i < each; ++i) {
        for (int k = 0; k < each; ++k) {
          sums[i][k] = joined(a[i], b[k], sums[i][k]);
        }
      }
    }
    barrier();
  }
  for (int i = 0; i < each; ++i) {
    for (int k = 0; k < each; ++k) {
      const long row = first_row + at.j + items * i;
      const long column = first_column + at.k + items * k;
      if (row < rows && column < columns) {
        z(batch, row, column) = R(sums[i][k]);
      }
    }
  }
}
