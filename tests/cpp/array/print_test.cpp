// usmx/array/print.hpp, and the operators << that need no header of their own.
#include "usmx/array/print.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "support/device_test.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using usmx::array;
using usmx::strided_view;
using usmx::usm_kind;

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}

class print_test : public support::device_test {};

TEST(print, kinds_of_memory_have_their_names) {
  EXPECT_EQ(printed(usm_kind::shared), "shared");
  EXPECT_EQ(printed(usm_kind::unknown), "unknown");
}

TEST_F(print_test, arrays_and_their_views_say_what_they_are) {
  const array a = usmx::empty({2, 3}, usmx::float32, queue(), usm_kind::host).transposed();
  EXPECT_EQ(printed(a), "float32, shape (3, 2), strides (1, 3), host memory");
  EXPECT_EQ(printed(a.as_readonly()),
            "float32, shape (3, 2), strides (1, 3), host memory, read-only");
  EXPECT_EQ(printed(a.view()), printed(a));
  EXPECT_EQ(printed(usmx::array_of<float, 2>(a)), printed(a));
  EXPECT_EQ(printed(array()), "float64, shape (0,), strides (1,), no USM");
  EXPECT_FALSE(usmx::empty({2}, usmx::int8, queue()).may_be_busy());
}

TEST_F(print_test, array_is_not_exposed) {
  const array a = usmx::empty({2}, usmx::int8, queue());
  printed(a);
  EXPECT_FALSE(a.owner()->others_may_work());
}

TEST_F(print_test, device_says_what_describe_says) {
  EXPECT_EQ(printed(device()), usmx::describe(device()));
}

TEST(print, elements_are_nested_lists) {
  std::array<int, 6> memory{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(printed(strided_view<int, 1>(&memory[4], {3}, {-2})), "[4, 2, 0]");
  EXPECT_EQ(printed(strided_view<int, 2>(memory.data(), {2, 3}, {3, 1})),
            "[[0, 1, 2],\n [3, 4, 5]]");
  EXPECT_EQ(printed(strided_view<int, 3>(memory.data(), {2, 1, 2}, {3, 3, 1})),
            "[[[0, 1]],\n [[3, 4]]]");
  EXPECT_EQ(printed(strided_view<int, 0>(&memory[3], {}, {})), "3");
  EXPECT_EQ(printed(strided_view<int, 2>(memory.data(), {2, 0}, {3, 1})), "[[],\n []]");
}

TEST(print, elements_of_one_byte_are_numbers_and_bools_are_words) {
  std::array<std::int8_t, 2> bytes{65, -1};
  EXPECT_EQ(printed(strided_view<std::int8_t, 1>(bytes.data(), {2}, {1})), "[65, -1]");
  std::array<bool, 2> bools{true, false};
  EXPECT_EQ(printed(strided_view<bool, 1>(bools.data(), {2}, {1})), "[true, false]");
  std::array<std::complex<float>, 1> complex{std::complex<float>(1, -2)};
  EXPECT_EQ(printed(strided_view<std::complex<float>, 1>(complex.data(), {1}, {1})), "[(1,-2)]");
}

TEST(print, many_elements_are_printed_by_their_ends) {
  std::vector<int> memory(40 * 40);
  std::iota(memory.begin(), memory.end(), 0);
  EXPECT_EQ(printed(strided_view<int, 1>(memory.data(), {1001}, {1})),
            "[0, 1, 2, ..., 998, 999, 1000]");
  const std::string matrix = printed(strided_view<int, 2>(memory.data(), {40, 40}, {40, 1}));
  EXPECT_EQ(matrix.substr(0, matrix.find('\n')), "[[0, 1, 2, ..., 37, 38, 39],");
  EXPECT_NE(matrix.find("],\n ...,\n [1480,"), std::string::npos) << matrix;
  EXPECT_EQ(std::ranges::count(matrix, '\n'), 6);
  const std::string narrow = printed(strided_view<int, 2>(memory.data(), {4, 400}, {400, 1}));
  EXPECT_EQ(std::ranges::count(narrow, '\n'), 3);
}

TEST_F(print_test, view_that_keeps_the_memory_prints_its_elements) {
  const usmx::array_of<int, 1> a(3, queue(), usm_kind::shared);
  std::ranges::fill(a.host_view(), 7);
  EXPECT_EQ(printed(a.slice(usmx::range(1)).host_view()), "[7, 7]");
}

#if defined(__cpp_lib_format)
TEST_F(print_test, std_format_takes_all_of_them_with_a_width) {
  const usmx::array_of<int, 1> a(2, queue(), usm_kind::shared);
  std::ranges::fill(a.host_view(), 7);
  EXPECT_EQ(std::format("{:>8}|{:<6}|{}", a.type(), a.kind(), a.layout()),
            "   int32|shared|shape (2,), strides (1,), offset 0");
  EXPECT_EQ(std::format("{}", a), printed(a));
  EXPECT_EQ(std::format("{}", array(a)), printed(a));
  EXPECT_EQ(std::format("{}", a.view()), printed(a));
  EXPECT_EQ(std::format("{} {}", a.host_view(), a.slice(0).host_view()), "[7, 7] 7");
  EXPECT_EQ(std::format("{}", device()), usmx::describe(device()));
}
#endif

}  // namespace
