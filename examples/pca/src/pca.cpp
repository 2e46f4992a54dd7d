#include "pca.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <oneapi/mkl/blas.hpp>
#include <oneapi/mkl/lapack.hpp>
#include <span>
#include <string>
#include <sycl/usm.hpp>
#include <usmx/base/error.hpp>
#include <usmx/layout/layout.hpp>
#include <usmx/runtime/queues.hpp>
#include <vector>

namespace pca {
namespace {

namespace blas = oneapi::mkl::blas::row_major;
namespace lapack = oneapi::mkl::lapack;  // column-major only
using oneapi::mkl::jobsvd;
using oneapi::mkl::transpose;

struct usm_deleter {
  sycl::context context;
  void operator()(void* pointer) const noexcept { sycl::free(pointer, context); }
};
using usm_doubles = std::unique_ptr<double[], usm_deleter>;

usm_doubles allocate(std::int64_t count, const sycl::queue& queue) {
  auto* pointer = sycl::malloc_shared<double>(static_cast<std::size_t>(count), queue);
  if (pointer == nullptr) {
    throw usmx::allocation_error("pca: no shared memory for " + std::to_string(count) +
                                 " float64 elements");
  }
  return usm_doubles(pointer, {queue.get_context()});
}

/// Hands the memory over to usmx, which frees it with our deleter.
usmx::array to_array(usm_doubles memory, std::span<const std::ptrdiff_t> shape,
                     const sycl::queue& queue) {
  const usm_deleter deleter = memory.get_deleter();
  return usmx::array::adopt(memory.release(), shape, usmx::dtype::of<double>(), queue, deleter);
}

/// Nothing that was submitted is running any more once this is gone, whichever way a scope is left:
/// declared after the memory that the work needs, so that it ends before that is freed.
class waiting_scope {
 public:
  explicit waiting_scope(sycl::queue& queue) : queue_(queue) {}
  waiting_scope(const waiting_scope&) = delete;
  waiting_scope& operator=(const waiting_scope&) = delete;
  ~waiting_scope() {
    try {
      usmx::wait_for_queue(queue_);
    } catch (...) {  // reported by wait_and_throw where all went well; here another is on its way
    }
  }

 private:
  sycl::queue& queue_;
};

struct extents {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t rank() const { return std::min(rows, columns); }
};

extents checked_extents(const usmx::array_view& x) {
  const std::string shape = usmx::tuple_text(x.shape());
  if (x.type() != usmx::dtype::of<double>()) {
    throw usmx::type_error("pca: expected x of dtype float64, found " +
                           std::string(x.type().name()));
  }
  if (x.ndim() != 2) {
    throw usmx::value_error("pca: expected x of 2 dimensions (rows, columns), found shape " +
                            shape);
  }
  if (x.shape()[0] < 2 || x.shape()[1] < 1) {
    throw usmx::value_error("pca: expected x of at least 2 rows and 1 column, found shape " +
                            shape);
  }
  if (!x.layout().is_c_contiguous()) {
    throw usmx::value_error("pca: expected x to be C-contiguous, found strides " +
                            usmx::tuple_text(x.strides()) + " for shape " + shape);
  }
  if (x.kind() == usmx::usm_kind::unknown) {
    throw usmx::value_error("pca: expected x in unified shared memory, found ordinary host memory");
  }
  if (!x.device().has(sycl::aspect::fp64)) {
    throw usmx::value_error("pca: expected a device with float64, found " +
                            x.device().get_info<sycl::info::device::name>());
  }
  return {x.shape()[0], x.shape()[1]};
}

std::int64_t checked_count(std::optional<std::int64_t> n_components, extents size) {
  const std::int64_t count = n_components.value_or(size.rank());
  if (count < 1 || count > size.rank()) {
    throw usmx::value_error("pca: expected n_components from 1 to " + std::to_string(size.rank()) +
                            ", found " + std::to_string(count));
  }
  return count;
}

/// Takes the column means of `source` away from `target`; `ones` and `means` are scratch memory.
sycl::event subtract_means(sycl::queue& queue, extents size, const double* source, double* target,
                           const double* ones, double* means,
                           const std::vector<sycl::event>& after) {
  const auto [rows, columns] = size;
  const sycl::event averaged =
      blas::gemv(queue, transpose::trans, rows, columns, 1.0 / static_cast<double>(rows), source,
                 columns, ones, 1, 0.0, means, 1, after);
  return blas::ger(queue, rows, columns, -1.0, ones, 1, means, 1, target, columns, {averaged});
}

/// Makes each component's entry of largest magnitude positive; scores follow.
void fix_signs(double* components, double* scores, extents size, std::int64_t count) {
  std::vector<double> signs;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::span row(components + k * size.columns, static_cast<std::size_t>(size.columns));
    const double largest = *std::ranges::max_element(row, {}, [](double v) { return std::abs(v); });
    signs.push_back(std::copysign(1.0, largest));
    for (double& entry : row) entry *= signs.back();
  }
  for (std::int64_t i = 0; i < size.rows; ++i) {
    for (std::int64_t k = 0; k < count; ++k) scores[i * count + k] *= signs[k];
  }
}

void to_variances(double* singular_values, extents size, std::int64_t count) {
  for (double& value : std::span(singular_values, static_cast<std::size_t>(count))) {
    value *= value / static_cast<double>(size.rows - 1);
    if (!std::isfinite(value)) {
      throw usmx::value_error("pca: expected finite numbers in x, found NaN, infinity or overflow");
    }
  }
}

}  // namespace

