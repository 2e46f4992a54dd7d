// cuBLAS: its functions and its handles. Private to the library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <sycl/device.hpp>

#include "base/ranked_mutex.hpp"
#include "runtime/drivers/cuda.hpp"
#include "vendors/library.hpp"

namespace usmx::inline v1::detail {

/// The few declarations of cublas_api.h that are needed, as NVIDIA's "cuBLAS" has them. Matrices
/// are stored by columns there.
struct cublas_functions {
  using handle = struct cublasContext*;
  using status = int;

  status (*create)(handle*);               // cublasCreate_v2
  status (*set_stream)(handle, CUstream);  // cublasSetStream_v2
  // cublasGemmStridedBatchedEx_64
  status (*multiply)(handle, int transpose_a, int transpose_b, std::int64_t m, std::int64_t n,
                     std::int64_t k, const void* alpha, const void* a, int type_a,
                     std::int64_t leading_a, long long step_a, const void* b, int type_b,
                     std::int64_t leading_b, long long step_b, const void* beta, void* c,
                     int type_c, std::int64_t leading_c, long long step_c, std::int64_t count,
                     int computed, int algorithm);

  // Functions for float, double and their complex types. Each takes pointers to the matrices of a
  // stack, which are in the device's memory, as the pivots are, and the fates of all matrices.
  // cublas?getrfBatched
  status (*factor[4])(handle, int n, void* const* a, int leading, int* pivots, int* info,
                      int count);
  // cublas?getrsBatched; the info is the host's
  status (*solve[4])(handle, int transpose, int n, int columns, const void* const* a, int leading,
                     const int* pivots, void* const* b, int leading_b, int* info, int count);
  // cublas?matinvBatched, for n <= 32
  status (*invert[4])(handle, int n, const void* const* a, int leading, void* const* inverse,
                      int leading_inverse, int* info, int count);
};

/// Finds the library: one that is loaded already, such as PyTorch's, else that of the newest
/// version of CUDA that the driver takes.
library_search find_cublas();

/// The functions; null where the library, or one of them, is missing.
const cublas_functions* cublas();

/// A handle, and the stream that it has: to set one costs as much as a small product.
struct cublas_handle {
  cublas_functions::handle value;
  std::optional<CUstream> stream = {};
};

/// One for each device. A handle has one stream at a time, so threads take turns.
struct cublas_handles {
  ranked_mutex<lock_rank::cublas> mutex;
  std::map<CUdevice, cublas_handle> all;  // entries stay where they are
};
cublas_handles& all_cublas_handles();

/// The handle of a device, which lives for ever, as its kernels do. Null if there is no room for it
/// on the device.
cublas_handle* cublas_handle_for(const sycl::device& device);

/// Whether the handle has the stream from now on. To be called under the mutex of all handles.
bool set_stream(cublas_handle&, CUstream);

}  // namespace usmx::inline v1::detail
