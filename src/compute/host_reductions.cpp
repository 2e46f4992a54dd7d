#include "compute/host_reductions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "base/threads.hpp"
#include "compute/host_functions.hpp"
#include "copy/convert.hpp"
#include "generated_kernels/reduction_loops.hpp"

namespace usmx::inline v1::internal::host {
namespace {

// The names of the types in the expressions: X is that of elements, A the one in which values are
// put together, R that of results.
#define USMX_REDUCTION(name, types, rule, map_text, reduce_text, post_map_text, identity_text, \
                       structure)                                                              \
  template <class X, class A, class R>                                                         \
  struct name##_##types {                                                                      \
    using M = X;                                                                               \
    using greatest = best<X, 1>;                                                               \
    using smallest = best<X, -1>;                                                              \
    static auto map([[maybe_unused]] X x, [[maybe_unused]] long i, [[maybe_unused]] M m) {     \
      return map_text;                                                                         \
    }                                                                                          \
    template <class V>                                                                         \
    static V reduce(V a, V b) {                                                                \
      return reduce_text;                                                                      \
    }                                                                                          \
    template <class V>                                                                         \
    static R result(V a, [[maybe_unused]] long n, [[maybe_unused]] X correction) {             \
      return R(post_map_text);                                                                 \
    }                                                                                          \
  };
#define USMX_DEVIATION USMX_REDUCTION
#include "compute/reduction_rows.inc"
#undef USMX_DEVIATION
#undef USMX_REDUCTION

}  // namespace
}  // namespace usmx::inline v1::internal::host

namespace usmx::inline v1::internal {
namespace {

using detail::division;
using detail::operand_loop;
using detail::reduction_loops;

/// How far the elements at a place of the dimensions are from the first ones, in bytes.
using offsets = std::array<std::ptrdiff_t, 3>;

offsets offsets_at(const operand_loop& loop, std::size_t dimensions, std::ptrdiff_t place) {
  offsets found{};
  for (std::size_t k = dimensions; k-- > 0;) {
    const detail::loop_dimension& each = loop.all_dimensions[k];
    const std::ptrdiff_t index = place % each.extent;
    place /= each.extent;
    for (std::size_t i = 0; i < loop.count; ++i) {
      found[i] += index * each.strides[i];
    }
  }
  return found;
}

/// Elements of one line of a part, mapped to values.
template <class Of, class X>
struct mapped_line {
  const X* elements;
  std::int64_t first_index;
  std::int64_t index_step;
  X mean;

  auto operator()(std::ptrdiff_t k) const {
    return Of::map(elements[k], first_index + k * index_step, mean);
  }
};

/// Eight values, joined in pairs in their own type, as source.cpp has them.
template <class Of, class A, class Values>
A block_of(const Values& at, std::ptrdiff_t k, std::ptrdiff_t step) {
  const auto pair = [&](std::ptrdiff_t of) {
    return Of::template reduce<A>(A(at(of)), A(at(of + step)));
  };
  return Of::template reduce<A>(Of::template reduce<A>(pair(k), pair(k + 2 * step)),
                                Of::template reduce<A>(pair(k + 4 * step), pair(k + 6 * step)));
}

/// The lanes that share_out() gives a CPU.
constexpr std::ptrdiff_t most_lanes = 16;
constexpr std::ptrdiff_t lanes_of_blocks = 4;

/// The values of the lanes, after one more line. A work item of a kernel has a lane. `Lanes` is a
/// number, or a constant, for which there is vector code.
template <class Of, class V, class A, bool HasBlocks, class Line, class Lanes>
void add_line(const Line& at, std::ptrdiff_t count, bool is_first, Lanes lanes,
              V* __restrict values) {
  const std::ptrdiff_t full = count / lanes * lanes;
  std::ptrdiff_t column = 0;
  if (is_first) {
    for (; column < std::min<std::ptrdiff_t>(lanes, count); ++column) {
      values[column] = V(A(at(column)));
    }
    column = lanes;
  }
  if constexpr (HasBlocks) {
    for (; column + 7 * lanes < full; column += 8 * lanes) {
      for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
        values[lane] =
            Of::template reduce<V>(values[lane], V(block_of<Of, A>(at, column + lane, lanes)));
      }
    }
  }
  for (; column < full; column += lanes) {
    for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
      values[lane] = Of::template reduce<V>(values[lane], V(A(at(column + lane))));
    }
  }
  for (std::ptrdiff_t lane = 0; column + lane < count; ++lane) {
    values[lane] = Of::template reduce<V>(values[lane], V(A(at(column + lane))));
  }
}

template <class Of, class V>
V joined_lanes(V* values, std::ptrdiff_t lanes, std::ptrdiff_t count) {
  for (std::ptrdiff_t half = lanes / 2; half > 0; half /= 2) {
    for (std::ptrdiff_t lane = 0; lane < half && lane + half < count; ++lane) {
      values[lane] = Of::template reduce<V>(values[lane], values[lane + half]);
    }
  }
  return values[0];
}

// ---- the element that max, min, argmax and argmin choose

