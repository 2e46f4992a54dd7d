#include "compute/searching.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/host_algorithms.hpp"
#include "compute/made_kernels.hpp"
#include "compute/rows.hpp"
#include "compute/sorting.hpp"
#include "copy/copy.hpp"
#include "copy/select/selection.hpp"
#include "generated_kernels/call.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/compute/functions.hpp"
#include "usmx/compute/scans.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

// ---- searching in sorted elements

/// The finding for each value. In the kernel's expressions `position` is where it would stand.
enum class finding : std::uint8_t { left, right, presence, absence };
constexpr std::size_t findings = 4;

/// A bool as the byte 0 or 1: vectors of compared bools are wrong on CPUs (docs/limits.md).
std::string_view searched_name(dtype type) {
  return type == bool_ ? "uint8_t" : language_name(type);
}

elementwise_kernel make_search(std::string_view function, dtype sorted, dtype values, dtype common,
                               finding what) {
  // Integers are compared each in its own type: no other holds them all.
  const bool are_whole = is_whole(sorted) && is_whole(values);
  const auto read = [](char name, dtype type) {
    return detail::message(name, type == float16 ? "(float(a))" : "(a)");
  };
  const std::string_view before = are_whole ? "is_less" : "comes_first";
  const std::string_view same = are_whole ? "is_same(a, b)" : "((a) == (b))";
  const std::string_view is_in =
      "position < sorted.size() && IS_SAME(ELEMENT(sorted[position]), value)";
  const bool is_position = what == finding::left || what == finding::right;
  return {detail::message("raw ", sorted.name(), " sorted, ", values.name(), " given"),
          is_position ? "int64 out" : "bool out",
          detail::message("const V value = VALUE(given);\n",
                          "const long position = position_in(sorted, value, ",
                          what == finding::right ? "true" : "false", ");\nout = ",
                          is_position                 ? "position"
                          : what == finding::presence ? std::string(is_in)
                                                      : detail::message("!(", is_in, ')')),
          {.name = std::string(function),
           .preamble = detail::message(
               device_text("device_functions.hpp"),
               "using E = ", searched_name(are_whole ? sorted : common), ";\nusing V = ",
               searched_name(are_whole ? values : common), ";\n", "#define ELEMENT(a) ",
               read('E', sorted), "\n#define VALUE(a) ", read('V', values), "\n#define IS_BEFORE ",
               before, "\n#define IS_SAME(a, b) ", same, '\n', device_text("search.hpp"))}};
}

/// The kernel, which is made once.
const elementwise_kernel& search_kernel(std::string_view function, dtype sorted, dtype values,
                                        dtype common, type_support has, finding what) {
  static made_kernels<elementwise_kernel, findings * 4 * type_count * type_count> all;
  const auto code = [](dtype type) { return static_cast<std::size_t>(type.code()); };
  const std::size_t support = (has.fp16 ? 2 : 0) + (has.fp64 ? 1 : 0);
  const std::size_t number = (code(sorted) * type_count + code(values)) * 4 + support;
  return all.at(number * findings + static_cast<std::size_t>(what),
                [&] { return make_search(function, sorted, values, common, what); });
}

/// An integer as one of a type that has it.
std::optional<operand_kind> wide_integer(const kernel_argument::number& number) {
  return std::holds_alternative<std::int64_t>(number)    ? operand_kind{type_code::int64, false}
         : std::holds_alternative<std::uint64_t>(number) ? operand_kind{type_code::uint64, false}
                                                         : std::optional<operand_kind>();
}

