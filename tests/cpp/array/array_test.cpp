// usmx/array.hpp: arrays around existing and new memory.
#include "usmx/array/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <ranges>
#include <vector>

#include "array/array.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/allocator.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::runtime_block;
using support::text;
using usmx::allocation_error;
using usmx::array;
using usmx::buffer;
using usmx::checked_nbytes;
using usmx::dtype;
using usmx::fitted_to_new_memory;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using extents = std::vector<std::ptrdiff_t>;

static_assert(std::is_copy_constructible_v<array>);
static_assert(std::is_nothrow_move_constructible_v<array>);

extents to_vector(std::span<const std::ptrdiff_t> values) { return {values.begin(), values.end()}; }

class array_test : public support::device_test {
 protected:
  static std::shared_ptr<buffer> memory(std::size_t nbytes, usm_kind kind = usm_kind::shared) {
    return std::make_shared<buffer>(buffer::allocate(nbytes, kind, queue(), 64));
  }
};

// ---- Around an existing buffer

TEST_F(array_test, array_says_what_it_was_made_of) {
  const auto bytes = memory(64);
  const layout where = layout::strided(extents{2, 3}, extents{6, -2}, 5);
  const array a(bytes, type_code::int32, where);
  EXPECT_EQ(a.owner(), bytes);
  EXPECT_EQ(a.type(), type_code::int32);
  EXPECT_EQ(a.layout(), where);
  EXPECT_EQ(a.ndim(), 2);
  EXPECT_EQ(to_vector(a.shape()), (extents{2, 3}));
  EXPECT_EQ(to_vector(a.strides()), (extents{6, -2}));
  EXPECT_EQ(a.size(), 6);
  EXPECT_EQ(a.nbytes(), 24U);
  EXPECT_EQ(a.kind(), usm_kind::shared);
  EXPECT_EQ(a.queue(), queue());
  EXPECT_FALSE(a.readonly());
  EXPECT_EQ(a.data(), bytes->data() + 20);
}

TEST_F(array_test, elements_up_to_both_edges_of_the_buffer_are_accepted) {
  const auto bytes = memory(64);
  EXPECT_NO_THROW(array(bytes, type_code::float64, layout::c_order(extents{8})));
  EXPECT_NO_THROW(array(bytes, type_code::float64, layout::strided(extents{8}, extents{-1}, 7)));
  EXPECT_NO_THROW(array(bytes, type_code::uint8, layout::c_order(extents{1}, 63)));
  EXPECT_NO_THROW(array(bytes, type_code::int16, layout::strided(extents{2, 2}, extents{31, 0})));
}

TEST_F(array_test, element_beyond_the_end_is_an_error_with_both_ranges) {
  expect_error<value_error>(
      [&] { array(memory(64), type_code::float64, layout::c_order(extents{8}, 1)); },
      {"(8,)", "float64", "8 to 71", "64 bytes"});
  expect_error<value_error>([&] { array(memory(7), type_code::float64, layout()); },
                            {"0 to 7", "7 bytes"});
}

TEST_F(array_test, element_before_the_start_is_an_error_with_both_ranges) {
  expect_error<value_error>(
      [&] { array(memory(64), type_code::float64, layout::strided(extents{3}, extents{-1}, 1)); },
      {"-8 to 15", "64 bytes"});
  expect_error<value_error>([&] { array(memory(64), type_code::int8, layout::c_order({}, -1)); },
                            {"-1 to -1"});
}

TEST_F(array_test, extent_that_cannot_be_counted_in_bytes_is_an_overflow_error) {
  for (const std::ptrdiff_t offset : {PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MAX / 8 + 1}) {
    expect_error<usmx::overflow_error>(
        [&] { array(memory(64), type_code::float64, layout().with_offset(offset)); },
        {text(offset)});
  }
}

TEST_F(array_test, misaligned_element_zero_is_an_error_naming_address_and_alignment) {
  const auto bytes = memory(64);
  const auto shifted =
      std::make_shared<buffer>(buffer::part_of(bytes, bytes->data() + 4, 60, false, {}));
  expect_error<value_error>(
      [&] { array(shifted, type_code::float64, layout()); },
      {"float64", "aligned to 8", text(static_cast<const void*>(bytes->data() + 4))});
  EXPECT_NO_THROW(array(shifted, type_code::float32, layout()));
}

