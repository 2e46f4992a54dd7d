#include "compute/vendor_product.hpp"

#include <dlfcn.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include <sycl/backend.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "copy/copy.hpp"
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
void* library() {
  static void* const loaded = dlopen("libmkl_sycl_blas.so.6", RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

/// A matrix as BLAS has it: rows, or columns, of adjacent elements.
struct dense {
  mkl::transpose form;
  std::int64_t leading;
};

std::optional<dense> dense_of(const array& of) {
  const std::ptrdiff_t rows = of.shape()[1];
  const std::ptrdiff_t columns = of.shape()[2];
  const std::ptrdiff_t down = rows == 1 ? columns : of.strides()[1];
  const std::ptrdiff_t across = columns == 1 ? rows : of.strides()[2];
  if (of.shape()[0] > 1 && of.strides()[0] < 0) {
    return std::nullopt;
  }
  if ((of.strides()[2] == 1 || columns == 1) && down >= columns) {
    return dense{mkl::transpose::nontrans, down};
  }
  if ((of.strides()[1] == 1 || rows == 1) && across >= rows) {
    return dense{mkl::transpose::trans, across};
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

std::int64_t step_of(const array& of) { return of.shape()[0] > 1 ? of.strides()[0] : 0; }

template <class T>
bool start_product(const char* name, const array& given_x, const array& given_y, const array& z) {
  const auto function =
      library() == nullptr ? nullptr : reinterpret_cast<gemm_batch<T>>(dlsym(library(), name));
  if (function == nullptr) {
    return false;
  }
  const array x = as_dense(given_x);
  const array y = as_dense(given_y);
  const dense of_x = *dense_of(x);
  const dense of_y = *dense_of(y);
  sycl::queue queue = private_queue(z);
  const auto run = [&](const std::vector<sycl::event>& before) {
    const auto first = [](const array& of) { return reinterpret_cast<T*>(first_element(of)); };
    return function(queue, of_x.form, of_y.form, z.shape()[1], z.shape()[2], x.shape()[2],
                    mkl::value_or_pointer<T>(T(1)), first(x), of_x.leading, step_of(x), first(y),
                    of_y.leading, step_of(y), mkl::value_or_pointer<T>(T(0)), first(z),
                    z.shape()[2], z.shape()[1] * z.shape()[2], z.shape()[0], 0, before);
  };
  try {
    submit(queue, {x, y}, {z}, std::function<sycl::event(const std::vector<sycl::event>&)>(run));
    return true;
  } catch (const std::exception&) {  // a device that the library does not know
    return false;
  }
}

}  // namespace

bool start_vendor_product(const array& x, const array& y, const array& z) {
  const sycl::backend back_end = private_queue(z).get_backend();
  if (back_end != sycl::backend::opencl && back_end != sycl::backend::ext_oneapi_level_zero) {
    return false;
  }
  switch (z.type().code()) {
    case type_code::float32:
      return start_product<float>(USMX_GEMM_BATCH("f"), x, y, z);
    case type_code::float64:
      return start_product<double>(USMX_GEMM_BATCH("d"), x, y, z);
    case type_code::complex64:
      return start_product<std::complex<float>>(USMX_COMPLEX_GEMM_BATCH("f"), x, y, z);
    case type_code::complex128:
      return start_product<std::complex<double>>(USMX_COMPLEX_GEMM_BATCH("d"), x, y, z);
    default:
      return false;
  }
}

}  // namespace usmx::inline v1::internal
