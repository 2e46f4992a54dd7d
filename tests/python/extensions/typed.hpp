// Functions whose parameters state what they need, for the test extensions of all binding
// libraries.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "usmx/array/in.hpp"

namespace test_extension {

using vector_of_double = usmx::in<const double, 1>;
using vector_of_float = usmx::in<const float, 1>;
using readable = usmx::in<const double, 1, usmx::host_accessible>;
using copied = usmx::convert<const double, 1, usmx::c_contig, usmx::host_accessible>;

inline double sum(const readable& x) {
  double result = 0;
  for (std::ptrdiff_t k = 0; k < x.size(); ++k) {
    result += x.view()(k);
  }
  return result;
}

inline double sum_of_copied(const copied& x) {
  return std::accumulate(x.elements().begin(), x.elements().end(), 0.0);
}

/// One call of a method.
struct solver {
  std::ptrdiff_t size(const vector_of_double& x) const { return x.size(); }
};

template <class Arg, class Module>
void bind_typed_functions(Module& m) {
  m.def("nothing", [](std::ptrdiff_t) {});
  m.def("look_at_array", [](const usmx::array&) {});
  m.def("look_at_typed", [](const usmx::in<const double, 2, usmx::c_contig>&) {});
  m.def("same_array", [](usmx::array x) { return x; });
  m.def("look_at_named", [](const usmx::in<const double, 2>&) {}, Arg("x"));

  m.def("matrix", [](usmx::in<const double, 2, usmx::c_contig> x) { return x.array(); }, Arg("x"));
  m.def(
      "points", [](usmx::in<float, usmx::shape<usmx::any, 3>> x, int) { return x.array(); },
      Arg("x"), Arg("count") = 1);
  m.def("any_rank", [](const usmx::in<const std::int32_t>& x) { return x.array().ndim(); });
  m.def("columns", [](const usmx::in<const double, usmx::f_contig>& x) { return x.size(); });
  m.def("on_device", [](const usmx::in<const double, usmx::device_kind>& x) { return x.size(); });
  m.def("sum", &sum, Arg("x"));

  m.def("which", [](const vector_of_double&) { return "double"; }, Arg("x"));
  m.def("which", [](const vector_of_float&) { return "float"; }, Arg("x"));
  m.def("which", [](int) { return "int"; }, Arg("x"));
  m.def(
      "which_beside", [](double, const vector_of_double&) { return "double"; }, Arg("k"), Arg("x"));
  m.def("which_beside", [](double, const vector_of_float&) { return "float"; }, Arg("k"), Arg("x"));

  m.def("optional_size",
        [](const std::optional<vector_of_double>& x) { return x ? x->size() : -1; });
  m.def("sizes", [](const std::vector<vector_of_double>& xs) {
    return std::accumulate(xs.begin(), xs.end(), std::ptrdiff_t{0},
                           [](std::ptrdiff_t size, const auto& x) { return size + x.size(); });
  });

  m.def("sum_of_copied", &sum_of_copied, Arg("x"));
  m.def("given_or_copied",
        [](const copied& x) { return reinterpret_cast<std::uintptr_t>(x.data()); });
  m.def("exact_or_copied", [](const usmx::convert<const double, 1>&) { return "double"; });
  m.def("exact_or_copied", [](const vector_of_float&) { return "float"; });
  m.def("copied_beside", [](const copied&, int) {}, Arg("x"), Arg("k"));
}

}  // namespace test_extension
