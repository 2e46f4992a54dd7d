// usmx/copy/select/selection.hpp: what a key with arrays addresses, and moving it.
#include "usmx/copy/select/selection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::array;
using usmx::array_view;
using usmx::dtype;
using usmx::index_error;
using usmx::index_item;
using usmx::key_item;
using usmx::layout;
using usmx::selection;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;

const index_item everything = index_item::slice(index_item::none, index_item::none, 1);

extents to_vector(std::span<const std::ptrdiff_t> values) { return {values.begin(), values.end()}; }

class Gather : public support::device_test {
 protected:
  /// Ordinary host memory as a view.
  template <class T>
  array_view host(std::vector<T>& values, const extents& shape) {
    return {values.data(),     dtype::of<T>(), layout::c_order(shape),
            usm_kind::unknown, queue(),        false};
  }
  template <class T>
  array_view host(std::vector<T>& values) {
    return host(values, {std::ssize(values)});
  }

  /// An array in USM with these elements.
  template <class T>
  array made_of(std::vector<T>& values, const extents& shape) {
    array made = usmx::empty(shape, dtype::of<T>(), queue(), usm_kind::shared);
    usmx::copy_from_host(host(values, shape), made);
    return made;
  }
  template <class T>
  array made_of(std::vector<T>& values) {
    return made_of(values, {std::ssize(values)});
  }

  /// 0, 1, 2, ... in memory of a kind.
  static array numbered(const extents& shape, usm_kind kind) {
    array made = usmx::empty(shape, dtype::of<std::int32_t>(), queue(), kind);
    std::vector<std::int32_t> values(static_cast<std::size_t>(made.size()));
    std::iota(values.begin(), values.end(), 0);
    support::upload(as_bytes(values), made.data(), queue());
    return made;
  }
  static std::vector<std::byte> as_bytes(const std::vector<std::int32_t>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  static std::vector<std::int32_t> elements(const array& a) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(a.size()));
    const auto bytes =
        support::download(a.owner()->data(), values.size() * sizeof(std::int32_t), queue());
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  static std::vector<std::int32_t> gathered(const array& source, const std::vector<key_item>& key) {
    const selection selected = selection::of(source.layout(), key);
    const array result = usmx::empty(selected.shape(), source.type(), queue(), source.kind());
    usmx::gather(source, selected, result);
    return elements(result);
  }
};

// ---- selection

TEST_F(Gather, neighbouring_arrays_leave_their_dimensions_in_place) {
  std::vector<std::int64_t> a{0, 1};
  std::vector<std::int64_t> b{2, 3};
  const layout where = layout::c_order(extents{3, 4, 5, 6});
  const auto shape = [&](std::vector<key_item> key) {
    const selection selected = selection::of(where, key);
    return std::pair(to_vector(selected.shape()), selected.position());
  };
  EXPECT_EQ(shape({everything, host(a), host(b)}), std::pair(extents({3, 2, 6}), 1));
  EXPECT_EQ(shape({host(a), everything, host(b)}), std::pair(extents({2, 4, 6}), 0));
  EXPECT_EQ(shape({everything, host(a), everything, host(b)}), std::pair(extents({2, 3, 5}), 0));
  EXPECT_EQ(shape({everything, host(a), index_item::integer(1)}), std::pair(extents({3, 2, 6}), 1));
  EXPECT_EQ(shape({index_item::integer(1), everything, host(a)}), std::pair(extents({2, 4, 6}), 0));
  EXPECT_EQ(shape({index_item::ellipsis(), host(a)}), std::pair(extents({3, 4, 5, 2}), 3));
  EXPECT_EQ(shape({host(a), index_item::newaxis(), host(b)}), std::pair(extents({2, 1, 5, 6}), 0));
}

TEST_F(Gather, arrays_are_broadcast_together) {
  std::vector<std::int64_t> column{0, 1, 2};
  std::vector<std::uint8_t> row{3, 1};
  const std::vector<key_item> key{host(column, {3, 1}), host(row, {2})};
  const selection selected = selection::of(layout::c_order(extents{3, 4}), key);
  EXPECT_EQ(to_vector(selected.common_shape()), extents({3, 2}));
}

TEST_F(Gather, key_that_does_not_fit_is_an_index_error) {
  std::vector<std::int64_t> two{0, 1};
  std::vector<std::int64_t> three{0, 1, 2};
  std::vector<double> numbers{0, 1};
  std::array<bool, 4> truths{};
  const array_view mask(truths.data(), dtype::of<bool>(), layout::c_order(extents{2, 2}),
                        usm_kind::unknown, queue(), true);
  const layout where = layout::c_order(extents{3, 2});
  const auto select = [&](std::vector<key_item> key) { selection::of(where, key); };
  expect_error<index_error>([&] { select({host(two), host(three)}); }, {"(2,)", "(3,)"});
  expect_error<index_error>([&] { select({host(numbers)}); }, {"integer type or bool", "float64"});
  expect_error<index_error>([&] { select({mask}); }, {"expected 3", "axis 0", "found 2"});
  expect_error<index_error>([&] { select({mask, host(two)}); }, {"too many indices"});
}

