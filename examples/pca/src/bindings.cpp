// The Python module usmx_pca._pca. usmx's casters take and give USM arrays; the rest is in pca.cpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <usmx/python/nanobind.hpp>

#include "pca.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

pca::result fit(const usmx::array_view& x, std::optional<std::int64_t> n_components) {
  const nb::gil_scoped_release unlocked;
  return pca::fit(x, n_components);
}

auto to_tuple(pca::result result) {
  return std::tuple(std::move(result.components), std::move(result.scores),
                    std::move(result.explained_variance));
}

auto pca_of(const usmx::array_view& x, std::optional<std::int64_t> n_components) {
  return to_tuple(fit(x, n_components));
}

auto pca_with_addresses(const usmx::array_view& x, std::optional<std::int64_t> n_components) {
  pca::result result = fit(x, n_components);
  const auto number = [](const double* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const std::tuple addresses(number(result.native.x), number(result.native.components),
                             number(result.native.scores));
  return std::tuple(to_tuple(std::move(result)), addresses);
}

}  // namespace

NB_MODULE(_pca, module) {
  usmx::python::import_usmx();
  module.def("pca", &pca_of, "x"_a, "n_components"_a = nb::none(),
             R"(Principal components of a data set in unified shared memory, by oneMKL.

Parameters
----------
x : any object with ``__sycl_usm_array_interface__``
    float64, shape (rows, columns), C-contiguous. It is only read, where it lies.
n_components : int, optional
    How many, from 1 to min(rows, columns), which is also the default.

Returns
-------
components : usmx.USMArray
    (n_components, columns): unit rows, most important first. The entry of largest magnitude of each
    is positive.
scores : usmx.USMArray
    (rows, n_components): the centred data along each component.
explained_variance : usmx.USMArray
    (n_components,): the variance of each column of the scores.

All three are in shared memory that this extension has allocated; usmx frees it with the extension's
own deleter when the last view is gone. They are finished when this returns.)");
  module.def("pca_with_addresses", &pca_with_addresses, "x"_a, "n_components"_a = nb::none(),
             R"(The same, and where it happened: ``pca(x, n_components), (x, components, scores)``.

The second tuple holds the addresses that the native code itself has worked on. By comparing them
with those that others see, one finds whether anything was copied.)");
}
