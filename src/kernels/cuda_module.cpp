#include "kernels/device_kernel.hpp"

#include "base/process.hpp"
#include "usmx/base/error.hpp"

typedef struct CUmod_st* CUmodule;

namespace usmx::inline v1::detail::cuda {
namespace {

// "CUDA Driver API", sections Version, Device, Module Management and Execution Control.

/// CUfunction_attribute.
enum class function_attribute : int {
  max_threads_per_block = 0,
  static_shared_nbytes = 1,
  max_dynamic_shared_nbytes = 8
};

/// CUdevice_attribute. Sizes of dimensions are for x; those of y and z follow.
enum class device_attribute : int {
  max_block_size_x = 2,
  max_grid_size_x = 5,
  major_capability = 75,
  minor_capability = 76,
  max_shared_nbytes_per_block = 97
};

constexpr result not_found = 500;  // CUDA_ERROR_NOT_FOUND

struct module_functions {
  result (*load)(CUmodule*, const void* image);                         // cuModuleLoadData
  result (*get_function)(CUfunction*, CUmodule, const char* name);      // cuModuleGetFunction
  result (*get_attribute)(int* value, function_attribute, CUfunction);  // cuFuncGetAttribute
  result (*set_attribute)(CUfunction, function_attribute, int value);   // cuFuncSetAttribute
  result (*get_device_attribute)(int* value, device_attribute,
                                 CUdevice);  // cuDeviceGetAttribute
  result (*get_version)(int*);               // cuDriverGetVersion
  result (*launch)(CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_nbytes, CUstream,
                   void** arguments, void** extra);  // cuLaunchKernel
};

const module_functions& driver_functions() {
  static module_functions found{};
  static const bool has_all = [driver = loaded_library("libcuda.so.1")] {
    return driver.find(found.load, "cuModuleLoadData") &&
           driver.find(found.get_function, "cuModuleGetFunction") &&
           driver.find(found.get_attribute, "cuFuncGetAttribute") &&
           driver.find(found.set_attribute, "cuFuncSetAttribute") &&
           driver.find(found.get_device_attribute, "cuDeviceGetAttribute") &&
           driver.find(found.get_version, "cuDriverGetVersion") &&
           driver.find(found.launch, "cuLaunchKernel");
  }();
  if (!has_all) {
    throw device_error("CUDA's driver must be loaded and have cuLaunchKernel, found none");
  }
  return found;
}

CUdevice native(const sycl::device& device) {
  return sycl::get_native<sycl::backend::ext_oneapi_cuda>(device);
}

/// The device's primary context, which is never released.
CUcontext primary_context(const functions& driver, const sycl::device& device) {
  CUcontext primary = nullptr;
  require_success(driver.retain_primary_context(&primary, native(device)),
                  "cannot get the device's primary context");
  return primary;
}

int attribute_of(const sycl::device& device, device_attribute which, int dimension = 0) {
  int value = 0;
  const auto asked = static_cast<device_attribute>(static_cast<int>(which) + dimension);
  require_success(driver_functions().get_device_attribute(&value, asked, native(device)),
                  "cannot ask for what the device can do");
  return value;
}

int attribute_of(CUfunction kernel, function_attribute which) {
  int value = 0;
  require_success(driver_functions().get_attribute(&value, which, kernel),
                  "cannot ask for what a kernel needs");
  return value;
}

}  // namespace

std::vector<CUfunction> load_kernels(const sycl::device& device, const char* code,
                                     std::span<const std::string> names) {
  const functions& contexts = required_functions();
  const module_functions& driver = driver_functions();
  const current_context current(contexts, primary_context(contexts, device));
  CUmodule loaded = nullptr;
  require_success(driver.load(&loaded, code), "cannot build the kernels");
  std::vector<CUfunction> kernels;
  for (const std::string& name : names) {
    const result found = driver.get_function(&kernels.emplace_back(), loaded, name.c_str());
    if (found == not_found) {
      kernels.back() = nullptr;
    } else {
      require_success(found, name.c_str());
    }
  }
  return kernels;
}

void launch(CUfunction kernel, CUstream stream, const std::array<std::size_t, 3>& blocks,
            const std::array<std::size_t, 3>& threads, std::size_t shared_nbytes,
            void** arguments) {
  // The last one is the innermost, CUDA's x.
  const auto b = [&](std::size_t k) { return static_cast<unsigned>(blocks[k]); };
  const auto t = [&](std::size_t k) { return static_cast<unsigned>(threads[k]); };
  require_success(
      driver_functions().launch(kernel, b(2), b(1), b(0), t(2), t(1), t(0),
                                static_cast<unsigned>(shared_nbytes), stream, arguments, nullptr),
      "cannot start a kernel");
}

kernel_limits limits_of(CUfunction kernel, const sycl::device& device) {
  const functions& contexts = required_functions();
  const current_context current(contexts, primary_context(contexts, device));
  kernel_limits limits{};
  limits.threads =
      static_cast<std::size_t>(attribute_of(kernel, function_attribute::max_threads_per_block));
  for (int k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(2 - k);
    limits.threads_along[at] =
        static_cast<std::size_t>(attribute_of(device, device_attribute::max_block_size_x, k));
    limits.blocks_along[at] =
        static_cast<std::size_t>(attribute_of(device, device_attribute::max_grid_size_x, k));
  }
  // A kernel has to ask for more than 48 KiB.
  const int most = attribute_of(device, device_attribute::max_shared_nbytes_per_block) -
                   attribute_of(kernel, function_attribute::static_shared_nbytes);
  require_success(
      driver_functions().set_attribute(kernel, function_attribute::max_dynamic_shared_nbytes, most),
      "cannot ask for shared memory");
  limits.shared_nbytes = static_cast<std::size_t>(most);
  return limits;
}

int compute_capability(const sycl::device& device) {
  return 10 * attribute_of(device, device_attribute::major_capability) +
         attribute_of(device, device_attribute::minor_capability);
}

int driver_major_version() {
  int version = 0;
  require_success(driver_functions().get_version(&version), "cannot ask for the driver's version");
  return version / 1000;
}

}  // namespace usmx::inline v1::detail::cuda
