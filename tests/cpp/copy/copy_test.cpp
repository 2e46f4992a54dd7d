// usmx/copy.hpp: every copy does what a loop over all indices does, and touches nothing else.
#include "copy/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/types.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::array_view;
using usmx::copy_path;
using usmx::dtype;
using usmx::layout;
using usmx::read_only_error;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using usmx::internal::copy_elements;
using usmx::internal::fill_elements;
using extents = std::vector<std::ptrdiff_t>;
using bytes = std::vector<std::byte>;

constexpr std::array all_paths{copy_path::automatic, copy_path::whole,  copy_path::rows,
                               copy_path::host_loop, copy_path::staged, copy_path::kernel};
constexpr std::array every_kind{usm_kind::device, usm_kind::shared, usm_kind::host,
                                usm_kind::unknown};
// One type for each item size that is copied in a way of its own, and some sizes of none.
const std::array item_types{dtype(type_code::int8),       dtype(type_code::uint16),
                            dtype(type_code::float32),    dtype(type_code::complex64),
                            dtype(type_code::complex128), support::structure_of(3),
                            support::structure_of(24),    support::structure_of(17)};

/// Memory of any kind, ordinary host memory included, that can be looked at from the host.
class arena {
 public:
  arena(std::size_t nbytes, usm_kind kind, const sycl::queue& queue)
      : nbytes_(nbytes), kind_(kind), queue_(queue) {
    if (kind == usm_kind::unknown) {
      ordinary_ = std::make_unique<std::byte[]>(nbytes);
    } else {
      usm_.emplace(nbytes, kind, queue);
    }
  }

  std::byte* data() const { return usm_ ? usm_->data() : ordinary_.get(); }
  usm_kind kind() const { return kind_; }
  void write(const bytes& content) const {
    if (usm_) {
      support::upload(content, data(), queue_);
    } else {
      std::ranges::copy(content, data());
    }
  }
  bytes read() const {
    return usm_ ? support::download(data(), nbytes_, queue_) : bytes(data(), data() + nbytes_);
  }
  array_view view(dtype type, const layout& where, bool readonly = false) const {
    return {data(), type, where, kind_, queue_, readonly};
  }

 private:
  std::size_t nbytes_;
  usm_kind kind_;
  sycl::queue queue_;
  std::optional<support::runtime_block> usm_;
  std::unique_ptr<std::byte[]> ordinary_;
};

/// What a copy should leave in the destination's memory: one element after the other, in any order.
bytes copied_by_hand(const bytes& source_memory, const layout& source, bytes destination_memory,
                     const layout& destination, std::size_t itemsize) {
  const auto shape = source.shape();
  extents index(shape.size(), 0);
  for (std::ptrdiff_t count = 0; count < source.size(); ++count) {
    std::ptrdiff_t from = source.offset();
    std::ptrdiff_t to = destination.offset();
    for (std::size_t k = 0; k < shape.size(); ++k) {
      from += index[k] * source.strides()[k];
      to += index[k] * destination.strides()[k];
    }
    const auto item = static_cast<std::ptrdiff_t>(itemsize);
    std::copy_n(source_memory.begin() + from * item, item, destination_memory.begin() + to * item);
    for (std::size_t k = shape.size(); k > 0 && ++index[k - 1] == shape[k - 1]; --k) {
      index[k - 1] = 0;
    }
  }
  return destination_memory;
}

/// Random shapes and layouts, the same in every run.
class random_layouts {
 public:
  explicit random_layouts(unsigned seed) : random_(seed) {}

