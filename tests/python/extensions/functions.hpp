// What the test extensions of all binding libraries offer: each function takes and gives the types
// that usmx has casters for, alone and in the binding library's own containers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/exception.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"

namespace test_extension {

/// What comes in goes out.
template <class T>
T same(T value) {
  return value;
}

inline std::ptrdiff_t size_of_views(const std::vector<usmx::array_view>& views) {
  return std::accumulate(
      views.begin(), views.end(), std::ptrdiff_t{0},
      [](std::ptrdiff_t sum, const usmx::array_view& view) { return sum + view.size(); });
}

/// Memory that was let go is used again, and written over.
inline std::vector<usmx::array> new_arrays_like(const std::vector<usmx::array_view>& views) {
  std::vector<usmx::array> made;
  for (const usmx::array_view& view : views) {
    made.push_back(usmx::empty(view.shape(), view.type(), view.queue(), view.kind()));
    auto* first = made.back().view().contiguous<double>();
    std::fill(first, first + view.size(), -1.0);
  }
  return made;
}

/// Of doubles in one dimension that the host may touch.
inline double sum_of_views(const std::vector<usmx::array_view>& views) {
  const std::vector<usmx::array> others = new_arrays_like(views);
  double sum = 0;
  for (const usmx::array_view& view : views) {
    const auto* first = view.contiguous<const double>();
    sum = std::accumulate(first, first + view.size(), sum);
  }
  return sum;
}

/// Throws the exception that is called so; false when there is none.
inline bool raise_error(const std::string& name) {
  if (name == "usmx::value_error") throw usmx::value_error("mine");
  if (name == "usmx::read_only_error") throw usmx::read_only_error("mine");
  if (name == "usmx::type_error") throw usmx::type_error("mine");
  if (name == "usmx::index_error") throw usmx::index_error("mine");
  if (name == "usmx::axis_error") throw usmx::axis_error("mine");
  if (name == "usmx::placement_error") throw usmx::placement_error("mine");
  if (name == "usmx::linalg_error") throw usmx::linalg_error("mine");
  if (name == "usmx::overflow_error") throw usmx::overflow_error("mine");
  if (name == "usmx::buffer_error") throw usmx::buffer_error("mine");
  if (name == "usmx::allocation_error") throw usmx::allocation_error("mine");
  if (name == "usmx::device_error") throw usmx::device_error("mine");
  if (name == "usmx::runtime_conflict") throw usmx::runtime_conflict("mine");
  if (name == "usmx::fork_error") throw usmx::fork_error("mine");
  if (name == "sycl::exception") throw sycl::exception(sycl::make_error_code(sycl::errc::invalid));
  if (name == "std::exception") throw std::exception();
  return false;
}

inline usmx::array moved_from(usmx::array x) {
  const usmx::array taken = std::move(x);
  return x;  // NOLINT(bugprone-use-after-move)
}

template <class Module>
void bind_functions(Module& m) {
  m.def("nothing", [](std::ptrdiff_t) {});
  m.def("look_at_array", [](const usmx::array&) {});
  m.def("look_at_view", [](const usmx::array_view&) {});
  m.def("size_of_view", [](const usmx::array_view& x) { return x.size(); });
  m.def("raise_error", &raise_error);
  m.def("moved_from", &moved_from);
  m.def("same_array", &same<usmx::array>);
  m.def("same_queue", &same<sycl::queue>);
  m.def("same_context", &same<sycl::context>);
  m.def("same_device", &same<sycl::device>);
  m.def("same_event", &same<sycl::event>);

  m.def("optional_array", &same<std::optional<usmx::array>>);
  m.def("vector_of_arrays", &same<std::vector<usmx::array>>);
  m.def("number_or_array", &same<std::variant<double, usmx::array>>);
  m.def("array_or_number", &same<std::variant<usmx::array, double>>);
  m.def("optional_vector", &same<std::optional<std::vector<usmx::array>>>);
  m.def("arrays_by_name", &same<std::map<std::string, usmx::array>>);
  m.def("array_and_number", &same<std::pair<usmx::array, int>>);
  m.def("optional_queue", &same<std::optional<sycl::queue>>);
  m.def("vector_of_events", &same<std::vector<sycl::event>>);
  m.def("size_of_optional_view",
        [](const std::optional<usmx::array_view>& x) { return x ? x->size() : -1; });
  m.def("view_and_number",
        [](const std::pair<usmx::array_view, int>& x) { return x.first.size() + x.second; });
  m.def("size_of_views", &size_of_views);
  m.def("sum_of_views", &sum_of_views);

  m.def("overloaded", [](const usmx::array&, int) { return "int"; });
  m.def("overloaded", [](const usmx::array&, double) { return "double"; });
  m.def("overloaded",
        [](const std::optional<usmx::array>&, const std::vector<int>&) { return "vector"; });
  m.def("overloaded", [](const usmx::array&, const std::string&) { return "string"; });
}

}  // namespace test_extension
