// usmx/array/requirement.hpp: when an array meets a requirement, and the words for both.
#include "usmx/array/requirement.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/device_test.hpp"
#include "usmx/array/array.hpp"

namespace {

using usmx::array;
using usmx::array_requirement;
using usmx::is_met;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;

template <class T, auto... Words>
constexpr array_requirement needed = usmx::detail::requirement_of<T, Words...>();

class requirement_test : public support::device_test {
 protected:
  array of(layout where, usmx::dtype type = type_code::float64,
           usm_kind kind = usm_kind::shared) const {
    return usmx::empty(std::move(where), type, queue(), kind);
  }
  array matrix() const { return of(layout::c_order(extents{4, 3})); }
};

template <class T, auto... Words>
std::string text() {
  return std::string(usmx::detail::text_of(needed<T, Words...>).view());
}

TEST_F(requirement_test, element_type_must_be_the_same) {
  EXPECT_TRUE(is_met(needed<const double>, matrix()));
  EXPECT_FALSE(is_met(needed<const float>, matrix()));
}

TEST_F(requirement_test, read_only_array_meets_only_const_elements) {
  EXPECT_TRUE(is_met(needed<const double>, matrix().as_readonly()));
  EXPECT_FALSE(is_met(needed<double>, matrix().as_readonly()));
  EXPECT_TRUE(is_met(needed<double>, matrix()));
}

TEST_F(requirement_test, number_of_dimensions_must_be_the_same) {
  EXPECT_TRUE(is_met(needed<const double, 2>, matrix()));
  EXPECT_FALSE(is_met(needed<const double, 1>, matrix()));
  EXPECT_TRUE(is_met(needed<const double, 0>, of(layout())));
}

TEST_F(requirement_test, extents_must_be_the_same_where_they_are_not_any) {
  EXPECT_TRUE(is_met(needed<const double, usmx::shape<usmx::any, 3>>, matrix()));
  EXPECT_TRUE(is_met(needed<const double, usmx::shape<4, 3>>, matrix()));
  EXPECT_FALSE(is_met(needed<const double, usmx::shape<usmx::any, 4>>, matrix()));
  EXPECT_FALSE(is_met(needed<const double, usmx::shape<usmx::any>>, matrix()));
  EXPECT_FALSE(is_met(needed<const double, usmx::shape<usmx::any, usmx::any, 3>>, matrix()));
}

TEST_F(requirement_test, layout_must_be_the_one_that_is_named) {
  const array in_columns = of(layout::f_order(extents{4, 3}));
  EXPECT_TRUE(is_met(needed<const double, usmx::c_contig>, matrix()));
  EXPECT_FALSE(is_met(needed<const double, usmx::f_contig>, matrix()));
  EXPECT_TRUE(is_met(needed<const double, usmx::f_contig>, in_columns));
  EXPECT_FALSE(is_met(needed<const double, usmx::c_contig>, in_columns));
  EXPECT_TRUE(is_met(needed<const double, usmx::strided>, in_columns));
}

TEST_F(requirement_test, kind_must_be_one_of_those_that_are_named) {
  const layout row = layout::c_order(extents{3});
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    const array a = of(row, type_code::float64, kind);
    EXPECT_EQ(is_met(needed<const double, usmx::device_kind>, a), kind == usm_kind::device);
    EXPECT_EQ(is_met(needed<const double, usmx::shared_kind>, a), kind == usm_kind::shared);
    EXPECT_EQ(is_met(needed<const double, usmx::host_kind>, a), kind == usm_kind::host);
    EXPECT_EQ(is_met(needed<const double, usmx::host_accessible>, a), kind != usm_kind::device);
    EXPECT_TRUE(is_met(needed<const double>, a));
  }
}

TEST_F(requirement_test, array_without_memory_meets_no_named_kind) {
  EXPECT_TRUE(is_met(needed<const double, 1>, array()));
  EXPECT_FALSE(is_met(needed<const double, 1, usmx::host_accessible>, array()));
}

TEST(requirement_text, names_what_is_asked_for_and_nothing_else) {
  EXPECT_EQ(text<const double>(), "USM array of float64");
  EXPECT_EQ((text<const double, 2, usmx::c_contig>()),
            "USM array of float64 with 2 dimensions, C-contiguous");
  EXPECT_EQ((text<float, 1, usmx::f_contig>()),
            "USM array of float32 with 1 dimension, Fortran-contiguous, writable");
  EXPECT_EQ((text<const int, usmx::shape<usmx::any, 130>>()),
            "USM array of int32 with shape (any, 130)");
  EXPECT_EQ((text<const int, usmx::shape<3>, usmx::host_accessible>()),
            "USM array of int32 with shape (3,), in memory that the host may touch");
  EXPECT_EQ((text<const int, usmx::device_kind>()), "USM array of int32, in memory of kind device");
}

TEST(requirement_text, does_not_depend_on_the_order_of_the_words) {
  EXPECT_EQ((text<const double, usmx::host_kind, usmx::c_contig, 2>()),
            (text<const double, 2, usmx::c_contig, usmx::host_kind>()));
}

TEST_F(requirement_test, what_is_found_is_said_in_the_requirements_words) {
  EXPECT_EQ(found_text(needed<const float, 2>, matrix()), "float64 with 2 dimensions");
  EXPECT_EQ(found_text(needed<const double, usmx::shape<usmx::any, 4>>, matrix()),
            "float64 with shape (4, 3)");
  EXPECT_EQ(found_text(needed<const double, 2, usmx::f_contig>, matrix()),
            "float64 with 2 dimensions, shape (4, 3) and strides (3, 1)");
  EXPECT_EQ(found_text(needed<double, 2>, matrix().as_readonly()),
            "float64 with 2 dimensions, read-only");
  EXPECT_EQ(found_text(needed<const double, 2, usmx::host_kind>, matrix()),
            "float64 with 2 dimensions, in memory of kind shared");
}

}  // namespace
