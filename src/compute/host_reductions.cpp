#include "compute/host_reductions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
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

/// Elements of a row as they are computed, one after the other.
template <class X>
class row_reader {
 public:
  row_reader(dtype from, std::ptrdiff_t most)
      : converts_(from != dtype::of<X>()),
        convert_(from, dtype::of<X>()),
        itemsize_(static_cast<std::ptrdiff_t>(from.itemsize())),
        copies_(static_cast<std::size_t>(most)) {}

  const X* read(const std::byte* first, std::ptrdiff_t stride, std::ptrdiff_t count) {
    if (!converts_ && stride == itemsize_) {
      return reinterpret_cast<const X*>(first);
    }
    auto* to = reinterpret_cast<std::byte*>(copies_.data());
    stride == itemsize_ ? convert_.adjacent(first, to, count)
                        : convert_.strided(first, stride, to, sizeof(X), count);
    return copies_.data();
  }

 private:
  bool converts_;
  detail::conversion convert_;
  std::ptrdiff_t itemsize_;
  std::vector<X> copies_;
};

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
template <class Of, class A, class Line>
A block_of(const Line& at, std::ptrdiff_t k, std::ptrdiff_t step) {
  const auto pair = [&](std::ptrdiff_t of) {
    return Of::template reduce<A>(A(at(of)), A(at(of + step)));
  };
  return Of::template reduce<A>(Of::template reduce<A>(pair(k), pair(k + 2 * step)),
                                Of::template reduce<A>(pair(k + 4 * step), pair(k + 6 * step)));
}

constexpr std::size_t most_lanes = 16;