  std::ptrdiff_t number(std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random_);
  }

  extents shape() {
    extents result(static_cast<std::size_t>(number(0, 6)));
    for (std::ptrdiff_t& n : result) {
      n = number(0, 30) == 0 ? 0 : number(1, 4);
    }
    return result;
  }

  /// Every element in a place of its own: dimensions in any order, with gaps, in both directions.
  layout distinct(const extents& shape) {
    extents strides(shape.size());
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (number(0, 2) > 0) {
      std::ranges::shuffle(order, random_);
    } else {
      std::ranges::reverse(order);  // C order, to meet runs often
    }
    const bool compact = number(0, 1) == 0;
    const bool forwards = number(0, 1) == 0;
    std::ptrdiff_t span = compact ? 1 : number(1, 2);
    for (const std::size_t k : order) {
      const std::ptrdiff_t sign = forwards || number(0, 1) == 0 ? 1 : -1;
      if (shape[k] == 1) {
        strides[k] = number(-100, 100);
        continue;
      }
      strides[k] = sign * span;
      span = span * std::max<std::ptrdiff_t>(shape[k], 1) + (compact ? 0 : number(0, 2));
    }
    return in_memory(shape, strides);
  }

  /// Elements may share places: repeated ones (stride 0) and sliding windows.
  layout any(const extents& shape) {
    if (number(0, 1) == 0) {
      return distinct(shape);
    }
    extents strides(shape.size());
    for (std::ptrdiff_t& stride : strides) {
      stride = number(0, 2) == 0 ? 0 : number(-9, 9);
    }
    return in_memory(shape, strides);
  }

 private:
  /// With an offset that keeps all elements at 0 or above, with some room before them.
  layout in_memory(const extents& shape, const extents& strides) {
    const layout where = layout::strided(shape, strides);
    const auto span = where.span();
    return where.with_offset((span ? -span->first : 0) + number(0, 3));
  }

  std::mt19937 random_;
};

std::ptrdiff_t items_needed(const layout& where) {
  const auto span = where.span();
  return span ? span->last + 1 : 0;
}

class copy_test : public support::device_test {
 protected:
  bytes noise(std::size_t nbytes) {
    bytes result(nbytes);
    for (std::byte& b : result) {
      b = static_cast<std::byte>(random_());
    }
    return result;
  }

  std::mt19937 random_{support::seed(17)};
};

// The property that everything else follows from, for one pair of memory kinds.
class copy_property_test : public copy_test,
                           public testing::WithParamInterface<std::tuple<usm_kind, usm_kind>> {};

TEST_P(copy_property_test, every_path_writes_what_a_loop_over_all_indices_writes_and_nothing_else) {
  const auto [source_kind, destination_kind] = GetParam();
  random_layouts random(support::seed(5));
  int done_whole = 0;
  int done_by_kernel = 0;
  for (int round = 0; round < 150; ++round) {
    const extents shape = random.shape();
    const layout from = random.any(shape);
    const layout to = random.distinct(shape);
    const dtype type = item_types[static_cast<std::size_t>(round) % item_types.size()];
    const auto nbytes = [&](const layout& where) {
      return (static_cast<std::size_t>(items_needed(where)) + 2) * type.itemsize();
    };
    const arena source(nbytes(from), source_kind, queue());
    const arena destination(nbytes(to), destination_kind, queue());
    const bytes source_before = noise(nbytes(from));
    const bytes destination_before = noise(nbytes(to));
    const bytes expected =
        copied_by_hand(source_before, from, destination_before, to, type.itemsize());
    source.write(source_before);
    for (const copy_path path : all_paths) {
      destination.write(destination_before);
      bool possible = true;
      try {
        copy_elements(source.view(type, from, true), destination.view(type, to), path);
      } catch (const value_error&) {
        possible = false;
      }
      done_whole += possible && path == copy_path::whole;
      EXPECT_TRUE(possible || path == copy_path::whole || path == copy_path::host_loop ||
                  path == copy_path::kernel);
      done_by_kernel += possible && path == copy_path::kernel && from.size() > 0;
      ASSERT_TRUE(destination.read() == (possible ? expected : destination_before))
          << "from " << from << " to " << to << ", " << type << ", path " << static_cast<int>(path);
      ASSERT_TRUE(source.read() == source_before);
    }
  }
  EXPECT_GT(done_whole, 10);  // the path was not merely refused
  const bool kernel_reaches_both =
      source_kind != usm_kind::unknown && destination_kind != usm_kind::unknown;
  EXPECT_TRUE(kernel_reaches_both ? done_by_kernel > 100 : done_by_kernel == 0) << done_by_kernel;
}

