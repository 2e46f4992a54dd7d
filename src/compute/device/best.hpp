// The index of the best element of each row of an array in C order, on processors with vectors:
// each work item looks through a part of a row, block by block. Only a block with a better element
// is looked through for its index. X is the type of the elements. IS_BETTER compares `a`, which
// comes later, and `b`, or vectors of them. The best of all is NaN, which IS_NAN says of `a`.
#include <preamble>

inline bool is_nan(X a) { return IS_NAN; }
inline bool is_better(X a, X b) { return IS_BETTER && !is_nan(b); }

// Intel's compiler for CPUs makes vectors of work items, as many as a sub-group has: with 16, it
// works for minutes on elements of less than 4 bytes, which are in vectors already.
#define IN_SUB_GROUPS \
  [[__sycl_detail__::add_ir_attributes_function("sycl-sub-group-size", SUB_GROUP)]]

USMX_KERNEL(1)
best_of_parts IN_SUB_GROUPS(const X* x, long* indices, long columns, long parts) {
  constexpr int lanes = 16;
  constexpr int block = 16 * lanes;
  using vector = X __attribute__((ext_vector_type(lanes)));
  const long row = global_id() / parts;
  const long part = global_id() - row * parts;
  const long length = (columns + parts - 1) / parts;
  const X* first = x + row * columns;
  const long end = min((part + 1) * length, columns);
  long index = min(part * length, columns - 1);
  long k = index;
  for (; k + block <= end && !is_nan(first[index]); k += block) {
    vector best;
    __builtin_memcpy(&best, first + k, sizeof(vector));
#pragma unroll
    for (int step = lanes; step < block; step += lanes) {
      vector a;
      __builtin_memcpy(&a, first + k + step, sizeof(vector));
      const vector b = best;
      best = IS_BETTER ? a : b;
    }
    X found = best[0];
    for (int lane = 1; lane < lanes; ++lane) {
      found = is_better(best[lane], found) ? best[lane] : found;
    }
    if (is_better(found, first[index])) {
      for (long other = k; other < k + block; ++other) {
        index = is_better(first[other], first[index]) ? other : index;
      }
    }
  }
  for (; k < end; ++k) {
    index = is_better(first[k], first[index]) ? k : index;
  }
  indices[global_id()] = index;
}

USMX_KERNEL(1) best_of_rows(const X* x, const long* indices, long* z, long columns, long parts) {
  const X* first = x + global_id() * columns;
  const long* of_row = indices + global_id() * parts;
  long index = of_row[0];
  for (long part = 1; part < parts; ++part) {
    index = is_better(first[of_row[part]], first[index]) ? of_row[part] : index;
  }
  z[global_id()] = index;
}