TEST_F(array_test, complex_numbers_need_the_alignment_of_their_components) {
  const auto bytes = memory(64);
  const auto shifted =
      std::make_shared<buffer>(buffer::part_of(bytes, bytes->data() + 4, 60, false, {}));
  EXPECT_NO_THROW(array(shifted, type_code::complex64, layout()));
  EXPECT_THROW(array(shifted, type_code::complex128, layout()), value_error);
}

TEST_F(array_test, array_without_elements_fits_any_buffer) {
  const auto bytes = memory(3);
  const auto odd =
      std::make_shared<buffer>(buffer::part_of(bytes, bytes->data() + 1, 1, false, {}));
  for (const extents& shape : {extents{0}, extents{5, 0, 2}}) {
    const array a(odd, type_code::float64, layout::c_order(shape));
    EXPECT_EQ(a.size(), 0);
    EXPECT_EQ(a.nbytes(), 0U);
  }
}

// Layouts without elements may have any offset: nothing may be computed from it.
TEST_F(array_test, array_without_elements_can_have_any_offset) {
  const auto bytes = memory(8);
  for (const std::ptrdiff_t offset : {PTRDIFF_MAX, PTRDIFF_MIN, std::ptrdiff_t{1} << 61}) {
    const array a(bytes, type_code::float64, layout::strided(extents{0}, extents{1}, offset));
    EXPECT_EQ(a.data(), bytes->data());
    EXPECT_EQ(a.view().data(), bytes->data());
  }
}

TEST_F(array_test, read_only_buffer_makes_read_only_arrays) {
  const auto bytes = memory(64);
  const auto readonly =
      std::make_shared<buffer>(buffer::part_of(bytes, bytes->data(), 64, true, {}));
  EXPECT_TRUE(array(readonly, type_code::int8, layout()).readonly());
  EXPECT_TRUE(
      usmx::internal::unchecked_array(readonly, type_code::int8, layout(), false).readonly());
  EXPECT_FALSE(array(bytes, type_code::int8, layout()).readonly());
  EXPECT_TRUE(array(bytes, type_code::int8, layout(), true).readonly());
}

TEST_F(array_test, read_only_array_stays_read_only_in_every_view_of_it) {
  const array a(memory(64), type_code::int32, layout::c_order(extents{4}));
  const array locked = a.as_readonly();
  EXPECT_TRUE(locked.readonly());
  EXPECT_TRUE(locked.view().readonly());
  EXPECT_TRUE(locked.with_layout(layout()).readonly());
  EXPECT_TRUE(locked.as_readonly().readonly());
  EXPECT_FALSE(a.readonly());
  EXPECT_EQ(locked.owner(), a.owner());
}

TEST_F(array_test, array_becomes_read_only_in_place_and_those_made_of_it_before_do_not) {
  array a(memory(64), type_code::int32, layout::c_order(extents{1, 1, 1, 1, 1, 1, 1, 4}));
  const array before = a;
  const std::ptrdiff_t* shape = a.shape().data();
  a.make_readonly();
  EXPECT_TRUE(a.readonly());
  EXPECT_TRUE(usmx::internal::private_view(a).readonly());
  EXPECT_TRUE(array(a).readonly());
  EXPECT_TRUE(a.with_layout(layout()).readonly());
  EXPECT_EQ(a.shape().data(), shape);
  EXPECT_FALSE(before.readonly());
}

TEST_F(array_test, another_layout_keeps_memory_and_type) {
  const array a(memory(64), type_code::int32, layout::c_order(extents{4, 4}));
  const layout column = layout::strided(extents{4}, extents{4}, 2);
  const array b = a.with_layout(column);
  EXPECT_EQ(b.owner(), a.owner());
  EXPECT_EQ(b.type(), a.type());
  EXPECT_EQ(b.layout(), column);
  EXPECT_EQ(b.data(), a.data() + 8);
  EXPECT_FALSE(b.readonly());
}

TEST_F(array_test, another_layout_must_lie_inside_the_memory) {
  const array a(memory(64), type_code::int32, layout::c_order(extents{2, 2}));
  EXPECT_EQ(a.with_layout(layout::c_order(extents{16})).size(), 16);
  expect_error<value_error>([&] { a.with_layout(layout::c_order(extents{17})); },
                            {"0 to 67", "64 bytes"});
  expect_error<value_error>([&] { a.with_layout(layout::strided(extents{2}, extents{-1}, 0)); },
                            {"-4 to 3", "64 bytes"});
}

