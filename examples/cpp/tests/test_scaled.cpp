// A test is a program that returns 0. GoogleTest and its like are as easy to add.
#include <iostream>
#include <usmx/base/error.hpp>
#include <usmx/copy/host_data.hpp>
#include <usmx/copy/values.hpp>
#include <usmx/runtime.hpp>
#include <vector>

#include "scaled.hpp"

int main() {
  const sycl::queue queue = usmx::default_queue();
  int failures = 0;
  const auto expect = [&](bool is_true, const char* what) {
    if (!is_true) std::cerr << "failed: " << what << '\n';
    failures += !is_true;
  };

  for (const usmx::usm_kind kind : {usmx::usm_kind::shared, usmx::usm_kind::host}) {
    const auto x = usmx::from_host(queue, {1.0, 2.0, 3.0}, kind);
    const usmx::array result = scaled(vector_argument(x), 2);
    expect(usmx::to_vector<double>(result) == std::vector<double>{2, 4, 6}, "elements");
    expect(result.kind() == kind, "kind of memory");
  }
  try {
    vector_argument(usmx::from_host(queue, {1.0F}, usmx::usm_kind::shared));
    expect(false, "another element type is refused");
  } catch (const usmx::type_error&) {
  }
  return failures;
}
