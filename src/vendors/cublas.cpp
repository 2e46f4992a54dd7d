#include "vendors/cublas.hpp"

#include <mutex>
#include <optional>
#include <string_view>

#include <sycl/backend.hpp>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "kernels/device_kernel.hpp"
#include "usmx/base/error.hpp"
#include "vendors/toolkit.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr toolkit_library cublas_files{
    {{"libcublas.so.13", "nvidia/cu13/lib"}, {"libcublas.so.12", "nvidia/cublas/lib"}}};

std::optional<cublas_functions> functions_of(void* loaded) {
  cublas_functions all{};
  function_search find(loaded);
  find(all.create, "cublasCreate_v2");
  find(all.set_stream, "cublasSetStream_v2");
  find(all.multiply, "cublasGemmStridedBatchedEx_64");
  const std::string_view letters = "SDCZ";
  for (std::size_t type = 0; type < letters.size(); ++type) {
    const auto name = [&](const char* rest) { return message("cublas", letters[type], rest); };
    find(all.factor[type], name("getrfBatched").c_str());
    find(all.solve[type], name("getrsBatched").c_str());
    find(all.invert[type], name("matinvBatched").c_str());
  }
  return find.has_all() ? std::optional(all) : std::nullopt;
}

}  // namespace

library_search find_cublas() { return find_toolkit_library(cublas_files, "cuBLAS"); }

const cublas_functions* cublas() {
  static constinit optional_library search(find_cublas);
  void* const loaded = search.handle();
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
  wait_for_setup();
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
