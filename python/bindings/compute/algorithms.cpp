// Cumulative sums and products, and sorting: one call of Python is one call of the library, which
// chooses between a loop of the host and kernels.
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/interpreter_lock.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {

void require_plain(const std::string& function, const array& a) {
  if (a.type().is_structured()) {
    throw type_error(detail::message(
        function, " is not defined for structured elements (",
        nb::str(to_numpy_dtype(a.type())).c_str(),
        "): it is for a field, a['name'], and NumPy has them all (usmx.asnumpy(a))"));
  }
}

std::ptrdiff_t integer_axis(nb::handle axis) {
  if (PyBool_Check(axis.ptr())) {
    throw type_error(detail::message("'axis' must be an integer, found ", repr_text(axis.ptr())));
  }
  return to_count("axis", "an integer", axis.ptr());
}

namespace {

using names = std::vector<std::string>;  // the one of the function, as a progress_line takes it

std::optional<std::ptrdiff_t> axis_argument(nb::handle axis) {
  return axis.is_none() ? std::nullopt : std::optional(integer_axis(axis));
}

/// The ways of computing that a test may ask for.
struct allowed_ways {
  explicit allowed_ways(nb::handle only) {
    const std::string_view text = only.is_none() ? "" : to_text("only", only.ptr());
    host = text.empty() || text == "host";
    kernels = text != "host";
    sharing =
        text == "groups" ? internal::row_sharing::by_groups : internal::row_sharing::by_device;
  }

  bool host;
  bool kernels;
  internal::row_sharing sharing;
};

/// The array that a call has computed; none if it may compute in no way that is allowed.
template <class Call>
std::optional<array> computed(const Call& call, const std::string& function, const array& beside,
                              allowed_ways ways) {
  const auto make = [&](first_use use) {
    return make_array(call.made_layout(), call.made_type(), internal::private_queue(beside),
                      beside.kind(), use);
  };
  if (ways.host && call.is_for_host()) {
    array made = make(first_use::at_once);
    if (call.is_for_host()) {  // another thread may have begun work while the lock was free
      constexpr std::ptrdiff_t soon_done = std::ptrdiff_t{1} << 14;  // before the lock is released
      const without_interpreter_lock unlocked(made.size() > soon_done);
      call.run_on_host(made);
      return made;
    }
  }
  if (!ways.kernels) {
    return std::nullopt;
  }
  array made = make(first_use::in_order);
  run_unlocked(function, [&] { call.run_kernels(made, ways.sharing); });
  return made;
}

nb::object accumulate(bool is_sum, nb::handle of, nb::handle axis, nb::handle type,
                      bool include_initial, nb::handle out, nb::handle only) {
  static const std::array<names, 2> all_names{names{"cumulative_prod"}, names{"cumulative_sum"}};
  const std::string& function = all_names[is_sum ? 1 : 0].front();
  const array x = array_in(of);
  require_plain(is_sum ? "sum" : "prod", x);
  require_usable_process();
  look_for_peers();
  progress_line line(all_names[is_sum ? 1 : 0]);
  cumulative_options how{
      .axis = axis_argument(axis),
      .include_initial = include_initial,
      .progress = [&](std::chrono::seconds passed) { line.show(passed); },
  };
  if (!type.is_none()) {
    how.type = dtype_argument(type);
  }
  if (!out.is_none()) {
    how.out = array_in(out);
    queue_of_all(function, std::array<kernel_argument, 2>{x, *how.out});
  }
  const internal::accumulation call(is_sum ? internal::scanned::sum : internal::scanned::product, x,
                                    std::move(how));
  std::optional<array> made = computed(call, function, x, allowed_ways(only));
  if (!made) {
    return nb::none();
  }
  if (out.is_none()) {
    return to_python(*std::move(made));
  }
  run_unlocked(function, [&] { call.written(*made); });
  return nb::borrow(out);
}

nb::object sort(const std::string& function, nb::handle of, nb::handle axis, bool descending,
                bool wants_indices, nb::handle only) {
  const array x = array_in(of);
  require_plain(function, x);
  require_usable_process();
  look_for_peers();
  const names name{function};
  progress_line line(name);
  const internal::ordering call(
      function, wants_indices ? internal::ordered_by::indices : internal::ordered_by::elements, x,
      {.axis = axis_argument(axis),
       .descending = descending,
       .progress = [&](std::chrono::seconds passed) { line.show(passed); }});
  std::optional<array> made = computed(call, function, x, allowed_ways(only));
  return made ? to_python(*std::move(made)) : nb::none();
}

}  // namespace

void bind_algorithms(nb::module_& m) {
  declare<
      "def _accumulate(is_sum: bool, x: USMArray, axis: object, dtype: object, include_initial: "
      "bool, out: USMArray | None, only: str | None = None) -> Any">(
      m, &accumulate,
      "Cumulative sums or products. `only` is \"host\" for a loop of the host, which returns "
      "None where there is none, \"kernel\" for kernels, and \"groups\" for those of GPUs.");
  declare<
      "def _sort(function: str, x: USMArray, axis: object, descending: bool = False, "
      "wants_indices: bool = False, only: str | None = None) -> Any">(
      m, &sort, "The sorted elements, or their indices. `only` is that of _accumulate.");
}

}  // namespace usmx::bindings
