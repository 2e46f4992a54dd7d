// The kernels for CUDA devices that find and move the true elements of a mask (src/kernels/device/
// mask.hpp), every thread of every block on the host, against a plain loop.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cuda_on_host.hpp"
#include "support/seed.hpp"

namespace {

/// Bytes of which about that share is not 0.
std::vector<std::uint8_t> random_mask(std::size_t n, double share, std::mt19937& random) {
  std::bernoulli_distribution is_true(share);
  std::vector<std::uint8_t> bytes(n);
  for (std::uint8_t& byte : bytes) {
    byte = is_true(random) ? static_cast<std::uint8_t>(1 + random() % 255) : 0;
  }
  return bytes;
}

TEST(tiled_masks, true_elements_of_every_size_and_number_are_found) {
  std::mt19937 random(support::seed(71));
  for (const std::size_t item : {1, 2, 4, 8, 16}) {
    // The host takes a second for 20,000, which are several blocks, and half a second for one block
    // and an element more or less: one of them for each size of items.
    const int many = item == 4 ? 20'000 : item < 4 ? 8191 : 8193;
    for (const std::size_t n : {1, 63, 64, 65, many}) {
      const std::vector<std::uint8_t> mask = random_mask(n, 0.4, random);
      std::vector<std::uint64_t> storage((n * item + 7) / 8);
      auto* const bytes = reinterpret_cast<std::uint8_t*>(storage.data());
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < n; ++i) {
        bytes[i * item + random() % item] = mask[i];
        if (mask[i] != 0) {
          expected.push_back(static_cast<std::int64_t>(i));
        }
      }
      EXPECT_EQ(kernels_test::find_true_by_cuda_kernels(item, bytes, static_cast<std::int64_t>(n),
                                                        ~std::uint64_t{0}),
                expected)
          << n << " elements of " << item << " bytes";
    }
  }
}

TEST(tiled_masks, a_negative_zero_is_zero) {
  const std::vector<float> values{0.0F, -0.0F, 1.0F, -1.0F};
  EXPECT_EQ(kernels_test::find_true_by_cuda_kernels(4, values.data(), 4, 0x7fffffff),
            (std::vector<std::int64_t>{2, 3}));
}

TEST(tiled_masks, true_elements_come_to_lie_beside_each_other) {
  std::mt19937 random(support::seed(72));
  for (const double share : {0.0, 0.5, 1.0}) {
    const std::vector<std::uint8_t> mask = random_mask(10'000, share, random);
    std::vector<std::uint32_t> elements(mask.size());
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      elements[i] = static_cast<std::uint32_t>(random());
      if (mask[i] != 0) {
        expected.push_back(elements[i]);
      }
    }
    EXPECT_EQ(kernels_test::compress_by_cuda_kernels(mask, elements), expected) << share;
  }
}

}  // namespace
