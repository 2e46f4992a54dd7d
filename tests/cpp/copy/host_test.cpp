// src/copy/host.hpp: whatever way a copy is run, it writes what a loop over all indices writes, and
// nothing else. The thresholds are lowered so that small copies go every way.
#include "copy/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "copy/convert.hpp"
#include "support/seed.hpp"
#include "support/types.hpp"

namespace {

using usmx::dtype;
using usmx::type_code;
using usmx::detail::conversion;
using usmx::detail::copy_end;
using usmx::detail::copy_on_host;
using usmx::detail::host_thresholds;
using usmx::detail::make_plan;
using numbers = std::vector<std::ptrdiff_t>;
using bytes = std::vector<std::byte>;

constexpr std::size_t never = SIZE_MAX;
constexpr std::array ways{host_thresholds{never, never, never}, host_thresholds{0, 1, never},
                          host_thresholds{0, 1000, 0}, host_thresholds{never, never, 0}};

/// Where elements lie in bytes of memory of their own.
struct byte_layout {
  numbers strides;  // in bytes
  std::ptrdiff_t offset;
  std::size_t nbytes;

  std::ptrdiff_t at(const numbers& index) const {
    return std::inner_product(index.begin(), index.end(), strides.begin(), offset);
  }
};

class random_copies {
 public:
  explicit random_copies(unsigned seed) : random_(seed) {}

  std::ptrdiff_t number(std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random_);
  }
  bool one_in(int n) { return number(1, n) == 1; }

  /// Few dimensions that may be long, or many short ones.
  numbers shape() {
    numbers result(static_cast<std::size_t>(number(0, 5)));
    const std::ptrdiff_t longest = result.size() <= 2 ? 150 : result.size() == 3 ? 30 : 8;
    for (std::ptrdiff_t& n : result) {
      n = one_in(3) ? number(1, 3) : number(1, longest);
    }
    if (!result.empty() && result.size() <= 2 && one_in(8)) {
      result.back() = number(5000, 9000);
      result.front() = std::min<std::ptrdiff_t>(result.front(), result.size() == 1 ? 9000 : 3);
    }
    return result;
  }

  /// A place of its own for every element: dimensions in any order, with gaps, in any direction.
  byte_layout distinct(const numbers& shape, std::ptrdiff_t itemsize) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});  // C order
    if (one_in(2)) {
      std::ranges::shuffle(order, random_);
    }
    const bool gaps = one_in(2);
    const bool backwards = one_in(3);
    numbers strides(shape.size());
    std::ptrdiff_t span = itemsize * (one_in(4) ? number(1, 3) : 1) + (one_in(8) ? 1 : 0);
    for (const std::size_t k : order) {
      strides[k] = backwards && one_in(2) ? -span : span;
      span = span * shape[k] + (gaps && one_in(2) ? number(0, 3) * itemsize : 0);
    }
    return placed(shape, std::move(strides), itemsize);
  }

  /// Elements may share bytes.
  byte_layout any(const numbers& shape, std::ptrdiff_t itemsize) {
    byte_layout result = distinct(shape, itemsize);
    for (std::ptrdiff_t& stride : result.strides) {
      stride = one_in(5) ? 0 : one_in(8) ? number(-20, 20) : stride;
    }
    return placed(shape, std::move(result.strides), itemsize);
  }

  /// With some room before and behind, at any alignment.
  byte_layout placed(const numbers& shape, numbers strides, std::ptrdiff_t itemsize) {
    std::ptrdiff_t lowest = 0;
    std::ptrdiff_t highest = itemsize;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const std::ptrdiff_t reach = strides[k] * (shape[k] - 1);
      (reach < 0 ? lowest : highest) += reach;
    }
    const std::ptrdiff_t room = one_in(2) ? 64 : number(0, 70);
    return {std::move(strides), room - lowest,
            static_cast<std::size_t>(room + highest - lowest + 9)};
  }

  bytes noise(std::size_t nbytes) {
    bytes result(nbytes);
    for (std::byte& b : result) {
      b = static_cast<std::byte>(random_());
    }
    return result;
  }

 private:
  std::mt19937 random_;
};

/// What the copy should leave in the destination's memory.
bytes copied_one_by_one(const numbers& shape, const bytes& source, const byte_layout& from,
                        dtype from_type, bytes destination, const byte_layout& to, dtype to_type) {
  numbers index(shape.size(), 0);
  const std::ptrdiff_t size =
      std::accumulate(shape.begin(), shape.end(), std::ptrdiff_t{1}, std::multiplies{});
  for (std::ptrdiff_t count = 0; count < size; ++count) {
    const std::byte* const element = source.data() + from.at(index);
    std::byte* const place = destination.data() + to.at(index);
    if (from_type == to_type) {
      std::memcpy(place, element, to_type.itemsize());
    } else {
      conversion(from_type, to_type).strided(element, 0, place, 0, 1);
    }
    for (std::size_t k = shape.size(); k > 0 && ++index[k - 1] == shape[k - 1]; --k) {
      index[k - 1] = 0;
    }
  }
  return destination;
}

