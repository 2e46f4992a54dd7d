// src/copy/select/gather_paths.hpp: both ways to read and write a selection leave the same
// elements.
#include "copy/select/gather_paths.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/device_test.hpp"
#include "support/seed.hpp"
#include "support/types.hpp"
#include "usmx/array/array.hpp"

namespace {

using usmx::array_view;
using usmx::dtype;
using usmx::index_item;
using usmx::key_item;
using usmx::layout;
using usmx::selection;
using usmx::usm_kind;
using bytes = std::vector<std::byte>;
using extents = std::vector<std::ptrdiff_t>;

// One type for each item size that is moved in a way of its own, and some of none.
const std::vector<dtype> item_types{usmx::type_code::int8,       usmx::type_code::int16,
                                    usmx::type_code::float32,    usmx::type_code::float64,
                                    usmx::type_code::complex128, support::structure_of(3),
                                    support::structure_of(40)};

class GatherPaths : public support::device_test {
 protected:
  /// Odd bytes or even ones, so that no byte of the one kind is found where the other was.
  static bytes numbered(std::size_t n, bool odd = false) {
    bytes made(n);
    for (std::size_t i = 0; i < n; ++i) {
      made[i] = static_cast<std::byte>(2 * (i * 7 + i / 251) + odd);
    }
    return made;
  }

  array_view view(bytes& memory, dtype type, const layout& where) const {
    return {memory.data(), type, where, usm_kind::unknown, queue(), false};
  }

  /// Random indices into an axis of 6.
  std::vector<std::int64_t> picked(std::ptrdiff_t n) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(n));
    for (std::int64_t& value : values) {
      value = std::uniform_int_distribution<std::int64_t>(-6, 5)(random_);
    }
    return values;
  }

  array_view index(std::vector<std::int64_t>& values) const {
    const extents shape{std::ssize(values)};
    return {
        values.data(), usmx::type_code::int64, layout::c_order(shape), usm_kind::unknown, queue(),
        true};
  }

  std::mt19937 random_{support::seed(1)};
};

/// What both ways make of one selection, and of the other direction.
struct outcome {
  bytes gathered;
  bytes scattered;
  friend bool operator==(const outcome&, const outcome&) = default;
};

TEST_F(GatherPaths, both_ways_move_the_same_elements) {
  const index_item all = index_item::slice(index_item::none, index_item::none, 1);
  const extents shape{6, 6, 6};
  for (const dtype type : item_types) {
    for (const layout& where : {layout::c_order(shape), layout::f_order(shape),
                                layout::strided(shape, extents{-6, 36, 1}, 30)}) {
      for (const std::ptrdiff_t n : {1, 3, 700}) {
        auto first = picked(n);
        auto second = picked(n);
        for (const std::vector<key_item>& key : {std::vector<key_item>{index(first)},
                                                 {all, index(first)},
                                                 {all, all, index(first)},
                                                 {index(first), all, index(second)},
                                                 {all, index(first), index(second)}}) {
          const selection selected = selection::of(where, key);
          const layout compact = layout::c_order(selected.shape());
          bytes memory = numbered(216 * type.itemsize());
          bytes values = numbered(static_cast<std::size_t>(compact.size()) * type.itemsize(), true);
          const auto run = [&](auto gather, auto scatter) {
            outcome result{bytes(values.size()), memory};
            gather(view(memory, type, selected.basic()), selected,
                   view(result.gathered, type, compact));
            scatter(view(values, type, compact), selected,
                    view(result.scattered, type, selected.basic()));
            return result;
          };
          const outcome on_host = run(usmx::detail::gather_on_host, usmx::detail::scatter_on_host);
          EXPECT_EQ(on_host, run(usmx::detail::gather_staged, usmx::detail::scatter_staged));
          EXPECT_NE(on_host.scattered, memory);
        }
      }
    }
  }
}

}  // namespace
