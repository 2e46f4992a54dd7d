#include "kernels/cuda_module.hpp"

#include <array>
#include <optional>
#include <string>

#include "base/loaded_library.hpp"
#include "kernels/packaged.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/drivers/cuda_context.hpp"
#include "usmx/base/error.hpp"

typedef struct CUmod_st* CUmodule;

namespace usmx::inline v1::detail::cuda {
namespace {

// "CUDA Driver API", sections Module Management and Execution Control.
struct module_functions {
  result (*load)(CUmodule*, const void* image);                     // cuModuleLoadData
  result (*get_function)(CUfunction*, CUmodule, const char* name);  // cuModuleGetFunction
  result (*launch)(CUfunction, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_nbytes, CUstream,
                   void** arguments, void** extra);  // cuLaunchKernel

  bool complete() const noexcept {
    return load != nullptr && get_function != nullptr && launch != nullptr;
  }
};

const module_functions& driver_functions() {
  static const module_functions found = [] {
    const loaded_library driver("libcuda.so.1");
    return module_functions{
        driver.find<decltype(module_functions::load)>("cuModuleLoadData"),
        driver.find<decltype(module_functions::get_function)>("cuModuleGetFunction"),
        driver.find<decltype(module_functions::launch)>("cuLaunchKernel")};
  }();
  if (!found.complete()) {
    throw device_error("CUDA's driver must be loaded and have cuLaunchKernel, found none");
  }
  return found;
}

/// The device's primary context, which is never released.
CUcontext primary_context(const functions& driver, const sycl::device& device) {
  CUcontext primary = nullptr;
  require_success(driver.retain_primary_context(
                      &primary, sycl::get_native<sycl::backend::ext_oneapi_cuda>(device)),
                  "cannot get the device's primary context");
  return primary;
}

}  // namespace

std::vector<CUfunction> load_kernels(const sycl::device& device, kernel_group group) {
  const std::span<const char> ptx = kernel_ptx(group);
  if (ptx.empty()) {
    throw value_error("not compiled for CUDA devices when the package was built");
  }
  const functions& contexts = required_functions();
  const module_functions& driver = driver_functions();
  const current_context current(contexts, primary_context(contexts, device));
  CUmodule loaded = nullptr;
  require_success(driver.load(&loaded, ptx.data()), "cannot build the kernels");
  std::vector<CUfunction> kernels;
  for (const char* name : names_of(group)) {
    require_success(driver.get_function(&kernels.emplace_back(), loaded, name), name);
  }
  return kernels;
}

void launch(CUfunction kernel, CUstream stream, const sycl::nd_range<3>& range, void** arguments) {
  // Dimension 2 is the innermost, CUDA's x.
  const auto blocks = [&](int k) { return static_cast<unsigned>(range.get_group_range()[k]); };
  const auto lanes = [&](int k) { return static_cast<unsigned>(range.get_local_range()[k]); };
  const module_functions& driver = driver_functions();
  require_success(driver.launch(kernel, blocks(2), blocks(1), blocks(0), lanes(2), lanes(1), 1, 0,
                                stream, arguments, nullptr),
                  "cannot start a kernel");
}

}  // namespace usmx::inline v1::detail::cuda
