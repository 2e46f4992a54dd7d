// What the library's functions do.
#include <iostream>
#include <usmx/array/print.hpp>
#include <usmx/copy/host_data.hpp>
#include <usmx/copy/values.hpp>
#include <usmx/runtime.hpp>

#include "scaled.hpp"

int main() {
  const sycl::queue queue = usmx::default_queue();
  const auto x = usmx::from_host(queue, {1.0, 2.0, 3.0}, usmx::usm_kind::shared);
  std::cout << scaled(vector_argument(x), 2).host_as<double, 1>() << '\n';
}