/// Chooses the greatest element for a `Sign` of 1, the smallest one for -1; of equal ones the
/// first, and a NaN before numbers, as real_maximum and real_minimum do. The choice does not depend
/// on how neighbours are put together. By vectors, as compilers make branches of those.
template <class X, int Sign>
struct chooser {
  typedef X vector __attribute__((vector_size(32)));
  /// A vector in memory of elements: at one instruction, which a memcpy is not.
  typedef X stored __attribute__((vector_size(32), aligned(alignof(X)), may_alias));
  static constexpr std::ptrdiff_t length = 32 / sizeof(X);
  static constexpr std::ptrdiff_t vectors = most_lanes / length;
  struct lane_vectors {
    vector of[vectors];  // a std::array would not be of vectors, but of X
  };

  /// The index of an element, in a vector beside elements.
  using number = std::conditional_t<sizeof(X) == 4, std::int32_t, std::int64_t>;
  typedef number numbers __attribute__((vector_size(32)));

  static bool is_nan(X a) { return a != a; }

  /// Whether `a` stays where `b` comes after it: of numbers, or of vectors.
  template <class T>
  [[gnu::always_inline]] static auto stays(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<X>) {
      return (Sign > 0 ? a >= b : a <= b) | (a != a);
    } else {
      return Sign > 0 ? a >= b : a <= b;
    }
  }
  template <class T>
  [[gnu::always_inline]] static void join(T& a, const T& b) {
    a = stays(a, b) ? a : b;
  }
  [[gnu::always_inline]] static void load(vector& to, const X* from) {
    to = *reinterpret_cast<const stored*>(from);
  }
  [[gnu::always_inline]] static void store(const vector& from, X* to) {
    *reinterpret_cast<stored*>(to) = from;
  }
  [[gnu::always_inline]] static void load_lanes(lane_vectors& lanes, const X* from) {
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 0; i < vectors; ++i) {
      load(lanes.of[i], from + i * length);
    }
  }

  /// Joins elements to the lanes; their number is a multiple of that of lanes.
  [[gnu::always_inline]] static void add_whole(const X* x, std::ptrdiff_t count,
                                               lane_vectors& lanes) {
    std::ptrdiff_t k = 0;
    for (; k + 4 * most_lanes <= count; k += 4 * most_lanes) {
#pragma GCC unroll 4
      for (std::ptrdiff_t i = 0; i < vectors; ++i) {
        vector next[4];
#pragma GCC unroll 4
        for (std::ptrdiff_t step = 0; step < 4; ++step) {
          load(next[step], x + k + i * length + step * most_lanes);
        }
        join(next[0], next[1]);
        join(next[2], next[3]);
        join(next[0], next[2]);
        join(lanes.of[i], next[0]);
      }
    }
    for (; k < count; k += most_lanes) {
#pragma GCC unroll 4
      for (std::ptrdiff_t i = 0; i < vectors; ++i) {
        vector next;
        load(next, x + k + i * length);
        join(lanes.of[i], next);
      }
    }
  }

  /// Joins the lanes in the order of joined_lanes().
  [[gnu::always_inline]] static X joined(lane_vectors& lanes) {
#pragma GCC unroll 2
    for (std::ptrdiff_t half = vectors / 2; half > 0; half /= 2) {
#pragma GCC unroll 2
      for (std::ptrdiff_t i = 0; i < half; ++i) {
        join(lanes.of[i], lanes.of[i + half]);
      }
    }
    vector v = lanes.of[0];
    if constexpr (length == 8) {
      join(v, vector(__builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7)));
      join(v, vector(__builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3)));
      join(v, vector(__builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1)));
    } else {
      join(v, vector(__builtin_shufflevector(v, v, 2, 3, 2, 3)));
      join(v, vector(__builtin_shufflevector(v, v, 1, 1, 1, 1)));
    }
    return v[0];
  }

  /// One more line of all lanes, as add_line(). The first one has an element for each lane.
  static void add_line(const X* x, std::ptrdiff_t count, bool is_first, X* values) {
    lane_vectors lanes;
    load_lanes(lanes, is_first ? x : values);
    const std::ptrdiff_t begin = is_first ? most_lanes : 0;
    const std::ptrdiff_t whole = (count - begin) / most_lanes * most_lanes;
    add_whole(x + begin, whole, lanes);
    for (std::ptrdiff_t i = 0; i < vectors; ++i) {
      store(lanes.of[i], values + i * length);
    }
    for (std::ptrdiff_t k = begin + whole; k < count; ++k) {
      join(values[k - begin - whole], x[k]);
    }
  }

  static X of_adjacent(const X* x, std::ptrdiff_t count) {
    std::ptrdiff_t k = count / most_lanes * most_lanes;
    X found = x[0];
    if (k != 0) {
      lane_vectors lanes;
      load_lanes(lanes, x);
      add_whole(x + most_lanes, k - most_lanes, lanes);
      found = joined(lanes);
    }
    for (; k < count; ++k) {
      join(found, x[k]);
    }
    return found;
  }

  /// The index of the first element that is the chosen one. Precondition: one is.
  static std::ptrdiff_t index_of(X chosen, const X* x, std::ptrdiff_t count) {
    numbers here;
    for (std::ptrdiff_t lane = 0; lane < length; ++lane) {
      here[lane] = static_cast<number>(lane);
    }
    const bool wants_nan = is_nan(chosen);
    const numbers none = numbers{} + static_cast<number>(count);
    numbers lowest[vectors];
    std::fill_n(lowest, vectors, none);
    const vector all = vector{} + chosen;
    std::ptrdiff_t k = 0;
    for (; k + most_lanes <= count; k += most_lanes) {
#pragma GCC unroll 4
      for (std::ptrdiff_t i = 0; i < vectors; ++i) {
        vector next;
        load(next, x + k + i * length);
        const numbers is_it = wants_nan ? numbers(next != next) : numbers(next == all);
        const numbers index = is_it ? here : none;
        lowest[i] = index < lowest[i] ? index : lowest[i];
        here += static_cast<number>(length);
      }
    }
    numbers least = lowest[0];
#pragma GCC unroll 4
    for (std::ptrdiff_t i = 1; i < vectors; ++i) {
      least = lowest[i] < least ? lowest[i] : least;
    }
    std::ptrdiff_t found = count;
#pragma GCC unroll 8
    for (std::ptrdiff_t lane = 0; lane < length; ++lane) {
      found = std::min<std::ptrdiff_t>(found, least[lane]);
    }
    while (found == count && !(wants_nan ? is_nan(x[k]) : x[k] == chosen)) {
      ++k;
    }
    return found == count ? k : found;
  }

  /// The index of the one of adjacent elements that is chosen; there is one at least.
  static std::ptrdiff_t index_of_best(const X* elements, std::ptrdiff_t count) {
    constexpr std::ptrdiff_t most = 1024;  // the nearest cache has them when they are searched
    std::ptrdiff_t found = 0;
    for (std::ptrdiff_t first = 0; first < count && !is_nan(elements[found]); first += most) {
      const std::ptrdiff_t here = std::min(most, count - first);
      const X best = of_adjacent(elements + first, here);
      if (first == 0 || !stays(elements[found], best)) {
        found = first + index_of(best, elements + first, here);
      }
    }
    return found;
  }

  /// Joins rows to those of the chosen elements, column by column.
  template <std::size_t Rows>
  static void add_rows(const std::array<const X*, Rows>& x, std::ptrdiff_t count, X* values) {
    std::ptrdiff_t column = 0;
    for (; column + length <= count; column += length) {
      vector next[Rows];
#pragma GCC unroll 8
      for (std::size_t row = 0; row < Rows; ++row) {
        load(next[row], x[row] + column);
      }
#pragma GCC unroll 4
      for (std::size_t step = 1; step < Rows; step *= 2) {
#pragma GCC unroll 4
        for (std::size_t row = 0; row + step < Rows; row += 2 * step) {
          join(next[row], next[row + step]);
        }
      }
      vector old;
      load(old, values + column);
      join(old, next[0]);
      store(old, values + column);
    }
    for (; column < count; ++column) {
      for (std::size_t row = 0; row < Rows; ++row) {
        join(values[column], x[row][column]);
      }
    }
  }

  /// Joins one row, and notes the numbers of the rows that the chosen elements are of.
  static void add_numbered_row(const X* x, number of_row, std::ptrdiff_t count, X* values,
                               number* rows) {
    typedef number stored_numbers
        __attribute__((vector_size(32), aligned(alignof(number)), may_alias));
    std::ptrdiff_t column = 0;
    for (; column + length <= count; column += length) {
      vector next;
      vector old;
      load(next, x + column);
      load(old, values + column);
      auto* row = reinterpret_cast<stored_numbers*>(rows + column);
      const auto is_old = stays(old, next);
      *row = is_old ? numbers(*row) : numbers{} + of_row;
      store(is_old ? old : next, values + column);
    }
    for (; column < count; ++column) {
      rows[column] = stays(values[column], x[column]) ? rows[column] : of_row;
      join(values[column], x[column]);
    }
  }
};