TEST_F(array_test, array_without_memory_has_no_elements) {
  array from(memory(64), type_code::int32, layout::c_order(extents{4, 4}));
  const array to = std::move(from);
  EXPECT_EQ(to.size(), 16);
  for (const array& none : {array(), from}) {  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(none.owner(), nullptr);
    EXPECT_EQ(none.layout(), layout::c_order(extents{0}));
    EXPECT_EQ(none.nbytes(), 0U);
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(none.kind(), usm_kind::unknown);
    EXPECT_FALSE(none.may_be_busy());
    EXPECT_EQ(none.as_readonly().size(), 0);
    none.wait();
    none.record(sycl::event());
  }
}

TEST_F(array_test, array_that_was_assigned_from_has_no_elements) {
  array from(memory(64), type_code::int32, layout::c_order(extents{4, 4}));
  array to;
  to = std::move(from);
  EXPECT_EQ(to.size(), 16);
  EXPECT_EQ(from.size(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(from.owner(), nullptr);
}

TEST_F(array_test, array_without_memory_has_neither_view_nor_queue) {
  const array none;
  const auto refused = [](auto use) { expect_error<value_error>(use, {"without memory"}); };
  refused([&] { none.view(); });
  refused([&] { none.queue(); });
  refused([&] { none.memory(); });
  refused([&] { none.with_layout(layout()); });
  refused([&] { usmx::internal::private_view(none); });
  refused([&] { usmx::internal::first_element(none); });
  refused([&] { array(nullptr, type_code::int32, layout()); });
}

TEST_F(array_test, elements_in_several_places_must_be_countable_in_bytes) {
  const array a(memory(8), type_code::float64, layout());
  const layout many = usmx::broadcast(a.layout(), extents{(PTRDIFF_MAX >> 3)});
  EXPECT_EQ(a.with_layout(many).nbytes(), static_cast<std::size_t>(PTRDIFF_MAX - 7));
  const layout more = usmx::broadcast(a.layout(), extents{(PTRDIFF_MAX >> 3) + 1});
  expect_error<usmx::overflow_error>([&] { a.with_layout(more); },
                                     {text((PTRDIFF_MAX >> 3) + 1), "8"});
}

TEST_F(array_test, copies_share_the_memory_until_the_last_is_gone) {
  std::weak_ptr<buffer> watched;
  {
    const array a = usmx::empty(extents{4}, type_code::int32, queue());
    watched = a.owner();
    auto b = std::make_unique<array>(a);
    EXPECT_EQ(b->data(), a.data());
    b.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(array_test, view_is_the_array_without_its_owner) {
  const array a(memory(64), type_code::int32, layout::strided(extents{2}, extents{-3}, 5), true);
  const usmx::array_view v = a.view();
  EXPECT_EQ(v.origin(), a.owner()->data());
  EXPECT_EQ(v.data(), a.data());
  EXPECT_EQ(v.type(), a.type());
  EXPECT_EQ(v.layout(), a.layout());
  EXPECT_EQ(v.kind(), a.kind());
  EXPECT_EQ(v.queue(), a.queue());
  EXPECT_TRUE(v.readonly());
}

TEST_F(array_test, view_data_and_queue_expose_the_memory) {
  const auto expose = {+[](const array& a) { static_cast<void>(a.view()); },
                       +[](const array& a) { static_cast<void>(a.data()); },
                       +[](const array& a) { static_cast<void>(a.queue()); }};
  for (const auto& hand_out : expose) {
    const array a = usmx::empty(extents{4}, type_code::int32, queue());
    EXPECT_FALSE(a.owner()->may_be_busy());
    hand_out(a);
    EXPECT_TRUE(a.owner()->may_be_busy());
  }
}

TEST_F(array_test, private_view_is_the_same_view_and_exposes_nothing) {
  const array a = usmx::empty(extents{4}, type_code::int32, new_queue(), usm_kind::shared);
  const usmx::array_view v = usmx::internal::private_view(a.as_readonly());
  EXPECT_FALSE(a.owner()->may_be_busy());
  EXPECT_EQ(v.data(), a.data());
  EXPECT_EQ(v.layout(), a.layout());
  EXPECT_EQ(v.queue(), a.queue());
  EXPECT_TRUE(v.readonly());
}

TEST_F(array_test, recorded_work_is_waited_for) {
  const array a = usmx::empty(extents{1 << 20}, type_code::uint8, queue(), usm_kind::shared);
  a.record(new_queue().memset(a.data(), 9, a.nbytes()));
  EXPECT_TRUE(a.owner()->may_be_busy());
  a.wait();
  EXPECT_FALSE(usmx::detail::may_have_pending_work(a.data(), a.nbytes()));
  EXPECT_EQ(a.data()[a.nbytes() - 1], std::byte{9});
}

// ---- Around memory of a native library

class adopted_array_test : public array_test {
 protected:
  auto deleter() {
    return [this](void*) { ++deleted_; };
  }

  std::atomic<int> deleted_ = 0;
};

TEST_F(adopted_array_test, adopted_array_is_c_contiguous_from_the_pointer) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(256, kind, queue());
    const array a =
        array::adopt(block.data() + 8, extents{2, 3}, type_code::float64, queue(), [](void*) {});
    EXPECT_EQ(a.layout(), layout::c_order(extents{2, 3}));
    EXPECT_EQ(a.data(), block.data() + 8);
    EXPECT_EQ(a.type(), type_code::float64);
    EXPECT_EQ(a.kind(), kind);
    EXPECT_EQ(a.owner()->nbytes(), 48U);
    EXPECT_FALSE(a.readonly());
  }
}

TEST_F(adopted_array_test, deleter_runs_once_with_the_pointer_when_the_last_view_is_gone) {
  const runtime_block block(256, usm_kind::shared, queue());
  void* pointer = nullptr;
  {
    std::optional<array> last;
    {
      const array a = array::adopt(block.data(), extents{4}, type_code::int32, queue(),
                                   [&](void* p) { pointer = p, ++deleted_; });
      last = a.with_layout(layout());
    }
    EXPECT_EQ(deleted_, 0);
  }
  EXPECT_EQ(deleted_, 1);
  EXPECT_EQ(pointer, block.data());
}

TEST_F(adopted_array_test, array_without_elements_can_be_adopted_from_any_pointer) {
  int ordinary = 0;
  for (void* pointer : {static_cast<void*>(nullptr), static_cast<void*>(&ordinary),
                        reinterpret_cast<void*>(std::uintptr_t{0xdeadbeef})}) {
    deleted_ = 0;
    {
      const array a = array::adopt(pointer, extents{3, 0}, type_code::float64, queue(), deleter());
      EXPECT_EQ(a.size(), 0);
      EXPECT_EQ(a.data(), pointer);
      EXPECT_EQ(a.kind(), usm_kind::device);
      EXPECT_EQ(deleted_, 0);
    }
    EXPECT_EQ(deleted_, 1);
  }
}

TEST_F(adopted_array_test, array_without_elements_has_the_kind_of_the_memory_it_is_adopted_from) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    const buffer block = buffer::allocate(64, kind, queue());
    const array a = array::adopt(block.data(), extents{0}, type_code::float64, queue(), deleter());
    EXPECT_EQ(a.kind(), kind);
  }
}