std::string kinds_text(const testing::TestParamInfo<std::tuple<usm_kind, usm_kind>>& info) {
  const auto text = [](usm_kind kind) {
    return std::string(kind == usm_kind::unknown ? "ordinary" : name(kind));
  };
  return text(std::get<0>(info.param)) + "_to_" + text(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all_kinds, copy_property_test,
                         testing::Combine(testing::ValuesIn(every_kind),
                                          testing::ValuesIn(every_kind)),
                         kinds_text);

TEST_F(copy_test, overlapping_views_are_copied_as_if_the_source_had_been_copied_first) {
  for (const usm_kind kind : every_kind) {
    random_layouts random(support::seed(11));
    for (int round = 0; round < 150; ++round) {
      const extents shape = random.shape();
      const layout from = random.any(shape);
      const layout to = random.distinct(shape);
      const dtype type = item_types[static_cast<std::size_t>(round) % item_types.size()];
      const std::size_t nbytes =
          (static_cast<std::size_t>(std::max(items_needed(from), items_needed(to))) + 2) *
          type.itemsize();
      const arena memory(nbytes, kind, queue());
      const bytes before = noise(nbytes);
      const bytes expected = copied_by_hand(before, from, before, to, type.itemsize());
      for (const copy_path path : all_paths) {
        memory.write(before);
        try {
          copy_elements(memory.view(type, from), memory.view(type, to), path);
        } catch (const value_error&) {
          EXPECT_TRUE(path == copy_path::whole || path == copy_path::host_loop ||
                      path == copy_path::kernel);
          continue;
        }
        ASSERT_TRUE(memory.read() == expected)
            << "from " << from << " to " << to << ", " << type << ", " << name(kind);
      }
    }
  }
}

TEST_F(copy_test, array_can_be_reversed_in_place) {
  const arena memory(8, usm_kind::shared, queue());
  memory.write({std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, {}, {}, {}, {}});
  copy_elements(memory.view(type_code::int8, layout::strided(extents{4}, extents{-1}, 3)),
                memory.view(type_code::int8, layout::c_order(extents{4})));
  EXPECT_EQ(memory.read(),
            (bytes{std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}, {}, {}, {}, {}}));
}

TEST_F(copy_test, array_can_be_shifted_by_one_in_both_directions) {
  for (const std::ptrdiff_t from : {0, 1}) {
    const arena memory(1001, usm_kind::device, queue());
    const bytes before = noise(1001);
    memory.write(before);
    const layout source = layout::c_order(extents{1000}, from);
    const layout destination = layout::c_order(extents{1000}, 1 - from);
    copy_elements(memory.view(type_code::int8, source), memory.view(type_code::int8, destination));
    EXPECT_EQ(memory.read(), copied_by_hand(before, source, before, destination, 1));
  }
}

TEST_F(copy_test, copy_onto_itself_changes_nothing) {
  const arena memory(64, usm_kind::shared, queue());
  const bytes before = noise(64);
  memory.write(before);
  const array_view view = memory.view(type_code::int32, layout::f_order(extents{4, 4}));
  copy_elements(view, view);
  EXPECT_EQ(memory.read(), before);
}

TEST_F(copy_test, memory_of_different_contexts_is_copied) {
  const sycl::queue elsewhere(new_context(), device());
  random_layouts random(support::seed(23));
  for (const usm_kind source_kind : all_kinds) {
    for (const usm_kind destination_kind : all_kinds) {
      for (int round = 0; round < 20; ++round) {
        const extents shape = random.shape();
        const layout from = random.any(shape);
        const layout to = random.distinct(shape);
        const std::size_t from_nbytes = static_cast<std::size_t>(items_needed(from)) * 4 + 4;
        const std::size_t to_nbytes = static_cast<std::size_t>(items_needed(to)) * 4 + 4;
        const arena source(from_nbytes, source_kind, queue());
        const arena destination(to_nbytes, destination_kind, elsewhere);
        const bytes source_before = noise(from_nbytes);
        const bytes destination_before = noise(to_nbytes);
        source.write(source_before);
        destination.write(destination_before);
        copy_elements(source.view(type_code::float32, from),
                      destination.view(type_code::float32, to));
        ASSERT_TRUE(destination.read() ==
                    copied_by_hand(source_before, from, destination_before, to, 4))
            << "from " << from << " to " << to;
      }
    }
  }
}

TEST_F(copy_test, large_compact_arrays_take_every_path) {
  const std::ptrdiff_t count = std::ptrdiff_t{1} << 22;
  const bytes content = noise(static_cast<std::size_t>(count));
  const arena source(content.size(), usm_kind::device, queue());
  const arena destination(content.size(), usm_kind::shared, queue());
  source.write(content);
  const layout where = layout::c_order(extents{count / 8 / 1024, 1024});
  for (const copy_path path : all_paths) {
    if (path == copy_path::host_loop && !host_may_touch(usm_kind::device, device())) {
      continue;
    }
    destination.write(bytes(content.size()));
    copy_elements(source.view(type_code::float64, where),
                  destination.view(type_code::float64, where), path);
    EXPECT_TRUE(destination.read() == content) << static_cast<int>(path);
  }
}

