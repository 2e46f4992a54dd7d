#include "compute/functions.hpp"

#include <dlfcn.h>

#include <atomic>
#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "copy/copy.hpp"
#include "kernels/device_kernel.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/waits.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/layout/layout.hpp"

// The part of oneMKL's interface that is called (oneapi/mkl/blas.hpp of its package
// onemkl-sycl-include), so that neither a build nor a run of usmx needs it.
namespace oneapi::mkl {

enum class transpose : char { nontrans = 0, trans = 1 };

template <class T>
class value_or_pointer {
 public:
  explicit value_or_pointer(T value) : value_(value) {}

 private:
  T value_;
  const T* pointer_ = nullptr;
};

}  // namespace oneapi::mkl

namespace usmx::inline v1::internal {
namespace {

// ---- matrices as BLAS has them

/// The matrices of an operand: rows, or columns, of adjacent elements.
struct dense {
  bool is_transposed;    // the columns are adjacent
  std::int64_t leading;  // from one row, or column, to the next
  std::int64_t step;     // from one matrix to the next
};

std::optional<dense> dense_of(const array& of) {
  const std::ptrdiff_t rows = of.shape()[1];
  const std::ptrdiff_t columns = of.shape()[2];
  const std::ptrdiff_t down = rows == 1 ? columns : of.strides()[1];
  const std::ptrdiff_t across = columns == 1 ? rows : of.strides()[2];
  const std::ptrdiff_t step = of.shape()[0] > 1 ? of.strides()[0] : 0;
  if (step < 0) {
    return std::nullopt;
  }
  if ((of.strides()[2] == 1 || columns == 1) && down >= columns) {
    return dense{false, down, step};
  }
  if ((of.strides()[1] == 1 || rows == 1) && across >= rows) {
    return dense{true, across, step};
  }
  return std::nullopt;
}

/// The array, or a copy in C order of one whose matrices are not dense.
array as_dense(const array& of) {
  if (dense_of(of)) {
    return of;
  }
  const array made = new_array(layout::c_order(of.shape()), of.type(), private_queue(of), of.kind(),
                               0, first_use::in_order);
  detail::copy_in_order(of, made);
  return made;
}

/// z = x y for each of some matrices.
struct product {
  product(const array& given_x, const array& given_y, const array& result)
      : x(as_dense(given_x)),
        y(as_dense(given_y)),
        z(result),
        of_x(*dense_of(x)),
        of_y(*dense_of(y)),
        rows(z.shape()[1]),
        columns(z.shape()[2]),
        depth(x.shape()[2]),
        count(z.shape()[0]) {}

