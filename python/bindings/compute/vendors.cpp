// Mathematics by the libraries of vendors, as the package calls them: linear algebra and Fourier
// transforms (docs/decisions.md, 163).
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compute/compute.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/waiting.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

std::vector<array> arrays_of(const nb::tuple& objects) {
  std::vector<array> all;
  all.reserve(objects.size());
  for (const nb::handle each : objects) {
    all.push_back(array_in(each));
  }
  return all;
}

/// Runs what is little at once, where nobody can tell the difference but by the time
/// (docs/decisions.md, 135): the interpreter lock keeps others from the arrays meanwhile.
void run(const internal::host_work& work, bool wait) {
  if (!work.run_at_once()) {
    const without_interpreter_lock unlocked;
    work.start(wait);
  }
}

int run_lapack(const std::string& routine, const nb::tuple& inputs, const nb::tuple& outputs,
               bool option, double tolerance, bool wait) {
  require_usable_process();
  look_for_peers();
  const auto fate =
      std::make_shared<std::atomic<internal::matrix_fate>>(internal::matrix_fate::fine);
  run(internal::lapack_work({routine, arrays_of(inputs), arrays_of(outputs), option, tolerance},
                            fate),
      wait);
  return wait ? static_cast<int>(fate->load()) : 0;
}

/// Whether the library takes the strides of the input.
bool run_fourier(nb::handle input, nb::handle output, std::vector<int> axes, bool is_forward,
                 double scale) {
  const internal::fourier_call call{array_in(input), array_in(output), std::move(axes), is_forward,
                                    scale};
  constexpr std::ptrdiff_t size_of_quick_plans = 4096;
  const auto work = ordered(call.input.size() <= size_of_quick_plans,
                            [&] { return internal::fourier_work(call); });
  if (work) {
    require_usable_process();
    run(*work, false);
  }
  return work.has_value();
}

void start_cuda_fourier(nb::handle input, nb::handle output, std::vector<int> axes,
                        bool is_forward) {
  const internal::fourier_call call{array_in(input), array_in(output), std::move(axes), is_forward,
                                    1.0};
  ordered(false, [&] { internal::start_cuda_fourier(call); });
}

void start_cuda_solver(const std::string& routine, const nb::tuple& arrays, bool option) {
  const internal::solver_call call{routine, arrays_of(arrays), option};
  ordered(false, [&] { internal::start_cuda_solver(call); });
}

/// The name of a library for a device, whether it is found, and its file or the reason.
nb::tuple library_for(nb::handle device,
                      internal::vendor_library (*find)(const sycl::device& device)) {
  const sycl::device of = queue_argument(nb::none(), device).get_device();
  const auto found = [&] {
    const without_interpreter_lock unlocked;
    return find(of);
  }();
  return nb::make_tuple(found.name, found.is_found, found.text);
}

}  // namespace

void bind_vendors(nb::module_& m) {
  m.def(
      "_find_product_library",
      [](nb::handle device) { return library_for(device, &internal::find_product_library); },
      nb::arg("device"),
      nb::sig("def _find_product_library(device: DeviceLike, /) -> tuple[str, bool, str]"));
  m.def(
      "_find_transform_library",
      [](nb::handle device) { return library_for(device, &internal::find_transform_library); },
      nb::arg("device"),
      nb::sig("def _find_transform_library(device: DeviceLike, /) -> tuple[str, bool, str]"));
  m.def(
      "_find_solver_library",
      [](nb::handle device) { return library_for(device, &internal::find_solver_library); },
      nb::arg("device"),
      nb::sig("def _find_solver_library(device: DeviceLike, /) -> tuple[str, bool, str]"));
  m.def(
      "_find_host_library",
      [] {
        const auto found = [] {
          const without_interpreter_lock unlocked;
          return internal::find_host_library();
        }();
        return nb::make_tuple(found.is_found, found.text);
      },
      nb::sig("def _find_host_library() -> tuple[bool, str]"));
  m.def(
      "_host_reaches", [](nb::handle a) { return internal::host_reaches(array_in(a)); },
      nb::arg("a"), nb::sig("def _host_reaches(a: USMArray, /) -> bool"));
  m.def(
      "_is_cuda",
      [](nb::handle a) {
        return internal::private_queue(array_in(a)).get_backend() == sycl::backend::ext_oneapi_cuda;
      },
      nb::arg("a"), nb::sig("def _is_cuda(a: USMArray, /) -> bool"));
  m.def("_start_cuda_fourier", &start_cuda_fourier, nb::arg("input"), nb::arg("output"),
        nb::arg("axes"), nb::arg("is_forward"),
        nb::sig("def _start_cuda_fourier(input: USMArray, output: USMArray, axes: Sequence[int], "
                "is_forward: bool, /) -> None"));
  m.def("_start_cuda_solver", &start_cuda_solver, nb::arg("routine"), nb::arg("arrays"),
        nb::arg("option"),
        nb::sig("def _start_cuda_solver(routine: str, arrays: tuple[USMArray, ...], option: bool, "
                "/) -> None"));
  m.def("_run_lapack", &run_lapack, nb::arg("routine"), nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("option"), nb::arg("tolerance"), nb::arg("wait"),
        nb::sig("def _run_lapack(routine: str, inputs: tuple[USMArray, ...], outputs: "
                "tuple[USMArray, ...], option: bool, tolerance: float, wait: bool, /) -> int"));
  m.def("_run_fourier", &run_fourier, nb::arg("input"), nb::arg("output"), nb::arg("axes"),
        nb::arg("is_forward"), nb::arg("scale"),
        nb::sig("def _run_fourier(input: USMArray, output: USMArray, axes: Sequence[int], "
                "is_forward: bool, scale: float, /) -> bool"));
  m.def(
      "_fourier_plans",
      [] {
        const internal::kept_plans kept = internal::fourier_plans();
        return nb::make_tuple(kept.count, kept.nbytes);
      },
      nb::sig("def _fourier_plans() -> tuple[int, int]"));
  m.attr("_max_fourier_plans") =
      nb::make_tuple(internal::max_kept_plans, internal::max_kept_plan_nbytes);
  m.def("_clear_fourier_plans", [] {
    const without_interpreter_lock unlocked;  // a plan waits for the work that uses it
    internal::clear_fourier_plans();
  });
}

}  // namespace usmx::bindings