/// In pieces, where the device has memory of its own: fewer than one, some, and a part of one more,
/// of pieces of both sizes.
TEST_F(copy_test, large_compact_arrays_go_to_the_host_and_back) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  for (const std::size_t nbytes :
       {piece / 8, piece - 1, piece, 2 * piece, 5 * piece + 3, 11 * piece + 5}) {
    const bytes content = noise(nbytes);
    const arena there(nbytes, usm_kind::device, queue());
    const extents shape{static_cast<std::ptrdiff_t>(nbytes)};
    const extents adjacent{1};
    const auto view = there.view(type_code::uint8, layout::c_order(shape));
    bytes sent = content;
    copy_elements({sent.data(), type_code::uint8, shape, adjacent}, view);
    EXPECT_TRUE(there.read() == content) << nbytes;
    bytes found(nbytes);
    copy_elements(view, {found.data(), type_code::uint8, shape, adjacent});
    EXPECT_TRUE(found == content) << nbytes;
  }
}

TEST_F(copy_test, a_large_array_goes_to_new_memory_of_the_host_and_nothing_around_it_changes) {
  constexpr std::size_t nbytes = (std::size_t{3} << 20) + 7;
  const bytes content = noise(nbytes);
  const arena there(nbytes, usm_kind::device, queue());
  there.write(content);
  const extents shape{static_cast<std::ptrdiff_t>(nbytes)};
  bytes before(5, std::byte{1});
  bytes after(9, std::byte{2});
  const auto room = std::make_unique_for_overwrite<std::byte[]>(5 + nbytes + 9);
  std::ranges::copy(before, room.get());
  std::ranges::copy(after, room.get() + 5 + nbytes);
  copy_elements(there.view(type_code::uint8, layout::c_order(shape)),
                {room.get() + 5, type_code::uint8, shape, extents{1}});
  EXPECT_TRUE(std::ranges::equal(std::span(room.get() + 5, nbytes), content));
  EXPECT_TRUE(std::ranges::equal(std::span(room.get(), 5), before));
  EXPECT_TRUE(std::ranges::equal(std::span(room.get() + 5 + nbytes, 9), after));
}

TEST_F(copy_test, large_arrays_are_copied_where_memory_of_kind_host_is_short) {
  constexpr std::size_t nbytes = (std::size_t{9} << 20) + 1;
  const bytes content = noise(nbytes);
  const arena there(nbytes, usm_kind::device, queue());
  const extents shape{static_cast<std::ptrdiff_t>(nbytes)};
  const auto view = there.view(type_code::uint8, layout::c_order(shape));
  for (const std::size_t limit : {std::size_t{0}, std::size_t{5} << 20}) {
    const auto before = usmx::set_current_resource(
        queue(), std::make_shared<usmx::limiting_resource>(
                     std::make_shared<usmx::usm_resource>(usm_kind::host), limit));
    bytes sent = content;
    copy_elements({sent.data(), type_code::uint8, shape, extents{1}}, view);
    bytes found(nbytes);
    copy_elements(view, {found.data(), type_code::uint8, shape, extents{1}});
    usmx::set_current_resource(queue(), before);
    EXPECT_TRUE(found == content) << limit;
  }
}

TEST_F(copy_test, many_dimensions_are_copied) {
  const extents shape(usmx::max_ndim, 1);
  extents twos = shape;
  for (std::size_t k = 0; k < 10; ++k) {
    twos[k * 6] = 2;
  }
  const arena source(1024, usm_kind::device, queue());
  const arena destination(1024, usm_kind::device, queue());
  const bytes before = noise(1024);
  source.write(before);
  const layout from = layout::f_order(twos);
  const layout to = layout::c_order(twos);
  copy_elements(source.view(type_code::uint8, from), destination.view(type_code::uint8, to));
  EXPECT_TRUE(destination.read() == copied_by_hand(before, from, bytes(1024), to, 1));
}

TEST_F(copy_test, nothing_is_copied_from_or_to_arrays_without_elements) {
  const layout where = layout::strided(extents{3, 0}, extents{-7, PTRDIFF_MAX}, PTRDIFF_MIN);
  for (const copy_path path : all_paths) {
    EXPECT_NO_THROW(copy_elements(
        {nullptr, type_code::float64, where, usm_kind::device, queue(), true},
        {nullptr, type_code::float64, where, usm_kind::shared, queue(), false}, path));
  }
}

TEST_F(copy_test, source_may_be_read_only) {
  const arena memory(64, usm_kind::shared, queue());
  EXPECT_NO_THROW(copy_elements(memory.view(type_code::int8, layout(), true),
                                memory.view(type_code::int8, layout().with_offset(1))));
}

