// The compiler does not see the kernel: usmx compiles it when it is first needed.
#include "scaled.hpp"

#include <usmx/user_kernels/kernel.hpp>

namespace {

/// Each device and context that runs it compiles it once, or gets it from usmx's disk cache.
/// Callers do not hold the interpreter lock, since they may wait for the compiler.
const usmx::lazy_kernel scale(R"(
#include <usmx/kernel.hpp>

USMX_KERNEL(1) scale(double factor, const double* x, double* y) {
  const auto i = usmx::global_id();
  y[i] = factor * x[i];
})",
                              "scale");

}  // namespace

usmx::array scaled(const vector_argument& x, double factor) {
  const usmx::array result = usmx::empty(x.shape(), usmx::float64, x.queue(), x.array().kind());
  scale.launch({.global = {static_cast<std::size_t>(x.size())}}, {factor, x.array(), result});
  return result;
}
