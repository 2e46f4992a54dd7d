#include "vendors/product.hpp"

#include <dlfcn.h>

#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "base/process.hpp"
#include "copy/copy.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/layout/layout.hpp"
#include "vendors/cublas.hpp"
#include "vendors/cufft.hpp"
#include "vendors/cusolver.hpp"
#include "vendors/fourier.hpp"
#include "vendors/lapack.hpp"
#include "vendors/onemkl.hpp"
#include "vendors/toolkit.hpp"

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

template <class T>
bool start_by_onemkl(const char* name, const array& given_x, const array& given_y, const array& z) {
  void* const library = detail::onemkl_blas();
  const auto function =
      library == nullptr ? nullptr : reinterpret_cast<gemm_batch<T>>(dlsym(library, name));
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

/// An element type, and that of the sums, as library_types.h and cublas_api.h have them.
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

/// The numbers of a product, which keep no array.
struct product_numbers {
  explicit product_numbers(const product& of)
      : x(first_element(of.x)),
        y(first_element(of.y)),
        z(first_element(of.z)),
        of_x(of.of_x),
        of_y(of.of_y),
        rows(of.rows),
        columns(of.columns),
        depth(of.depth),
        count(of.count) {}

  const void* x;
  const void* y;
  void* z;
  dense of_x;
  dense of_y;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::int64_t count;
};

/// Stored by columns, a matrix is its transpose: z' = y' x'. Whether cuBLAS took it.
bool start_on(CUstream stream, detail::cublas_handle& handle, const cublas_types& types,
              const product_numbers& of) {
  // Numbers of the type of the sums, as complex ones.
  constexpr float one[] = {1, 0};
  constexpr float zero[] = {0, 0};
  constexpr double wide_one[] = {1, 0};
  constexpr double wide_zero[] = {0, 0};
  const auto number = [&](const float* narrow, const double* wide) {
    return types.are_double ? static_cast<const void*>(wide) : narrow;
  };
  constexpr int by_default = -1;  // CUBLAS_GEMM_DEFAULT
  const detail::cublas_functions& library = *detail::cublas();
  const std::lock_guard lock(detail::all_cublas_handles().mutex);
  return set_stream(handle, stream) &&
         library.multiply(handle.value, of.of_y.is_transposed ? 1 : 0,
                          of.of_x.is_transposed ? 1 : 0, of.columns, of.rows, of.depth,
                          number(one, wide_one), of.y, types.elements, of.of_y.leading,
                          of.of_y.step, of.x, types.elements, of.of_x.leading, of.of_x.step,
                          number(zero, wide_zero), of.z, types.elements, of.columns,
                          of.rows * of.columns, of.count, types.sums, by_default) == 0;
}

bool start_by_cublas(const array& x, const array& y, const array& z) {
  const auto types = cublas_types_of(z.type().code());
  if (!types || detail::cublas() == nullptr) {
    return false;
  }
  const sycl::queue& queue = private_queue(z);
  detail::cublas_handle* const handle = detail::cublas_handle_for(queue.get_device());
  if (handle == nullptr) {
    return false;
  }
  const product of(x, y, z);
  detail::submission work(queue);
  work.use(of.x, detail::access::read);
  work.use(of.y, detail::access::read);
  work.use(of.z, detail::access::write);
  return start_on_stream(work,
                         [handle, types = *types, numbers = product_numbers(of)](CUstream stream) {
                           return start_on(stream, *handle, types, numbers);
                         });
}

/// Whose library computes on a device.
enum class vendor : std::uint8_t { none, onemkl, cublas };

vendor vendor_for(sycl::backend backend) {
  if (detail::traits_of(backend).has_onemkl) {
    return vendor::onemkl;
  }
  return backend == sycl::backend::ext_oneapi_cuda ? vendor::cublas : vendor::none;
}

}  // namespace

bool start_vendor_product(const array& x, const array& y, const array& z) {
  const detail::runtime_call call;  // which cuBLAS needs, too: it changes the current device
  switch (vendor_for(private_queue(z).get_backend())) {
    case vendor::onemkl:
      return start_by_onemkl(x, y, z);
    case vendor::cublas:
      return start_by_cublas(x, y, z);
    case vendor::none:
      return false;
  }
  return false;
}

namespace {

constexpr const char* cuda_install =
    "python -m pip install 'usmx[cuda13]', or 'usmx[cuda12]' for a driver of CUDA 12";

vendor_library found_as(const char* name, detail::library_search found, const char* install) {
  return {name, found.handle != nullptr, std::move(found.text), install};
}

vendor_library find_cuda_library(const sycl::device& device, const char* name,
                                 detail::library_search (*find)()) {
  const detail::runtime_call call;
  if (vendor_for(device.get_backend()) == vendor::cublas) {
    return found_as(name, find(), cuda_install);
  }
  return {"", false, "no vendor's library is called for the back end of this device"};
}

}  // namespace

vendor_library find_product_library(const sycl::device& device) {
  const detail::runtime_call call;
  switch (vendor_for(device.get_backend())) {
    case vendor::onemkl:
      return found_as("oneMKL", detail::find_onemkl_blas(),
                      "python -m pip install onemkl-sycl-blas");
    case vendor::cublas:
      return found_as("cuBLAS", detail::find_cublas(), cuda_install);
    case vendor::none:
      break;
  }
  return {"", false, "no vendor's library is known for the back end of this device"};
}

vendor_library find_transform_library(const sycl::device& device) {
  return find_cuda_library(device, "cuFFT", detail::find_cufft);
}

vendor_library find_solver_library(const sycl::device& device) {
  const detail::runtime_call call;
  if (detail::traits_of(device.get_backend()).has_onemkl_lapack) {
    return found_as("oneMKL's LAPACK for GPUs", detail::find_onemkl_lapack(),
                    "python -m pip install onemkl-sycl-lapack");
  }
  return find_cuda_library(device, "cuSOLVER", detail::find_cusolver);
}

vendor_library find_host_library() {
  detail::library_search found = detail::find_onemkl_host();
  return {"oneMKL", found.handle != nullptr && has_lapack() && has_fourier(), std::move(found.text),
          "python -m pip install 'usmx[mkl]'"};
}

}  // namespace usmx::inline v1::internal