/// The chooser among integers of which a vector has as many as there are lanes, or more. It does
/// not matter in which order these are joined, and compilers make vectors of the loops.
template <class X, int Sign>
  requires(sizeof(X) < sizeof(std::int32_t))
struct chooser<X, Sign> {
  struct lane_vectors {
    std::array<X, most_lanes> of;
  };

  static void join(X& a, X b) { a = (Sign > 0 ? a < b : b < a) ? b : a; }
  static void load_lanes(lane_vectors& lanes, const X* from) {
    std::copy_n(from, most_lanes, lanes.of.begin());
  }
  static X joined(const lane_vectors& lanes) { return of_adjacent(lanes.of.data(), most_lanes); }

  static X of_adjacent(const X* x, std::ptrdiff_t count) {
    X found = x[0];
    for (std::ptrdiff_t k = 1; k < count; ++k) {
      join(found, x[k]);
    }
    return found;
  }

  static void add_line(const X* x, std::ptrdiff_t count, bool is_first, X* values) {
    if (is_first) {
      std::copy_n(x, most_lanes, values);
    }
    const std::ptrdiff_t begin = is_first ? most_lanes : 0;
    if (begin < count) {
      join(values[0], of_adjacent(x + begin, count - begin));
    }
  }

  template <std::size_t Rows>
  static void add_rows(const std::array<const X*, Rows>& x, std::ptrdiff_t count,
                       X* __restrict values) {
    for (const X* row : x) {
      for (std::ptrdiff_t column = 0; column < count; ++column) {
        join(values[column], row[column]);
      }
    }
  }
};

/// No choice: of sums and the like.
template <class V>
struct best_traits {
  static constexpr bool is_best = false;
};
template <class T, int Sign>
struct best_traits<host::best<T, Sign>> {
  static constexpr bool is_best = true;
  using choice = chooser<T, Sign>;
};

// ---- one call

