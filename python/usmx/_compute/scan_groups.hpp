// Cumulative sums and products as in scan.hpp, by work groups, for devices whose work items run in
// step: a group goes through its part 256 elements at a time, neighbouring items at neighbouring
// elements, and puts each 256 together in local memory.
#include <preamble>

constexpr int items = 256;

inline A joined(A a, A b) { return JOIN; }

/// The value joined with those of all items before this one. `values`, in local memory, has those
/// of all items afterwards.
inline A joined_so_far(A value, A* values) {
  const long item = local_id();
  values[item] = value;
  barrier();
  for (int distance = 1; distance < items; distance *= 2) {
    const A earlier = item >= distance ? values[item - distance] : A(START);
    barrier();
    value = joined(earlier, value);
    values[item] = value;
    barrier();
  }
  return value;
}

/// What the group has to do: a part of a row.
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
  local_array<A, 256> values;
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

/// Each total becomes that of the parts before it.
USMX_KERNEL(1) earlier_totals(A* totals, long parts) {
  local_array<A, 256> values;
  A* of_row = totals + group_id() * parts;
  A before = A(START);
  for (long begin = 0; begin < parts; begin += items) {
    const long k = begin + local_id();
    joined_so_far(k < parts ? of_row[k] : A(START), values.data());
    const A earlier = local_id() > 0 ? values[local_id() - 1] : A(START);
    if (k < parts) {
      of_row[k] = joined(before, earlier);
    }
    before = joined(before, values[items - 1]);
    barrier();
  }
}

USMX_KERNEL(1)
running_totals(const X* x, R* z, const A* totals, long parts, long columns, long length,
               long lead) {
  local_array<A, 256> values;
  const row_part part(parts, columns, length);
  A before = parts == 1 ? A(START) : totals[group_id()];
  const X* from = x + part.row * columns;
  R* to = z + part.row * (columns + lead);
  if (lead != 0 && part.begin == 0 && local_id() == 0) {
    to[0] = R(START);
  }
  for (long begin = part.begin; begin < part.end; begin += items) {
    const long k = begin + local_id();
    const A so_far = joined_so_far(k < part.end ? A(from[k]) : A(START), values.data());
    if (k < part.end) {
      to[k + lead] = R(joined(before, so_far));
    }
    before = joined(before, values[items - 1]);
    barrier();
  }
}