TEST_F(Gather, each_index_selects_as_the_integers_of_its_axis) {
  std::vector<std::int64_t> columns{3, -1, 0, 2, 2, 1};
  std::vector<std::int64_t> planes{0, 1};
  std::vector<std::int64_t> rows{0, 1, 2};
  for (const usm_kind kind : all_kinds) {
    const array source = numbered({2, 3, 4}, kind);
    const array chosen = made_of(columns, {2, 3, 1});
    const std::vector<key_item> by_each{usmx::each_index{0, 3}, usmx::each_index{1, 3}, chosen};
    const std::vector<key_item> by_integers{host(planes, {2, 1, 1}), host(rows, {1, 3, 1}), chosen};
    EXPECT_EQ(gathered(source, by_each), gathered(source, by_integers));
    EXPECT_EQ(gathered(source, by_each), (std::vector<std::int32_t>{3, 7, 8, 14, 18, 21}));

    std::vector<std::int32_t> values{100, 101, 102, 103, 104, 105};
    usmx::scatter(host(values, {2, 3, 1}), selection::of(source.layout(), by_each), source);
    EXPECT_EQ(gathered(source, by_integers), values);
  }
}

TEST_F(Gather, each_index_without_an_array_is_refused) {
  const array source = numbered({2, 3}, usm_kind::shared);
  const std::vector<key_item> key{usmx::each_index{0, 1}};
  expect_error<usmx::value_error>([&] { selection::of(source.layout(), key); },
                                  {"a key with an each_index must have an array, too, found none"});
}

TEST_F(Gather, each_index_of_an_array_with_an_index_outside_names_the_index) {
  std::vector<std::int64_t> columns{3, 4};
  for (const usm_kind kind : all_kinds) {
    const array source = numbered({2, 4}, kind);
    const std::vector<key_item> key{usmx::each_index{0, 2}, made_of(columns, {2, 1})};
    expect_error<index_error>([&] { gathered(source, key); },
                              {"index 4 is out of bounds for axis 1 with size 4"});
  }
}

TEST_F(Gather, check_names_index_axis_and_size) {
  std::vector<std::int8_t> values{0, -3, 2, 3};
  const layout where = layout::c_order(extents{2, 3});
  const selection selected = selection::of(where, std::vector<key_item>{everything, host(values)});
  expect_error<index_error>([&] { selected.check(); },
                            {"index 3 is out of bounds for axis 1 with size 3"});
  values[3] = -3;
  EXPECT_NO_THROW(selected.check());
}

TEST_F(Gather, largest_integers_of_every_type_are_outside) {
  const auto refused = [&]<class T>(T value) {
    std::vector<T> values{0, value};
    const array source = numbered({3}, usm_kind::shared);
    expect_error<index_error>([&] { gathered(source, {host(values)}); }, {"out of bounds"});
  };
  refused(std::numeric_limits<std::int8_t>::min());
  refused(std::numeric_limits<std::int16_t>::max());
  refused(std::numeric_limits<std::int32_t>::min());
  refused(std::numeric_limits<std::int64_t>::max());
  refused(std::numeric_limits<std::int64_t>::min());
  refused(std::numeric_limits<std::uint8_t>::max());
  refused(std::numeric_limits<std::uint16_t>::max());
  refused(std::numeric_limits<std::uint32_t>::max());
  refused(std::numeric_limits<std::uint64_t>::max());
}

// ---- gather

TEST_F(Gather, elements_come_in_the_order_of_the_indices) {
  std::vector<std::int64_t> rows{2, -3};
  std::vector<std::int32_t> columns{1, 1};
  for (const usm_kind kind : all_kinds) {
    const array source = numbered({3, 2}, kind);
    EXPECT_EQ(gathered(source, {host(rows)}), (std::vector<std::int32_t>{4, 5, 0, 1}));
    EXPECT_EQ(gathered(source, {host(rows), host(columns)}), (std::vector<std::int32_t>{5, 1}));
    EXPECT_EQ(gathered(source, {everything, host(columns)}),
              (std::vector<std::int32_t>{1, 1, 3, 3, 5, 5}));
  }
}

