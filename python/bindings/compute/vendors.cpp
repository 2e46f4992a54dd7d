// Mathematics by the libraries of vendors, as the package calls them: linear algebra and Fourier
// transforms (docs/decisions.md, 163).
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
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
#include "sycl_objects/classes.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

/// How the library makes results for calls of Python, and whether it may do little work at once:
/// the interpreter lock keeps others from the arrays meanwhile (docs/decisions.md, 135).
template <class Way>
Way way_of_python(bool has_lock, bool asks_caller_first) {
  Way way;
  way.make = [](layout where, dtype type, const sycl::queue& queue, usm_kind kind) {
    return make_array(std::move(where), type, queue, kind, first_use::in_order);
  };
  way.is_alone = has_lock;
  way.asks_caller_first = asks_caller_first;
  return way;
}

/// Calls `run(has_lock)`, with the interpreter lock if the work may be little, and begins anew
/// without it if that would have to wait.
template <class Run>
auto computed(const std::string& function, bool may_be_little, const Run& run) {
  require_usable_process();
  look_for_peers();
  if (may_be_little) {
    try {
      const internal::no_waiting while_locked;
      return run(true);
    } catch (const internal::would_wait&) {
      // Nothing but new memory for the results has been touched, and that is gone again.
    }
  }
  return run_unlocked(function, [&] { return run(false); });
}

/// The host's library is loaded without the interpreter lock. Later calls find it at once.
std::atomic<bool> is_host_library_loaded = false;

// ---- linear algebra

using linalg_results = std::vector<array>;

/// The results of Python's own way of computing; none if the host has to compute.
std::optional<linalg_results> ask_for_results(nb::handle caller,
                                              const internal::linalg_call& call) {
  const with_interpreter_lock locked;
  nb::list inputs;
  for (const array& each : call.inputs) {
    inputs.append(to_python(array(each)));
  }
  nb::list results;
  for (const internal::linalg_result& each : call.results) {
    results.append(nb::make_tuple(to_tuple(each.shape), to_numpy_dtype(each.type)));
  }
  const std::string kind(name(call.kind));
  const std::string routine(call.routine);
  const nb::object made = call_python(caller, routine, inputs, results, kind, call.option,
                                      call.tolerance, call.is_checked);
  if (made.is_none()) {
    return std::nullopt;
  }
  linalg_results all;
  for (const nb::handle each : nb::cast<nb::tuple>(made)) {
    all.push_back(array_in(each));
  }
  return all;
}

/// How Python's functions of linear algebra compute.
struct python_linalg {
  bool is_checked;
  nb::handle caller;
  bool asks_caller_first;
  nb::handle solver;  // None, True for oneMKL's for GPUs, or what plays cuSOLVER

  internal::linalg_way way(bool has_lock, progress_line& line) const {
    auto way = way_of_python<internal::linalg_way>(has_lock, asks_caller_first);
    way.is_checked = is_checked;
    way.caller = [caller = caller](const internal::linalg_call& call) {
      return ask_for_results(caller, call);
    };
    way.progress = [&](std::chrono::seconds passed) { line.show(passed); };
    if (solver.is(nb::bool_(true))) {
      way.solver = {&internal::run_onemkl_solver, false};
    } else if (!solver.is_none()) {
      way.solver.start = [solver = solver](const internal::solver_call& call) {
        const with_interpreter_lock locked;
        nb::list arrays;
        for (const array& each : call.arrays) {
          arrays.append(to_python(array(each)));
        }
        call_python(solver, std::string(call.routine), arrays, call.option);
      };
    }
    return way;
  }
};

/// Whether LAPACK may compute with these at once, which takes longer for more elements.
bool may_be_little_for_lapack(const array& x, const array* right, const python_linalg& how) {
  constexpr std::ptrdiff_t most = 4096;
  const auto is_ready = [](const array& a) {
    return a.size() <= most && internal::is_ready_for_lapack(a);
  };
  return is_host_library_loaded && !how.asks_caller_first && how.solver.is_none() && is_ready(x) &&
         (right == nullptr || is_ready(*right));
}

void require_one_queue(const std::string& function, const array& x, const array* right) {
  if (right != nullptr) {
    queue_of_all(function, std::array<kernel_argument, 2>{x, *right});
  }
}