array search(std::string_view function, const array& sorted, const kernel_argument& values,
             operand_kind kind, finding what, const search_progress& progress) {
  const type_support has = support_of(private_queue(sorted).get_device());
  const std::array kinds{operand_kind{sorted.type().code(), false}, kind};
  const dtype common = nearest_supported(common_type(kinds), has);
  const dtype own = kind.is_weak ? common : dtype(kind.type);
  const auto* number = std::get_if<kernel_argument::number>(&values.value());
  if (number != nullptr && !has_integer(own, *number)) {
    return search(function, sorted, values, *wide_integer(*number), what, progress);
  }
  const elementwise_kernel& kernel = search_kernel(function, sorted.type(), own, common, has, what);
  const generated_call_options how{.progress = progress};
  if (number == nullptr) {
    return kernel.call(std::array<kernel_argument, 2>{sorted, values}, how)[0];
  }
  const kernel_argument converted(converted_number(function, *number, own));
  return kernel.call(std::array<kernel_argument, 2>{sorted, converted}, how,
                     std::vector<std::ptrdiff_t>())[0];
}

/// The sorted elements by their positions. Both are checked.
array in_order_of(const array& x, const array& sorter) {
  if (sorter.type().kind() != 'i' && sorter.type().kind() != 'u') {
    throw type_error(
        detail::message("sorter must be of integers, found ", detail::message(sorter.type())));
  }
  if (sorter.ndim() != 1 || sorter.size() != x.size()) {
    throw value_error(detail::message("sorter must have the shape of x1, ", tuple_text(x.shape()),
                                      ", found ", tuple_text(sorter.shape())));
  }
  return take(x, sorter);
}

/// Throws type_error for an array of structured elements.
void require_plain_values(std::string_view function, const kernel_argument& values) {
  if (const auto* a = std::get_if<const array*>(&values.value())) {
    require_plain(function, (*a)->type());
  }
}

operand_kind kind_of(std::string_view function, const kernel_argument& values) {
  if (const auto found = operand(values)) {
    return *found;
  }
  throw type_error(
      detail::message(function, ": expected an array or a number, found another value"));
}

}  // namespace

array search_sorted(const array& sorted, const kernel_argument& values, operand_kind kind,
                    const search_options& how) {
  constexpr std::string_view function = "searchsorted";
  require_usable_process();
  if (sorted.ndim() != 1) {
    throw value_error(detail::message("x1 must have 1 dimension, found ", sorted.ndim()));
  }
  std::vector<kernel_argument> operands{sorted, values};
  if (how.sorter) {
    operands.emplace_back(*how.sorter);
  }
  detail::common_queue(function, operands);
  require_plain(function, sorted.type());
  require_plain_values(function, values);
  detail::require_one_of(how.side, search_side::right, "searchsorted: side", "left or right");
  array x = how.sorter ? in_order_of(sorted, *how.sorter) : sorted;
  x = x.type() == bool_ ? rows_for_kernels(x) : x;
  const finding what = how.side == search_side::right ? finding::right : finding::left;
  return search(function, x, values, kind, what, how.progress);
}

namespace {

/// Finds few values among few elements by loops of the host. None, and has done nothing, where that
/// is not possible now.
std::optional<array> members_on_host(const array& values, const array& searched, bool is_inverted) {
  constexpr std::ptrdiff_t most = 16384;
  const bool has_loops = values.type() == searched.type() && values.kind() == searched.kind() &&
                         values.size() <= most && searched.size() <= most && searched.size() != 0 &&
                         can_sort_on_host(searched.type(), searched.size(), searched.size());
  const auto are_ready = [&] { return is_ready_on_cpu(values) && is_ready_on_cpu(searched); };
  if (!has_loops || !are_ready()) {
    return std::nullopt;
  }
  array made = new_array(detail::common_layout(std::array{&values}, values.shape()), bool_,
                         private_queue(searched), searched.kind(), 0, first_use::at_once);
  if (!are_ready()) {  // another thread may have begun work meanwhile
    return std::nullopt;
  }
  const rows_on_host row(searched);
  const rows_on_host wanted(values);
  auto* to = reinterpret_cast<bool*>(first_element(made));
  const dtype read = values.type() == bool_ ? uint8 : values.type();
  visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
        std::uint32_t, std::uint64_t, float, double>(read, [&]<class T>(std::type_identity<T>) {
    std::vector<T> sorted(static_cast<std::size_t>(searched.size()));
    sort_on_host({row.first(), searched.type(), 1, searched.size()},
                 reinterpret_cast<std::byte*>(sorted.data()), false, false);
    const T* value = reinterpret_cast<const T*>(wanted.first());
    detail::for_each_index(
        values.shape().size(), [&](std::size_t axis) { return values.shape()[axis]; },
        [&](std::size_t axis, std::ptrdiff_t steps) { to += made.strides()[axis] * steps; },
        [&](auto) {
          const auto found = std::ranges::lower_bound(sorted, *value);  // NaN are at the end
          *to = (found != sorted.end() && *found == *value) != is_inverted;
          ++value;
        });
  });
  return made;
}

}  // namespace

