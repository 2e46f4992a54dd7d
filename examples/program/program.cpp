// A program of C++ alone: numbers go into memory of a device, and come back turned and converted.
#include <array>
#include <iostream>
#include <numeric>
#include <usmx/array.hpp>
#include <usmx/copy/copy.hpp>
#include <usmx/runtime.hpp>

int main() {
  const sycl::queue queue = usmx::default_queue();
  const std::array<std::ptrdiff_t, 2> shape = {2, 3};

  const auto numbers = usmx::empty(shape, usmx::dtype::of<float>(), queue, usmx::usm_kind::shared);
  auto* first = numbers.view().contiguous<float>();
  std::iota(first, first + numbers.size(), 0.0F);

  const auto there = usmx::empty(shape, usmx::dtype::of<float>(), queue);
  usmx::copy(numbers, there);

  const auto turned = there.with_layout(usmx::transposed(there.layout()));
  const auto back =
      usmx::empty(turned.shape(), usmx::dtype::of<double>(), queue, usmx::usm_kind::host);
  usmx::copy(turned, back);

  const auto x = back.view().host_as<const double, 2>();
  for (std::ptrdiff_t row = 0; row < x.extent(0); ++row) {
    std::cout << x(row, 0) << ' ' << x(row, 1) << '\n';
  }
}
