// memory/size_classes.hpp: which block serves which request.
#include "memory/pool.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace usmx::detail;

TEST(size_classes, every_request_fits_and_is_aligned) {
  for (std::size_t nbytes = 1; nbytes <= 70'000; nbytes += 7) {
    for (std::size_t alignment = 1; alignment <= largest_pool_alignment; alignment *= 2) {
      const std::size_t size = block_size(nbytes, alignment);
      ASSERT_GE(size, nbytes);
      ASSERT_EQ(size % alignment, 0U) << nbytes;
      ASSERT_EQ(size % block_granule, 0U) << nbytes;
    }
  }
}

TEST(size_classes, slab_blocks_waste_less_than_a_granule_or_a_quarter) {
  for (std::size_t nbytes = 1; nbytes <= largest_slab_block; ++nbytes) {
    const std::size_t waste = block_size(nbytes, 0) - nbytes;
    ASSERT_TRUE(nbytes <= 256 ? waste < block_granule : 4 * waste < nbytes) << nbytes;
  }
}

TEST(size_classes, large_blocks_waste_less_than_a_sixteenth) {
  for (std::size_t nbytes = largest_slab_block + 1; nbytes < (std::size_t{1} << 40);
       nbytes += nbytes / 37) {
    ASSERT_LT(16 * (block_size(nbytes, 0) - nbytes), nbytes);
  }
}

TEST(size_classes, every_size_has_one_index_and_every_index_one_size) {
  for (std::size_t index = 0; index < slab_class_count; ++index) {
    EXPECT_EQ(class_index(size_of_class(index)), index);
    EXPECT_EQ(block_size(size_of_class(index), 0), size_of_class(index));
  }
  for (std::size_t nbytes = 1; nbytes <= largest_slab_block; ++nbytes) {
    for (const std::size_t alignment : {0, 256, 4096}) {
      const std::size_t size = block_size(nbytes, alignment);
      ASSERT_TRUE(size > largest_slab_block || size_of_class(class_index(size)) == size);
    }
  }
}

TEST(size_classes, size_that_would_overflow_is_never_less_than_the_request) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t nbytes : {most, most - 1, most / 2 + 1, most / 2 + 2}) {
    EXPECT_GE(block_size(nbytes, 4096), nbytes);
  }
}

}  // namespace
