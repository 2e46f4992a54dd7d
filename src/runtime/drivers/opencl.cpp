// OpenCL's unified shared memory extension (cl_intel_unified_shared_memory), found at run time in
// the OpenCL loader that the SYCL runtime has already loaded: usmx links no OpenCL of its own.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/backend/opencl.hpp>
#include <sycl/platform.hpp>

#include "base/process.hpp"
#include "runtime/drivers/usm_driver.hpp"

namespace usmx::inline v1::detail {

/// These describe Intel's CPU driver, except in_order_queues_tell_if_empty, which works around a
/// race in the runtime's adapter: it reads an event that each submission frees.
const backend_traits opencl_traits{.waits_one_at_a_time = true,
                                   .in_order_queues_tell_if_empty = false,
                                   .host_reaches_memory_of_cpus = true,
                                   .memcpy_crosses_devices = false,
                                   .has_onemkl = true,
                                   .largest_alignment = std::numeric_limits<std::size_t>::max()};

namespace {

usm_kind to_kind(cl_unified_shared_memory_type_intel type) noexcept {
  switch (type) {
    case CL_MEM_TYPE_DEVICE_INTEL:
      return usm_kind::device;
    case CL_MEM_TYPE_SHARED_INTEL:
      return usm_kind::shared;
    case CL_MEM_TYPE_HOST_INTEL:
      return usm_kind::host;
    default:
      return usm_kind::unknown;
  }
}

struct known_device {
  cl_device_id id;
  sycl::device device;  // keeps the id valid
};

class opencl_driver final : public usm_driver {
 public:
  opencl_driver(cl_context context, clGetMemAllocInfoINTEL_fn info,
                decltype(&clReleaseContext) release, std::vector<known_device> devices) noexcept
      : context_(context), info_(info), release_(release), devices_(std::move(devices)) {}
  opencl_driver(const opencl_driver&) = delete;
  opencl_driver& operator=(const opencl_driver&) = delete;
  ~opencl_driver() override { release_(context_); }

  allocation_info query(const void* pointer) const override {
    const usm_kind kind = kind_of(pointer);
    if (kind == usm_kind::unknown) {
      return {};
    }
    const auto* base = ask<const std::byte*>(pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, nullptr);
    const auto nbytes = ask<std::size_t>(pointer, CL_MEM_ALLOC_SIZE_INTEL, 0);
    return with_bounds(kind, pointer, base, nbytes);
  }

  // Asks two questions instead of three: an allocation that begins at the first byte or before it,
  // and holds the last one, holds all between.
  usm_kind kind_around(const void* first, std::size_t nbytes) const override {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t last = begin + (nbytes - 1);
    if (last < begin) {
      return usm_kind::unknown;
    }
    const auto* pointer = reinterpret_cast<const void*>(last);
    const auto base = ask<std::uintptr_t>(pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, 0);
    return base != 0 && base <= begin ? kind_of(pointer) : usm_kind::unknown;
  }

  // The runtime's get_pointer_device names the context's first device for all of its sub-devices.
  sycl::device owner(const void* pointer) const override {
    const auto id = ask<cl_device_id>(pointer, CL_MEM_ALLOC_DEVICE_INTEL, nullptr);
    const auto found = std::ranges::find(devices_, id, &known_device::id);
    return (found == devices_.end() ? devices_.front() : *found).device;
  }

 private:
  usm_kind kind_of(const void* pointer) const noexcept {
    return to_kind(ask<cl_unified_shared_memory_type_intel>(pointer, CL_MEM_ALLOC_TYPE_INTEL,
                                                            CL_MEM_TYPE_UNKNOWN_INTEL));
  }

  template <class T>
  T ask(const void* pointer, cl_mem_info_intel what, T otherwise) const noexcept {
    T answer{};
    return info_(context_, pointer, what, sizeof answer, &answer, nullptr) == CL_SUCCESS
               ? answer
               : otherwise;
  }

  cl_context context_;
  clGetMemAllocInfoINTEL_fn info_;
  decltype(&clReleaseContext) release_;
  std::vector<known_device> devices_;
};

}  // namespace

std::unique_ptr<usm_driver> make_opencl_driver(const sycl::context& context) {
  const loaded_library loader("libOpenCL.so.1");
  const auto find_extension = loader.find<decltype(&clGetExtensionFunctionAddressForPlatform)>(
      "clGetExtensionFunctionAddressForPlatform");
  const auto release = loader.find<decltype(&clReleaseContext)>("clReleaseContext");
  const auto release_device = loader.find<decltype(&clReleaseDevice)>("clReleaseDevice");
  if (find_extension == nullptr || release == nullptr || release_device == nullptr) {
    return nullptr;
  }
  const auto platform = sycl::get_native<sycl::backend::opencl>(context.get_platform());
  const auto info = reinterpret_cast<clGetMemAllocInfoINTEL_fn>(
      find_extension(platform, "clGetMemAllocInfoINTEL"));
  if (info == nullptr) {
    return nullptr;
  }
  std::vector<known_device> devices;
  for (sycl::device& device : context.get_devices()) {
    const auto id = sycl::get_native<sycl::backend::opencl>(device);
    release_device(id);
    devices.push_back({id, std::move(device)});
  }
  // get_native hands out a reference of its own, which the backend gives back.
  return std::make_unique<opencl_driver>(sycl::get_native<sycl::backend::opencl>(context), info,
                                         release, std::move(devices));
}

}  // namespace usmx::inline v1::detail