/// One operand or two; None if one of them is no USMArray.
nb::object linalg(const std::string& routine, nb::handle of_x, nb::handle of_right, bool option,
                  bool is_checked, nb::handle caller, bool asks_caller_first, nb::handle solver) {
  const python_linalg how{is_checked, caller, asks_caller_first, solver};
  const array* const given_x = as_array(of_x.ptr());
  const array* const given_right = of_right.is_none() ? nullptr : as_array(of_right.ptr());
  if (given_x == nullptr || (given_right == nullptr && !of_right.is_none())) {
    return nb::none();
  }
  const array x = *given_x;  // the caller's may change while the lock is free
  const std::optional<array> second =
      given_right == nullptr ? std::nullopt : std::optional(*given_right);
  const array* const right = second ? &*second : nullptr;
  const std::vector<std::string> names{"linalg." + routine};
  require_one_queue(names.front(), x, right);
  progress_line line(names);
  linalg_results made =
      computed(names.front(), may_be_little_for_lapack(x, right, how), [&](bool has_lock) {
        return internal::run_routine(routine, x, right, option, how.way(has_lock, line));
      });
  is_host_library_loaded = true;
  wait_at_exit();
  if (made.size() == 1) {
    return to_python(std::move(made.front()));
  }
  nb::list all;
  for (array& each : made) {
    all.append(to_python(std::move(each)));
  }
  return nb::tuple(all);
}

nb::object lstsq(nb::handle of_a, nb::handle of_b, std::optional<double> rcond, bool is_checked,
                 nb::handle caller, bool asks_caller_first, nb::handle solver) {
  const python_linalg how{is_checked, caller, asks_caller_first, solver};
  const array a = array_in(of_a);
  const array b = array_in(of_b);
  const std::vector<std::string> names{"linalg.lstsq"};
  require_one_queue(names.front(), a, &b);
  progress_line line(names);
  linalg::lstsq_result made = computed(
      names.front(), a.size() != 0 && may_be_little_for_lapack(a, &b, how),
      [&](bool has_lock) { return internal::least_squares(a, b, rcond, how.way(has_lock, line)); });
  is_host_library_loaded = true;
  wait_at_exit();
  return nb::make_tuple(to_python(std::move(made.x)), to_python(std::move(made.residuals)),
                        made.rank, to_python(std::move(made.singular_values)));
}

// ---- Fourier transforms

bool ask_for_transform(nb::handle caller, const internal::fourier_call& call) {
  const with_interpreter_lock locked;
  nb::list axes;
  for (const int axis : call.axes) {
    axes.append(axis);
  }
  return nb::cast<bool>(call_python(caller, to_python(array(call.input)),
                                    to_python(array(call.output)), axes, call.is_forward,
                                    call.scale));
}

fft::norm norm_argument(const std::string& function, nb::handle norm) {
  if (norm.is_none()) {
    return fft::norm::backward;
  }
  const std::string_view text = PyUnicode_Check(norm.ptr()) ? to_text("norm", norm.ptr()) : "";
  if (text == "backward") {
    return fft::norm::backward;
  }
  if (text == "forward") {
    return fft::norm::forward;
  }
  if (text == "ortho") {
    return fft::norm::ortho;
  }
  throw value_error(detail::message("fft.", function,
                                    ": norm must be 'backward', 'ortho' or 'forward', found ",
                                    repr_text(norm.ptr())));
}

std::optional<std::ptrdiff_t> extent_argument(nb::handle n) {
  return n.is_none() ? std::nullopt : std::optional(to_count("n", "an integer", n.ptr()));
}