result fit(const usmx::array_view& x, std::optional<std::int64_t> n_components) {
  const extents size = checked_extents(x);
  const auto [rows, columns] = size;
  const std::int64_t count = checked_count(n_components, size);
  const auto* data = x.contiguous<const double>();
  sycl::queue queue = x.queue();

  // Row-major (rows, columns) is LAPACK's (columns, rows): its left singular vectors, columns
  // there, are the components, rows here. It computes all of them; those beyond `count` are not
  // shown.
  const std::int64_t scratch_size = lapack::gesvd_scratchpad_size<double>(
      queue, jobsvd::somevec, jobsvd::novec, columns, rows, columns, columns, 1);
  usm_doubles components = allocate(size.rank() * columns, queue);
  usm_doubles scores = allocate(rows * count, queue);
  usm_doubles singular_values = allocate(size.rank(), queue);
  const usm_doubles centred = allocate(rows * columns, queue);
  const usm_doubles factored = allocate(rows * columns, queue);
  const usm_doubles ones = allocate(rows, queue);
  const usm_doubles means = allocate(columns, queue);
  const usm_doubles scratch = allocate(scratch_size, queue);
  std::fill_n(ones.get(), rows, 1.0);

  {
    const waiting_scope scope(queue);
    // The queue may be another library's, out of order: after all that was submitted before.
    usmx::wait_for_queue(queue);
    const sycl::event copied = blas::copy(queue, rows * columns, data, 1, centred.get(), 1);
    // Twice: the second time takes away what the rounding of the first means has left.
    sycl::event done =
        subtract_means(queue, size, data, centred.get(), ones.get(), means.get(), {copied});
    done =
        subtract_means(queue, size, centred.get(), centred.get(), ones.get(), means.get(), {done});
    done = blas::copy(queue, rows * columns, centred.get(), 1, factored.get(), 1, {done});
    done = lapack::gesvd(queue, jobsvd::somevec, jobsvd::novec, columns, rows, factored.get(),
                         columns, singular_values.get(), components.get(), columns, nullptr, 1,
                         scratch.get(), scratch_size, {done});
    done = blas::gemm(queue, transpose::nontrans, transpose::trans, rows, count, columns, 1.0,
                      centred.get(), columns, components.get(), columns, 0.0, scores.get(), count,
                      {done});
    done.wait_and_throw();
  }
  to_variances(singular_values.get(), size, count);
  fix_signs(components.get(), scores.get(), size, count);
  const addresses native{data, components.get(), scores.get()};
  return {to_array(std::move(components), std::array<std::ptrdiff_t, 2>{count, columns}, queue),
          to_array(std::move(scores), std::array<std::ptrdiff_t, 2>{rows, count}, queue),
          to_array(std::move(singular_values), std::array<std::ptrdiff_t, 1>{count}, queue),
          native};
}

}  // namespace pca