TEST_F(adopted_array_test, negative_extent_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(64, usm_kind::shared, queue());
  expect_error<value_error>(
      [&] { array::adopt(block.data(), extents{2, -1}, type_code::int8, queue(), deleter()); },
      {"-1"});
  EXPECT_EQ(deleted_, 1);
}

TEST_F(adopted_array_test, shape_whose_size_overflows_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(64, usm_kind::shared, queue());
  const std::ptrdiff_t half = std::ptrdiff_t{1} << 32;
  expect_error<usmx::overflow_error>([&] {
    array::adopt(block.data(), extents{half, half}, type_code::int8, queue(), deleter());
  });
  EXPECT_EQ(deleted_, 1);
  expect_error<usmx::overflow_error>([&] {
    array::adopt(block.data(), extents{half, half / 4}, type_code::float64, queue(), deleter());
  });
  EXPECT_EQ(deleted_, 2);
}

TEST_F(adopted_array_test, shape_beyond_the_allocation_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(64, usm_kind::shared, queue());
  expect_error<value_error>(
      [&] { array::adopt(block.data(), extents{9}, type_code::float64, queue(), deleter()); },
      {"64 bytes"});
  EXPECT_EQ(deleted_, 1);
}

TEST_F(adopted_array_test, misaligned_pointer_is_an_error_and_the_deleter_runs_once) {
  const runtime_block block(64, usm_kind::shared, queue());
  expect_error<value_error>(
      [&] { array::adopt(block.data() + 2, extents{2}, type_code::float32, queue(), deleter()); },
      {"aligned to 4"});
  EXPECT_EQ(deleted_, 1);
}

