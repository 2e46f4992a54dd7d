// The device of a producer on CUDA, as the thread's current one while the producer answers. Not
// installed.
#pragma once

#include <cstdint>
#include <memory>

#include "usmx/base/api.hpp"

namespace usmx::inline v1::detail::cuda {
class current_primary_context;
}

namespace usmx::inline v1::internal {

/// Whether the SYCL runtime has several CUDA devices, so that a producer's may not be the current
/// one.
USMX_API bool has_several_cuda_devices();

/// Makes a device the thread's current one. The previous one is current again when this ends.
/// PyTorch refuses to export memory of another device than the current one, and CuPy names the
/// current one's stream, whichever device has the memory (docs/decisions.md, 188).
class USMX_API current_cuda_device {
 public:
  /// Takes CUDA's number of the device. Does nothing if it is the only one, or if the SYCL runtime
  /// does not have it. Throws device_error with the driver's reason.
  explicit current_cuda_device(std::int32_t number);
  current_cuda_device(const current_cuda_device&) = delete;
  current_cuda_device& operator=(const current_cuda_device&) = delete;
  ~current_cuda_device();

 private:
  std::unique_ptr<detail::cuda::current_primary_context> current_;
};

}  // namespace usmx::inline v1::internal