/// One copy between noise, every way.
void check_copy(random_copies& random, const numbers& shape, const byte_layout& from,
                dtype from_type, const byte_layout& to, dtype to_type) {
  bytes source = random.noise(from.nbytes);
  const bytes before = random.noise(to.nbytes);
  const bytes expected = copied_one_by_one(shape, source, from, from_type, before, to, to_type);
  for (const host_thresholds& way : ways) {
    bytes destination = before;
    const auto plan =
        make_plan(shape, copy_end{source.data() + from.offset, from_type, from.strides, 1},
                  copy_end{destination.data() + to.offset, to_type, to.strides, 1});
    copy_on_host(plan, way);
    ASSERT_TRUE(destination == expected)
        << plan << ", shape " << usmx::tuple_text(shape) << ", parallel from " << way.parallel
        << ", streaming from " << way.streaming;
  }
}

/// Random layouts of one pair of types.
void check_copies(dtype from_type, dtype to_type, unsigned seed, int rounds) {
  SCOPED_TRACE(testing::Message() << from_type << " to " << to_type << ", seed " << seed);
  random_copies random(seed);
  for (int round = 0; round < rounds; ++round) {
    const numbers shape = random.shape();
    const byte_layout from = random.any(shape, static_cast<std::ptrdiff_t>(from_type.itemsize()));
    const byte_layout to = random.distinct(shape, static_cast<std::ptrdiff_t>(to_type.itemsize()));
    ASSERT_NO_FATAL_FAILURE(check_copy(random, shape, from, from_type, to, to_type));
  }
}

TEST(copy_host_test, items_of_every_size_are_moved_every_way) {
  for (const std::size_t size : {1, 2, 4, 8, 16, 3, 12, 24, 100, 5000}) {
    check_copies(support::structure_of(size), support::structure_of(size),
                 static_cast<unsigned>(size), size > 1000 ? 3 : 40);
  }
}

TEST(copy_host_test, every_type_is_converted_to_every_other_every_way) {
  unsigned seed = 100;
  for (int from = 0; from < usmx::type_count; ++from) {
    for (int to = 0; to < usmx::type_count; ++to) {
      check_copies(static_cast<type_code>(from), static_cast<type_code>(to), seed++, 4);
    }
  }
}

TEST(copy_host_test, transposed_rows_may_be_any_multiple_of_2_kib_apart) {
  random_copies random(support::seed(77));
  const std::vector<std::pair<dtype, dtype>> types{{type_code::int8, type_code::int8},
                                                   {type_code::uint16, type_code::uint16},
                                                   {type_code::float32, type_code::float32},
                                                   {type_code::float64, type_code::float64},
                                                   {type_code::complex128, type_code::complex128},
                                                   {type_code::int32, type_code::float64}};
  for (const auto& [from_type, to_type] : types) {
    for (int round = 0; round < 8; ++round) {
      const auto from_item = static_cast<std::ptrdiff_t>(from_type.itemsize());
      const auto to_item = static_cast<std::ptrdiff_t>(to_type.itemsize());
      const numbers shape{random.number(4, 150), random.number(4, 2048 / to_item)};
      const byte_layout from = random.placed(shape, {from_item, from_item * shape[0]}, from_item);
      const byte_layout to = random.placed(shape, {2048 * random.number(1, 2), to_item}, to_item);
      ASSERT_NO_FATAL_FAILURE(check_copy(random, shape, from, from_type, to, to_type));
    }
  }
}

TEST(copy_host_test, several_threads_copy_at_once) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k) {
    threads.emplace_back(
        [k] { check_copies(type_code::float32, type_code::float32, 1000 + k, 20); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(copy_host_test, more_elements_than_32_bits_can_count) {
  const std::ptrdiff_t count = (std::ptrdiff_t{1} << 31) + 12345;
  const auto destination =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count));
  const std::array source{std::byte{17}, std::byte{18}};
  const numbers still{0};
  const numbers adjacent{1};
  const auto fill_with = [&](const std::byte* element, const numbers& strides) {
    copy_on_host(make_plan(numbers{count},
                           copy_end{const_cast<std::byte*>(element), type_code::int8, still, 1},
                           copy_end{destination.get(), type_code::int8, strides, 1}));
  };
  fill_with(source.data(), adjacent);
  for (const std::ptrdiff_t k : {std::ptrdiff_t{0}, count / 3, count - 12346, count - 1}) {
    EXPECT_EQ(destination[static_cast<std::size_t>(k)], std::byte{17});
  }
  // The last of as many elements for one place.
  fill_with(source.data() + 1, still);
  EXPECT_EQ(destination[0], std::byte{18});
}

}  // namespace