/// Whether results are beside each other as their elements are.
bool has_adjacent_results(const reduction_loops& loops) {
  return loops.is_outer && loops.kept.ndim != 0 &&
         loops.kept.dimensions().back().strides[0] ==
             static_cast<std::ptrdiff_t>(loops.inputs[0].used.type().itemsize());
}

/// Whether most of the elements are reduced by vectors of the processor.
bool has_vectors(const reduction_loops& loops) {
  constexpr std::ptrdiff_t few = 16;
  if (loops.is_outer) {
    return has_adjacent_results(loops) && loops.kept.dimensions().back().extent >= few;
  }
  return loops.reduced.ndim != 0 &&
         loops.reduced.dimensions().back().strides[0] ==
             static_cast<std::ptrdiff_t>(loops.inputs[0].used.type().itemsize());
}

/// Results whose first elements are beside each other.
struct result_run {
  offsets at;
  std::ptrdiff_t count;
};

constexpr std::ptrdiff_t most_results = 256;  // of a run

/// A number as an element of type X.
template <class X>
X as_element(double number) {
  if constexpr (requires { typename X::value_type; }) {
    return X(static_cast<typename X::value_type>(number));
  } else {
    return static_cast<X>(number);
  }
}

/// V is the type of what is put together, A the one in which blocks of it are. `Choice` is the
/// chooser of elements, or void.
template <class Of, class X, class A, class V, class R, bool HasBlocks, class Choice>
class reducer {
 public:
  explicit reducer(const host_reduction_arguments& call)
      : call_(call),
        loops_(call.loops),
        by_(division_of(call.loops)),
        lanes_(static_cast<std::ptrdiff_t>(loops_.lanes)),
        columns_(loops_.reduced.ndim == 0 ? 1 : loops_.reduced.dimensions().back().extent),
        lines_(loops_.reduced_count / columns_),
        itemsize_(static_cast<std::ptrdiff_t>(dtype(call.elements).itemsize())),
        converts_(call.elements != host::type_of<X>()),
        read_(call.elements, host::type_of<X>()),
        write_(host::type_of<R>(), call.results),
        kept_columns_(loops_.kept.ndim == 0 ? 1 : loops_.kept.dimensions().back().extent),
        has_adjacent_results_(has_adjacent_results(loops_)) {
    if (loops_.kept.ndim != 0) {
      std::copy_n(loops_.kept.dimensions().back().strides.begin(), loops_.kept.count,
                  kept_steps_.begin());
    }
    if (loops_.reduced.ndim != 0) {
      std::copy_n(loops_.reduced.dimensions().back().strides.begin(), loops_.reduced.count,
                  steps_.begin());
    }
  }

  void run() const {
    constexpr std::ptrdiff_t task_elements = std::ptrdiff_t{1} << 16;
    const std::ptrdiff_t lines = detail::items_of(loops_.kept.dimensions()) / kept_columns_;
    const std::ptrdiff_t runs_of_line = (kept_columns_ + most_results - 1) / most_results;
    const std::ptrdiff_t runs = lines * runs_of_line;
    const std::ptrdiff_t results = lines * kept_columns_;
    const std::ptrdiff_t tasks = results * loops_.reduced_count / task_elements;
    if (tasks < 2 || by_.parts == 1 || runs >= 2 * detail::thread_count()) {
      const std::ptrdiff_t count = std::clamp<std::ptrdiff_t>(tasks, 1, runs);
      detail::for_each_task(count, [&](std::ptrdiff_t task) {
        for (std::ptrdiff_t k = task * runs / count; k < (task + 1) * runs / count; ++k) {
          reduce_run(run_at(k, runs_of_line));
        }
      });
      return;
    }
    const std::ptrdiff_t width = std::min(kept_columns_, most_results);
    const auto parts =
        std::make_unique_for_overwrite<V[]>(static_cast<std::size_t>(runs * by_.parts * width));
    detail::for_each_task(runs * by_.parts, [&](std::ptrdiff_t task) {
      reduce_part(run_at(task / by_.parts, runs_of_line), task % by_.parts,
                  parts.get() + task * width);
    });
    for (std::ptrdiff_t k = 0; k < runs; ++k) {
      const result_run run = run_at(k, runs_of_line);
      V* totals = parts.get() + k * by_.parts * width;
      for (std::int64_t part = 1; part < by_.parts; ++part) {
        join(totals, totals + part * width, run.count);
      }
      finish(run, totals);
    }
  }

 private:
  result_run run_at(std::ptrdiff_t k, std::ptrdiff_t runs_of_line) const {
    const std::ptrdiff_t column = k % runs_of_line * most_results;
    result_run run{
        offsets_at(loops_.kept, std::max<std::size_t>(loops_.kept.ndim, 1) - 1, k / runs_of_line),
        std::min(most_results, kept_columns_ - column)};
    for (std::size_t i = 0; i < loops_.kept.count; ++i) {
      run.at[i] += loops_.kept.offsets[i] + column * kept_steps_[i];
    }
    return run;
  }

  void reduce_run(const result_run& run) const {
    std::array<V, most_results> totals;
    std::array<V, most_results> next;
    reduce_part(run, 0, totals.data());
    for (std::int64_t part = 1; part < by_.parts; ++part) {
      reduce_part(run, part, next.data());
      join(totals.data(), next.data(), run.count);
    }
    finish(run, totals.data());
  }