TEST_F(Gather, destination_may_have_any_layout) {
  std::vector<std::int64_t> picked{1, 0, 1, 1};
  const array source = numbered({2, 3}, usm_kind::shared);
  const std::vector<key_item> key{host(picked, {2, 2})};
  const selection selected = selection::of(source.layout(), key);
  const array target =
      usmx::empty(layout::f_order(extents{2, 2, 3}), source.type(), queue(), usm_kind::device);
  usmx::gather(source, selected, target);
  EXPECT_EQ(elements(target), (std::vector<std::int32_t>{3, 3, 0, 3, 4, 4, 1, 4, 5, 5, 2, 5}));
}

TEST_F(Gather, destination_that_does_not_fit_is_refused) {
  std::vector<std::int64_t> picked{0, 1};
  const array source = numbered({3}, usm_kind::shared);
  const selection selected = selection::of(source.layout(), std::vector<key_item>{host(picked)});
  const array three = numbered({3}, usm_kind::shared);
  const array two = numbered({2}, usm_kind::shared);
  const array doubles = usmx::empty(extents{2}, dtype::of<double>(), queue());
  expect_error<usmx::value_error>([&] { usmx::gather(source, selected, three); }, {"(2,)", "(3,)"});
  expect_error<usmx::value_error>([&] { usmx::gather(source, selected, doubles); },
                                  {"int32", "float64"});
  const array readonly = two.as_readonly();
  expect_error<usmx::read_only_error>([&] { usmx::gather(source, selected, readonly); });
}

TEST_F(Gather, index_that_was_changed_after_the_check_is_found) {
  std::vector<std::int64_t> picked(2000, 1);
  const array source = numbered({3}, usm_kind::shared);
  const selection selected = selection::of(source.layout(), std::vector<key_item>{host(picked)});
  selected.check();
  picked[1999] = 1'000'000'000;
  const array result = usmx::empty(selected.shape(), source.type(), queue(), usm_kind::shared);
  expect_error<index_error>([&] { usmx::gather(source, selected, result); }, {"index 1000000000"});
}

// ---- scatter

TEST_F(Gather, last_value_for_an_element_stays) {
  std::vector<std::int64_t> picked{1, 2, 1};
  std::vector<std::int32_t> values{7, 8, 9};
  for (const usm_kind kind : all_kinds) {
    const array target = numbered({4}, kind);
    usmx::scatter(host(values), selection::of(target.layout(), std::vector<key_item>{host(picked)}),
                  target);
    EXPECT_EQ(elements(target), (std::vector<std::int32_t>{0, 9, 8, 3}));
  }
}

TEST_F(Gather, values_are_repeated) {
  std::vector<std::int64_t> picked{2, 0};
  std::vector<std::int32_t> values{7, 8};
  const array target = numbered({3, 2}, usm_kind::shared);
  const auto selected = [&] {
    return selection::of(target.layout(), std::vector<key_item>{host(picked)});
  };
  usmx::scatter(host(values, {1, 1, 2}), selected(), target);
  EXPECT_EQ(elements(target), (std::vector<std::int32_t>{7, 8, 2, 3, 7, 8}));
  usmx::scatter(host(values, {2, 1}), selected(), target);
  EXPECT_EQ(elements(target), (std::vector<std::int32_t>{8, 8, 2, 3, 7, 7}));
}

