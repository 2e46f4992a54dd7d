// Products of matrices, in tiles: each work group makes a tile of the result, with tiles of both
// operands in local memory, and each work item of it a few of its elements. X is the type of the
// operands, A that of the sums, R that of the result. JOIN adds the product of `a` and `b` to `c`.
#include <preamble>

USMX_KERNEL(3) product(view<const X, 3> x, view<const X, 3> y, view<R, 3> z) {
  constexpr int tile = 16;
  local_array<X, 16, 17> of_x;
  local_array<X, 16, 17> of_y;
  const auto at = global_id<3>();
  const auto in_tile = local_id<3>();
  const long rows = z.extent(1);
  const long columns = z.extent(2);
  const long depth = x.extent(2);
  A c = A(0);
  for (long k = 0; k < depth; k += tile) {
    of_x[in_tile.j][in_tile.k] =
        at.j < rows && k + in_tile.k < depth ? x(at.i, at.j, k + in_tile.k) : X(0);
    of_y[in_tile.j][in_tile.k] =
        k + in_tile.j < depth && at.k < columns ? y(at.i, k + in_tile.j, at.k) : X(0);
    barrier();
    for (int step = 0; step < tile; ++step) {
      const A a = A(of_x[in_tile.j][step]);
      const A b = A(of_y[step][in_tile.k]);
      c = JOIN;
    }
    barrier();
  }
  if (at.j < rows && at.k < columns) {
    z(at.i, at.j, at.k) = R(c);
  }
}