// ---- Errors: nothing is written by them

class copy_error_test : public copy_test {
 protected:
  void SetUp() override {
    copy_test::SetUp();
    if (!IsSkipped()) {
      source_.emplace(256, usm_kind::shared, queue());
      destination_.emplace(256, usm_kind::shared, queue());
      source_->write(bytes(256, std::byte{1}));
      destination_->write(before_);
    }
  }
  void TearDown() override {
    if (destination_) {
      EXPECT_EQ(destination_->read(), before_);
    }
  }

  std::optional<arena> source_;
  std::optional<arena> destination_;
  const bytes before_ = bytes(256, std::byte{2});
};

TEST_F(copy_error_test, read_only_destination_is_refused) {
  expect_error<read_only_error>(
      [&] {
        copy_elements(source_->view(type_code::int8, layout::c_order(extents{4})),
                      destination_->view(type_code::int8, layout::c_order(extents{4}), true));
      },
      {"read-only"});
}

TEST_F(copy_error_test, read_only_destination_without_elements_is_refused) {
  expect_error<read_only_error>([&] {
    copy_elements(source_->view(type_code::int8, layout::c_order(extents{0})),
                  destination_->view(type_code::int8, layout::c_order(extents{0}), true));
  });
}

TEST_F(copy_error_test, shapes_that_differ_are_refused_and_named) {
  const auto copy_shapes = [&](const extents& from, const extents& to) {
    copy_elements(source_->view(type_code::int8, layout::c_order(from)),
                  destination_->view(type_code::int8, layout::c_order(to)));
  };
  expect_error<value_error>([&] { copy_shapes({2, 3}, {3, 2}); }, {"(2, 3)", "(3, 2)"});
  expect_error<value_error>([&] { copy_shapes({6}, {2, 3}); }, {"(6,)", "(2, 3)"});
  expect_error<value_error>([&] { copy_shapes({}, {1}); }, {"()", "(1,)"});
  expect_error<value_error>([&] { copy_shapes({1}, {4}); }, {"(1,)", "(4,)"});  // no broadcasting
  expect_error<value_error>([&] { copy_shapes({0}, {4}); }, {"(0,)", "(4,)"});
}

TEST_F(copy_error_test, structured_types_are_not_converted) {
  const layout where = layout::c_order(extents{4});
  const auto copy_types = [&](dtype from, dtype to) {
    copy_elements(source_->view(from, where), destination_->view(to, where));
  };
  expect_error<value_error>([&] { copy_types(support::structure_of(4), type_code::int32); },
                            {"int32", "T{=b:a:"});
  expect_error<value_error>([&] { copy_types(type_code::int32, support::structure_of(4)); },
                            {"int32", "T{=b:a:"});
}

TEST_F(copy_error_test, queue_paths_refuse_to_convert) {
  const layout where = layout::c_order(extents{4});
  for (const copy_path path : {copy_path::whole, copy_path::rows}) {
    expect_error<value_error>(
        [&] {
          copy_elements(source_->view(type_code::int32, where),
                        destination_->view(type_code::float32, where), path);
        },
        {"int32 -> float32"});
  }
}

TEST_F(copy_error_test, structured_types_of_one_size_that_differ_are_refused_and_named) {
  const layout where = layout::c_order(extents{4});
  const dtype other = dtype::structured({{"b", type_code::int8, {}, 0}}, 3);
  expect_error<value_error>(
      [&] {
        copy_elements(source_->view(support::structure_of(3), where),
                      destination_->view(other, where));
      },
      {"T{=b:a:2x}", "T{=b:b:2x}"});
}

TEST_F(copy_error_test, whole_path_refuses_what_is_not_compact_in_one_order_on_both_sides) {
  const auto copy_whole = [&](const layout& from, const layout& to) {
    copy_elements(source_->view(type_code::int16, from), destination_->view(type_code::int16, to),
                  copy_path::whole);
  };
  const layout c = layout::c_order(extents{3, 4});
  const layout f = layout::f_order(extents{3, 4});
  expect_error<value_error>([&] { copy_whole(c, f); },
                            {"whole", "shared", "3 x (8 -> 2)", "4 x (2 -> 6)"});
  expect_error<value_error>(
      [&] { copy_whole(layout::strided(extents{4}, extents{2}), layout::c_order(extents{4})); },
      {"4 x (4 -> 2)"});
  expect_error<value_error>(
      [&] { copy_whole(layout::strided(extents{4}, extents{0}), layout::c_order(extents{4})); },
      {"4 x (0 -> 2)"});
  expect_error<value_error>(
      [&] { copy_whole(layout::strided(extents{4}, extents{-1}, 3), layout::c_order(extents{4})); },
      {"4 x (-2 -> 2)"});
}

