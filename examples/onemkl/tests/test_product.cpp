// A test is a program that returns 0. GoogleTest and its like are as easy to add.
#include <iostream>
#include <usmx/base/error.hpp>
#include <usmx/copy/host_data.hpp>
#include <usmx/copy/values.hpp>
#include <usmx/runtime.hpp>
#include <vector>

#include "product.hpp"

int main() {
  const sycl::queue queue = usmx::default_queue();
  int failures = 0;
  const auto expect = [&](bool is_true, const char* what) {
    if (!is_true) std::cerr << "failed: " << what << '\n';
    failures += !is_true;
  };

  const matrix_argument a(usmx::from_host(queue, {{1.0, 2.0, 3.0}}));
  const matrix_argument b(usmx::from_host(queue, {{1.0, 0.0}, {0.0, 1.0}, {2.0, 3.0}}));
  expect(usmx::to_vector<double>(product(a, b)) == std::vector<double>{7, 11}, "elements");
  try {
    product(b, a);
    expect(false, "matrices that do not fit are refused");
  } catch (const usmx::value_error&) {
  }
  return failures;
}
