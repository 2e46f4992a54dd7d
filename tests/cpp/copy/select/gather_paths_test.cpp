// src/copy/select/selection.hpp: all ways to read and write a selection leave the same elements.
#include "copy/select/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "array/array.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/types.hpp"
#include "usmx/array/array.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::array_view;
using usmx::dtype;
using usmx::index_item;
using usmx::key_item;
using usmx::layout;
using usmx::selection;
using usmx::usm_kind;
using usmx::detail::destination_memory;
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

  /// Random indices into an axis.
  template <class T>
  std::vector<T> picked(std::ptrdiff_t n, std::int64_t extent = 6) {
    std::vector<T> values(static_cast<std::size_t>(n));
    const std::int64_t lowest = std::is_signed_v<T> ? -extent : 0;
    for (T& value : values) {
      value =
          static_cast<T>(std::uniform_int_distribution<std::int64_t>(lowest, extent - 1)(random_));
    }
    return values;
  }

  template <class T>
  array_view index(std::vector<T>& values) const {
    const extents shape{std::ssize(values)};
    return {values.data(),     dtype::of<T>(), layout::c_order(shape),
            usm_kind::unknown, queue(),        true};
  }

  /// The bytes in memory of the device, as elements of a layout.
  static array on_device(const bytes& memory, dtype type, const layout& where) {
    const extents shape{std::ssize(memory)};
    const array flat = usmx::empty(shape, usmx::type_code::uint8, queue(), usm_kind::device);
    support::upload(memory, flat.data(), queue());
    return array(flat.owner(), type, where);
  }
  template <class T>
  static array on_device(const std::vector<T>& values) {
    const auto* const first = reinterpret_cast<const std::byte*>(values.data());
    return on_device(bytes(first, first + values.size() * sizeof(T)), dtype::of<T>(),
                     layout::c_order(extents{std::ssize(values)}));
  }
  static bytes bytes_of(const array& a, std::size_t nbytes) {
    return support::download(a.memory().data(), nbytes, queue());
  }

  std::mt19937 random_{support::seed(1)};
};

/// What one way makes of a selection, and of the other direction.
struct outcome {
  bytes gathered;
  bytes scattered;
  friend bool operator==(const outcome&, const outcome&) = default;
};

TEST_F(GatherPaths, all_ways_move_the_same_elements) {
  const index_item all = index_item::slice(index_item::none, index_item::none, 1);
  const extents shape{6, 6, 6};
  for (const dtype type : item_types) {
    for (const layout& where : {layout::c_order(shape), layout::f_order(shape),
                                layout::strided(shape, extents{-6, 36, 1}, 30)}) {
      for (const std::ptrdiff_t n : {1, 3, 700}) {
        auto first = picked<std::int64_t>(n);
        auto second = picked<std::uint8_t>(n);
        for (const std::vector<key_item>& key :
             {std::vector<key_item>{index(first)},
              {all, index(first)},
              {all, all, index(first)},
              {on_device(first)},
              {all, on_device(first)},
              {all, all, on_device(first)},
              {index(first), all, index(second)},
              {all, index(first), on_device(second)},
              {on_device(second), index(first), on_device(first)}}) {
          const selection selected = selection::of(where, key);
          const selection on_host = selected.on_host();
          const layout compact = layout::c_order(selected.shape());
          const bytes memory = numbered(216 * type.itemsize());
          const bytes values =
              numbered(static_cast<std::size_t>(compact.size()) * type.itemsize(), true);
          const auto run = [&](auto gather, auto scatter) {
            bytes indexed = memory;
            bytes linear = values;
            outcome result{bytes(values.size()), memory};
            gather(view(indexed, type, selected.basic()), on_host,
                   view(result.gathered, type, compact));
            scatter(view(linear, type, compact), on_host,
                    view(result.scattered, type, selected.basic()));
            return result;
          };
          const array indexed = on_device(memory, type, selected.basic());
          const array linear = on_device(values, type, compact);
          const array gathered = on_device(bytes(values.size()), type, compact);
          const array fresh = on_device(bytes(values.size()), type, compact);
          const auto view_of = [](const array& a) { return usmx::internal::private_view(a); };
          const outcome expected = run(usmx::detail::gather_on_host, usmx::detail::scatter_on_host);
          EXPECT_NE(expected.scattered, memory);
          EXPECT_EQ(expected, run(usmx::detail::gather_staged, usmx::detail::scatter_staged));
          EXPECT_TRUE(usmx::detail::gather_by_kernels(view_of(indexed), selected, view_of(gathered),
                                                      destination_memory::given));
          EXPECT_TRUE(usmx::detail::gather_by_kernels(view_of(indexed), selected, view_of(fresh),
                                                      destination_memory::fresh));
          EXPECT_EQ(bytes_of(fresh, values.size()), expected.gathered);
          EXPECT_TRUE(
              usmx::detail::scatter_by_kernels(view_of(linear), selected, view_of(indexed)));
          EXPECT_EQ(expected,
                    (outcome{bytes_of(gathered, values.size()), bytes_of(indexed, memory.size())}));
        }
      }
    }
  }
}