TEST_F(copy_test, whole_path_takes_what_is_compact_in_one_order_on_both_sides) {
  const arena source(64, usm_kind::device, queue());
  const arena destination(64, usm_kind::device, queue());
  const auto copy_whole = [&](const layout& where) {
    copy_elements(source.view(type_code::int8, where), destination.view(type_code::int8, where),
                  copy_path::whole);
  };
  EXPECT_NO_THROW(copy_whole(layout::c_order(extents{3, 4})));
  EXPECT_NO_THROW(copy_whole(layout::f_order(extents{3, 4})));
  EXPECT_NO_THROW(copy_whole(layout::strided(extents{2, 3, 4}, extents{4, 8, 1})));
  EXPECT_NO_THROW(copy_whole(layout::strided(extents{4}, extents{-1}, 3)));
  EXPECT_NO_THROW(copy_whole(layout::strided(extents{1, 4}, extents{50, 1})));
  EXPECT_NO_THROW(copy_whole(layout()));
}

// ---- Conversions

/// A number that every type but bool holds exactly.
template <class T>
void write_number(std::byte* to, int number) {
  const T value = static_cast<T>(static_cast<float>(number));
  std::memcpy(to, &value, sizeof value);
}

/// The bytes of `number` (0 ... 100) as an element of that type.
void write_as(dtype type, int number, std::byte* to) {
  switch (type.code()) {
    case type_code::bool_:
      return write_number<bool>(to, number);
    case type_code::int8:
    case type_code::uint8:
      return write_number<std::uint8_t>(to, number);
    case type_code::int16:
    case type_code::uint16:
      return write_number<std::uint16_t>(to, number);
    case type_code::int32:
    case type_code::uint32:
      return write_number<std::uint32_t>(to, number);
    case type_code::int64:
    case type_code::uint64:
      return write_number<std::uint64_t>(to, number);
    case type_code::float16: {
      int exponent = 0;
      const float fraction = std::frexp(static_cast<float>(number), &exponent);  // 0.5 ... 1
      const auto bits = static_cast<int>(fraction * 2048) + ((exponent + 13) << 10);
      const auto half = static_cast<std::uint16_t>(number == 0 ? 0 : bits);
      std::memcpy(to, &half, sizeof half);
      return;
    }
    case type_code::float32:
      return write_number<float>(to, number);
    case type_code::float64:
      return write_number<double>(to, number);
    case type_code::complex64:
      return write_number<std::complex<float>>(to, number);
    default:
      return write_number<std::complex<double>>(to, number);
  }
}

TEST_F(copy_test, numbers_are_converted_between_all_types_layouts_and_kinds) {
  random_layouts random(support::seed(31));
  int round = 0;
  for (int source_code = 0; source_code < usmx::type_count; ++source_code) {
    for (int destination_code = 0; destination_code < usmx::type_count; ++destination_code) {
      const dtype from_type(static_cast<type_code>(source_code));
      const dtype to_type(static_cast<type_code>(destination_code));
      const usm_kind from_kind = every_kind[static_cast<std::size_t>(round) % 4];
      const usm_kind to_kind = every_kind[static_cast<std::size_t>(round++ / 4) % 4];
      for (int repeat = 0; repeat < 10; ++repeat) {
        const extents shape = random.shape();
        const layout from = random.any(shape);
        const layout to = random.distinct(shape);
        const auto places =
            static_cast<std::size_t>(std::max(items_needed(from), items_needed(to)));
        // One number for each place in the source, in the bytes of both types.
        bytes numbers(places * from_type.itemsize());
        bytes converted(places * to_type.itemsize());
        for (std::size_t i = 0; i < places; ++i) {
          int number = static_cast<int>(random.number(0, 100));
          number = from_type.kind() == 'b' || to_type.kind() == 'b' ? number % 2 : number;
          write_as(from_type, number, numbers.data() + i * from_type.itemsize());
          write_as(to_type, number, converted.data() + i * to_type.itemsize());
        }
        const bytes before = noise(places * to_type.itemsize());
        const arena source(numbers.size() + 1, from_kind, queue());
        const arena destination(before.size() + 1, to_kind, queue());
        numbers.push_back({});
        source.write(numbers);
        bytes padded = before;
        padded.push_back({});
        destination.write(padded);
        copy_elements(source.view(from_type, from), destination.view(to_type, to));
        bytes expected = copied_by_hand(converted, from, before, to, to_type.itemsize());
        expected.push_back({});
        ASSERT_TRUE(destination.read() == expected)
            << from_type << " from " << from << " to " << to_type << " " << to;
      }
    }
  }
}

