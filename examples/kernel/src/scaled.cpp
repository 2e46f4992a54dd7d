// The compiler does not see the kernel: usmx compiles it when it is first needed.
#include "scaled.hpp"

#include <mutex>
#include <usmx/user_kernels/kernel.hpp>
#include <vector>

namespace {

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

}  // namespace

usmx::array scaled(const vector_argument& x, double factor) {
  const usmx::array result = usmx::empty(x.shape(), usmx::float64, x.queue(), x.array().kind());
  if (x.size() != 0) {
    const usmx::kernel scale = scale_on(x.queue());
    scale.launch({.global = {static_cast<std::size_t>(x.size())}}, {factor, x.array(), result});
  }
  return result;
}