/// `extents` and `axes` are tuples, an integer each, or None. None if `x` is no USMArray.
nb::object transform(const std::string& function, nb::handle of_x, nb::handle extents,
                     nb::handle axes, nb::handle norm, nb::handle caller, bool asks_caller_first) {
  const array* const given = as_array(of_x.ptr());
  if (given == nullptr) {
    return nb::none();
  }
  const array x = *given;  // the caller's may change while the lock is free
  internal::transform_call call{function};
  const bool has_one_axis = !axes.is_none() && !PyTuple_Check(axes.ptr());
  if (has_one_axis) {
    call.extents.emplace(1, extent_argument(extents));
    call.axes.emplace(1, integer_axis(axes));
  } else {
    if (!extents.is_none()) {
      call.extents.emplace();
      for (const nb::handle each : nb::cast<nb::tuple>(extents)) {
        call.extents->push_back(extent_argument(each));
      }
    }
    if (!axes.is_none()) {
      call.axes.emplace();
      for (const nb::handle each : nb::cast<nb::tuple>(axes)) {
        call.axes->push_back(integer_axis(each));
      }
    }
  }
  call.norm = norm_argument(function, norm);
  const std::vector<std::string> names{"fft." + function};
  progress_line line(names);
  array made =
      computed(names.front(),
               is_host_library_loaded && !asks_caller_first && internal::is_ready_for_transforms(x),
               [&](bool has_lock) {
                 auto way = way_of_python<internal::transform_way>(has_lock, asks_caller_first);
                 way.caller = [caller](const internal::fourier_call& each) {
                   return ask_for_transform(caller, each);
                 };
                 way.progress = [&](std::chrono::seconds passed) { line.show(passed); };
                 return internal::transformed(call, x, way);
               });
  is_host_library_loaded = true;
  wait_at_exit();
  return to_python(std::move(made));
}

/// The name of a library for a device, whether it is found, its file or the reason, and how it
/// comes.
nb::tuple library_for(nb::handle device,
                      internal::vendor_library (*find)(const sycl::device& device)) {
  const sycl::device of = queue_argument(nb::none(), device).get_device();
  const auto found = [&] {
    const without_interpreter_lock unlocked;
    return find(of);
  }();
  return nb::make_tuple(found.name, found.is_found, found.text, found.install);
}

}  // namespace

void bind_vendors(nb::module_& m) {
  declare<"def _find_product_library(device: DeviceLike, /) -> tuple[str, bool, str, str]">(
      m, [](nb::handle device) { return library_for(device, &internal::find_product_library); });
  declare<"def _find_transform_library(device: DeviceLike, /) -> tuple[str, bool, str, str]">(
      m, [](nb::handle device) { return library_for(device, &internal::find_transform_library); });
  declare<"def _find_solver_library(device: DeviceLike, /) -> tuple[str, bool, str, str]">(
      m, [](nb::handle device) { return library_for(device, &internal::find_solver_library); });
  declare<"def _find_host_library() -> tuple[bool, str, str]">(m, [] {
    const auto found = [] {
      const without_interpreter_lock unlocked;
      return internal::find_host_library();
    }();
    return nb::make_tuple(found.is_found, found.text, found.install);
  });
  declare<"def _host_reaches(a: USMArray, /) -> bool">(
      m, [](nb::handle a) { return internal::host_reaches(array_in(a)); });
  declare<
      "def _linalg(routine: str, x: object, right: object, option: bool, is_checked: bool, caller: "
      "Callable[..., Any], asks_caller_first: bool, solver: Callable[..., None] | bool | None, /) "
      "-> Any">(
      m, &linalg,
      "The result of a routine, or a tuple of them; None if an operand is no USMArray. `caller` "
      "computes, or returns None, where no library of the host's does. `solver` plays that of a "
      "device; True is oneMKL's for GPUs.");
  declare<
      "def _lstsq(a: USMArray, b: USMArray, rcond: float | None, is_checked: bool, caller: "
      "Callable[..., Any], asks_caller_first: bool, solver: Callable[..., None] | bool | None, /) "
      "-> tuple[USMArray, USMArray, int, USMArray]">(m, &lstsq);
  declare<"def _set_linalg_error(cls: type[Exception], /) -> None">(m, &set_linalg_error_class);
  declare<"def _raise_matrix_fate(routine: str, not_finite: bool, /) -> NoReturn">(
      m, &internal::throw_matrix_fate);
  declare<
      "def _fft(function: str, x: object, extents: object, axes: object, norm: object, caller: "
      "Callable[..., bool], asks_caller_first: bool, /) -> Any">(
      m, &transform,
      "The result; None if `x` is no USMArray. `caller` computes where no library does, and "
      "returns whether it has.");
  declare<"def _fourier_plans() -> tuple[int, int]">(m, [] {
    const internal::kept_plans kept = internal::fourier_plans();
    return nb::make_tuple(kept.count, kept.nbytes);
  });
  m.attr("_max_fourier_plans") =
      nb::make_tuple(internal::max_kept_plans, internal::max_kept_plan_nbytes);
  m.def("_clear_fourier_plans", [] {
    const without_interpreter_lock unlocked;  // a plan waits for the work that uses it
    internal::clear_fourier_plans();
  });
}

}  // namespace usmx::bindings