/// The values of the lanes, after one more line. A work item of a kernel has a lane.
template <class Of, class V, class A, bool HasBlocks, class Line>
void add_line(const Line& at, std::ptrdiff_t count, bool is_first, std::ptrdiff_t lanes,
              V* __restrict values) {
  const std::ptrdiff_t full = count / lanes * lanes;
  std::ptrdiff_t column = 0;
  if (is_first) {
    for (; column < std::min(lanes, count); ++column) {
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

/// V is the type of what is put together, A the one in which blocks of it are.
template <class Of, class X, class A, class V, class R, bool HasBlocks>
class reducer {
 public:
  explicit reducer(const host_reduction_arguments& call)
      : call_(call),
        loops_(call.loops),
        by_(division_of(call.loops)),
        lanes_(static_cast<std::ptrdiff_t>(loops_.lanes)),
        columns_(loops_.reduced.ndim == 0 ? 1 : loops_.reduced.dimensions().back().extent),
        lines_(loops_.reduced_count / columns_),
        reader_(call.elements, columns_) {}

  void run() {
    const bool converts = call_.results != dtype::of<R>();
    const detail::conversion convert(dtype::of<R>(), call_.results);
    const operand_loop& kept = loops_.kept;
    const std::size_t output = kept.count - 1;
    std::byte* first = first_element(loops_.outputs[0].used) + kept.offsets[output];
    const std::ptrdiff_t results = detail::items_of(kept.dimensions());
    for (std::ptrdiff_t k = 0; k < results; ++k) {
      const offsets at = offsets_at(kept, kept.ndim, k);
      const R found = Of::template result<V>(value_at(at), loops_.reduced_count,
                                             static_cast<X>(call_.correction));
      if (converts) {
        convert.adjacent(reinterpret_cast<const std::byte*>(&found), first + at[output], 1);
      } else {
        *reinterpret_cast<R*>(first + at[output]) = found;
      }
    }
  }

 private:
  V value_at(const offsets& at) {
    V value = part_at(at, 0);
    for (std::int64_t part = 1; part < by_.parts; ++part) {
      value = Of::template reduce<V>(value, part_at(at, part));
    }
    return value;
  }

  V part_at(const offsets& at, std::int64_t part) {
    const std::int64_t first_line = part / by_.sizes.column_parts * by_.sizes.lines_per_part;
    const std::int64_t last_line = std::min(first_line + by_.sizes.lines_per_part, lines_);
    const std::int64_t first = part % by_.sizes.column_parts * by_.sizes.columns_per_part;
    const std::int64_t count = std::min(columns_ - first, by_.sizes.columns_per_part);
    std::array<V, most_lanes> values;
    for (std::int64_t line = first_line; line < last_line; ++line) {
      add_line<Of, V, A, HasBlocks>(line_at(at, line, first, count), count, line == first_line,
                                    lanes_, values.data());
    }
    return joined_lanes<Of>(values.data(), lanes_, count);
  }

  mapped_line<Of, X> line_at(const offsets& at, std::int64_t line, std::int64_t first,
                             std::int64_t count) {
    const operand_loop& reduced = loops_.reduced;
    offsets here = offsets_at(reduced, std::max<std::size_t>(reduced.ndim, 1) - 1, line);
    offsets step{};
    for (std::size_t k = 0; k < reduced.count; ++k) {
      step[k] = reduced.ndim == 0 ? 0 : reduced.dimensions().back().strides[k];
      here[k] += reduced.offsets[k] + first * step[k];
    }
    const auto place = [&](std::size_t input) {
      return first_element(loops_.inputs[input].used) + loops_.kept.offsets[input] + at[input] +
             here[input];
    };
    mapped_line<Of, X> made{reader_.read(place(0), step[0], count), 0, 0, X()};
    if (loops_.has_index) {
      made.first_index = here[reduced.count - 1];
      made.index_step = step[reduced.count - 1];
    }
    if (loops_.inputs.size() > 1) {
      made.mean = *reinterpret_cast<const X*>(place(1));  // the same one for all of a result
    }
    return made;
  }

  const host_reduction_arguments& call_;
  const reduction_loops& loops_;
  division by_;
  std::ptrdiff_t lanes_;
  std::int64_t columns_;
  std::int64_t lines_;
  row_reader<X> reader_;
};

// ---- the loops of all rows

/// The loop of a row's expressions with these types.
template <template <class, class, class> class Of, class X, class A, class V, class R,
          bool HasBlocks = false>
host_reduction reduction(type_code result, bool has_index = false) {
  return {dtype::of<X>().code(),
          dtype::of<R>().code(),
          result,
          has_index,
          HasBlocks,
          [](const host_reduction_arguments& call) {
            reducer<Of<X, A, R>, X, A, V, R, HasBlocks>(call).run();
          }};
}

/// Sums have more digits than their addends: the type `summed` of the kernels.
template <class T>
using summed =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, double>, host::compensated<double>, T>>;

using loops_by_type = std::array<host_reduction, type_count>;

struct named_loops {
  std::string_view name;
  loops_by_type loops;
};

/// Integers of fewer bits are computed as those of 64: nothing is rounded, and they wrap around in
/// the type of the result.
template <class Body>
void for_each_type(const Body& body) {
  for (std::size_t k = 0; k < type_count; ++k) {
    const auto code = static_cast<type_code>(k);
    const char kind = dtype(code).kind();
    if (kind == 'c' || code == type_code::float16) {
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
  return code == type_code::float32 ? make.template operator()<Real, float>()
                                    : make.template operator()<Real, double>();
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
  void add(std::string_view name, const Make& make) {
    loops_by_type& loops = all_.emplace_back(named_loops{name, {}}).loops;
    for_each_type([&](type_code code, char kind) {
      loops[static_cast<std::size_t>(code)] = make(code, kind);
    });
  }

  /// Booleans are summed up as integers with a sign.
  static char summable(char kind) { return kind == 'b' ? 'i' : kind; }

  void add_sums() {
    add("sum", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(sum)>(
          code, summable(kind),
          USMX_MAKE() { return reduction<Of, T, T, summed<T>, T, true>(dtype::of<T>().code()); });
    });
    add("prod", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(prod)>(
          code, summable(kind),
          USMX_MAKE() { return reduction<Of, T, T, T, T>(dtype::of<T>().code()); });
    });
  }

  void add_chosen() {
    const auto add_values =
        [this]<template <class, class, class> class Signed,
               template <class, class, class> class Unsigned,
               template <class, class, class> class Real>(std::string_view name) {
          add(name, [](type_code code, char kind) {
            return made_for<Signed, Unsigned, Real>(
                code, kind, [=]<template <class, class, class> class Of, class T>() {
                  return reduction<Of, T, T, T, T>(code);
                });
          });
        };
    add_values.template operator()<USMX_BY_CLASS(max)>("max");
    add_values.template operator()<USMX_BY_CLASS(min)>("min");
    add("argmax", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(argmax)>(
          code, kind, USMX_MAKE() {
            using best = host::best<T, 1>;
            return reduction<Of, T, best, best, std::int64_t>(type_code::int64, true);
          });
    });
    add("argmin", [](type_code code, char kind) {
      return made_for<USMX_BY_CLASS(argmin)>(
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
    add("deviation_mean", [](type_code code, char) {
      return code == type_code::float32
                 ? reduction<host::mean_reals, double, double, double, double>(wide)
                 : reduction<host::mean_reals, double, double, summed<double>, double, true>(wide);
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
      reduced_(detail::reduced_flags(axes.axes, x.shape().size())),
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
  if (loops.lanes > most_lanes) {
    return false;
  }
  function_.run({loops, x_.type().code(), function_.result, correction_});
  return true;
}

}  // namespace usmx::inline v1::internal