array search_members(const kernel_argument& values, operand_kind kind, const array& searched,
                     const membership_options& how) {
  constexpr std::string_view function = "isin";
  require_usable_process();
  detail::common_queue(function, std::array<kernel_argument, 2>{values, searched});
  require_plain_values(function, values);
  if (const auto* const* a = std::get_if<const array*>(&values.value())) {
    if (auto made = members_on_host(**a, searched, how.invert)) {
      return *std::move(made);
    }
  }
  const sort_options flat{.axis = std::nullopt, .progress = how.progress};
  const array sorted = computed(ordering(function, ordered_by::elements, searched, flat), searched);
  const finding what = how.invert ? finding::absence : finding::presence;
  return search(function, sorted, values, kind, what, how.progress);
}

// ---- different elements

namespace {

bool wants_indices(unique_parts parts) {
  return parts == unique_parts::all || parts == unique_parts::inverse;
}
bool wants_counts(unique_parts parts) {
  return parts == unique_parts::all || parts == unique_parts::counts;
}

using integers = std::vector<std::int64_t>;

/// A new array beside another one, of elements that the host has.
array new_of(const array& x, dtype type, std::span<const std::ptrdiff_t> shape, const void* from) {
  array made =
      new_array(layout::c_order(shape), type, private_queue(x), x.kind(), 0, first_use::at_once);
  if (made.nbytes() != 0) {
    std::memcpy(first_element(made), from, made.nbytes());
  }
  return made;
}
array new_of(const array& x, const integers& values) {
  return new_of(x, int64, std::array{static_cast<std::ptrdiff_t>(values.size())}, values.data());
}

/// Finds them by loops of the host. The array has elements.
unique_all_result unique_on_host(const array& x, unique_parts parts) {
  const rows_on_host rows(x);
  const auto count = static_cast<std::size_t>(x.size());
  const host_rows row{rows.first(), x.type(), 1, x.size()};
  unique_all_result found;
  const dtype read = x.type() == bool_ ? uint8 : x.type();
  visit<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
        std::uint32_t, std::uint64_t, float, double>(read, [&]<class T>(std::type_identity<T>) {
    std::vector<T> ordered(count);
    integers positions;
    integers starts;
    if (wants_indices(parts)) {
      positions.resize(count);
      sort_on_host(row, reinterpret_cast<std::byte*>(positions.data()), false, true);
      const T* from = reinterpret_cast<const T*>(rows.first());
      for (std::size_t k = 0; k < count; ++k) {
        ordered[k] = from[positions[k]];
      }
    } else {
      sort_on_host(row, reinterpret_cast<std::byte*>(ordered.data()), false, false);
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (k == 0 || ordered[k] != ordered[k - 1]) {
        starts.push_back(static_cast<std::int64_t>(k));
      }
    }
    const std::size_t different = starts.size();
    starts.push_back(x.size());
    std::vector<T> values(different);
    integers indices(parts == unique_parts::all ? different : 0);
    integers counts(wants_counts(parts) ? different : 0);
    integers inverse(wants_indices(parts) ? count : 0);
    for (std::size_t k = 0; k < different; ++k) {
      const auto start = static_cast<std::size_t>(starts[k]);
      const auto end = static_cast<std::size_t>(starts[k + 1]);
      values[k] = ordered[start];
      if (!indices.empty()) {
        indices[k] = positions[start];
      }
      if (!counts.empty()) {
        counts[k] = starts[k + 1] - starts[k];
      }
      for (std::size_t i = start; !inverse.empty() && i < end; ++i) {
        inverse[static_cast<std::size_t>(positions[i])] = static_cast<std::int64_t>(k);
      }
    }
    const std::array shape{static_cast<std::ptrdiff_t>(different)};
    found.values = new_of(x, x.type(), shape, values.data());
    if (parts == unique_parts::all) {
      found.indices = new_of(x, indices);
    }
    if (wants_indices(parts)) {
      found.inverse_indices = new_of(x, int64, x.shape(), inverse.data());
    }
    if (wants_counts(parts)) {
      found.counts = new_of(x, counts);
    }
  });
  return found;
}

/// Which elements of a sorted array differ from the one before.
array first_of_each(const array& ordered) {
  const array is_first = new_beside(ordered, ordered.shape(), bool_);
  if (ordered.size() != 0) {
    fill_async(is_first.slice(range(0, 1)), true);
    compute("not_equal", {ordered.slice(range(1)), ordered.slice(range(0, -1))},
            {.outputs = {is_first.slice(range(1))}});
  }
  return is_first;
}

/// How far it is from each position to the next one, and from the last one to the end.
array counts_of(const array& starts, std::ptrdiff_t end) {
  const array bounds = new_beside(starts, std::array{starts.size() + 1}, int64);
  detail::copy_in_order(starts, bounds.slice(range(0, -1)));
  fill_async(bounds.slice(range(-1)), std::int64_t{end});
  return subtract(bounds.slice(range(1)), bounds.slice(range(0, -1)));
}

array sorted_for(std::string_view function, ordered_by what, const array& flat,
                 const search_progress& progress) {
  return computed(ordering(function, what, flat, {.axis = 0, .progress = progress}), flat);
}

unique_all_result unique_by_kernels(std::string_view function, const array& x, unique_parts parts,
                                    const search_progress& progress) {
  const array flat = flattened(x);
  unique_all_result found;
  array order;
  array ordered;
  if (wants_indices(parts)) {
    order = sorted_for(function, ordered_by::indices, flat, progress);
    ordered = take(flat, order);
  } else {
    ordered = sorted_for(function, ordered_by::elements, flat, progress);
  }
  const array is_first = first_of_each(ordered);
  const array starts = nonzero(is_first).front();
  found.values = take(ordered, starts);
  if (parts == unique_parts::all) {
    found.indices = take(order, starts);
  }
  if (wants_indices(parts)) {
    const array ranks = cumulative_sum(is_first, {.progress = progress});
    const array inverse = new_beside(flat, flat.shape(), int64);
    const key_item at[] = {order};
    scatter(subtract(ranks, 1), selection::of(inverse.layout(), at), inverse);
    found.inverse_indices = with_layout(inverse, layout::c_order(x.shape()));
  }
  if (wants_counts(parts)) {
    found.counts = counts_of(starts, flat.size());
  }
  return found;
}

}  // namespace