  static void join(V* __restrict totals, const V* __restrict next, std::ptrdiff_t count) {
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      totals[k] = Of::template reduce<V>(totals[k], next[k]);
    }
  }

  void finish(const result_run& run, const V* totals) const {
    const std::size_t output = loops_.kept.count - 1;
    std::byte* to = first_element(loops_.outputs[0].used) + run.at[output];
    const bool converts = call_.results != host::type_of<R>();
    for (std::ptrdiff_t k = 0; k < run.count; ++k) {
      const R found =
          Of::template result<V>(totals[k], loops_.reduced_count, as_element<X>(call_.correction));
      if (converts) {
        write_.adjacent(reinterpret_cast<const std::byte*>(&found), to, 1);
      } else {
        *reinterpret_cast<R*>(to) = found;
      }
      to += kept_steps_[output];
    }
  }

  // ---- a part of each result of a run

  /// The elements of a part.
  struct extent {
    std::int64_t first_line;
    std::int64_t last_line;
    std::int64_t first;
    std::int64_t count;
  };

  extent extent_of(std::int64_t part) const {
    const std::int64_t line = part / by_.sizes.column_parts * by_.sizes.lines_per_part;
    const std::int64_t first = part % by_.sizes.column_parts * by_.sizes.columns_per_part;
    return {line, std::min(line + by_.sizes.lines_per_part, lines_), first,
            std::min(columns_ - first, by_.sizes.columns_per_part)};
  }

  /// Where the elements of a line of a part are, beside the first one of its result.
  offsets line_at(const extent& of, std::int64_t line) const {
    offsets at =
        offsets_at(loops_.reduced, std::max<std::size_t>(loops_.reduced.ndim, 1) - 1, line);
    for (std::size_t k = 0; k < loops_.reduced.count; ++k) {
      at[k] += loops_.reduced.offsets[k] + of.first * steps_[k];
    }
    return at;
  }

  const std::byte* input_at(std::size_t k, std::ptrdiff_t offset) const {
    return first_element(loops_.inputs[k].used) + offset;
  }

  void reduce_part(const result_run& run, std::int64_t part, V* values) const noexcept {
    const extent of = extent_of(part);
    if (detail::cpu() == detail::cpu_level::baseline ||
        !(has_adjacent_results_ || lanes_ == widest)) {
      reduce_each(run, of, lanes_, values);
    } else {
      reduce_by_vectors(run, of, values);
    }
  }

  USMX_AVX2 void reduce_by_vectors(const result_run& run, const extent& of,
                                   V* values) const noexcept {
    if (has_adjacent_results_) {
      add_rows(run, of, values);
    } else {
      reduce_each(run, of, std::integral_constant<std::ptrdiff_t, widest>(), values);
    }
  }

  static constexpr std::ptrdiff_t widest = HasBlocks ? lanes_of_blocks : most_lanes;

  template <class Lanes>
  void reduce_each(const result_run& run, const extent& of, Lanes lanes, V* values) const noexcept {
    offsets at = run.at;
    for (std::ptrdiff_t k = 0; k < run.count; ++k) {
      values[k] = value_of(at, of, lanes);
      for (std::size_t i = 0; i < loops_.inputs.size(); ++i) {
        at[i] += kept_steps_[i];
      }
    }
  }

  template <class Lanes>
  V value_of(const offsets& at, const extent& of, Lanes lanes) const {
    constexpr std::ptrdiff_t whole_blocks = 1024;
    std::array<X, whole_blocks + most_lanes> copies;
    std::array<V, most_lanes> values;
    const bool is_direct = !converts_ && steps_[0] == itemsize_;
    const std::int64_t index_step = loops_.has_index ? steps_[loops_.reduced.count - 1] : 0;
    for (std::int64_t line = of.first_line; line < of.last_line; ++line) {
      const offsets here = line_at(of, line);
      const std::byte* from = input_at(0, at[0] + here[0]);
      mapped_line<Of, X> mapped{reinterpret_cast<const X*>(from), 0, index_step, mean_at(at, here)};
      mapped.first_index = loops_.has_index ? here[loops_.reduced.count - 1] : 0;
      for (std::ptrdiff_t done = 0; done < of.count;) {
        const bool is_first = line == of.first_line && done == 0;
        std::ptrdiff_t count = of.count - done;
        if (!is_direct) {
          count = std::min(count, whole_blocks + (is_first ? std::ptrdiff_t{lanes} : 0));
          mapped.elements = copied(from, steps_[0], count, copies.data());
        }
        add(mapped, count, is_first, lanes, values.data());
        done += count;
        from += count * steps_[0];
        mapped.first_index += count * index_step;
      }
    }
    if constexpr (chooses && !std::is_same_v<Lanes, std::ptrdiff_t>) {
      if (of.count >= most_lanes) {
        typename Choice::lane_vectors all;
        Choice::load_lanes(all, values.data());
        return Choice::joined(all);
      }
    }
    return is_best && index_step > 0 ? values[0] : joined_lanes<Of>(values.data(), lanes, of.count);
  }

  template <class Lanes>
  static void add(const mapped_line<Of, X>& line, std::ptrdiff_t count, bool is_first, Lanes lanes,
                  V* values) {
    if constexpr (is_best) {
      if (line.index_step > 0) {
        const std::ptrdiff_t k = best_traits<V>::choice::index_of_best(line.elements, count);
        values[0] = is_first ? line(k) : Of::template reduce<V>(values[0], line(k));
        return;
      }
    }
    if constexpr (chooses && !std::is_same_v<Lanes, std::ptrdiff_t>) {
      if (!is_first || count >= most_lanes) {
        return Choice::add_line(line.elements, count, is_first, values);
      }
    }
    add_line<Of, V, A, HasBlocks>(line, count, is_first, lanes, values);
  }

  const X* copied(const std::byte* from, std::ptrdiff_t step, std::ptrdiff_t count, X* to) const {
    auto* bytes = reinterpret_cast<std::byte*>(to);
    step == itemsize_ ? read_.adjacent(from, bytes, count)
                      : read_.strided(from, step, bytes, sizeof(X), count);
    return to;
  }

  /// The mean that elements are compared with, which is the same one for all of a result.
  X mean_at(const offsets& at, const offsets& here) const {
    return loops_.inputs.size() < 2 ? X()
                                    : *reinterpret_cast<const X*>(input_at(1, at[1] + here[1]));
  }

  // ---- results beside each other, whose elements are: their rows are put together

  template <class T>
  using of_run = std::array<T, most_results>;
  static constexpr std::ptrdiff_t rows_of_block = 8;

  void add_rows(const result_run& run, const extent& of, V* __restrict values) const {
    of_run<X> means;
    const std::int64_t index_step = loops_.has_index ? steps_[loops_.reduced.count - 1] : 0;
    std::array<of_run<X>, rows_of_block> copies;
    for (std::int64_t line = of.first_line; line < of.last_line; ++line) {
      const offsets here = line_at(of, line);
      offsets at = run.at;
      for (std::ptrdiff_t k = 0; k < (loops_.inputs.size() < 2 ? 0 : run.count); ++k) {
        means[k] = mean_at(at, here);
        at[1] += kept_steps_[1];
      }
      const auto row = [&](std::ptrdiff_t k, std::ptrdiff_t slot) {
        const std::byte* from = input_at(0, run.at[0] + here[0] + k * steps_[0]);
        return converts_ ? copied(from, itemsize_, run.count, copies[slot].data())
                         : reinterpret_cast<const X*>(from);
      };
      const std::int64_t index = loops_.has_index ? here[loops_.reduced.count - 1] : 0;
      const auto mapped = [&](const X* x, std::ptrdiff_t k, std::ptrdiff_t column) {
        return Of::map(x[column], index + k * index_step, means[column]);
      };
      const bool is_first = line == of.first_line;
      if constexpr (is_best) {
        if (index_step > 0) {
          add_best_of_rows(run, of, row, mapped, is_first, values);
          continue;
        }
      }
      std::ptrdiff_t k = 0;
      if (is_first) {
        const X* x = row(0, 0);
        for (std::ptrdiff_t column = 0; column < run.count; ++column) {
          values[column] = V(A(mapped(x, 0, column)));
        }
        k = 1;
      }
      if constexpr (chooses) {
        for (; k + rows_of_block <= of.count; k += rows_of_block) {
          std::array<const X*, rows_of_block> x;
          for (std::ptrdiff_t slot = 0; slot < rows_of_block; ++slot) {
            x[slot] = row(k + slot, slot);
          }
          Choice::add_rows(x, run.count, values);
        }
        for (; k < of.count; ++k) {
          Choice::add_rows(std::array<const X*, 1>{row(k, 0)}, run.count, values);
        }
      }
      if constexpr (HasBlocks) {
        for (; k + rows_of_block <= of.count; k += rows_of_block) {
          std::array<const X*, rows_of_block> x;
          for (std::ptrdiff_t slot = 0; slot < rows_of_block; ++slot) {
            x[slot] = row(k + slot, slot);
          }
          of_run<A> block;
          for (std::ptrdiff_t column = 0; column < run.count; ++column) {
            const auto at_row = [&](std::ptrdiff_t of_block) {
              return mapped(x[of_block], k + of_block, column);
            };
            block[column] = block_of<Of, A>(at_row, 0, 1);
          }
          for (std::ptrdiff_t column = 0; column < run.count; ++column) {
            values[column] = Of::template reduce<V>(values[column], V(block[column]));
          }
        }
      }
      for (; k < of.count; ++k) {
        const X* x = row(k, 0);
        for (std::ptrdiff_t column = 0; column < run.count; ++column) {
          values[column] = Of::template reduce<V>(values[column], V(A(mapped(x, k, column))));
        }
      }
    }
  }

  /// Values and the numbers of their rows apart, so that there are vectors of both.
  template <class Row, class Mapped>
  static void add_best_of_rows(const result_run& run, const extent& of, const Row& row,
                               const Mapped& mapped, bool is_first, V* __restrict values) {
    using choice = typename best_traits<V>::choice;
    of_run<X> bests;
    of_run<typename choice::number> numbers{};
    std::copy_n(row(0, 0), run.count, bests.begin());
    for (std::ptrdiff_t k = 1; k < of.count; ++k) {
      choice::add_numbered_row(row(k, 0), static_cast<typename choice::number>(k), run.count,
                               bests.data(), numbers.data());
    }
    for (std::ptrdiff_t column = 0; column < run.count; ++column) {
      const V found = mapped(bests.data(), numbers[column], column);
      values[column] = is_first ? found : Of::template reduce<V>(values[column], found);
    }
  }

  static constexpr bool is_best = best_traits<V>::is_best;
  static constexpr bool chooses = !std::is_void_v<Choice>;

  const host_reduction_arguments& call_;
  const reduction_loops& loops_;
  division by_;
  std::ptrdiff_t lanes_;
  std::int64_t columns_;
  std::int64_t lines_;
  std::ptrdiff_t itemsize_;
  bool converts_;
  detail::conversion read_;
  detail::conversion write_;
  std::ptrdiff_t kept_columns_;
  bool has_adjacent_results_;
  offsets kept_steps_{};
  offsets steps_{};
};