  array x;
  array y;
  array z;
  dense of_x;
  dense of_y;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::int64_t count;
};

// ---- oneMKL

namespace mkl = oneapi::mkl;

template <class T>
using gemm_batch = sycl::event (*)(sycl::queue&, mkl::transpose, mkl::transpose, std::int64_t,
                                   std::int64_t, std::int64_t, mkl::value_or_pointer<T>, const T*,
                                   std::int64_t, std::int64_t, const T*, std::int64_t, std::int64_t,
                                   mkl::value_or_pointer<T>, T*, std::int64_t, std::int64_t,
                                   std::int64_t, std::uint64_t, const std::vector<sycl::event>&);

/// The names of oneapi::mkl::blas::row_major::gemm_batch for each type, as the library has them.
#define USMX_GEMM_BATCH(real)                                                         \
  "_ZN6oneapi3mkl4blas9row_major10gemm_batchERN4sycl3_V15queueENS0_9transposeES7_lll" \
  "NS0_16value_or_pointerI" real "EEPK" real "llSB_llS9_P" real                       \
  "lllNS1_12compute_modeERKSt6vectorINS4_5eventESaISF_EE"
#define USMX_COMPLEX_GEMM_BATCH(real)                                                 \
  "_ZN6oneapi3mkl4blas9row_major10gemm_batchERN4sycl3_V15queueENS0_9transposeES7_lll" \
  "NS0_16value_or_pointerISt7complexI" real                                           \
  "EEEPKSA_llSD_llSB_PSA_lllNS1_12compute_modeERKSt6vectorINS4_5eventESaISH_EE"

/// The library for the runtime that usmx is linked with. Loaded once, for the whole of the process.
void* onemkl() {
  static void* const loaded = dlopen("libmkl_sycl_blas.so.6", RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

template <class T>
bool start_by_onemkl(const char* name, const array& given_x, const array& given_y, const array& z) {
  const auto function =
      onemkl() == nullptr ? nullptr : reinterpret_cast<gemm_batch<T>>(dlsym(onemkl(), name));
  if (function == nullptr) {
    return false;
  }
  const product of(given_x, given_y, z);
  sycl::queue queue = private_queue(z);
  const auto run = [&](const std::vector<sycl::event>& before) {
    const auto first = [](const array& a) { return reinterpret_cast<T*>(first_element(a)); };
    const auto form = [](const dense& matrices) {
      return matrices.is_transposed ? mkl::transpose::trans : mkl::transpose::nontrans;
    };
    return function(queue, form(of.of_x), form(of.of_y), of.rows, of.columns, of.depth,
                    mkl::value_or_pointer<T>(T(1)), first(of.x), of.of_x.leading, of.of_x.step,
                    first(of.y), of.of_y.leading, of.of_y.step, mkl::value_or_pointer<T>(T(0)),
                    first(of.z), of.columns, of.rows * of.columns, of.count, 0, before);
  };
  try {
    submit(queue, {of.x, of.y}, {of.z},
           std::function<sycl::event(const std::vector<sycl::event>&)>(run));
    return true;
  } catch (const std::exception&) {  // a device that the library does not know
    return false;
  }
}

bool start_by_onemkl(const array& x, const array& y, const array& z) {
  switch (z.type().code()) {
    case type_code::float32:
      return start_by_onemkl<float>(USMX_GEMM_BATCH("f"), x, y, z);
    case type_code::float64:
      return start_by_onemkl<double>(USMX_GEMM_BATCH("d"), x, y, z);
    case type_code::complex64:
      return start_by_onemkl<std::complex<float>>(USMX_COMPLEX_GEMM_BATCH("f"), x, y, z);
    case type_code::complex128:
      return start_by_onemkl<std::complex<double>>(USMX_COMPLEX_GEMM_BATCH("d"), x, y, z);
    default:
      return false;
  }
}

// ---- cuBLAS

/// The few declarations of cublas_api.h and library_types.h that are needed, as NVIDIA's "cuBLAS"
/// has them. Matrices are stored by columns there.
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
};

/// An element type, and that of the sums.
struct cublas_types {
  int elements;  // cudaDataType
  int sums;      // cublasComputeType_t
  bool are_double;
};
constexpr int sums_of_32_bits = 68;  // CUBLAS_COMPUTE_32F
constexpr int sums_of_64_bits = 70;  // CUBLAS_COMPUTE_64F

std::optional<cublas_types> cublas_types_of(type_code type) {
  switch (type) {
    case type_code::float16:
      return cublas_types{2, sums_of_32_bits, false};
    case type_code::float32:
      return cublas_types{0, sums_of_32_bits, false};
    case type_code::float64:
      return cublas_types{1, sums_of_64_bits, true};
    case type_code::complex64:
      return cublas_types{4, sums_of_32_bits, false};
    case type_code::complex128:
      return cublas_types{5, sums_of_64_bits, true};
    default:
      return std::nullopt;
  }
}

/// The library: one that is loaded already, such as PyTorch's, else that of the newest version of
/// CUDA that the driver takes. Stays loaded.
void* loaded_cublas() {
  const auto name_of = [](const detail::cuda::toolkit_version& each) {
    return detail::message("libcublas.so.", each.major);
  };
  for (const auto& each : detail::cuda::toolkit_versions) {
    if (void* const loaded = dlopen(name_of(each).c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      return loaded;
    }
  }
  const int newest = detail::cuda::driver_major_version();
  for (const auto& each : detail::cuda::toolkit_versions) {
    if (each.major > newest) {
      continue;
    }
    const auto file = detail::cuda::find_file(name_of(each), each.cublas_folder);
    if (void* const loaded = file ? dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr) {
      return loaded;
    }
  }
  return nullptr;
}

/// The functions; empty where the library, or one of them, is missing.
const std::optional<cublas_functions>& cublas() {
  static const auto found = [library = loaded_cublas()]() -> std::optional<cublas_functions> {
    cublas_functions all{};
    const auto find = [library](auto& function, const char* name) {
      using pointer = std::remove_reference_t<decltype(function)>;
      return (function = reinterpret_cast<pointer>(dlsym(library, name))) != nullptr;
    };
    const bool has_all = library != nullptr && find(all.create, "cublasCreate_v2") &&
                         find(all.set_stream, "cublasSetStream_v2") &&
                         find(all.multiply, "cublasGemmStridedBatchedEx_64");
    return has_all ? std::optional(all) : std::nullopt;
  }();
  return found;
}

/// The handles, one for each device. They live for ever, as its kernels do. A handle has one stream
/// at a time, so threads take turns.
struct cublas_handles {
  detail::ranked_mutex<detail::lock_rank::cublas> mutex;
  std::map<CUdevice, cublas_functions::handle> all;
};
cublas_handles& handles() { return detail::immortal<cublas_handles>(); }

/// Null if there is no room for it on the device.
cublas_functions::handle handle_for(const sycl::device& device) {
  const CUdevice number = sycl::get_native<sycl::backend::ext_oneapi_cuda>(device);
  const std::lock_guard lock(handles().mutex);
  const auto known = handles().all.find(number);
  if (known != handles().all.end()) {
    return known->second;
  }
  const detail::cuda::current_primary_context current(detail::cuda::required_functions(), number);
  cublas_functions::handle made = nullptr;
  if (cublas()->create(&made) != 0) {
    return nullptr;
  }
  return handles().all[number] = made;
}

/// Stored by columns, a matrix is its transpose: z' = y' x'. Whether cuBLAS took it.
bool start_on(CUstream stream, cublas_functions::handle handle, const cublas_types& types,
              const product& of) {
  // Numbers of the type of the sums, as complex ones.
  constexpr float one[] = {1, 0};
  constexpr float zero[] = {0, 0};
  constexpr double wide_one[] = {1, 0};
  constexpr double wide_zero[] = {0, 0};
  const auto number = [&](const float* narrow, const double* wide) {
    return types.are_double ? static_cast<const void*>(wide) : narrow;
  };
  constexpr int by_default = -1;  // CUBLAS_GEMM_DEFAULT
  const std::lock_guard lock(handles().mutex);
  return cublas()->set_stream(handle, stream) == 0 &&
         cublas()->multiply(
             handle, of.of_y.is_transposed ? 1 : 0, of.of_x.is_transposed ? 1 : 0, of.columns,
             of.rows, of.depth, number(one, wide_one), first_element(of.y), types.elements,
             of.of_y.leading, of.of_y.step, first_element(of.x), types.elements, of.of_x.leading,
             of.of_x.step, number(zero, wide_zero), first_element(of.z), types.elements, of.columns,
             of.rows * of.columns, of.count, types.sums, by_default) == 0;
}

/// The fate of a command. The runtime mostly runs it while it is submitted.
enum class outcome : std::uint8_t { open, taken, refused };

bool start_by_cublas(const array& x, const array& y, const array& z) {
  const auto types = cublas_types_of(z.type().code());
  if (!types || !cublas()) {
    return false;
  }
  const sycl::queue& queue = private_queue(z);
  const auto handle = handle_for(queue.get_device());
  if (handle == nullptr) {
    return false;
  }
  const product of(x, y, z);
  const detail::array_use uses[] = {
      {&of.x, detail::access::read}, {&of.y, detail::access::read}, {&of.z, detail::access::write}};
  // No exception may leave the command: it would have to pass through the runtime's C functions.
  const auto result = std::make_shared<std::atomic<outcome>>(outcome::open);
  const sycl::event done =
      detail::submit_in_order({queue, {}}, uses, [&](sycl::handler& to, const auto& before) {
        to.ext_codeplay_enqueue_native_command([=, types = *types](sycl::interop_handle interop) {
          const CUstream stream = interop.get_native_queue<sycl::backend::ext_oneapi_cuda>();
          detail::cuda::hold_up(stream, before);
          *result = start_on(stream, handle, types, of) ? outcome::taken : outcome::refused;
        });
      });
  if (*result == outcome::open) {  // it comes after a host task
    detail::wait_for(done);
  }
  return *result == outcome::taken;
}

}  // namespace

bool start_vendor_product(const array& x, const array& y, const array& z) {
  const detail::runtime_call call;  // which cuBLAS needs, too: it changes the current device
  switch (private_queue(z).get_backend()) {
    case sycl::backend::opencl:
    case sycl::backend::ext_oneapi_level_zero:
      return start_by_onemkl(x, y, z);
    case sycl::backend::ext_oneapi_cuda:
      return start_by_cublas(x, y, z);
    default:
      return false;
  }
}

}  // namespace usmx::inline v1::internal
