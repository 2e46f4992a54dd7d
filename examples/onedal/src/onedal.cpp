// The Python module usmx_onedal._onedal: oneDAL trains on USM arrays where they lie.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <oneapi/dal/algo/finiteness_checker/compute.hpp>
#include <oneapi/dal/algo/kmeans/train.hpp>
#include <oneapi/dal/algo/pca/train.hpp>
#include <oneapi/dal/compute.hpp>
#include <oneapi/dal/train.hpp>
#include <string>
#include <tuple>
#include <usmx/python/nanobind.hpp>
#include <usmx/runtime/queues.hpp>

#include "tables.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;
namespace dal = oneapi::dal;

namespace {

/// `work(zero)` with a zero of the array's element type.
template <class Work>
auto with_type_of(const usmx::array& x, Work work) {
  if (x.type() == usmx::dtype::of<float>()) {
    return work(float{});
  }
  if (x.type() == usmx::dtype::of<double>()) {
    return work(double{});
  }
  throw usmx::type_error("expected float32 or float64, found " + std::string(x.type().name()));
}

/// The queue of the data, idle: oneDAL does not wait for work that others have submitted.
sycl::queue idle_queue(const usmx::array& x) {
  sycl::queue queue = x.queue();
  usmx::wait_for_queue(queue);
  return queue;
}

/// oneDAL itself does not refuse these: it returns results that nobody has written, or, with one
/// cluster, damages the heap.
void require(bool fits, const std::string& expected, std::int64_t found) {
  if (!fits) {
    throw usmx::value_error("expected " + expected + ", found " + std::to_string(found));
  }
}

template <class Float>
void require_finite(sycl::queue& queue, const dal::table& data) {
  const auto how = dal::finiteness_checker::descriptor<Float>();
  if (!dal::compute(queue, how, data).get_finite()) {
    throw usmx::value_error("expected finite numbers, found NaN or infinity");
  }
}

auto pca(const usmx::array& x, std::int64_t n_components) {
  const nb::gil_scoped_release unlocked;
  return with_type_of(x, [&]<class Float>(Float) {
    const dal::homogen_table data = tables::over<Float>(x);
    const std::int64_t rows = data.get_row_count();
    const std::int64_t most = std::min(rows, data.get_column_count());
    require(rows >= 2, "at least 2 rows", rows);
    require(n_components >= 1 && n_components <= most,
            "n_components from 1 to " + std::to_string(most), n_components);
    sycl::queue queue = idle_queue(x);
    require_finite<Float>(queue, data);
    const auto how = dal::pca::descriptor<Float>(n_components)
                         .set_deterministic(true)
                         .set_normalization_mode(dal::pca::normalization::mean_center);
    const auto found = dal::train(queue, how, data);
    return std::tuple(tables::to_array<Float>(found.get_eigenvectors(), queue),
                      tables::to_array<Float>(found.get_eigenvalues(), queue),
                      tables::to_array<Float>(found.get_means(), queue));
  });
}

auto kmeans(const usmx::array& x, const usmx::array& centroids, std::int64_t max_iterations) {
  const nb::gil_scoped_release unlocked;
  require(max_iterations >= 1, "max_iterations of at least 1", max_iterations);
  if (centroids.type() != x.type()) {
    throw usmx::type_error("expected centroids of " + std::string(x.type().name()) +
                           ", as x, found " + std::string(centroids.type().name()));
  }
  if (centroids.view().context() != x.view().context()) {
    throw usmx::value_error("expected x and centroids in one SYCL context, found two");
  }
  return with_type_of(x, [&]<class Float>(Float) {
    const dal::homogen_table data = tables::over<Float>(x);
    const dal::homogen_table start = tables::over<Float>(centroids);
    require(start.get_row_count() >= 2, "at least 2 centroids", start.get_row_count());
    idle_queue(centroids);
    sycl::queue queue = idle_queue(x);
    require_finite<Float>(queue, data);
    require_finite<Float>(queue, start);
    const auto how = dal::kmeans::descriptor<Float>(start.get_row_count())
                         .set_max_iteration_count(max_iterations)
                         .set_accuracy_threshold(0);
    const auto found = dal::train(queue, how, data, start);
    return std::tuple(tables::to_array<Float>(found.get_model().get_centroids(), queue),
                      tables::to_array<std::int32_t>(found.get_responses(), queue),
                      found.get_iteration_count());
  });
}

std::uintptr_t table_address(const usmx::array& x) {
  return with_type_of(x, [&]<class Float>(Float) {
    return reinterpret_cast<std::uintptr_t>(tables::over<Float>(x).get_data());
  });
}

}  // namespace

NB_MODULE(_onedal, module) {
  usmx::python::import_usmx();
  module.def("pca", &pca, "x"_a, "n_components"_a,
             R"(Principal components by oneDAL: ``components, explained_variance, means``.

``x`` is any object with ``__sycl_usm_array_interface__``: float32 or float64, shape (rows, columns),
C- or F-contiguous, finite. oneDAL reads it where it lies. The results have shapes
(n_components, columns), (1, n_components) and (1, columns), as oneDAL's tables, whose memory they
are.)");
  module.def("kmeans", &kmeans, "x"_a, "centroids"_a, "max_iterations"_a = 300,
             R"(Clusters by oneDAL, from centroids to begin with: ``centroids, labels, iterations``.

``x`` as for `pca`; ``centroids`` too, two or more, of the same type and number of columns. The results have shapes
(clusters, columns) and, of int32, (rows, 1).)");
  module.def("table_address", &table_address, "x"_a,
             "Where a table over the array has its elements: the array's own address.");
}
