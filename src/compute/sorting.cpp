#include "compute/sorting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/host_algorithms.hpp"
#include "compute/rows.hpp"
#include "compute/scans.hpp"
#include "runtime/queues.hpp"
#include "user_kernels/kernel_code.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

constexpr std::ptrdiff_t block = 32;
constexpr std::ptrdiff_t shortest_part = 4096;
constexpr std::ptrdiff_t longest_by_digits = std::ptrdiff_t{UINT32_MAX};
constexpr std::ptrdiff_t most_parts = 64;
constexpr std::ptrdiff_t items_of_block = 256;  // this and the next two as in sort_groups.hpp
constexpr std::ptrdiff_t each_of_item = 8;
constexpr int few_bits = 8;  // of a digit; groups have no other

/// An unsigned number in the order of the elements. Empty: elements of the type have none.
std::string_view key_text(dtype type) {
  switch (type.kind()) {
    case 'b':
    case 'u':
      return "W(a)";
    case 'i':
      return "(W(a) ^ TOP)";
    case 'f':
      return "(isnan(a) ? W(-1) : a == X(0) ? TOP : BITS & TOP ? W(~BITS) : W(BITS | TOP))";
    default:
      return "";
  }
}

/// How rows are sorted: by merging, or by digits of the elements' keys. Each way has a text of its
/// own, so that a call compiles what it needs (docs/decisions.md, 176).
enum class sort_way : std::uint8_t {
  runs,
  short_rows,       ///< A work item for each row.
  digits_of_parts,  ///< A work item for each part of a row.
  digits_of_groups  ///< A work group for each block of a row.
};

sort_way way_for(dtype type, std::ptrdiff_t columns, bool is_cpu) {
  const std::ptrdiff_t shortest = is_cpu ? 256 : shortest_part;
  if (key_text(type).empty() || columns < shortest || columns > longest_by_digits) {
    return sort_way::runs;
  }
  if (!is_cpu) {
    return sort_way::digits_of_groups;
  }
  return columns < shortest_part ? sort_way::short_rows : sort_way::digits_of_parts;
}

/// Fewer steps for wide types, as long as the counts of parts fit into the nearest cache.
int bits_of_digit(dtype type, sort_way way) {
  return type.itemsize() <= 2 || way != sort_way::digits_of_parts ? few_bits : 11;
}

/// All that the text of the kernels depends on.
struct sort_key {
  type_code type;
  bool is_descending;
  sort_way way;
  bool has_short_indices;

  friend bool operator==(const sort_key&, const sort_key&) = default;
};

using names = std::vector<std::string>;

struct way_text {
  std::string_view file;
  names kernels;
};

const way_text& text_of(sort_way way) {
  static const std::array<way_text, 4> all{
      way_text{
          "sort_runs.hpp",
          {"sort_blocks", "merge", "sort_indices", "merge_indices", "with_indices", "indices_of"}},
      way_text{"sort_rows.hpp",
               {"sort_row_by_digits", "sort_indexed_row_by_digits", "with_indices", "indices_of"}},
      way_text{"sort_digits.hpp",
               {"count_digits", "move_digits", "count_indexed_digits", "move_indexed_digits",
                "with_indices", "indices_of", "begin_digits"}},
      way_text{"sort_groups.hpp",
               {"count_digits", "move_digits", "count_indexed_digits", "move_indexed_digits",
                "with_indices", "indices_of"}}};
  return all[static_cast<std::size_t>(way)];
}

std::vector<kernel> compile_sort(const sort_key& key, const sycl::queue& queue,
                                 const sort_options& how) {
  const dtype type = key.type;
  const std::size_t bits = 8 * std::min<std::size_t>(type.itemsize(), 8);
  const std::string word = detail::message("uint", bits, "_t");
  const std::string number(key_text(type).empty() ? "0" : key_text(type));
  const std::pair<std::string, std::string> macros[] = {
      {"X", std::string(language_name(type))},
      {"INDEX", key.has_short_indices ? "uint32_t" : "long"},
      {"IS_BEFORE", key.is_descending ? "comes_first(b, a)" : "comes_first(a, b)"},
      {"W", word},
      {"TOP", detail::message(word, '(', word, "(1) << ", bits - 1, ')')},
      {"BITS", "__builtin_bit_cast(W, a)"},
      {"KEY", key.is_descending ? detail::message("W(~", number, ')') : number},
      {"BITS_OF_DIGIT", std::to_string(bits_of_digit(type, key.way))},
  };
  const way_text& text = text_of(key.way);
  return compile_device_text(queue, text.file, text.kernels, macros, how.progress);
}

held_kernels kernels_for(const sort_key& key, const sycl::queue& queue, const sort_options& how) {
  // Never destroyed: a program may compute up to its end.
  static compiled_kernels<sort_key>& all = *new compiled_kernels<sort_key>();
  if (held_kernels known = all.find(queue, key)) {
    return known;
  }
  return all.add(queue, key, compile_sort(key, queue, how));
}

