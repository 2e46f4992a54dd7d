// src/vendors/cufft.hpp: which strides cuFFT can be told, and how.
#include "vendors/cufft.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace {

using std::ptrdiff_t;
using usmx::detail::cufft_side;
using usmx::detail::cufft_side_of;

TEST(cufft_side_of, adjacent_transforms_have_their_own_extents) {
  const std::vector<ptrdiff_t> extents{4, 5, 6};
  EXPECT_EQ(cufft_side_of(extents, std::vector<ptrdiff_t>{30, 6, 1}, 120),
            (cufft_side{{4, 5, 6}, 1, 120}));
}

TEST(cufft_side_of, element_of_every_index_is_where_the_strides_say) {
  const std::vector<ptrdiff_t> extents{3, 4, 5};
  for (const auto& strides : {std::vector<ptrdiff_t>{40, 10, 2}, {120, 20, 4}, {64, 8, 1}}) {
    const auto side = cufft_side_of(extents, strides, 7);
    ASSERT_TRUE(side);
    EXPECT_EQ(side->distance, 7);
    for (ptrdiff_t i = 0; i < 3; ++i) {
      for (ptrdiff_t j = 0; j < 4; ++j) {
        for (ptrdiff_t k = 0; k < 5; ++k) {
          EXPECT_EQ(((i * side->memory[1] + j) * side->memory[2] + k) * side->stride,
                    i * strides[0] + j * strides[1] + k * strides[2]);
        }
      }
    }
  }
}

TEST(cufft_side_of, any_positive_step_of_one_axis_is_taken) {
  EXPECT_EQ(cufft_side_of(std::array<ptrdiff_t, 1>{8}, std::array<ptrdiff_t, 1>{3}, 1),
            (cufft_side{{8}, 3, 1}));
}

TEST(cufft_side_of, strides_that_cannot_be_told_are_refused) {
  const std::vector<ptrdiff_t> extents{4, 5};
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{1, 4}, 1))
      << "the inner one is larger";
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{11, 2}, 1)) << "no multiple";
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{4, 1}, 1)) << "rows overlap";
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{5, -1}, 1));
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{0, 1}, 1));
  EXPECT_FALSE(cufft_side_of(extents, std::vector<ptrdiff_t>{5, 1}, 0)) << "a broadcast";
}

}  // namespace