TEST_F(copy_test, elements_are_converted_where_source_and_destination_overlap) {
  const arena memory(64, usm_kind::shared, queue());
  std::array<float, 8> floats{1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(memory.data(), floats.data(), sizeof floats);
  const layout where = layout::c_order(extents{8});
  copy_elements(memory.view(type_code::float32, where), memory.view(type_code::float64, where));
  std::array<double, 8> doubles;
  std::memcpy(doubles.data(), memory.data(), sizeof doubles);
  EXPECT_EQ(doubles, (std::array<double, 8>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// ---- The host

TEST_F(copy_test, host_arrays_may_have_any_strides_in_bytes) {
  const arena memory(64, usm_kind::device, queue());
  const array_view view = memory.view(type_code::int16, layout::c_order(extents{3}));
  bytes host(20);
  for (int k = 0; k < 3; ++k) {
    write_as(type_code::int32, k + 1, host.data() + 13 - 5 * k);
  }
  const bytes before = host;
  const extents shape{3};
  const extents strides{-5};
  const usmx::host_array side{host.data() + 13, type_code::int32, shape, strides};
  copy_elements(side, view);
  std::array<std::int16_t, 3> found;
  queue().memcpy(found.data(), memory.data(), sizeof found).wait();
  EXPECT_EQ(found, (std::array<std::int16_t, 3>{1, 2, 3}));
  host.assign(20, {});
  copy_elements(view, side);
  EXPECT_EQ(host, before);
}

TEST_F(copy_error_test, host_array_of_another_shape_or_for_read_only_memory_is_refused) {
  bytes host(20);
  const extents shape{3};
  const extents strides{1};
  const usmx::host_array side{host.data(), type_code::int8, shape, strides};
  expect_error<value_error>(
      [&] {
        copy_elements(side, destination_->view(type_code::int8, layout::c_order(extents{4})));
      },
      {"(3,)", "(4,)"});
  expect_error<value_error>(
      [&] { copy_elements(source_->view(type_code::int8, layout::c_order(extents{4})), side); },
      {"(3,)", "(4,)"});
  expect_error<read_only_error>([&] {
    copy_elements(side, destination_->view(type_code::int8, layout::c_order(extents{3}), true));
  });
}

// ---- Filling

TEST_F(copy_test, fill_sets_every_element_and_no_other) {
  for (const usm_kind kind : every_kind) {
    random_layouts random(support::seed(37));
    for (int round = 0; round < 100; ++round) {
      const extents shape = random.shape();
      const layout to = random.distinct(shape);
      const dtype type = item_types[static_cast<std::size_t>(round) % item_types.size()];
      const std::size_t nbytes = (static_cast<std::size_t>(items_needed(to)) + 2) * type.itemsize();
      const arena memory(nbytes, kind, queue());
      const bytes before = noise(nbytes);
      const bytes value = noise(type.itemsize());
      const layout repeated = layout::strided(shape, extents(shape.size(), 0));
      const bytes expected = copied_by_hand(value, repeated, before, to, type.itemsize());
      for (const copy_path path : all_paths) {
        memory.write(before);
        bool possible = true;
        try {
          fill_elements(memory.view(type, to), value.data(), path);
        } catch (const value_error&) {
          possible = false;
        }
        EXPECT_TRUE(possible || path == copy_path::whole || path == copy_path::kernel ||
                    (path == copy_path::host_loop && !host_may_touch(kind, device())));
        ASSERT_TRUE(memory.read() == (possible ? expected : before))
            << to << ", " << type << ", " << name(kind) << ", path " << static_cast<int>(path);
      }
    }
  }
}

TEST_F(copy_error_test, fill_of_a_read_only_array_is_refused) {
  expect_error<read_only_error>([&] {
    fill_elements(destination_->view(type_code::int8, layout::c_order(extents{4}), true),
                  before_.data());
  });
}

TEST_F(copy_test, fill_sets_the_bytes_and_no_others) {
  for (const usm_kind kind : every_kind) {
    if (kind == usm_kind::unknown) {
      continue;
    }
    const auto whole = usmx::buffer::allocate_shared(300, kind, queue());
    usmx::internal::fill_bytes(*whole, std::byte{1});
    usmx::buffer part = usmx::buffer::part_of(whole, whole->data() + 100, 77, false, {});
    usmx::internal::fill_bytes(part, std::byte{0x7f});
    bytes expected(300, std::byte{1});
    std::fill_n(expected.begin() + 100, 77, std::byte{0x7f});
    EXPECT_EQ(support::download(whole->data(), 300, queue()), expected) << name(kind);
  }
}

// ---- More elements than 32 bits count

/// 2^31 + 768 bytes: rows of 256.
class large_copy_test : public copy_test {
 protected:
  static constexpr std::ptrdiff_t columns = 256;
  static constexpr std::ptrdiff_t rows = (std::ptrdiff_t{1} << 23) + 3;

  void SetUp() override {
    copy_test::SetUp();
    if (!usmx::host_may_touch(usm_kind::device, device())) {
      GTEST_SKIP() << "the host may not touch memory of this device, and would look at all of it";
    }
    memory_.emplace(static_cast<std::size_t>(rows * columns), usm_kind::device, queue());
  }
  array_view all(const layout& where) const {
    return {memory_->data(), type_code::int8, where, usm_kind::device, queue(), false};
  }
  /// Whether every row has the bytes at `row`.
  bool holds(const std::byte* row) const {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      if (std::memcmp(memory_->data() + r * columns, row, columns) != 0) {
        return false;
      }
    }
    return true;
  }

  std::optional<support::runtime_block> memory_;
};

TEST_F(large_copy_test, every_element_is_written) {
  const arena row(columns, usm_kind::device, queue());
  const extents shape{rows, columns};
  const layout repeated = layout::strided(shape, extents{0, 1});
  int first = 3;
  for (const copy_path path : {copy_path::host_loop, copy_path::kernel}) {
    bytes content = noise(columns);
    content.front() = static_cast<std::byte>(++first);
    row.write(content);
    copy_elements(row.view(type_code::int8, repeated), all(layout::c_order(shape)), path);
    EXPECT_TRUE(holds(content.data())) << "path " << static_cast<int>(path);
  }
  const bytes numbers(columns, std::byte{7});
  fill_elements(all(layout::c_order(extents{rows * columns})), numbers.data(), copy_path::kernel);
  EXPECT_TRUE(holds(numbers.data()));
}

TEST_F(large_copy_test, elements_far_apart_are_found_in_both_directions) {
  constexpr std::ptrdiff_t step = (std::ptrdiff_t{1} << 30) + 5;
  const layout apart = layout::strided(extents{2, 2}, extents{step, 2 * columns}, columns);
  const layout back = layout::strided(extents{2, 2}, extents{-step, 2 * columns}, columns + step);
  const arena few(16, usm_kind::device, queue());
  const auto compact = few.view(type_code::int32, layout::c_order(extents{2, 2}));
  for (const copy_path path : {copy_path::automatic, copy_path::kernel}) {
    bytes content(16);
    for (std::size_t k = 0; k < 4; ++k) {
      content[4 * k] = static_cast<std::byte>(k + 10);
    }
    few.write(content);
    copy_elements(compact, all(apart), path);
    EXPECT_EQ(memory_->data()[columns + step], std::byte{12});
    EXPECT_EQ(memory_->data()[3 * columns + step], std::byte{13});
    copy_elements(all(back), compact, path);
    bytes swapped = content;
    std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 8);
    EXPECT_EQ(few.read(), swapped);
  }
}

TEST_F(copy_test, more_elements_than_32_bits_count_in_one_place_leave_the_last) {
  const extents shape{std::ptrdiff_t{1} << 33, 3};
  const layout three = layout::strided(shape, extents{0, 1});
  const layout one = layout::strided(shape, extents{0, 0});
  const arena source(3, usm_kind::device, queue());
  const arena destination(2, usm_kind::device, queue());
  for (const copy_path path : {copy_path::automatic, copy_path::kernel}) {
    source.write({std::byte{1}, std::byte{2}, std::byte{3}});
    destination.write({std::byte{8}, std::byte{9}});
    copy_elements(source.view(type_code::int8, three), destination.view(type_code::int8, one),
                  path);
    EXPECT_EQ(destination.read(), bytes({std::byte{3}, std::byte{9}}));
  }
}

}  // namespace
