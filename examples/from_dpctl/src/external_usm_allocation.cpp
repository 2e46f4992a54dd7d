// dpctl's examples/pybind11/external_usm_allocation: Python sees the memory of a C++ class.
#include <pybind11/stl.h>

#include <usmx/copy/values.hpp>
#include <usmx/memory/allocator.hpp>
#include <vector>

#include "ports.hpp"

namespace {

/// A matrix whose elements are in a std::vector, in shared memory.
class DMatrix {
 public:
  DMatrix(const sycl::queue& queue, std::ptrdiff_t rows, std::ptrdiff_t columns)
      : rows_(rows),
        columns_(columns),
        elements_(static_cast<std::size_t>(rows * columns), queue) {}

  /// The elements as an array, which keeps their memory alive.
  usmx::array array() {
    return usmx::array::adopt(elements_.data(), {rows_, columns_}, usmx::float64,
                              elements_.get_allocator().queue(), [](void*) {});
  }

 private:
  std::ptrdiff_t rows_, columns_;
  std::vector<double, usmx::allocator<double>> elements_;
};

std::vector<std::vector<double>> to_lists(DMatrix& matrix) {
  std::vector<std::vector<double>> lists;
  for (const auto row : matrix.array().host_as<double, 2>()) {
    lists.emplace_back(row.begin(), row.end());
  }
  return lists;
}

usmx::array_of<std::uint8_t, 1> make_zeroed_device_memory(std::size_t nbytes,
                                                          const sycl::queue& queue) {
  return usmx::zeros<std::uint8_t>(nbytes, queue);
}

}  // namespace

void define_external_usm_allocation(py::module_& m) {
  py::class_<DMatrix>(m, "DMatrix")
      .def(py::init<const sycl::queue&, std::ptrdiff_t, std::ptrdiff_t>())
      .def_property_readonly("__sycl_usm_array_interface__",
                             [](DMatrix& matrix) {
                               return py::cast(matrix.array()).attr("__sycl_usm_array_interface__");
                             })
      .def("tolist", &to_lists);
  usmx::python::def(m, "make_zeroed_device_memory", &make_zeroed_device_memory, py::arg("nbytes"),
                    py::arg("queue"));
}
