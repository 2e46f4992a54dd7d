#include "vendors/cublas.hpp"

#include <dlfcn.h>

#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include <sycl/backend.hpp>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "kernels/device_kernel.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

std::string name_of(const cuda::toolkit_version& each) {
  return message("libcublas.so.", each.major);
}

std::optional<cublas_functions> functions_of(void* library) {
  cublas_functions all{};
  const auto find = [library](auto& function, const char* name) {
    using pointer = std::remove_reference_t<decltype(function)>;
    return (function = reinterpret_cast<pointer>(dlsym(library, name))) != nullptr;
  };
  const bool has_all = find(all.create, "cublasCreate_v2") &&
                       find(all.set_stream, "cublasSetStream_v2") &&
                       find(all.multiply, "cublasGemmStridedBatchedEx_64");
  return has_all ? std::optional(all) : std::nullopt;
}

}  // namespace

library_search find_cublas() {
  for (const auto& each : cuda::toolkit_versions) {
    if (void* const loaded = dlopen(name_of(each).c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      return {loaded, file_of(loaded)};
    }
  }
  const int newest = cuda::driver_major_version();
  std::string reason;
  for (const auto& each : cuda::toolkit_versions) {
    if (each.major > newest) {
      continue;
    }
    const auto file = cuda::find_file(name_of(each), each.cublas_folder);
    if (void* const loaded = file ? dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr) {
      return {loaded, file_of(loaded)};
    }
    reason +=
        message(reason.empty() ? "" : "; ", file ? dlerror() : "there is no " + name_of(each));
  }
  return {nullptr, reason.empty() ? message("CUDA's driver of version ", newest,
                                            " takes no release of cuBLAS that usmx knows")
                                  : reason};
}

const cublas_functions* cublas() {
  static constinit optional_library library(find_cublas);
  void* const loaded = library.handle();
  if (loaded == nullptr) {
    return nullptr;
  }
  static const auto all = functions_of(loaded);
  return all ? &*all : nullptr;
}

cublas_handles& all_cublas_handles() { return immortal<cublas_handles>(); }

cublas_handle* cublas_handle_for(const sycl::device& device) {
  const CUdevice number = sycl::get_native<sycl::backend::ext_oneapi_cuda>(device);
  cublas_handles& handles = all_cublas_handles();
  const std::lock_guard lock(handles.mutex);
  const auto known = handles.all.find(number);
  if (known != handles.all.end()) {
    return &known->second;
  }
  const cuda::current_primary_context current(cuda::required_functions(), number);
  cublas_functions::handle made = nullptr;
  if (cublas()->create(&made) != 0) {
    return nullptr;
  }
  return &handles.all.emplace(number, cublas_handle{made}).first->second;
}

bool set_stream(cublas_handle& of, CUstream stream) {
  if (of.stream != stream) {
    of.stream.reset();
    if (cublas()->set_stream(of.value, stream) != 0) {
      return false;
    }
    of.stream = stream;
  }
  return true;
}

}  // namespace usmx::inline v1::detail