TEST_F(GatherPaths, kernels_leave_the_last_of_many_values_for_one_element) {
  constexpr std::ptrdiff_t n = 300'000;
  constexpr std::ptrdiff_t extent = 40;
  auto rows = picked<std::int32_t>(n, extent);
  auto columns = picked<std::int16_t>(n, extent);
  std::vector<std::int64_t> expected(extent * extent, -1);
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i);
    expected[static_cast<std::size_t>((rows[i] + extent) % extent * extent +
                                      (columns[i] + extent) % extent)] = values[i];
  }
  const layout where = layout::c_order(extents{extent, extent});
  const array target = on_device(bytes(expected.size() * sizeof(std::int64_t), std::byte{0xff}),
                                 usmx::type_code::int64, where);
  const selection selected =
      selection::of(where, std::vector<key_item>{on_device(rows), on_device(columns)});
  const array given = on_device(values);
  EXPECT_TRUE(usmx::detail::scatter_by_kernels(usmx::internal::private_view(given), selected,
                                               usmx::internal::private_view(target)));
  const bytes found = bytes_of(target, expected.size() * sizeof(std::int64_t));
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0);
}

TEST_F(GatherPaths, kernels_refuse_an_integer_outside_of_its_axis_before_they_write) {
  const layout where = layout::c_order(extents{100, 2});
  const bytes memory = numbered(200);
  const array target = on_device(memory, usmx::type_code::int8, where);
  for (const std::int64_t bad : {std::int64_t{100}, std::int64_t{-101}, INT64_MIN, INT64_MAX}) {
    std::vector<std::int64_t> rows(1000, 7);
    rows[998] = bad;
    const selection selected = selection::of(where, std::vector<key_item>{on_device(rows)});
    const array values =
        on_device(numbered(2000, true), usmx::type_code::int8, layout::c_order(extents{1000, 2}));
    const auto view_of = [](const array& a) { return usmx::internal::private_view(a); };
    const std::string text =
        "index " + std::to_string(bad) + " is out of bounds for axis 0 with size 100";
    expect_error<usmx::index_error>(
        [&] { usmx::detail::scatter_by_kernels(view_of(values), selected, view_of(target)); },
        {text});
    EXPECT_EQ(bytes_of(target, memory.size()), memory);
    expect_error<usmx::index_error>(
        [&] {
          usmx::detail::gather_by_kernels(view_of(target), selected, view_of(values),
                                          destination_memory::given);
        },
        {text});
    EXPECT_EQ(bytes_of(values, 2000), numbered(2000, true));
    expect_error<usmx::index_error>(
        [&] {
          usmx::detail::gather_by_kernels(view_of(target), selected, view_of(values),
                                          destination_memory::fresh);
        },
        {text});
  }
}