TEST_F(Gather, nothing_is_written_when_an_index_is_outside) {
  std::vector<std::int64_t> picked(2000, 1);
  picked.back() = 4;
  std::vector<std::int32_t> values{7};
  const array target = numbered({4}, usm_kind::shared);
  const auto scatter_to = [&](const array& to) {
    usmx::scatter(host(values), selection::of(to.layout(), std::vector<key_item>{host(picked)}),
                  to);
  };
  expect_error<index_error>([&] { scatter_to(target); }, {"index 4", "axis 0", "size 4"});
  expect_error<usmx::read_only_error>([&] { scatter_to(target.as_readonly()); });
  EXPECT_EQ(elements(target), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(Gather, values_and_indices_that_are_overwritten_are_read_first) {
  const array target = numbered({4}, usm_kind::shared);
  const index_item backwards = index_item::slice(index_item::none, index_item::none, -1);
  const array reversed = target.with_layout(subscript(target.layout(), {&backwards, 1}));
  const std::vector<key_item> itself{target};
  usmx::scatter(reversed, selection::of(target.layout(), itself), target);
  EXPECT_EQ(elements(target), (std::vector<std::int32_t>{3, 2, 1, 0}));
}

// ---- nonzero

TEST_F(Gather, nonzero_finds_what_is_not_zero_in_every_type) {
  const auto places = [&]<class T>(std::vector<T> values) {
    const array tested = made_of(values);
    const array found =
        usmx::empty({usmx::count_nonzero(tested)}, dtype::of<std::int64_t>(), queue());
    usmx::nonzero(tested, std::array{found});
    return usmx::to_vector<std::int64_t>(found);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(places(std::vector<double>{-0.0, 1e-300, nan, 0.0}), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(places(std::vector<std::complex<float>>{{0, 0}, {0, 1}, {1, 0}}),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(places(std::vector<std::uint64_t>{0, 1ULL << 63}), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(places(std::vector<std::int8_t>(3000, 1)).size(), 3000u);
}

TEST_F(Gather, nonzero_writes_no_more_than_fits) {
  std::vector<std::int32_t> values(5000, 1);
  std::vector<std::int64_t> none(1500, -1);
  const array few = made_of(none);
  usmx::nonzero(made_of(values), std::array{few.slice(usmx::range(0, 1100))});
  EXPECT_EQ(usmx::to_vector<std::int64_t>(few)[1099], 1099);
  EXPECT_EQ(usmx::to_vector<std::int64_t>(few)[1100], -1);
}

TEST_F(Gather, nonzero_refuses_arrays_that_do_not_fit) {
  std::vector<std::int32_t> values(4, 1);
  std::vector<std::int32_t> narrow(4);
  std::vector<std::int64_t> wide(4);
  const array tested = made_of(values, {2, 2});
  const array a = made_of(wide);
  expect_error<usmx::value_error>([&] { usmx::nonzero(tested, std::array{a}); },
                                  {"2 dimensions", "found 1"});
  expect_error<usmx::value_error>([&] { usmx::nonzero(tested, std::array{a, made_of(narrow)}); },
                                  {"int64", "int32"});
  const dtype record = dtype::structured({{"a", usmx::type_code::int32, {}, 0}}, 4);
  const array records = usmx::empty({4}, record, queue());
  expect_error<usmx::type_error>([&] { usmx::count_nonzero(records); }, {"plain type"});
}

// ---- what is large enough for several threads

constexpr std::ptrdiff_t many = 150'000;

/// Integers from -extent to extent - 1, in an order of no symmetry.
std::vector<std::int32_t> scattered_integers(std::ptrdiff_t n, std::int32_t extent) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(n));
  std::uint32_t state = 1;
  for (std::int32_t& value : values) {
    state = state * 1664525 + 1013904223;
    value =
        static_cast<std::int32_t>(state / 8 % (2 * static_cast<std::uint32_t>(extent))) - extent;
  }
  return values;
}

TEST_F(Gather, many_elements_are_those_that_the_integers_name) {
  const array source = numbered({1000}, usm_kind::shared);
  auto picked = scattered_integers(many, 1000);
  const auto found = gathered(source, {host(picked)});
  for (std::size_t i = 0; i < picked.size(); ++i) {
    ASSERT_EQ(found[i], picked[i] < 0 ? picked[i] + 1000 : picked[i]) << i;
  }
}

TEST_F(Gather, many_elements_by_arrays_that_are_broadcast_are_those_that_the_integers_name) {
  const array source = numbered({7, 2, 300}, usm_kind::shared);
  auto column = scattered_integers(500, 7);
  auto row = scattered_integers(400, 300);
  const auto found = gathered(source, {host(column, {500, 1}), everything, host(row, {400})});
  ASSERT_EQ(found.size(), 500U * 400U * 2U);
  std::size_t at = 0;
  for (const std::int32_t c : column) {
    for (const std::int32_t r : row) {
      for (std::int32_t middle = 0; middle < 2; ++middle, ++at) {
        ASSERT_EQ(found[at], ((c + 7) % 7 * 2 + middle) * 300 + (r + 300) % 300) << at;
      }
    }
  }
}

TEST_F(Gather, of_many_integers_the_first_that_is_outside_is_named) {
  const array source = numbered({1000}, usm_kind::shared);
  auto picked = scattered_integers(many, 1000);
  picked[static_cast<std::size_t>(many - 1)] = 4444;
  picked[static_cast<std::size_t>(many / 2)] = 1000;
  picked[static_cast<std::size_t>(many / 2 + 1)] = 3333;
  expect_error<index_error>([&] { gathered(source, {host(picked)}); },
                            {"index 1000 is out of bounds for axis 0 with size 1000"});
}

TEST_F(Gather, many_elements_into_one_place_leave_the_last) {
  const array source = numbered({1000}, usm_kind::shared);
  auto picked = scattered_integers(many, 1000);
  picked.back() = 17;
  const selection selected = selection::of(source.layout(), std::vector<key_item>{host(picked)});
  const array one = numbered({1}, usm_kind::shared);
  const extents shape{many};
  const array repeated = one.with_layout(usmx::broadcast(one.layout(), shape));
  usmx::gather(source, selected, repeated);
  EXPECT_EQ(elements(one).front(), 17);
}

}  // namespace
