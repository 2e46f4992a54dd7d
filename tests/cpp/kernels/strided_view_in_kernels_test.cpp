// usmx/layout/strided_view.hpp in device code: a kernel that takes views by value, compiled by the
// SYCL runtime's own compiler.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sycl/handler.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/usm.hpp>

#include "support/device_test.hpp"
#include "usmx/layout/strided_view.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using usmx::strided_view;

constexpr const char* transpose_source = R"(
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

#include "usmx/layout/strided_view.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<1>) void transpose(
    usmx::strided_view<const int, 2> source, usmx::strided_view<int, 2> destination) {
  const std::ptrdiff_t i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
  std::ptrdiff_t j = 0;
  for (const int element : source.slice(i, usmx::range())) {
    destination(j++, i) = element;
  }
}
)";

std::string text_of(const std::string& header) {
  std::ostringstream text;
  text << std::ifstream(USMX_HEADERS + header).rdbuf();
  return text.str();
}

class strided_view_in_kernels_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (!IsSkipped() && !device().ext_oneapi_can_build(syclex::source_language::sycl)) {
      GTEST_SKIP() << "the runtime has no compiler of SYCL for this device";
    }
  }

  static sycl::kernel transpose() {
    syclex::include_files headers;
    for (const char* name : {"usmx/layout/strided_view.hpp", "usmx/layout/index_item.hpp",
                             "usmx/base/api.hpp", "usmx/base/spellings.hpp"}) {
      headers.add(name, text_of(name));
    }
    const std::string source =
        "namespace sycl::inline _V1::ext::oneapi::experimental {}\n"
        "namespace syclex = sycl::ext::oneapi::experimental;\n" +
        std::string(transpose_source);
    auto bundle = syclex::create_kernel_bundle_from_source(context(), syclex::source_language::sycl,
                                                           source, syclex::properties(headers));
    return syclex::build(bundle, {device()},
                         syclex::properties(
                             syclex::build_options(std::vector<std::string>{"-std=c++20", "-I."})))
        .ext_oneapi_get_kernel("transpose");
  }
};

TEST_F(strided_view_in_kernels_test, kernel_reads_and_writes_elements_of_views) {
  sycl::queue queue = this->queue();
  const support::runtime_block memory(12 * sizeof(int), usmx::usm_kind::shared, queue);
  int* numbers = reinterpret_cast<int*>(memory.data());
  for (int k = 0; k < 6; ++k) {
    numbers[k] = k;
  }
  const strided_view<const int, 2> source(numbers, {2, 3}, {3, 1});
  const strided_view<int, 2> destination(numbers + 6, {3, 2}, {2, 1});
  const sycl::kernel kernel = transpose();
  queue
      .submit([&](sycl::handler& command) {
        command.set_args(source, destination);
        command.parallel_for(sycl::nd_range<1>(2, 1), kernel);
      })
      .wait();
  EXPECT_EQ(std::vector(numbers + 6, numbers + 12), (std::vector{0, 3, 1, 4, 2, 5}));
}

}  // namespace
