// Cumulative sums and products, along the rows of an array in C order, in three kernels: each work
// item adds up a part of a row, one for each row adds up the parts, and each goes through its part
// again. X is the type of the elements, A that of the values, R that of the results, and JOIN is
// the operation of two values `a` and `b`. A result is `lead` elements longer than a row, with
// START in front.
#include <preamble>

// The number of elements whose results are first made without the elements before them, since each
// addition waits for the one before it.
constexpr int each = 8;

inline A joined(A a, A b) { return JOIN; }

/// The work item's task: a part of a row.
struct row_part {
  long row;
  long begin;
  long end;

  row_part(long parts, long columns, long length) {
    const long place = global_id();
    row = place / parts;
    begin = (place - row * parts) * length;
    end = min(begin + length, columns);
  }
};

USMX_KERNEL(1) part_totals(const X* x, A* totals, long parts, long columns, long length) {
  const row_part part(parts, columns, length);
  const X* from = x + part.row * columns;
  A total = A(from[part.begin]);
  for (long k = part.begin + 1; k < part.end; ++k) {
    total = joined(total, A(from[k]));
  }
  totals[global_id()] = total;
}

/// Replaces each total by that of the parts before it. Nothing reads the first one again.
USMX_KERNEL(1) earlier_totals(A* totals, long parts) {
  A* of_row = totals + global_id() * parts;
  A total = of_row[0];
  for (long k = 1; k < parts; ++k) {
    const A next = joined(total, of_row[k]);
    of_row[k] = total;
    total = next;
  }
}

USMX_KERNEL(1)
running_totals(const X* x, R* z, const A* totals, long parts, long columns, long length,
               long lead) {
  const row_part part(parts, columns, length);
  const X* from = x + part.row * columns;
  R* to = z + part.row * (columns + lead);
  if (lead != 0 && part.begin == 0) {
    to[0] = R(START);
  }
  to += lead;
  long k = part.begin;
  A total;
  if (k == 0) {  // the first element as it is: 0 + -0.0 is 0, and 1 times an infinity may be NaN
    total = A(from[0]);
    to[0] = R(total);
    ++k;
  } else {
    total = totals[global_id()];
  }
  for (; k + each <= part.end; k += each) {
    A own[each];
    own[0] = A(from[k]);
#pragma unroll
    for (int lane = 1; lane < each; ++lane) {
      own[lane] = joined(own[lane - 1], A(from[k + lane]));
    }
#pragma unroll
    for (int lane = 0; lane < each; ++lane) {
      to[k + lane] = R(joined(total, own[lane]));
    }
    total = joined(total, own[each - 1]);
  }
  for (; k < part.end; ++k) {
    total = joined(total, A(from[k]));
    to[k] = R(total);
  }
}
