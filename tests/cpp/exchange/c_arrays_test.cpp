// usmx/exchange/c_arrays.hpp: owners that are lent and counted, and what a view of them says. What
// extensions in C do with them is in tests/abi.
#include "usmx/exchange/c_arrays.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using usmx::array;
using namespace usmx::exchange;

array numbers() {
  const std::ptrdiff_t shape[] = {2, 3};
  return usmx::empty(shape, usmx::type_code::float64, usmx::default_queue(),
                     usmx::usm_kind::shared);
}

TEST(c_arrays_test, owner_that_is_lent_is_the_array_itself) {
  const array x = numbers();
  usmx_owner* owner = lend(x);
  EXPECT_TRUE(is_lent(owner));
  EXPECT_EQ(&array_of(owner), &x);
  release(owner);  // nothing to release
  EXPECT_EQ(x.owner().use_count(), 1);
}

TEST(c_arrays_test, retained_owner_keeps_the_memory_until_it_is_released) {
  array x = numbers();
  const std::weak_ptr<usmx::buffer> memory = x.owner();
  usmx_owner* owner = retain(lend(x));
  EXPECT_FALSE(is_lent(owner));
  x = array();
  EXPECT_FALSE(memory.expired());
  usmx_owner* again = retain(owner);
  EXPECT_EQ(again, owner);
  release(owner);
  EXPECT_FALSE(memory.expired());
  release(again);
  EXPECT_TRUE(memory.expired());
}

TEST(c_arrays_test, null_is_nothing_to_release) { release(nullptr); }

TEST(c_arrays_test, bytes_are_of_their_kind_until_they_are_freed_once) {
  const sycl::queue queue = usmx::default_queue();
  for (const auto kind : {usmx::usm_kind::device, usmx::usm_kind::shared, usmx::usm_kind::host}) {
    void* bytes = allocate_bytes(100, kind, queue);
    EXPECT_EQ(usmx::pointer_kind(bytes, queue.get_context()), kind);
    free_bytes(bytes);
    EXPECT_THROW(free_bytes(bytes), usmx::value_error);
  }
  free_bytes(nullptr);
}

TEST(c_arrays_test, no_bytes_and_unknown_kinds_are_not_allocated) {
  const sycl::queue queue = usmx::default_queue();
  EXPECT_THROW(allocate_bytes(0, usmx::usm_kind::shared, queue), usmx::value_error);
  EXPECT_THROW(allocate_bytes(8, usmx::usm_kind::unknown, queue), usmx::value_error);
  EXPECT_THROW(allocate_bytes(8, static_cast<usmx::usm_kind>(7), queue), usmx::value_error);
}

TEST(c_arrays_test, freed_bytes_stay_until_work_on_their_queue_has_finished) {
  sycl::queue queue = usmx::default_queue();
  constexpr std::size_t nbytes = 1 << 22;
  for (int k = 0; k < 20; ++k) {
    auto* source =
        static_cast<unsigned char*>(allocate_bytes(nbytes, usmx::usm_kind::shared, queue));
    auto* result =
        static_cast<unsigned char*>(allocate_bytes(nbytes, usmx::usm_kind::shared, queue));
    std::memset(source, k + 1, nbytes);
    const sycl::event copied = queue.memcpy(result, source, nbytes);
    free_bytes(source);
    auto* other =
        static_cast<unsigned char*>(allocate_bytes(nbytes, usmx::usm_kind::shared, queue));
    std::memset(other, 0, nbytes);  // must not be the source while it is read
    usmx::wait_for_events({copied});
    EXPECT_EQ(result[0], k + 1);
    EXPECT_EQ(result[nbytes - 1], k + 1);
    free_bytes(other);
    free_bytes(result);
  }
  usmx::synchronize();
}

TEST(c_arrays_test, view_points_into_the_array_and_names_its_queue_and_context) {
  const array x = numbers();
  const usmx_view view = describe_to_c(x);
  EXPECT_EQ(view.data, x.data());
  EXPECT_EQ(view.shape, x.shape().data());
  EXPECT_EQ(view.strides, x.strides().data());
  EXPECT_EQ(*static_cast<sycl::queue*>(view.queue), x.queue());
  EXPECT_EQ(*static_cast<sycl::context*>(view.context), x.queue().get_context());
  EXPECT_EQ(describe_to_c(x).context, view.context);
}

TEST(c_arrays_test, part_of_a_buffer_has_the_context_of_the_whole) {
  const array x = numbers();
  const auto part = std::make_shared<usmx::buffer>(
      usmx::buffer::part_of(x.owner(), x.owner()->data(), 16, false, {}));
  EXPECT_EQ(&part->context(), &x.owner()->context());
}

TEST(c_arrays_test, array_without_memory_has_no_view) {
  EXPECT_THROW(describe_to_c(array()), usmx::value_error);
}

TEST(c_arrays_test, without_elements_the_pointer_of_a_view_may_be_anything) {
  const array x = numbers();
  const std::int64_t shape[] = {0};
  usmx_view view = describe_to_c(x);
  view.ndim = 1;
  view.shape = shape;
  view.strides = nullptr;
  view.data = nullptr;
  EXPECT_EQ(with_view(x, view).size(), 0);
}

TEST(c_arrays_test, null_shape_and_too_many_dimensions_are_refused) {
  const array x = numbers();
  usmx_view view = describe_to_c(x);
  view.shape = nullptr;
  EXPECT_THROW(with_view(x, view), usmx::value_error);
  view = describe_to_c(x);
  view.ndim = usmx::max_ndim + 1;
  EXPECT_THROW(with_view(x, view), usmx::value_error);
  view.ndim = -1;
  EXPECT_THROW(with_view(x, view), usmx::value_error);
}

TEST(c_arrays_test, null_is_nothing_to_retain) { EXPECT_THROW(retain(nullptr), usmx::value_error); }

TEST(c_arrays_test, owner_of_an_array_without_memory_has_no_view_and_no_work) {
  usmx_owner* owner = new_owner(array());
  EXPECT_THROW(describe_to_c(array_of(owner)), usmx::value_error);
  EXPECT_THROW(describe_to_c_in_order(array_of(owner)), usmx::value_error);
  const usmx_view view{};
  EXPECT_THROW(with_view(array_of(owner), view), usmx::value_error);
  release(owner);
}

TEST(c_arrays_test, view_without_a_queue_or_with_numbers_that_are_none_is_refused) {
  usmx_view view{};
  EXPECT_THROW(allocate(view), usmx::value_error);
  EXPECT_THROW(adopt(view, {}), usmx::value_error);
  view.kind = USMX_KIND_SHARED;
  view.ndim = 2;  // and a null shape
  EXPECT_THROW(allocate(view), usmx::value_error);
}

}  // namespace