TEST_F(adopted_array_test, memory_that_is_not_usm_is_an_error_and_the_deleter_runs_once) {
  float ordinary[4] = {};
  expect_error<value_error>(
      [&] { array::adopt(ordinary, extents{4}, type_code::float32, queue(), deleter()); },
      {"not USM"});
  EXPECT_EQ(deleted_, 1);
}

// ---- New memory

TEST_F(array_test, empty_makes_c_contiguous_memory_of_every_kind) {
  for (const usm_kind kind : all_kinds) {
    const array a = usmx::empty(extents{3, 5}, type_code::complex128, queue(), kind);
    EXPECT_EQ(a.layout(), layout::c_order(extents{3, 5}));
    EXPECT_EQ(a.kind(), kind);
    EXPECT_EQ(a.queue(), queue());
    EXPECT_FALSE(a.readonly());
    EXPECT_EQ(a.owner()->nbytes(), 240U);
    EXPECT_EQ(usmx::check_access(a.data(), 240, context()), kind);
  }
}

TEST_F(array_test, new_arrays_are_device_memory_unless_asked_otherwise) {
  EXPECT_EQ(usmx::empty(extents{3}, type_code::int8, queue()).kind(), usm_kind::device);
}

TEST_F(array_test, new_array_of_no_dimensions_has_one_element) {
  const array a = usmx::empty(extents{}, type_code::float64, queue());
  EXPECT_EQ(a.size(), 1);
  EXPECT_EQ(a.owner()->nbytes(), 8U);
}

TEST_F(array_test, new_array_without_elements_owns_one) {
  for (const usm_kind kind : all_kinds) {
    for (const extents& shape : {extents{0}, extents{4, 0, 3}}) {
      const array a = usmx::empty(shape, type_code::float64, queue(), kind);
      EXPECT_EQ(a.size(), 0);
      EXPECT_EQ(a.owner()->nbytes(), 8U);
      EXPECT_EQ(usmx::pointer_kind(a.data(), context()), kind);
    }
  }
}

TEST_F(array_test, empty_takes_any_layout_that_starts_at_the_first_byte) {
  const array a =
      usmx::empty(layout::f_order(extents{3, 5}), type_code::int16, queue(), usm_kind::shared);
  EXPECT_EQ(a.owner()->nbytes(), 30U);
  EXPECT_EQ(a.layout(), layout::f_order(extents{3, 5}));
  const array b = usmx::empty(layout::strided(extents{4}, extents{-3}, 9), type_code::int16,
                              queue(), usm_kind::shared);
  EXPECT_EQ(b.owner()->nbytes(), 20U);
  const array c = usmx::empty(layout::strided(extents{4, 1000}, extents{2, 0}), type_code::int16,
                              queue(), usm_kind::shared);
  EXPECT_EQ(c.owner()->nbytes(), 14U);
}

TEST_F(array_test, empty_refuses_a_layout_that_starts_elsewhere) {
  for (const layout& where :
       {layout::strided(extents{4}, extents{-1}), layout::c_order(extents{4}, -1),
        layout::c_order(extents{4}, 1), layout().with_offset(PTRDIFF_MAX)}) {
    expect_error<value_error>(
        [&] { usmx::empty(where, type_code::int8, queue(), usm_kind::shared); }, {text(where)});
  }
}

TEST_F(array_test, empty_has_the_alignment_asked_for) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    const array a = usmx::empty(layout::c_order(extents{3}), type_code::int8, queue(),
                                usm_kind::host, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % alignment, 0U);
  }
  expect_error<value_error>(
      [&] { usmx::empty(layout(), type_code::int8, queue(), usm_kind::host, 12); }, {"12"});
}