unique_all_result find_unique(std::string_view function, const array& x, unique_parts parts,
                              const search_progress& progress) {
  require_usable_process();
  require_plain(function, x.type());
  const bool is_for_host =
      x.size() != 0 && can_sort_on_host(x.type(), x.size(), x.size()) && is_ready_on_cpu(x);
  return is_for_host ? unique_on_host(x, parts) : unique_by_kernels(function, x, parts, progress);
}

}  // namespace internal

array searchsorted(const array& sorted, const kernel_argument& values, const search_options& how) {
  return internal::search_sorted(sorted, values, internal::kind_of("searchsorted", values), how);
}

array isin(const kernel_argument& values, const array& searched, const membership_options& how) {
  return internal::search_members(values, internal::kind_of("isin", values), searched, how);
}

array unique_values(const array& x, const unique_options& how) {
  return internal::find_unique("unique_values", x, internal::unique_parts::values, how.progress)
      .values;
}

unique_counts_result unique_counts(const array& x, const unique_options& how) {
  unique_all_result found =
      internal::find_unique("unique_counts", x, internal::unique_parts::counts, how.progress);
  return {std::move(found.values), std::move(found.counts)};
}

unique_inverse_result unique_inverse(const array& x, const unique_options& how) {
  unique_all_result found =
      internal::find_unique("unique_inverse", x, internal::unique_parts::inverse, how.progress);
  return {std::move(found.values), std::move(found.inverse_indices)};
}

