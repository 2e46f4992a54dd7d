// Functions whose parameters state what they need, for the test extensions of all binding
// libraries.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "usmx/array/array_of.hpp"
#include "usmx/array/in.hpp"
#include "usmx/base/error.hpp"
#include "usmx/python/function.hpp"

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

/// An object with methods.
class solver {
 public:
  solver() = default;
  explicit solver(const vector_of_double& x) : size_(x.size()) {}

  std::ptrdiff_t size(const vector_of_double& x) const { return size_ + x.size(); }
  std::ptrdiff_t grow(const vector_of_double& x) noexcept { return size_ += x.size(); }

 private:
  std::ptrdiff_t size_ = 0;
};

inline solver made(const vector_of_double& x) { return solver(x); }

/// An object with one constructor.
struct sized {
  std::ptrdiff_t size;
};

/// Functions without overloads.
template <class Arg, class Module>
void bind_checked_functions(Module& m) {
  namespace up = usmx::python;
  up::def(
      m, "matrix", [](usmx::in<const double, 2, usmx::c_contig> x) { return x.array(); }, Arg("x"));
  up::def(
      m, "turned", [](const usmx::array_of<const double, 2>& x) { return x.transposed(); },
      Arg("x"));
  up::def(m, "first_row", [](usmx::array_of<double, 2> x) { return x.slice(0); }, Arg("x"));
  up::def(
      m, "points", [](usmx::in<float, usmx::shape<usmx::any, 3>> x, int) { return x.array(); },
      Arg("x"), Arg("count") = 1);
  up::def(
      m, "rows_of_three",
      [](const usmx::in<const float, usmx::shape<usmx::any, 3>, usmx::c_contig>& x) {
        return x.size();
      },
      Arg("x"));
  up::def(m, "columns", [](const usmx::in<const double, usmx::f_contig>& x) { return x.size(); });
  up::def(m, "on_device",
          [](const usmx::in<const double, usmx::device_kind>& x) { return x.size(); });
  up::def(m, "sum", &sum, Arg("x"), "Adds.");
  up::def(
      m, "sizes_of_two",
      [](const vector_of_double& x, int, const vector_of_float& y) { return x.size() - y.size(); },
      Arg("x"), Arg("count"), Arg("y"));

  up::def(m, "optional_size",
          [](const std::optional<vector_of_double>& x) { return x ? x->size() : -1; });
  up::def(
      m, "sizes",
      [](const std::vector<vector_of_double>& xs) {
        return std::accumulate(xs.begin(), xs.end(), std::ptrdiff_t{0},
                               [](std::ptrdiff_t size, const auto& x) { return size + x.size(); });
      },
      Arg("xs"));
  up::def(
      m, "sizes_if_any",
      [](const std::optional<std::vector<vector_of_double>>& xs) { return xs ? xs->size() : 0; },
      Arg("xs"));

  up::def(m, "sum_of_copied", &sum_of_copied, Arg("x"));
  up::def(m, "given_or_copied",
          [](const copied& x) { return reinterpret_cast<std::uintptr_t>(x.data()); });
  up::def(m, "copied_beside", [](const copied&, int) {}, Arg("x"), Arg("k"));
  up::def(m, "failing", [](const vector_of_double&) { throw usmx::value_error("mine"); }, Arg("x"));
  up::def(
      m, "two_arrays", [](const usmx::array& x, usmx::array y) { return x.size() + y.size(); },
      Arg("x"), Arg("y"));
  up::def(m, "viewed", [](const usmx::array_view& x) { return x.size(); }, Arg("x"));
  up::def(m, "of_queue", [](const sycl::queue& queue) { return queue; }, Arg("queue"));
  up::def(m, "of_event", [](sycl::event event) { return event; }, Arg("event"));
  up::def(m, "of_device", [](const sycl::device& device) { return device; }, Arg("device"));
  up::def(m, "of_context", [](const sycl::context& context) { return context; }, Arg("context"));
  up::def(
      m, "after", [](const std::vector<sycl::event>& events) { return events.size(); },
      Arg("events"));
  up::def(
      m, "size_of_views",
      [](const std::vector<usmx::array_view>& xs) {
        return std::accumulate(xs.begin(), xs.end(), std::ptrdiff_t{0},
                               [](std::ptrdiff_t size, const auto& x) { return size + x.size(); });
      },
      Arg("xs"));
  up::def(
      m, "queue_if_any", [](const std::optional<sycl::queue>& queue) { return queue; },
      Arg("queue"));
  m.def("define_sum_in", [](Module module) { up::def(module, "sum", &sum, Arg("x")); });
}

template <class Arg, class Module>
void bind_typed_functions(Module& m) {
  m.def("nothing", [](std::ptrdiff_t) {});
  m.def("look_at_array", [](const usmx::array&) {});
  m.def("look_at_typed", [](const usmx::in<const double, 2, usmx::c_contig>&) {});
  m.def("same_array", [](usmx::array x) { return x; });
  m.def("look_at_named", [](const usmx::in<const double, 2>&) {}, Arg("x"));
  usmx::python::def(m, "look_at_checked", [](const usmx::in<const double, 2>&) {}, Arg("x"));
  m.def("any_rank", [](const usmx::in<const std::int32_t>& x) { return x.array().ndim(); });
  m.def("unchecked_sizes", [](const std::vector<vector_of_double>& xs) { return xs.size(); });

  m.def("which", [](const vector_of_double&) { return "double"; }, Arg("x"));
  m.def("which", [](const vector_of_float&) { return "float"; }, Arg("x"));
  m.def("which", [](int) { return "int"; }, Arg("x"));
  m.def(
      "which_beside", [](double, const vector_of_double&) { return "double"; }, Arg("k"), Arg("x"));
  m.def("which_beside", [](double, const vector_of_float&) { return "float"; }, Arg("k"), Arg("x"));
  m.def("which_rank", [](const usmx::array_of<const double, 1>&) { return 1; });
  m.def("which_rank", [](const usmx::array_of<const double, 2>&) { return 2; });
  m.def("ended", [](const vector_of_double&) { return "double"; }, Arg("x"));
  m.def("ended", [](const vector_of_float&, int) { return "float"; }, Arg("x"), Arg("k"));
  usmx::python::end_overloads(m, "ended");
  m.def("ended_after_conversion", [](const vector_of_double&, double) { return "number"; });
  m.def("ended_after_conversion", [](const copied&) { return "copy"; }, Arg("x"));
  usmx::python::end_overloads(m, "ended_after_conversion");
  m.def("which_list", [](const std::vector<vector_of_double>&) { return "double"; });
  m.def("which_list", [](const std::vector<vector_of_float>&) { return "float"; });
  m.def("exact_or_copied", [](const usmx::convert<const double, 1>&) { return "double"; });
  m.def("exact_or_copied", [](const vector_of_float&) { return "float"; });
}

}  // namespace test_extension