TEST_F(GatherPaths, kernels_that_check_as_they_gather_name_the_first_of_many_bad_integers) {
  const layout where = layout::c_order(extents{100});
  const array source = on_device(numbered(100), usmx::type_code::int8, where);
  std::vector<std::int32_t> places(100'000, 3);
  places[70'000] = -101;
  std::fill(places.begin() + 70'001, places.end(), 1000);
  const selection selected = selection::of(where, std::vector<key_item>{on_device(places)});
  const array result = usmx::empty(selected.shape(), usmx::type_code::int8, queue());
  expect_error<usmx::index_error>(
      [&] {
        usmx::detail::gather_by_kernels(usmx::internal::private_view(source), selected,
                                        usmx::internal::private_view(result),
                                        destination_memory::fresh);
      },
      {"index -101 is out of bounds for axis 0 with size 100"});
}

TEST_F(GatherPaths, integers_along_any_axis_beside_each_index_are_checked_and_gathered_at_once) {
  const extents shape{5, 6, 7};
  for (const dtype type : item_types) {
    for (const layout& where : {layout::c_order(shape), layout::f_order(shape)}) {
      for (int axis = 0; axis < 3; ++axis) {
        extents chosen = shape;
        chosen[static_cast<std::size_t>(axis)] = 9;
        const layout compact = layout::c_order(chosen);
        const auto integers =
            picked<std::int64_t>(compact.size(), shape[static_cast<std::size_t>(axis)]);
        const array flat = on_device(integers);
        std::vector<key_item> key{usmx::each_index{0, 3}, usmx::each_index{1, 3},
                                  usmx::each_index{2, 3}};
        key[static_cast<std::size_t>(axis)] = array(flat.owner(), flat.type(), compact);
        const selection selected = selection::of(where, key);
        const bytes memory = numbered(210 * type.itemsize());
        bytes on_host = memory;
        bytes expected(static_cast<std::size_t>(compact.size()) * type.itemsize());
        usmx::detail::gather_on_host(view(on_host, type, selected.basic()), selected.on_host(),
                                     view(expected, type, compact));
        const array source = on_device(memory, type, selected.basic());
        const array result = on_device(bytes(expected.size()), type, compact);
        EXPECT_TRUE(usmx::detail::gather_by_kernels(usmx::internal::private_view(source), selected,
                                                    usmx::internal::private_view(result),
                                                    destination_memory::fresh));
        EXPECT_EQ(bytes_of(result, expected.size()), expected) << type << " along " << axis;
      }
    }
  }
}

TEST_F(GatherPaths, kernels_leave_what_they_cannot_do) {
  const index_item all = index_item::slice(index_item::none, index_item::none, 2);
  const extents shape(9, 4);  // eight dimensions that do not join
  const layout where = layout::c_order(shape);
  std::vector<std::int64_t> picked_rows{1, 0};
  std::vector<key_item> key(8, all);
  key.insert(key.begin(), index(picked_rows));
  const selection selected = selection::of(where, key);
  const bytes memory = numbered(1 << 18);
  const array source = on_device(memory, usmx::type_code::int8, selected.basic());
  const layout compact = layout::c_order(selected.shape());
  const array result = usmx::empty(selected.shape(), usmx::type_code::int8, queue());
  const auto view_of = [](const array& a) { return usmx::internal::private_view(a); };
  for (const auto memory_of_result : {destination_memory::given, destination_memory::fresh}) {
    EXPECT_FALSE(usmx::detail::gather_by_kernels(view_of(source), selected, view_of(result),
                                                 memory_of_result));
  }
  bytes on_host(memory.size());
  EXPECT_FALSE(
      usmx::detail::gather_by_kernels(view(on_host, usmx::type_code::int8, selected.basic()),
                                      selected, view_of(result), destination_memory::fresh));
}

}  // namespace