unique_all_result unique_all(const array& x, const unique_options& how) {
  return internal::find_unique("unique_all", x, internal::unique_parts::all, how.progress);
}

// ---- elements at indices

namespace internal {
namespace {

void require_indices(std::string_view function, const array& x, const array& indices) {
  require_usable_process();
  detail::common_queue(function, std::array<kernel_argument, 2>{x, indices});
  if (indices.type().kind() != 'i' && indices.type().kind() != 'u' && indices.type() != bool_) {
    throw index_error(detail::message("indices must be integers, found ", indices.type()));
  }
}

/// The elements that a key with arrays in it addresses, in a new array.
array selected_by(const array& x, const std::vector<key_item>& key) {
  const selection selected = selection::of(x.layout(), key);
  array made = new_array(layout::c_order(selected.shape()), x.type(), private_queue(x), x.kind(), 0,
                         first_use::at_once);
  gather_to_fresh(x, selected, made);
  return made;
}

}  // namespace
}  // namespace internal

array take(const array& x, const array& indices, std::optional<std::ptrdiff_t> axis) {
  internal::require_indices("take", x, indices);
  const array from = !axis ? internal::flattened(x) : x.ndim() == 0 ? x.reshaped({1}) : x;
  const int along = normalized_axis(axis.value_or(0), from.ndim());
  std::vector<key_item> key(static_cast<std::size_t>(along), range());
  key.emplace_back(indices.type() == bool_ ? astype(indices, uint8) : indices);
  return internal::selected_by(from, key);
}

array take_along_axis(const array& x, const array& indices, std::ptrdiff_t axis) {
  internal::require_indices("take_along_axis", x, indices);
  const int along = normalized_axis(axis, x.ndim());
  if (indices.ndim() != x.ndim()) {
    throw value_error(detail::message("take_along_axis: indices must have ", x.ndim(),
                                      " dimensions, found ", indices.ndim()));
  }
  std::vector<std::ptrdiff_t> wide(x.shape().begin(), x.shape().end());
  for (std::size_t k = 0; k < wide.size(); ++k) {
    const std::ptrdiff_t extent = indices.shape()[k];
    if (static_cast<int>(k) == along || wide[k] == 1) {
      wide[k] = static_cast<int>(k) == along ? wide[k] : extent;
    }
  }
  std::vector<key_item> key;
  for (int k = 0; k < x.ndim(); ++k) {
    if (k == along) {
      key.emplace_back(indices.type() == bool_ ? astype(indices, uint8) : indices);
    } else {
      key.emplace_back(each_index{k, x.ndim()});
    }
  }
  return internal::selected_by(internal::with_layout(x, broadcast(x.layout(), wide)), key);
}

array flatnonzero(const array& x) { return nonzero(internal::flattened(x)).front(); }

array argwhere(const array& x) {
  const std::vector<array> coordinates = nonzero(x.ndim() == 0 ? x.reshaped({1}) : x);
  const auto ndim = static_cast<std::ptrdiff_t>(x.ndim());
  const std::array shape{coordinates.front().size(), ndim};
  const array made = internal::new_beside(x, shape, int64);
  for (std::ptrdiff_t k = 0; k < ndim; ++k) {
    detail::copy_in_order(coordinates[static_cast<std::size_t>(k)], made.slice(range(), k));
  }
  return made;
}

}  // namespace usmx::inline v1