TEST_F(array_test, new_array_whose_bytes_overflow_is_an_error) {
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 60;
  for (const extents& shape : {extents{huge}, extents{huge, 16}}) {
    expect_error<usmx::overflow_error>([&] { usmx::empty(shape, type_code::float64, queue()); });
  }
}

TEST_F(array_test, new_array_for_which_there_is_no_memory_is_an_error_with_its_bytes) {
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 59;
  expect_error<allocation_error>([&] { usmx::empty(extents{huge}, type_code::float64, queue()); },
                                 {text(huge * 8), "device"});
}

TEST_F(array_test, new_array_with_a_negative_extent_is_an_error) {
  expect_error<value_error>([&] { usmx::empty(extents{3, -2}, type_code::int8, queue()); }, {"-2"});
}

TEST_F(array_test, new_array_of_unknown_memory_is_an_error) {
  expect_error<value_error>(
      [&] { usmx::empty(extents{3}, type_code::int8, queue(), usm_kind::unknown); }, {"unknown"});
}

// ---- Arithmetic

TEST(checked_nbytes_test, count_times_itemsize) {
  EXPECT_EQ(checked_nbytes(0, type_code::float64), 0U);
  EXPECT_EQ(checked_nbytes(3, type_code::complex128), 48U);
  EXPECT_EQ(checked_nbytes(PTRDIFF_MAX, type_code::uint8), static_cast<std::size_t>(PTRDIFF_MAX));
}

TEST(checked_nbytes_test, product_beyond_ptrdiff_is_an_overflow_error) {
  expect_error<usmx::overflow_error>(
      [] { checked_nbytes(PTRDIFF_MAX / 8 + 1, type_code::float64); },
      {text(PTRDIFF_MAX / 8 + 1), "8"});
}

TEST(fitted_to_new_memory_test, layouts_that_start_at_the_first_byte_stay_as_they_are) {
  for (const layout& where :
       {layout(), layout::c_order(extents{2, 3}), layout::f_order(extents{2, 3}),
        layout::strided(extents{2, 2}, extents{0, 7})}) {
    EXPECT_EQ(fitted_to_new_memory(where), where);
  }
}

TEST(fitted_to_new_memory_test, negative_strides_get_the_smallest_offset_that_fits) {
  const auto fitted = [](const extents& shape, const extents& strides) {
    return fitted_to_new_memory(layout::strided(shape, strides));
  };
  // The protocol's examples: offset 1 of 4 elements, 17 of 18.
  EXPECT_EQ(fitted({2, 2}, {2, -1}), layout::strided(extents{2, 2}, extents{2, -1}, 1));
  EXPECT_EQ(fitted({2, 2}, {2, -1}).span(), (usmx::element_range{0, 3}));
  EXPECT_EQ(fitted({4, 2}, {-5, -2}), layout::strided(extents{4, 2}, extents{-5, -2}, 17));
  EXPECT_EQ(fitted({4, 2}, {-5, -2}).span(), (usmx::element_range{0, 17}));
}

TEST(fitted_to_new_memory_test, naming_the_offset_that_fits_is_the_same_as_asking_for_it) {
  const layout named = layout::strided(extents{2, 2}, extents{2, -1}, 1);
  EXPECT_EQ(fitted_to_new_memory(named), named);
}

TEST(fitted_to_new_memory_test, any_other_offset_is_an_error_naming_both) {
  for (const std::ptrdiff_t offset : {2, -1, 100}) {
    expect_error<value_error>(
        [&] { fitted_to_new_memory(layout::strided(extents{2, 2}, extents{2, -1}, offset)); },
        {"offset " + text(offset), "expected 1"});
  }
  expect_error<value_error>([] { fitted_to_new_memory(layout::c_order(extents{4}, 1)); },
                            {"offset 1", "expected 0"});
}

TEST(fitted_to_new_memory_test, layout_without_elements_fits_at_zero_only) {
  const layout none = layout::strided(extents{0, 3}, extents{-4, -1});
  EXPECT_EQ(fitted_to_new_memory(none), none);
  expect_error<value_error>([&] { fitted_to_new_memory(none.with_offset(5)); }, {"5"});
}

TEST(fitted_to_new_memory_test, strides_of_unit_dimensions_do_not_count) {
  const layout where = layout::strided(extents{1, 3}, extents{-99, 1});
  EXPECT_EQ(fitted_to_new_memory(where), where);
}

