// Searching in sorted arrays and among different elements: one call of Python is one call of the
// library.
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "support/interpreter_lock.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

using names = std::vector<std::string>;  // the one of the function, as a progress_line takes it

/// Values that are searched, and their kind.
struct searched_values {
  kernel_argument argument;
  internal::operand_kind kind;
};

/// Whether a number of Python's own becomes infinite, of which NumPy warns.
bool is_too_large(const typed_number& number, dtype type) {
  const bool is_floating = type.kind() == 'f' || type.kind() == 'c';
  const bool has_kind = number.kind.type != type_code::complex128 || type.kind() == 'c';
  return number.kind.is_weak && is_floating && has_kind && !internal::has_value(type, number.value);
}

/// The array or number in an argument, beside an array of that type; none if the package has to
/// look at it first.
std::optional<searched_values> values_in(nb::handle object, dtype beside) {
  if (const array* a = as_array(object.ptr())) {
    return searched_values{*a, {a->type().code(), false}};
  }
  const std::optional<typed_number> number = number_of(object.ptr());
  if (!number || is_too_large(*number, beside)) {
    return std::nullopt;
  }
  return searched_values{kernel_argument(number->value), number->kind};
}

struct named_array {
  const char* name;
  const array* given;
};

/// Raises an ExecutionPlacementError, which has the names, for arrays on several queues.
void require_common_queue(const std::string& function, std::initializer_list<named_array> all) {
  const array* first = nullptr;
  for (const named_array& each : all) {
    first = first == nullptr ? each.given : first;
    if (each.given == nullptr ||
        internal::private_queue(*each.given) == internal::private_queue(*first)) {
      continue;
    }
    nb::list named;
    for (const named_array& one : all) {
      if (one.given != nullptr) {
        named.append(nb::make_tuple(one.name, to_python(*one.given)));
      }
    }
    hooks::common_queue_of_arguments(function, named);
    return;
  }
}

nb::object search_sorted(nb::handle x1, nb::handle x2, bool is_right, nb::handle sorter) {
  static const names name{"searchsorted"};
  const array x = array_in(x1);
  const std::optional<searched_values> values = values_in(x2, x.type());
  if (!values) {
    return nb::none();
  }
  const array* order = sorter.is_none() ? nullptr : &array_in(sorter);
  require_usable_process();
  look_for_peers();
  require_common_queue(name.front(), {{"x1", &x}, {"x2", as_array(x2.ptr())}, {"sorter", order}});
  require_plain(name.front(), x);
  if (const array* of = as_array(x2.ptr())) {
    require_plain(name.front(), *of);
  }
  progress_line line(name);
  search_options how{
      .side = is_right ? search_side::right : search_side::left,
      .progress = [&](std::chrono::seconds passed) { line.show(passed); },
  };
  if (order != nullptr) {
    how.sorter = *order;
  }
  return to_python(run_unlocked(name.front(), [&] {
    return internal::search_sorted(x, values->argument, values->kind, how);
  }));
}

nb::object is_in(nb::handle x1, nb::handle x2, bool invert) {
  static const names name{"isin"};
  const array searched = array_in(x2);
  const std::optional<searched_values> values = values_in(x1, searched.type());
  if (!values) {
    return nb::none();
  }
  require_usable_process();
  look_for_peers();
  const array* elements = as_array(x1.ptr());
  require_common_queue(name.front(), {{"x1", elements}, {"x2", &searched}});
  if (elements != nullptr) {
    require_plain(name.front(), *elements);
  }
  require_plain(name.front(), searched);
  progress_line line(name);
  const membership_options how{
      .invert = invert,
      .progress = [&](std::chrono::seconds passed) { line.show(passed); },
  };
  return to_python(run_unlocked(name.front(), [&] {
    return internal::search_members(values->argument, values->kind, searched, how);
  }));
}

nb::object unique(const std::string& function, nb::handle of, bool wants_indices,
                  bool wants_inverse, bool wants_counts) {
  using internal::unique_parts;
  const array x = array_in(of);
  require_plain(function, x);
  require_usable_process();
  look_for_peers();
  const unique_parts parts = wants_indices   ? unique_parts::all
                             : wants_inverse ? unique_parts::inverse
                             : wants_counts  ? unique_parts::counts
                                             : unique_parts::values;
  const names name{function};
  progress_line line(name);
  unique_all_result found = run_unlocked(function, [&] {
    return internal::find_unique(function, x, parts,
                                 [&](std::chrono::seconds passed) { line.show(passed); });
  });
  nb::list all;
  for (array* each : {&found.values, &found.indices, &found.inverse_indices, &found.counts}) {
    if (each->owner() != nullptr) {
      all.append(to_python(std::move(*each)));
    }
  }
  return nb::tuple(all);
}

}  // namespace

void bind_searches(nb::module_& m) {
  declare<
      "def _searchsorted(x1: USMArray, x2: Any, is_right: bool, sorter: USMArray | None = None) "
      "-> Any">(
      m, &search_sorted,
      "Where values would stand in a sorted array. None for a number that the package has to "
      "look at first.");
  declare<"def _isin(x1: Any, x2: USMArray, invert: bool) -> Any">(
      m, &is_in,
      "Which values an array has. None for a number that the package has to "
      "look at first.");
  declare<
      "def _unique(function: str, x: USMArray, wants_indices: bool = False, wants_inverse: bool = "
      "False, wants_counts: bool = False) -> tuple[USMArray, ...]">(
      m, &unique,
      "The different elements, and what else is asked for; the indices with all the rest.");
}

}  // namespace usmx::bindings
