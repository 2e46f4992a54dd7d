// Cumulative sums and products as in scan.hpp, by work groups, for devices whose work items run in
// step: a group goes through its part 1,024 elements at a time. Each item joins four of them, and
// the group what the items have. Sums (IS_SUM) are the group's own operation.
#include <preamble>

constexpr int items = 256;
constexpr int each = 4;

inline A joined(A a, A b) { return JOIN; }

template <class T>
inline T sum_before(T value) {
  return group_exclusive_scan_add(value);
}
template <class T>
inline complex<T> sum_before(complex<T> value) {
  const T real = group_exclusive_scan_add(value.real());
  return complex<T>(real, group_exclusive_scan_add(value.imag()));
}

/// The values of all items before this one joined; `all` becomes that of all items. `values` is
/// local memory.
inline A joined_before(A value, A& all, A* values) {
  const long item = local_id();
#if IS_SUM
  const A before = sum_before(value);
  if (item == items - 1) {
    values[0] = joined(before, value);
  }
  barrier();
  all = values[0];
#else
  values[item] = value;
  barrier();
  for (int distance = 1; distance < items; distance *= 2) {
    const A earlier = item >= distance ? values[item - distance] : A(START);
    barrier();
    value = joined(earlier, value);
    values[item] = value;
    barrier();
  }
  const A before = item > 0 ? values[item - 1] : A(START);
  all = values[items - 1];
#endif
  barrier();
  return before;
}

/// The group's task: a part of a row.
struct row_part {
  long row;
  long begin;
  long end;

  row_part(long parts, long columns, long length) {
    const long place = group_id();
    row = place / parts;
    begin = (place - row * parts) * length;
    end = min(begin + length, columns);
  }
};

USMX_KERNEL(1) part_totals(const X* x, A* totals, long parts, long columns, long length) {
  local_array<A, items> values;
  const row_part part(parts, columns, length);
  A total = A(START);
  for (long k = part.begin + local_id(); k < part.end; k += items) {
    total = joined(total, A(x[part.row * columns + k]));
  }
  values[local_id()] = total;
  barrier();
  for (int half = items / 2; half > 0; half /= 2) {
    if (local_id() < half) {
      values[local_id()] = joined(values[local_id()], values[local_id() + half]);
    }
    barrier();
  }
  if (local_id() == 0) {
    totals[group_id()] = values[0];
  }
}

/// Replaces each total by that of the parts before it.
USMX_KERNEL(1) earlier_totals(A* totals, long parts) {
  local_array<A, items> values;
  A* of_row = totals + group_id() * parts;
  A before = A(START);
  for (long begin = 0; begin < parts; begin += items) {
    const long k = begin + local_id();
    A all;
    const A earlier = joined_before(k < parts ? of_row[k] : A(START), all, values.data());
    if (k < parts) {
      of_row[k] = joined(before, earlier);
    }
    before = joined(before, all);
  }
}

USMX_KERNEL(1)
running_totals(const X* x, R* z, const A* totals, long parts, long columns, long length,
               long lead) {
  local_array<A, items> values;
  const row_part part(parts, columns, length);
  A before = parts == 1 ? A(START) : totals[group_id()];
  const X* from = x + part.row * columns;
  R* to = z + part.row * (columns + lead);
  if (lead != 0 && part.begin == 0 && local_id() == 0) {
    to[0] = R(START);
  }
  for (long begin = part.begin; begin < part.end; begin += items * each) {
    const long first = begin + local_id() * each;
    A own[each];
    A total = A(START);
#pragma unroll
    for (int k = 0; k < each; ++k) {
      own[k] = first + k < part.end ? A(from[first + k]) : A(START);
      total = joined(total, own[k]);
    }
    A all;
    A so_far = joined(before, joined_before(total, all, values.data()));
#pragma unroll
    for (int k = 0; k < each; ++k) {
      so_far = joined(so_far, own[k]);
      if (first + k < part.end) {
        to[first + k + lead] = R(so_far);
      }
    }
    before = joined(before, all);
  }
}