// ---- the loops of all rows

/// The loop of a row's expressions with these types.
template <template <class, class, class> class Of, class X, class A, class V, class R,
          bool HasBlocks = false, class Choice = void>
host_reduction reduction(type_code result, bool has_index = false) {
  return {host::type_of<X>().code(),
          host::type_of<R>().code(),
          result,
          has_index,
          HasBlocks,
          HasBlocks || !std::is_void_v<Choice> || best_traits<V>::is_best,
          [](const host_reduction_arguments& call) {
            reducer<Of<X, A, R>, X, A, V, R, HasBlocks, Choice>(call).run();
          }};
}

/// Sums have more digits than their addends: the type `summed` of the kernels.
template <class T>
using summed =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, double>, host::compensated<double>, T>>;
template <class T>
using summed_complex = std::conditional_t<std::is_same_v<T, float>, host::complex<double>,
                                          host::compensated<host::complex<double>>>;

using loops_by_type = std::array<host_reduction, type_count>;

struct named_loops {
  std::string_view name;
  loops_by_type loops;
};

/// Integers of fewer bits are computed as those of 64: nothing is rounded, and they wrap around in
/// the type of the result.
template <class Body>
void for_each_type(bool has_float16, const Body& body) {
  for (std::size_t k = 0; k < type_count; ++k) {
    const auto code = static_cast<type_code>(k);
    const char kind = dtype(code).kind();
    if (kind == 'c' || (code == type_code::float16 && !has_float16)) {
      continue;
    }
    body(code, kind);
  }
}

