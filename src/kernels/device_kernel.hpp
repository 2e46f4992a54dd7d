// A kernel that is ready to run: one of the SYCL runtime, or one of CUDA's driver.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/device.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_range.hpp>

#include "runtime/drivers/cuda.hpp"

// Kernels for CUDA devices: the package's PTX, which the device's driver builds and keeps on disk
// by itself, and what NVIDIA's compiler makes of users' kernels. The SYCL runtime's own kernels
// cannot be used there: its compiler crashes on them, and what it has saved loads without names.

typedef struct CUfunc_st* CUfunction;

namespace usmx::inline v1::detail::cuda {

/// The kernels of that name in code that the driver builds, in the device's primary context, where
/// the SYCL runtime works: PTX, which ends with a null character, or a cubin. Null for a name that
/// is not there. They live for ever: nobody knows when the last launch has ended, and the driver
/// does not say whether unloading waits for it. Throws device_error with the driver's reason.
std::vector<CUfunction> load_kernels(const sycl::device&, const char* code,
                                     std::span<const std::string> names);

/// Starts a kernel on a stream whose context is the current one. The last dimension is the
/// innermost, CUDA's x. `arguments` are pointers to the kernel's arguments, which are copied.
/// Throws device_error with the driver's reason.
void launch(CUfunction, CUstream, const std::array<std::size_t, 3>& blocks,
            const std::array<std::size_t, 3>& threads, std::size_t shared_nbytes, void** arguments);

/// The limits of a kernel on its device. The last dimension is the innermost.
struct kernel_limits {
  std::size_t threads;  // of a block
  std::array<std::size_t, 3> threads_along;
  std::array<std::size_t, 3> blocks_along;
  std::size_t shared_nbytes;  // that a launch may ask for
};

/// Lets the kernel have as much shared memory as the device has. Throws device_error with the
/// driver's reason.
kernel_limits limits_of(CUfunction, const sycl::device&);

/// 90 for 9.0. Throws device_error with the driver's reason.
int compute_capability(const sycl::device&);

/// 12 for a driver of CUDA 12. Throws device_error with the driver's reason.
int driver_major_version();

}  // namespace usmx::inline v1::detail::cuda

namespace usmx::inline v1::detail {

/// A run of a kernel, with copies of its arguments.
using runtime_run = std::function<void(sycl::handler&)>;
using cuda_run = std::function<void(CUstream)>;
using kernel_run = std::variant<runtime_run, cuda_run>;

/// The code of a kernel, ready to run.
using device_code = std::variant<sycl::kernel, CUfunction>;

class device_kernel {
 public:
  explicit device_kernel(device_code kernel) : kernel_(std::move(kernel)) {}

  /// Makes the handler's command run the kernel after those events. The arguments are copied bit by
  /// bit.
  template <class... Arguments>
  void enqueue(sycl::handler& handler, const std::vector<sycl::event>& before,
               const sycl::nd_range<3>& range, const Arguments&... arguments) const {
    handler.depends_on(before);
    if (const auto* kernel = std::get_if<sycl::kernel>(&kernel_)) {
      handler.set_args(arguments...);
      handler.parallel_for(range, *kernel);
      return;
    }
    handler.ext_codeplay_enqueue_native_command(
        [run = launched(std::get<CUfunction>(kernel_), range, arguments...),
         before](sycl::interop_handle interop) mutable {
          const CUstream stream = interop.get_native_queue<sycl::backend::ext_oneapi_cuda>();
          cuda::hold_up(stream, before);
          run(stream);
        });
  }

  /// Whether it starts on streams.
  bool is_for_streams() const noexcept { return std::holds_alternative<CUfunction>(kernel_); }
  /// Starts a kernel for streams.
  template <class... Arguments>
  void start_on(CUstream stream, const sycl::nd_range<3>& range,
                const Arguments&... arguments) const {
    launched(std::get<CUfunction>(kernel_), range, arguments...)(stream);
  }

  /// Makes a run of a kernel, for a list of runs.
  template <class... Arguments>
  kernel_run run(const sycl::nd_range<3>& range, const Arguments&... arguments) const {
    if (const auto* kernel = std::get_if<sycl::kernel>(&kernel_)) {
      return runtime_run([kernel = *kernel, range, arguments...](sycl::handler& handler) {
        handler.set_args(arguments...);
        handler.parallel_for(range, kernel);
      });
    }
    return cuda_run(launched(std::get<CUfunction>(kernel_), range, arguments...));
  }

 private:
  /// Returns a function that starts the kernel on a stream.
  template <class... Arguments>
  static auto launched(CUfunction kernel, const sycl::nd_range<3>& range,
                       const Arguments&... arguments) {
    return [kernel, range, copies = std::tuple(arguments...)](CUstream stream) mutable {
      std::apply(
          [&](auto&... copy) {
            void* pointers[] = {&copy...};
            cuda::launch(kernel, stream, entries_of(range.get_group_range()),
                         entries_of(range.get_local_range()), 0, pointers);
          },
          copies);
    };
  }

  static std::array<std::size_t, 3> entries_of(const sycl::range<3>& range) {
    return {range[0], range[1], range[2]};
  }

  device_code kernel_;
};

}  // namespace usmx::inline v1::detail
