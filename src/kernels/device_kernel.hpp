// A kernel that is ready to run: one of the SYCL runtime, or one of CUDA's driver.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_range.hpp>

#include "kernels/cuda_module.hpp"
#include "runtime/drivers/cuda.hpp"

namespace usmx::inline v1::detail {

/// One run of a kernel, with copies of its arguments.
using runtime_run = std::function<void(sycl::handler&)>;
using cuda_run = std::function<void(CUstream)>;
using kernel_run = std::variant<runtime_run, cuda_run>;

class device_kernel {
 public:
  explicit device_kernel(sycl::kernel kernel) : kernel_(std::move(kernel)) {}
  explicit device_kernel(CUfunction kernel) : kernel_(kernel) {}

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

  /// For a list of runs.
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

  std::variant<sycl::kernel, CUfunction> kernel_;
};

}  // namespace usmx::inline v1::detail