// ---- What authors of native code write

TEST_F(array_test, shape_is_a_list_in_braces_or_any_range_of_integers) {
  EXPECT_EQ(to_vector(usmx::empty({3, 4}, usmx::float64, queue()).shape()), (extents{3, 4}));
  EXPECT_EQ(usmx::empty({}, usmx::float64, queue(), usm_kind::host).ndim(), 0);
  EXPECT_EQ(to_vector(usmx::empty({3}, usmx::float64, queue(), usm_kind::host).shape()),
            (extents{3}));
  EXPECT_EQ(to_vector(usmx::empty(std::vector<int>{2, 5}, usmx::int8, queue()).shape()),
            (extents{2, 5}));
}

TEST_F(array_test, extents_and_strides_are_asked_one_by_one) {
  const array a = usmx::empty({2, 3}, usmx::int32, queue()).transposed();
  EXPECT_EQ(a.extent(0), 3);
  EXPECT_EQ(a.stride(0), 1);
  EXPECT_EQ(a.view().extent(1), 2);
  EXPECT_EQ(a.view().stride(1), 3);
}

TEST_F(array_test, transposed_has_the_dimensions_in_reverse) {
  const array a = usmx::empty({2, 3, 4}, usmx::int32, queue());
  EXPECT_EQ(to_vector(a.transposed().shape()), (extents{4, 3, 2}));
  EXPECT_EQ(a.transposed().owner(), a.owner());
  EXPECT_EQ(a.view().transposed().layout(), a.transposed().layout());
}

TEST_F(array_test, reshaped_shares_the_memory_where_no_copy_is_needed) {
  const array a = usmx::empty({2, 3}, usmx::int32, queue());
  EXPECT_EQ(to_vector(a.reshaped({3, -1}).shape()), (extents{3, 2}));
  EXPECT_EQ(a.reshaped({6}).owner(), a.owner());
  EXPECT_TRUE(a.as_readonly().reshaped({6}).readonly());
  expect_error<value_error>([&] { a.transposed().reshaped({6}); }, {"only a copy", "(6,)"});
  expect_error<value_error>([&] { a.reshaped({4}); });
}

TEST_F(array_test, view_is_sliced_as_the_array) {
  const array a = usmx::empty({4, 6}, usmx::int32, queue());
  EXPECT_EQ(a.view().slice(usmx::range(1, 4, 2), -1).layout(),
            a.slice(usmx::range(1, 4, 2), -1).layout());
  EXPECT_EQ(a.view().slice(usmx::ellipsis, usmx::newaxis).ndim(), 3);
  expect_error<usmx::index_error>([&] { a.view().slice(4); }, {"4"});
}

TEST_F(array_test, view_of_a_temporary_array_keeps_the_memory) {
  std::weak_ptr<buffer> memory;
  {
    const auto row = [&] {
      const array a = usmx::empty({2, 3}, usmx::int32, queue(), usm_kind::shared);
      for (auto each : a.host_as<int, 2>()) std::ranges::fill(each, 5);
      memory = a.owner();
      return a.slice(1).host_as<int, 1>();
    }();
    static_assert(std::ranges::view<std::remove_const_t<decltype(row)>>);
    static_assert(!std::is_convertible_v<decltype(row), usmx::strided_view<int, 1>&&>);
    EXPECT_FALSE(memory.expired());
    EXPECT_EQ(std::vector(row.begin(), row.end()), (std::vector{5, 5, 5}));
    const usmx::strided_view<const int, 1> seen = row.view();
    EXPECT_EQ(&seen[2], &row(2));
    EXPECT_EQ(row.slice(usmx::range(1, 3)).size(), 2);
  }
  usmx::synchronize();
  EXPECT_TRUE(memory.expired());
}

TEST_F(array_test, range_for_reads_a_slice_in_one_expression) {
  const array a = usmx::empty({2, 3}, usmx::int32, queue(), usm_kind::shared);
  int next = 0;
  for (int& x : a.reshaped({6}).host_as<int, 1>()) x = next++;
  int sum = 0;
  for (const int x : a.slice(1).host_as<const int, 1>()) sum += x;
  EXPECT_EQ(sum, 12);
  for (const auto row : a.slice(usmx::range(1, 2)).host_as<const int, 2>()) sum += row[0];
  EXPECT_EQ(sum, 15);
}

