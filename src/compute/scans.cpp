#include "compute/scans.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "array/array.hpp"
#include "base/messages.hpp"
#include "compute/elementwise.hpp"
#include "compute/host_algorithms.hpp"
#include "compute/promotion.hpp"
#include "compute/rows.hpp"
#include "copy/copy.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {
namespace internal {
namespace {

// ---- types

/// The name of the reduction, as errors about types have it.
std::string_view reduction_name(scanned what) { return what == scanned::sum ? "sum" : "prod"; }

bool is_integer(dtype type) { return type.kind() == 'i' || type.kind() == 'u'; }

dtype default_type(dtype of) { return of.kind() == 'u' ? uint64 : is_whole(of) ? int64 : of; }

/// The type in which a call computes. That of an output makes it wider, but never narrower.
/// Integers are the same in a narrower type, as they wrap around.
dtype computed_type(scanned what, dtype of, const cumulative_options& how, type_support has) {
  require_plain(reduction_name(what), of);
  const dtype found = default_type(of);
  if (how.type) {
    return asked_type(reduction_name(what), of, found, *how.type, has);
  }
  if (!how.out || how.out->type().is_structured()) {
    return found;
  }
  const dtype into = how.out->type();
  if (is_integer(found) && is_whole(into)) {
    return asked_type(reduction_name(what), of, found, into, has);
  }
  return is_same_kind(found, into) ? nearest_supported(promoted(found, into), has) : found;
}

/// The type of the values that kernels put together: single precision at least, and for sums one
/// with more digits than their addends, if the device has it.
dtype values_type(scanned what, dtype made, type_support has) {
  if (made == float16) {  // which has few digits to lose
    return float32;
  }
  const char kind = made.kind();
  const bool is_widened = what == scanned::sum && (kind == 'f' || kind == 'c');
  return is_widened ? nearest_supported(kind == 'f' ? float64 : complex128, has) : made;
}

// ---- kernels

std::string_view joined_by(scanned what, dtype values) {
  const bool is_sum = what == scanned::sum;
  switch (values.kind()) {
    case 'b':
      return is_sum ? "a || b" : "a && b";
    case 'i':
    case 'u':
      return is_sum ? "wrapping_add(a, b)" : "wrapping_multiply(a, b)";
    default:
      return is_sum ? "a + b" : "a * b";
  }
}

/// How rows are shared out: by work items of a CPU, or by groups of other devices.
struct way_of_rows {
  std::string_view file;
  std::ptrdiff_t items;  // for a part
  std::ptrdiff_t most_parts;
  std::ptrdiff_t shortest_part;
};
constexpr std::ptrdiff_t items_of_group = 256;  // as in scan_groups.hpp
constexpr way_of_rows by_items{"scan.hpp", 1, 256, shortest_scan_part};
constexpr way_of_rows by_groups{"scan_groups.hpp", items_of_group, 2048, 8 * items_of_group};

const way_of_rows& way_for(scanned what, const array& x, dtype made, row_sharing sharing) {
  const bool is_short = sharing == row_sharing::by_device && x.shape().back() < items_of_group;
  if (is_short || !has_groups_in_step(x, sharing)) {
    return by_items;
  }
  // OpenCL's CPU compiler, on which groups are tested, makes wrong numbers of this one.
  return what == scanned::product && made.kind() == 'c' ? by_items : by_groups;
}

struct scan_key {
  scanned what;
  const way_of_rows* way;
  type_code x;
  type_code made;