/// The steps of sorting rows in C order, each from one memory into another: the last one is `made`,
/// or becomes the indices.
class sort_steps {
 public:
  sort_steps(const array& x, const array& made, bool wants_indices, const sort_options& how,
             row_sharing sharing)
      : x_(x),
        made_(made),
        queue_(presented_queue(private_queue(x))),
        how_(how),
        wants_indices_(wants_indices),
        columns_(x.shape().back()),
        rows_(x.size() / columns_),
        is_cpu_(!has_groups_in_step(x, sharing)),
        way_(way_for(x.type(), columns_, is_cpu_)),
        bits_(bits_of_digit(x.type(), way_)) {
    const bool has_short_indices = columns_ <= longest_by_digits;
    kernels_ = kernels_for({x.type().code(), how.descending, way_, has_short_indices}, queue_, how);
  }

  void run() {
    const int steps = count_steps();
    set_memories(way_ == sort_way::short_rows || steps > 1);
    if (steps % 2 == 0) {
      turn();
    }
    const array last = sorted(steps);
    if (wants_indices_) {
      launch_items(named("indices_of"), queue_, x_.size(), 0, {last, made_});
    }
  }

 private:
  const kernel& named(std::string_view name) const {
    const names& all = text_of(way_).kernels;
    return (*kernels_)[static_cast<std::size_t>(std::ranges::find(all, name) - all.begin())];
  }
  const kernel& named(std::string_view of_elements, std::string_view of_indices) const {
    return named(wants_indices_ ? of_indices : of_elements);
  }

  int count_steps() const {
    const auto bits = static_cast<std::ptrdiff_t>(8 * x_.type().itemsize());
    int steps = 1;
    switch (way_) {
      case sort_way::runs:
        while (block << (steps - 1) < columns_) {
          ++steps;
        }
        return steps;
      case sort_way::short_rows:
        return 1;
      case sort_way::digits_of_parts:
      case sort_way::digits_of_groups:
        return static_cast<int>(divided_up(bits, bits_));
    }
    return steps;
  }

  void set_memories(bool has_two) {
    if (!wants_indices_) {
      constexpr std::array<std::ptrdiff_t, 1> none{};
      memories_ = {made_,
                   new_beside(x_, has_two ? made_.shape() : std::span<const std::ptrdiff_t>(none),
                              x_.type())};
      return;
    }
    const std::size_t itemsize = x_.type().itemsize();
    const bool is_short = columns_ <= longest_by_digits;
    const std::ptrdiff_t nbytes = itemsize == 16 ? 24 : is_short && itemsize <= 4 ? 8 : 16;
    const std::array all{checked_multiply(x_.size(), nbytes, "elements with their indices")};
    memories_ = {new_beside(x_, all, uint8), new_beside(x_, all, uint8)};
  }
  void turn() { std::swap(memories_[0], memories_[1]); }

  /// A work item for each row, which goes between two memories as often as it has to.
  array sort_short_rows() {
    launch_items(named("sort_row_by_digits", "sort_indexed_row_by_digits"), queue_, rows_, 1,
                 {x_, memories_[0], memories_[1], columns_});
    return memories_[0];
  }

  /// Sorts blocks, and merges runs of them.
  array sort_runs(int steps) {
    const kernel& merge = named("merge", "merge_indices");
    const std::ptrdiff_t blocks = divided_up(columns_, block);
    launch_parts(named("sort_blocks", "sort_indices"), queue_, rows_ * blocks,
                 {x_, memories_[0], columns_, blocks, block});
    for (int step = 0; step < steps - 1; ++step) {
      const std::ptrdiff_t run = block << step;
      const std::ptrdiff_t length = std::min<std::ptrdiff_t>(is_cpu_ ? 4096 : 16, 2 * run);
      const std::ptrdiff_t parts = divided_up(columns_, length);
      launch_parts(merge, queue_, rows_ * parts,
                   {memories_[0], memories_[1], columns_, parts, length, run});
      turn();
    }
    return memories_[0];
  }

  /// A step by work items: each has a part of a row.
  auto step_of_parts() {
    const std::ptrdiff_t parts =
        std::max<std::ptrdiff_t>(std::min(most_parts / rows_, columns_ / shortest_part), 1);
    const array counts = new_beside(x_, std::array{rows_ * parts << bits_}, uint32);
    return [this, parts, counts](const array& from, const array& to, std::ptrdiff_t shift) {
      launch_items(named("count_digits", "count_indexed_digits"), queue_, rows_ * parts, 1,
                   {from, counts, columns_, parts, shift});
      launch_items(named("begin_digits"), queue_, rows_, 0, {counts, parts});
      launch_items(named("move_digits", "move_indexed_digits"), queue_, rows_ * parts, 1,
                   {from, to, counts, columns_, parts, shift});
    };
  }