TEST_F(array_test, slice_is_what_a_subscript_is_in_python) {
  const array a = usmx::empty({4, 6}, usmx::int32, queue());
  const array part = a.slice(usmx::range(1, 4, 2), -1);
  EXPECT_EQ(to_vector(part.shape()), (extents{2}));
  EXPECT_EQ(to_vector(part.strides()), (extents{12}));
  EXPECT_EQ(part.data(), a.data() + (6 + 5) * 4);
  EXPECT_EQ(part.owner(), a.owner());
  EXPECT_EQ(to_vector(a.slice(usmx::range(), usmx::index_item::newaxis()).shape()),
            (extents{4, 1, 6}));
  EXPECT_TRUE(a.as_readonly().slice(0).readonly());
  expect_error<usmx::index_error>([&] { a.slice(4); }, {"4"});
}

TEST_F(array_test, host_as_gives_typed_elements) {
  const array a = usmx::empty({2, 3}, usmx::int32, queue(), usm_kind::shared);
  a.host_as<std::int32_t, 2>()(1, 2) = 7;
  EXPECT_EQ(a.view().contiguous<const std::int32_t>()[5], 7);
  expect_error<usmx::type_error>([&] { a.host_as<float, 2>(); }, {"float32", "int32"});
}

TEST_F(array_test, host_as_waits_until_the_elements_are_ready) {
  const array a = usmx::empty({1 << 20}, usmx::uint8, queue(), usm_kind::shared);
  a.record_write(new_queue().memset(a.data(), 9, a.nbytes()));
  EXPECT_EQ((a.host_as<const std::uint8_t, 1>()[(1 << 20) - 1]), 9);
  EXPECT_FALSE(usmx::detail::may_have_pending_work(a.data(), a.nbytes()));
}

TEST_F(array_test, host_as_refuses_device_memory) {
  const array a = usmx::empty({2}, usmx::int32, queue());
  expect_error<usmx::value_error>([&] { a.host_as<std::int32_t, 1>(); }, {"host", "device"});
}

TEST_F(array_test, device_as_gives_what_kernels_capture_of_any_memory) {
  const array a = usmx::empty({2, 3}, usmx::int32, queue());
  const auto elements = a.device_as<const std::int32_t, 2>();
  EXPECT_EQ(reinterpret_cast<const std::byte*>(elements.data()), a.data());
  EXPECT_EQ(elements.size(), 6);
  EXPECT_EQ(elements.stride(0), 3);
  static_assert(std::is_trivially_copyable_v<decltype(elements)>);
  expect_error<usmx::type_error>([&] { a.device_as<float, 2>(); }, {"float32", "int32"});
  const array fixed = a.as_readonly();
  expect_error<usmx::read_only_error>([&] { fixed.device_as<std::int32_t, 2>(); }, {"read-only"});
}

TEST_F(array_test, arrays_may_overlap_where_their_ranges_of_bytes_do) {
  const array a = usmx::empty({8}, usmx::int32, queue());
  const auto overlap = [&](const array& one, const array& other) {
    return may_overlap(one.view(), other.view());
  };
  EXPECT_TRUE(overlap(a, a.slice(usmx::range(3, 4))));
  EXPECT_FALSE(overlap(a.slice(usmx::range(0, 4)), a.slice(usmx::range(4, 8))));
  EXPECT_TRUE(overlap(a.slice(usmx::range(0, 8, 2)), a.slice(usmx::range(1, 8, 2))));
  EXPECT_FALSE(overlap(a, a.slice(usmx::range(0, 0))));
  EXPECT_FALSE(overlap(a, usmx::empty({8}, usmx::int32, queue())));
}

TEST_F(array_test, container_in_usm_is_adopted_without_a_copy) {
  array a;
  {
    std::vector<float, usmx::allocator<float>> numbers({1, 2, 3}, usmx::allocator<float>(queue()));
    a = array::adopt(numbers.data(), {3}, usmx::float32, queue(), [](void*) {});
  }
  const std::vector<float, usmx::allocator<float>> others(3, 7, usmx::allocator<float>(queue()));
  EXPECT_EQ((a.reshaped({3, 1}).slice(2).host_as<float, 1>()[0]), 3);
}

}  // namespace