/// The loop that `make` gives for the expressions of a class of types, and for the type that they
/// compute in.
template <template <class, class, class> class Signed,
          template <class, class, class> class Unsigned, template <class, class, class> class Real,
          class Make>
host_reduction made_for(type_code code, char kind, const Make& make) {
  if (kind == 'i') {
    return make.template operator()<Signed, std::int64_t>();
  }
  if (kind != 'f') {
    return make.template operator()<Unsigned, std::uint64_t>();
  }
  return code == type_code::float64 ? make.template operator()<Real, double>()
                                    : make.template operator()<Real, float>();
}

/// The loop of a choice: in integers of 32 bits, of which vectors have twice as many, where these
/// have all numbers of the type. Nothing is rounded, so float16 is chosen as float32.
template <template <class, class, class> class Signed,
          template <class, class, class> class Unsigned, template <class, class, class> class Real,
          class Make>
host_reduction chosen_for(type_code code, char kind, const Make& make) {
  const std::size_t itemsize = dtype(code).itemsize();
  if (kind != 'f' && itemsize <= 4 && code != type_code::uint32) {
    return make.template operator()<Signed, std::int32_t>();
  }
  return made_for<Signed, Unsigned, Real>(code, kind, make);
}

/// The reduction that chooses values: integers of 8 and of 16 bits as they are.
template <template <class, class, class> class Signed,
          template <class, class, class> class Unsigned, template <class, class, class> class Real,
          class Make>
host_reduction value_chosen_for(type_code code, char kind, const Make& make) {
  switch (code) {
    case type_code::int8:
      return make.template operator()<Signed, std::int8_t>();
    case type_code::int16:
      return make.template operator()<Signed, std::int16_t>();
    case type_code::uint8:
      return make.template operator()<Unsigned, std::uint8_t>();
    case type_code::uint16:
      return make.template operator()<Unsigned, std::uint16_t>();
    default:
      return chosen_for<Signed, Unsigned, Real>(code, kind, make);
  }
}

#define USMX_BY_CLASS(name) \
  host::name##_signed_integers, host::name##_unsigned_integers, host::name##_reals

#define USMX_MAKE []<template <class, class, class> class Of, class T>

class all_loops {
 public:
  all_loops() {
    add_sums();
    add_chosen();
    add_truths();
    add_deviations();
  }

  std::span<const named_loops> all() const noexcept { return all_; }

 private:
  template <class Make>
  void add(std::string_view name, const Make& make, bool has_float16 = false) {
    loops_by_type& loops = all_.emplace_back(named_loops{name, {}}).loops;
    for_each_type(has_float16, [&](type_code code, char kind) {
      loops[static_cast<std::size_t>(code)] = make(code, kind);
    });
  }

  /// Adds the loops of complex numbers to the function that was added last.
  template <template <class, class, class> class Of>
  void add_complex() {
    const auto add_one = [this]<class T>(std::type_identity<T>) {
      using C = host::complex<T>;
      constexpr type_code code = host::type_of<C>().code();
      host_reduction& made = all_.back().loops[static_cast<std::size_t>(code)];
      made = reduction<Of, C, C, summed_complex<T>, C, true>(code);
      made.has_vectors = false;
    };
    add_one(std::type_identity<float>());
    add_one(std::type_identity<double>());
  }

  /// Booleans are summed up as integers with a sign.
  static char summable(char kind) { return kind == 'b' ? 'i' : kind; }

