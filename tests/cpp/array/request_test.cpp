// usmx/array/requirement.hpp: which arrays are already what is asked for, and what is said of the
// others.
#include "usmx/array/requirement.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/device_test.hpp"

namespace {

using usmx::array;
using usmx::array_request;
using usmx::element_order;
using usmx::layout;
using usmx::reason_to_copy;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;

class request_test : public support::device_test {
 protected:
  const array a = usmx::empty(extents{2, 3}, type_code::float32, queue(), usm_kind::shared);
  array_request asked{type_code::float32, usm_kind::shared, queue(), false, element_order::keep};
};

TEST_F(request_test, array_that_is_what_is_asked_for_needs_no_copy) {
  asked.exactly_on_queue = true;
  asked.order = element_order::c;
  EXPECT_EQ(reason_to_copy(a, asked), std::nullopt);
}

TEST_F(request_test, another_element_type_is_named) {
  asked.type = type_code::int8;
  EXPECT_EQ(reason_to_copy(a, asked), "the element type is float32, not int8");
}

TEST_F(request_test, another_kind_of_memory_is_named) {
  asked.kind = usm_kind::host;
  EXPECT_EQ(reason_to_copy(a, asked), "the memory is of kind 'shared', not 'host'");
}

TEST_F(request_test, another_queue_matters_only_where_exactly_that_queue_is_asked_for) {
  asked.queue = sycl::queue(queue().get_context(), queue().get_device());
  EXPECT_EQ(reason_to_copy(a, asked), std::nullopt);
  asked.exactly_on_queue = true;
  EXPECT_EQ(reason_to_copy(a, asked), "the array is on another queue of the same device");
}

TEST_F(request_test, another_context_is_a_reason) {
  asked.queue = sycl::queue(sycl::context(queue().get_device()), queue().get_device());
  EXPECT_EQ(reason_to_copy(a, asked), "the array is in another context");
}

TEST_F(request_test, another_order_is_named) {
  asked.order = element_order::f;
  EXPECT_EQ(reason_to_copy(a, asked), "the array is not Fortran-contiguous");
  const array b = a.with_layout(usmx::transposed(a.layout()));
  asked.order = element_order::c;
  EXPECT_EQ(reason_to_copy(b, asked), "the array is not C-contiguous");
  const array every_second = a.with_layout(layout::strided(extents{2, 2}, extents{3, 2}));
  asked.order = element_order::any;
  EXPECT_EQ(reason_to_copy(every_second, asked), "the array is not contiguous");
  asked.order = element_order::keep;
  EXPECT_EQ(reason_to_copy(every_second, asked), std::nullopt);
}

}  // namespace