  friend bool operator==(const scan_key&, const scan_key&) = default;
};

enum : std::size_t { part_totals, earlier_totals, running_totals };

std::vector<kernel> compile_scan(const scan_key& key, dtype values, const sycl::queue& queue,
                                 const row_scan::progress& progress) {
  const std::string names[] = {"part_totals", "earlier_totals", "running_totals"};
  const bool is_sum = key.what == scanned::sum && values != bool_;
  const std::pair<std::string, std::string> macros[] = {
      {"X", std::string(language_name(key.x))},
      {"A", std::string(language_name(values))},
      {"R", std::string(language_name(key.made))},
      {"START", key.what == scanned::sum ? "0" : "1"},
      {"JOIN", std::string(joined_by(key.what, values))},
      {"IS_SUM", is_sum ? "1" : "0"},
  };
  return compile_device_text(queue, key.way->file, names, macros, progress);
}

held_kernels kernels_for(const scan_key& key, dtype values, const sycl::queue& queue,
                         const row_scan::progress& progress) {
  // The kernels are never destroyed: a program may compute up to its end.
  static compiled_kernels<scan_key>& all = *new compiled_kernels<scan_key>();
  if (held_kernels known = all.find(queue, key)) {
    return known;
  }
  return all.add(queue, key, compile_scan(key, values, queue, progress));
}

}  // namespace

row_scan::row_scan(scanned what, const array& x, const array& made, std::ptrdiff_t lead,
                   const progress& told, row_sharing sharing)
    : x_(x), made_(made), lead_(lead) {
  const sycl::queue& queue = presented_queue(private_queue(x));
  const way_of_rows& way = way_for(what, x, made.type(), sharing);
  const dtype values = values_type(what, made.type(), support_of(queue.get_device()));
  kernels_ = kernels_for({what, &way, x.type().code(), made.type().code()}, values, queue, told);
  const std::ptrdiff_t columns = x.shape().back();
  const std::ptrdiff_t rows = x.size() / columns;
  const std::ptrdiff_t most = std::max<std::ptrdiff_t>(way.most_parts / rows, 1);
  items_ = way.items;
  length_ = std::max(way.shortest_part, divided_up(columns, most));
  parts_ = divided_up(columns, length_);
  totals_ = new_beside(x, std::array{rows, parts_}, values);
}

void row_scan::start() const {
  const sycl::queue& queue = presented_queue(private_queue(x_));
  const std::ptrdiff_t columns = x_.shape().back();
  const std::ptrdiff_t rows = x_.size() / columns;
  const auto run = [&](std::size_t which, std::ptrdiff_t parts,
                       std::initializer_list<kernel_argument> arguments) {
    const kernel& chosen = (*kernels_)[which];
    if (items_ == 1) {
      launch_parts(chosen, queue, parts, arguments);
    } else {
      launch_items(chosen, queue, items_ * parts, items_, arguments);
    }
  };
  if (parts_ > 1) {
    run(part_totals, rows * parts_, {x_, totals_, parts_, columns, length_});
    run(earlier_totals, rows, {totals_, parts_});
  }
  run(running_totals, rows * parts_, {x_, made_, totals_, parts_, columns, length_, lead_});
}

// ---- calls

accumulation::accumulation(scanned what, const array& x, cumulative_options how)
    : what_(what), how_(std::move(how)), x_(x.ndim() == 0 ? x.reshaped({1}) : x) {
  require_usable_process();
  if (!how_.axis && x_.ndim() > 1) {
    throw value_error(
        detail::message(name(), ": axis is needed for an array of ", x_.ndim(), " dimensions"));
  }
  axis_ = normalized_axis(how_.axis.value_or(0), x_.ndim());
  const sycl::queue& queue = private_queue(x_);
  type_ = computed_type(what, x_.type(), how_, support_of(queue.get_device()));
  lead_ = how_.include_initial ? 1 : 0;
  x_ = with_axis_last(x_, axis_);
  shape_.assign(x_.shape().begin(), x_.shape().end());
  shape_.back() = checked_add(shape_.back(), lead_, "cumulative results");
  if (!how_.out) {
    return;
  }
  const bool wraps = is_integer(type_) && is_integer(how_.out->type());
  require_output(name(), *how_.out, wraps ? how_.out->type() : type_, made_layout().shape(), queue);
}

std::string_view accumulation::name() const noexcept {
  return what_ == scanned::sum ? "cumulative_sum" : "cumulative_prod";
}

layout accumulation::made_layout() const { return of_rows(shape_, axis_); }

array accumulation::rows_of(const array& made) const {
  return with_layout(made, layout::c_order(shape_));
}

bool accumulation::is_for_host() const {
  return x_.size() != 0 && can_scan_on_host(x_.type(), type_, x_.size(), x_.shape().back()) &&
         is_ready_on_cpu(x_);
}

void accumulation::run_on_host(const array& made) const {
  const rows_on_host rows(x_);
  const std::ptrdiff_t columns = x_.shape().back();
  scan_on_host(what_ == scanned::sum, {rows.first(), x_.type(), x_.size() / columns, columns},
               first_element(made), type_, lead_);
}

void accumulation::run_kernels(const array& made, row_sharing sharing) const {
  if (made.size() == 0) {
    return;
  }
  if (x_.size() == 0) {  // the results of nothing alone
    fill_async(made, what_ == scanned::sum ? 0 : 1);
    return;
  }
  const array x = rows_for_kernels(x_);
  const array rows = rows_of(made);
  row_scan(what_, x, rows, lead_, how_.progress, sharing).start();
}

array accumulation::written(const array& made) const {
  if (!how_.out) {
    return made;
  }
  detail::copy_in_order(made, *how_.out);
  return *how_.out;
}

namespace {

array accumulated(scanned what, const array& x, const cumulative_options& how) {
  const accumulation call(what, x, how);
  return call.written(computed(call, x));
}

}  // namespace
}  // namespace internal

array cumulative_sum(const array& x, const cumulative_options& how) {
  return internal::accumulated(internal::scanned::sum, x, how);
}

array cumulative_prod(const array& x, const cumulative_options& how) {
  return internal::accumulated(internal::scanned::product, x, how);
}

}  // namespace usmx::inline v1