  void add_sums() {
    add("sum", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(sum)>(
          code, summable(kind),
          USMX_MAKE() { return reduction<Of, T, T, summed<T>, T, true>(dtype::of<T>().code()); });
    });
    add_complex<host::sum_complexes>();
    add("prod", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(prod)>(
          code, summable(kind),
          USMX_MAKE() { return reduction<Of, T, T, T, T>(dtype::of<T>().code()); });
    });
  }

  /// The functions whose result is an element, or the place of one.
  template <class Make>
  void add_choice(std::string_view name, const Make& make) {
    add(name, make, true);
  }

  void add_chosen() {
    const auto add_values =
        [this]<template <class, class, class> class Signed,
               template <class, class, class> class Unsigned,
               template <class, class, class> class Real, int Sign>(std::string_view name) {
          add_choice(name, [](type_code code, char kind) {
            return value_chosen_for<Signed, Unsigned, Real>(
                code, kind, [=]<template <class, class, class> class Of, class T>() {
                  return reduction<Of, T, T, T, T, false, chooser<T, Sign>>(code);
                });
          });
        };
    add_values.template operator()<USMX_BY_CLASS(max), 1>("max");
    add_values.template operator()<USMX_BY_CLASS(min), -1>("min");
    add_choice("argmax", [](type_code code, char kind) {
      return chosen_for<USMX_BY_CLASS(argmax)>(
          code, kind, USMX_MAKE() {
            using best = host::best<T, 1>;
            return reduction<Of, T, best, best, std::int64_t>(type_code::int64, true);
          });
    });
    add_choice("argmin", [](type_code code, char kind) {
      return chosen_for<USMX_BY_CLASS(argmin)>(
          code, kind, USMX_MAKE() {
            using best = host::best<T, -1>;
            return reduction<Of, T, best, best, std::int64_t>(type_code::int64, true);
          });
    });
  }

  void add_truths() {
    const auto truth = USMX_MAKE() { return reduction<Of, T, bool, bool, bool>(type_code::bool_); };
    add("any",
        [=](type_code code, char kind) { return made_for<USMX_BY_CLASS(any)>(code, kind, truth); });
    add("all",
        [=](type_code code, char kind) { return made_for<USMX_BY_CLASS(all)>(code, kind, truth); });
    add("count_nonzero", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(count_nonzero)>(
          code, kind, USMX_MAKE() {
            return reduction<Of, T, std::int64_t, std::int64_t, std::int64_t>(type_code::int64);
          });
    });
  }

  /// Integers have a mean, and deviations, of float64.
  template <template <class, class, class> class Of>
  void add_deviation(std::string_view name) {
    add(name, [](type_code code, char) {
      return code == type_code::float32
                 ? reduction<Of, double, float, double, float, true>(code)
                 : reduction<Of, double, double, summed<double>, double, true>(type_code::float64);
    });
  }

  void add_deviations() {
    constexpr type_code wide = type_code::float64;
    add("mean", [](type_code code, char) {
      return code == type_code::float32
                 ? reduction<host::mean_reals, float, float, double, float, true>(code)
                 : reduction<host::mean_reals, double, double, summed<double>, double, true>(wide);
    });
    add_complex<host::mean_complexes>();
    add("deviation_mean", [](type_code code, char) {
      host_reduction made =
          code == type_code::float32
              ? reduction<host::mean_reals, double, double, double, double>(wide)
              : reduction<host::mean_reals, double, double, summed<double>, double, true>(wide);
      made.has_vectors = true;
      return made;
    });
    add_deviation<host::var_reals>("var");
    add_deviation<host::std_reals>("std");
  }

  std::vector<named_loops> all_;
};

#undef USMX_MAKE
#undef USMX_BY_CLASS

}  // namespace

const host_reduction* find_host_reduction(std::string_view name, type_code type) noexcept {
  static const all_loops& loops_of_all = *new all_loops();
  const std::span<const named_loops> all = loops_of_all.all();
  const auto found = std::ranges::find(all, name, &named_loops::name);
  if (found == all.end() || type == type_code::structured) {
    return nullptr;
  }
  const host_reduction& loops = found->loops[static_cast<std::size_t>(type)];
  return loops.run == nullptr ? nullptr : &loops;
}

host_reduction_call::host_reduction_call(const host_reduction& function, const array& x,
                                         const array* mean, const reduction_axes& axes,
                                         double correction)
    : function_(function),
      x_(x),
      mean_(mean),
      correction_(correction),
      reduced_(detail::reduced_flags(axes.axes.value(), x.shape().size())),
      are_kept_(axes.are_kept),
      output_layout_(layout::c_order(detail::result_shape(x.shape(), reduced_, are_kept_))) {}

bool host_reduction_call::run(const array& out) const {
  reduction_loops loops;
  loops.inputs.push_back({0, x_});
  if (mean_ != nullptr) {
    loops.inputs.push_back({1, detail::broadcast_to(*mean_, x_.shape())});
  }
  loops.outputs.push_back({loops.inputs.size(), out});
  loops.has_index = function_.has_index;
  loops.has_blocks = function_.has_blocks;
  set_loops(loops, {x_.shape(), reduced_, are_kept_});
  share_out(loops, private_queue(x_).get_device());
  const bool is_little = x_.size() <= max_little_reduction;
  const bool is_fast = function_.has_vectors && has_vectors(loops);
  if (loops.lanes > static_cast<std::size_t>(most_lanes) || !(is_little || is_fast)) {
    return false;
  }
  function_.run({loops, x_.type().code(), function_.result, correction_});
  return true;
}

}  // namespace usmx::inline v1::internal
