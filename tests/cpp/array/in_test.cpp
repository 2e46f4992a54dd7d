// usmx/array/in.hpp: parameters that state what they need.
#include "usmx/array/in.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "usmx/array/submit.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;

class in_test : public support::device_test {
 protected:
  array matrix() const {
    return usmx::empty(extents{4, 3}, type_code::float64, queue(), usm_kind::shared);
  }
};

TEST_F(in_test, gives_the_arrays_elements_and_memory) {
  const array a = matrix();
  const usmx::host<double, 2, usmx::c_contig> x(a);
  x.view()(1, 2) = 7;
  EXPECT_EQ(a.view().contiguous<double>()[5], 7);
  EXPECT_EQ(x.elements()[5], 7);
  EXPECT_EQ(x.elements().size(), 12u);
  EXPECT_EQ(static_cast<void*>(x.data()), a.data());
  EXPECT_EQ(x.array().owner(), a.owner());
  EXPECT_EQ(x.queue(), queue());
  EXPECT_EQ(x.size(), 12);
  EXPECT_EQ(extents(x.shape().begin(), x.shape().end()), (extents{4, 3}));
  EXPECT_EQ(extents(x.strides().begin(), x.strides().end()), (extents{3, 1}));
}

TEST_F(in_test, keeps_the_memory_alive) {
  std::weak_ptr<usmx::buffer> memory;
  {
    const usmx::in<const double> x(matrix());
    memory = x.array().owner();
    EXPECT_FALSE(memory.expired());
  }
  EXPECT_TRUE(memory.expired());
}

TEST_F(in_test, gives_its_array_away_when_it_is_not_needed_any_more) {
  usmx::in<const double> x(matrix());
  const array taken = std::move(x).array();
  EXPECT_EQ(taken.owner().use_count(), 1);
}

TEST_F(in_test, refuses_an_array_that_does_not_meet_it) {
  expect_error<usmx::type_error>(
      [&] { usmx::in<const float, 2, usmx::c_contig>{matrix()}; },
      {"expected a USM array of float32 with 2 dimensions, C-contiguous; found float64 with 2 "
       "dimensions"});
}

TEST_F(in_test, view_has_the_elements_type_and_rank) {
  using points = usmx::in<const double, usmx::shape<usmx::any, 3>>;
  const points x(matrix());
  static_assert(std::is_same_v<decltype(x.view()), usmx::device_view<const double, 2>>);
  EXPECT_EQ(x.view().extent(1), 3);
}

template <class Parameter>
using view_of = decltype(std::declval<const Parameter&>().view());

TEST(in, view_is_for_the_host_only_where_it_may_touch_the_elements_and_they_are_ready) {
  using on_host = usmx::strided_view<double, 1>;
  using in_kernels = usmx::device_view<double, 1>;
  static_assert(std::is_same_v<view_of<usmx::host<double, 1>>, on_host>);
  static_assert(std::is_same_v<view_of<usmx::in<double, 1, usmx::shared_kind>>, on_host>);
  static_assert(std::is_same_v<view_of<usmx::in<double, 1>>, in_kernels>);
  static_assert(std::is_same_v<view_of<usmx::write<double, 1, usmx::shared_kind>>, in_kernels>);
  static_assert(std::is_same_v<view_of<usmx::unordered<double, 1, usmx::host_kind>>, in_kernels>);
}

TEST_F(in_test, only_parameters_that_order_their_work_leave_the_array_unexposed) {
  const auto is_exposed_by = [&]<class Parameter>(std::type_identity<Parameter>) {
    const Parameter x(usmx::empty(extents{4}, type_code::float64, new_queue(), usm_kind::shared));
    EXPECT_EQ(x.queue().get_context(), context());
    EXPECT_NE(x.data(), nullptr);
    x.view();
    return x.array().owner()->others_may_work();
  };
  EXPECT_FALSE(is_exposed_by(std::type_identity<usmx::read<double, 1>>()));
  EXPECT_FALSE(is_exposed_by(std::type_identity<usmx::write<double, 1>>()));
  EXPECT_TRUE(is_exposed_by(std::type_identity<usmx::unordered<double, 1>>()));
  EXPECT_TRUE(is_exposed_by(std::type_identity<usmx::in<double, 1>>()));
  EXPECT_TRUE(is_exposed_by(std::type_identity<usmx::host<double, 1>>()));
}

TEST_F(in_test, recorded_work_reads_or_writes_as_the_type_says) {
  const array a = matrix();
  const support::gate reading(context());
  usmx::read<double, 2>(a).record(reading.event());
  EXPECT_TRUE(usmx::pending_events({a}, {}).empty());
  const support::gate writing(context());
  usmx::write<double, 2>(a).record(writing.event());
  EXPECT_EQ(usmx::pending_events({a}, {}), std::vector{writing.event()});
}

TEST_F(in_test, array_without_elements_is_taken) {
  const usmx::host<const double, 2, usmx::c_contig> x(
      usmx::empty(extents{0, 3}, type_code::float64, queue(), usm_kind::shared));
  EXPECT_TRUE(x.elements().empty());
}

template <class Parameter>
constexpr bool has_view = requires(const Parameter& x) { x.view(); };
template <class Parameter>
constexpr bool has_elements = requires(const Parameter& x) { x.elements(); };

TEST(in, gives_a_view_only_where_the_rank_is_known) {
  static_assert(has_view<usmx::in<const double, 2>>);
  static_assert(!has_view<usmx::in<const double>>);
  static_assert(has_elements<usmx::host<const double, usmx::c_contig>>);
  static_assert(has_elements<usmx::host<const double, usmx::f_contig>>);
  static_assert(!has_elements<usmx::host<const double, 1>>);
  static_assert(!has_elements<usmx::in<const double, usmx::c_contig>>);
}

TEST(convert, is_an_in_of_the_same_words) {
  static_assert(std::is_base_of_v<usmx::in<const double, 2>, usmx::convert<const double, 2>>);
}

}  // namespace