  /// A step by work groups: each has a block of a row.
  auto step_of_groups() {
    const std::ptrdiff_t blocks = divided_up(columns_, items_of_block * each_of_item);
    const std::array shape{rows_, blocks << bits_};
    const array counts = new_beside(x_, shape, uint32);
    const array ends = new_beside(x_, shape, uint32);
    return
        [this, blocks, counts, ends, sum = row_scan(scanned::sum, counts, ends, 0, how_.progress)](
            const array& from, const array& to, std::ptrdiff_t shift) {
          const std::ptrdiff_t items = rows_ * blocks * items_of_block;
          launch_items(named("count_digits", "count_indexed_digits"), queue_, items, items_of_block,
                       {from, counts, columns_, blocks, shift});
          sum.start();
          launch_items(named("move_digits", "move_indexed_digits"), queue_, items, items_of_block,
                       {from, to, ends, columns_, blocks, shift});
        };
  }

  /// Counts the digits of parts of the rows, and moves the elements to where they belong.
  array sort_digits(int steps, const auto& do_step) {
    array source = x_;
    if (wants_indices_) {
      source = memories_[1];
      launch_items(named("with_indices"), queue_, x_.size(), 0, {x_, source, columns_});
    }
    for (int step = 0; step < steps; ++step) {
      do_step(source, memories_[0], std::ptrdiff_t{bits_} * step);
      source = memories_[0];
      turn();
    }
    return source;
  }

  array sorted(int steps) {
    switch (way_) {
      case sort_way::runs:
        return sort_runs(steps);
      case sort_way::short_rows:
        return sort_short_rows();
      case sort_way::digits_of_parts:
        return sort_digits(steps, step_of_parts());
      case sort_way::digits_of_groups:
        return sort_digits(steps, step_of_groups());
    }
    return made_;
  }

  const array& x_;
  const array& made_;
  const sycl::queue& queue_;
  const sort_options& how_;
  bool wants_indices_;
  std::ptrdiff_t columns_;
  std::ptrdiff_t rows_;
  bool is_cpu_;
  sort_way way_;
  int bits_;
  held_kernels kernels_;
  std::array<array, 2> memories_;
};

}  // namespace

ordering::ordering(std::string_view function, ordered_by what, const array& x, sort_options how)
    : what_(what), how_(std::move(how)), x_(x), axis_(0) {
  require_usable_process();
  require_plain(function, x.type());
  if (wants_indices() && x.ndim() == 0) {
    x_ = x.reshaped({1});
  }
  if (how_.axis) {
    axis_ = normalized_axis(*how_.axis, x_.ndim());
    x_ = with_axis_last(x_, axis_);
    shape_.assign(x_.shape().begin(), x_.shape().end());
  } else {
    shape_ = {x_.size()};
  }
}

layout ordering::made_layout() const { return of_rows(shape_, axis_); }

bool ordering::is_for_host() const {
  return x_.size() != 0 && can_sort_on_host(x_.type(), x_.size(), columns()) && is_ready_on_cpu(x_);
}

void ordering::run_on_host(const array& made) const {
  const rows_on_host rows(x_);
  sort_on_host({rows.first(), x_.type(), x_.size() / columns(), columns()}, first_element(made),
               how_.descending, wants_indices());
}

void ordering::run_kernels(const array& made, row_sharing sharing) const {
  if (x_.size() == 0) {
    return;
  }
  const std::array rows{x_.size() / columns(), columns()};
  const array in_order = rows_for_kernels(x_);
  const array x = with_layout(in_order, layout::c_order(rows, in_order.layout().offset()));
  const array to = with_layout(made, layout::c_order(rows));
  sort_steps(x, to, wants_indices(), how_, sharing).run();
}

namespace {

array ordered(std::string_view function, ordered_by what, const array& x, const sort_options& how) {
  return computed(ordering(function, what, x, how), x);
}

array partitioned(std::string_view function, ordered_by what, const array& x,
                  std::span<const std::ptrdiff_t> kth, const sort_options& how) {
  const bool has_axis = x.ndim() > 0 || what == ordered_by::elements;
  const std::ptrdiff_t size =
      !how.axis || !has_axis ? x.size() : x.extent(normalized_axis(*how.axis, x.ndim()));
  for (const std::ptrdiff_t k : kth) {
    if (x.size() != 0 && (k < -size || k >= size)) {
      throw value_error(detail::message(function, ": kth must be within the ", size,
                                        " elements of the axis, found ", k));
    }
  }
  return ordered(function, what, x, how);
}

}  // namespace
}  // namespace internal

array sort(const array& x, const sort_options& how) {
  return internal::ordered("sort", internal::ordered_by::elements, x, how);
}

array argsort(const array& x, const sort_options& how) {
  return internal::ordered("argsort", internal::ordered_by::indices, x, how);
}

array partition(const array& x, const std::vector<std::ptrdiff_t>& kth, const sort_options& how) {
  return internal::partitioned("partition", internal::ordered_by::elements, x, kth, how);
}

array argpartition(const array& x, const std::vector<std::ptrdiff_t>& kth,
                   const sort_options& how) {
  return internal::partitioned("argpartition", internal::ordered_by::indices, x, kth, how);
}

}  // namespace usmx::inline v1
