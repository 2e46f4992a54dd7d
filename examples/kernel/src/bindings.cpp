// The Python module usmx_with_kernel._native: one function, which a kernel of its own computes on
// the device. g++ does not see the kernel: usmx compiles it when it is first needed.
#include <nanobind/nanobind.h>

#include <mutex>
#include <usmx/python/nanobind.hpp>
#include <usmx/user_kernels/kernel.hpp>
#include <vector>

namespace nb = nanobind;

constexpr const char* source = R"(
#include <usmx/kernel.hpp>

USMX_KERNEL(1) scale(double factor, const double* x, double* y) {
  const auto i = usmx::global_id();
  y[i] = factor * x[i];
})";

/// For the device and the context of a queue. Each pair compiles the kernel once, or gets it from
/// usmx's disk cache. Waits for that, so callers do not hold the interpreter lock.
usmx::kernel scale_on(const sycl::queue& queue) {
  static std::mutex mutex;
  static std::vector<usmx::kernel> compiled;
  const std::scoped_lock lock(mutex);
  for (const usmx::kernel& kernel : compiled) {
    if (kernel.device() == queue.get_device() && kernel.context() == queue.get_context()) {
      return kernel;
    }
  }
  return compiled.emplace_back(usmx::kernel::compile(queue, source, "scale"));
}

usmx::array scaled(const usmx::read<double, 1, usmx::c_contig>& x, double factor) {
  const nb::gil_scoped_release unlocked;
  const usmx::array result = usmx::empty(x.shape(), usmx::float64, x.queue(), x.array().kind());
  if (x.size() != 0) {
    const usmx::kernel_argument arguments[] = {factor, x.array(), result};
    scale_on(x.queue()).launch({.global = {static_cast<std::size_t>(x.size())}}, arguments);
  }
  return result;  // the kernel may still run: who uses the result comes after it
}

NB_MODULE(_native, module) {
  usmx::python::import_usmx();
  usmx::python::def(
      module, "scaled", &scaled, nb::arg("x"), nb::arg("factor"),
      "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.");
}
