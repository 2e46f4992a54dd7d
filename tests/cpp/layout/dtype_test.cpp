#include "usmx/layout/dtype.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "usmx/base/error.hpp"

namespace usmx_test {
struct half {
  std::uint16_t bits;
};
struct two_bytes {
  std::uint16_t bits;
};
struct wide_half {
  std::uint32_t bits;
};
}  // namespace usmx_test

template <>
inline constexpr bool usmx::is_half<usmx_test::half> = true;
template <>
inline constexpr bool usmx::is_half<usmx_test::wide_half> = true;

namespace {

using usmx::dtype;
using usmx::type_code;

constexpr bool little_endian = std::endian::native == std::endian::little;
constexpr char native_order = little_endian ? '<' : '>';
constexpr char foreign_order = little_endian ? '>' : '<';

std::vector<dtype> all_types() {
  std::vector<dtype> types;
  for (int code = 0; code < usmx::type_count; ++code) types.push_back(static_cast<type_code>(code));
  return types;
}

std::string value_error_of(auto make) {
  try {
    make();
  } catch (const usmx::value_error& error) {
    return error.what();
  }
  return "";
}

std::string rejection(std::string_view typestr) {
  return value_error_of([=] { return dtype::from_typestr(typestr); });
}

struct expected_type {
  type_code code;
  char kind;
  std::size_t itemsize;
  std::size_t alignment;
  const char* typestr;
  const char* format;
  const char* name;
};

// typestr, format and name as NumPy 2.4 gives them on x86-64 Linux.
constexpr expected_type numpy_types[] = {
    {type_code::bool_, 'b', 1, 1, "|b1", "?", "bool"},
    {type_code::int8, 'i', 1, 1, "|i1", "b", "int8"},
    {type_code::int16, 'i', 2, 2, "<i2", "h", "int16"},
    {type_code::int32, 'i', 4, 4, "<i4", "i", "int32"},
    {type_code::int64, 'i', 8, 8, "<i8", "l", "int64"},
    {type_code::uint8, 'u', 1, 1, "|u1", "B", "uint8"},
    {type_code::uint16, 'u', 2, 2, "<u2", "H", "uint16"},
    {type_code::uint32, 'u', 4, 4, "<u4", "I", "uint32"},
    {type_code::uint64, 'u', 8, 8, "<u8", "L", "uint64"},
    {type_code::float16, 'f', 2, 2, "<f2", "e", "float16"},
    {type_code::float32, 'f', 4, 4, "<f4", "f", "float32"},
    {type_code::float64, 'f', 8, 8, "<f8", "d", "float64"},
    {type_code::complex64, 'c', 8, 4, "<c8", "Zf", "complex64"},
    {type_code::complex128, 'c', 16, 8, "<c16", "Zd", "complex128"},
};

TEST(dtype, properties_are_those_of_numpy) {
  if (!little_endian || sizeof(long) != 8) GTEST_SKIP() << "the table is that of x86-64 Linux";
  ASSERT_EQ(std::size(numpy_types), static_cast<std::size_t>(usmx::type_count));
  for (const expected_type& expected : numpy_types) {
    SCOPED_TRACE(expected.name);
    const dtype type = expected.code;
    EXPECT_EQ(type.code(), expected.code);
    EXPECT_EQ(type.kind(), expected.kind);
    EXPECT_EQ(type.itemsize(), expected.itemsize);
    EXPECT_EQ(type.alignment(), expected.alignment);
    EXPECT_EQ(type.typestr(), expected.typestr);
    EXPECT_STREQ(type.format(), expected.format);
    EXPECT_EQ(type.name(), expected.name);
  }
}

TEST(dtype, is_small_and_usable_in_constant_expressions) {
  static_assert(sizeof(dtype) <= 2 * sizeof(void*));
  static_assert(std::is_trivially_copyable_v<dtype>);
  static_assert(dtype::of<float>().itemsize() == 4);
  static_assert(dtype::of<float>().typestr().substr(1) == "f4");
  static_assert(dtype::of<float>() != dtype(type_code::float64));
}

TEST(dtype, codes_of_no_plain_type_are_rejected_and_not_looked_up) {
  const std::string expected = "dtype: expected the code of a plain type, 0 to 13, found ";
  EXPECT_EQ(value_error_of([] { return dtype(type_code::structured); }),
            expected + "14 (structured): dtype::structured() makes such types");
  for (int code = usmx::type_count + 1; code <= 255; ++code) {
    EXPECT_EQ(value_error_of([=] { return dtype(static_cast<type_code>(code)); }),
              expected + std::to_string(code));
  }
}

TEST(dtype, typestr_parses_back_to_the_same_type) {
  for (const dtype type : all_types()) EXPECT_EQ(dtype::from_typestr(type.typestr()), type);
}

TEST(dtype, every_native_prefix_and_none_are_accepted) {
  for (const dtype type : all_types()) {
    const std::string bare(type.typestr().substr(1));
    EXPECT_EQ(dtype::from_typestr(bare), type);
    for (const char prefix : {native_order, '=', '|'}) {
      EXPECT_EQ(dtype::from_typestr(prefix + bare), type) << prefix << bare;
    }
  }
}

TEST(dtype, foreign_byte_order_is_rejected_as_such) {
  for (const dtype type : all_types()) {
    const std::string foreign = foreign_order + std::string(type.typestr().substr(1));
    const std::string message = rejection(foreign);
    EXPECT_NE(message.find("byte order"), std::string::npos) << message;
    EXPECT_NE(message.find("found '" + foreign + "'"), std::string::npos) << message;
  }
}

TEST(dtype, unsupported_typestr_is_rejected_naming_what_is_accepted_and_found) {
  if (!little_endian) GTEST_SKIP() << "the message names the host's byte order";
  EXPECT_EQ(rejection("<f16"),
            "'typestr' must be one of b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8, c16 with "
            "'<', '=', '|' or nothing in front, found '<f16'");
}

TEST(dtype, types_of_other_kinds_and_sizes_are_rejected) {
  for (const char* typestr : {"<m8", "<M8", "|O",  "|O8", "|S3", "<U4", "|V8", "b2", "i3", "i16",
                              "u16", "f1",  "f16", "c4",  "c32", "B1",  "I4",  "F8", "?1", "a1"}) {
    EXPECT_NE(rejection(typestr), "") << typestr;
  }
}

TEST(dtype, near_misses_of_the_syntax_are_rejected) {
  for (const char* typestr :
       {"",      "<",    "=",    "|",     "f",     "<f",  "8",    "<8",    "<<f8",
        "<=f8",  "f8<",  " f8",  "f8 ",   "< f8",  "f 8", "<f08", "<f8\n", "<f88",
        "<f8f8", "<f-8", "<f+8", "<c016", "<c160", "@f8", "!f8"}) {
    EXPECT_NE(rejection(typestr), "") << "'" << typestr << "'";
  }
  EXPECT_NE(rejection(std::string_view("<f8\0", 4)), "");
  EXPECT_NE(rejection(std::string_view("<f\0008", 4)), "");
}

TEST(dtype, rejection_escapes_what_cannot_be_printed) {
  EXPECT_NE(
      rejection(std::string_view("<f8\0\n\xff'\\", 8)).find("found '<f8\\x00\\x0a\\xff\\'\\\\'"),
      std::string::npos);
}

TEST(dtype, rejection_cuts_long_strings_and_says_how_long_they_are) {
  const std::string message = rejection(std::string(100000, 'x'));
  EXPECT_LT(message.size(), 300u);
  EXPECT_NE(message.find("xxx...' (100000 characters)"), std::string::npos) << message;
}

TEST(dtype, every_two_character_string_is_accepted_only_if_a_type) {
  int accepted = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char text[] = {static_cast<char>(first), static_cast<char>(second)};
      accepted += rejection({text, 2}).empty();
    }
  }
  EXPECT_EQ(accepted, usmx::type_count - 1);  // all but c16
}

TEST(dtype, of_fixed_width_types) {
  EXPECT_EQ(dtype::of<bool>(), type_code::bool_);
  EXPECT_EQ(dtype::of<std::int8_t>(), type_code::int8);
  EXPECT_EQ(dtype::of<std::int16_t>(), type_code::int16);
  EXPECT_EQ(dtype::of<std::int32_t>(), type_code::int32);
  EXPECT_EQ(dtype::of<std::int64_t>(), type_code::int64);
  EXPECT_EQ(dtype::of<std::uint8_t>(), type_code::uint8);
  EXPECT_EQ(dtype::of<std::uint16_t>(), type_code::uint16);
  EXPECT_EQ(dtype::of<std::uint32_t>(), type_code::uint32);
  EXPECT_EQ(dtype::of<std::uint64_t>(), type_code::uint64);
  EXPECT_EQ(dtype::of<float>(), type_code::float32);
  EXPECT_EQ(dtype::of<double>(), type_code::float64);
  EXPECT_EQ(dtype::of<std::complex<float>>(), type_code::complex64);
  EXPECT_EQ(dtype::of<std::complex<double>>(), type_code::complex128);
}

TEST(dtype, of_integers_goes_by_size_and_signedness) {
  EXPECT_EQ(dtype::of<long long>(), type_code::int64);
  EXPECT_EQ(dtype::of<unsigned long long>(), type_code::uint64);
  EXPECT_EQ(dtype::of<long>(), sizeof(long) == 8 ? type_code::int64 : type_code::int32);
  EXPECT_EQ(dtype::of<unsigned long>(), sizeof(long) == 8 ? type_code::uint64 : type_code::uint32);
  EXPECT_EQ(dtype::of<char>(), std::is_signed_v<char> ? type_code::int8 : type_code::uint8);
  EXPECT_EQ(dtype::of<signed char>(), type_code::int8);
  EXPECT_EQ(dtype::of<char8_t>(), type_code::uint8);
  EXPECT_EQ(dtype::of<char16_t>(), type_code::uint16);
  EXPECT_EQ(dtype::of<char32_t>(), type_code::uint32);
}

TEST(dtype, of_ignores_const) { EXPECT_EQ(dtype::of<const double>(), type_code::float64); }

TEST(dtype, of_a_two_byte_half_type_is_float16) {
  EXPECT_EQ(dtype::of<usmx_test::half>(), type_code::float16);
}

TEST(dtype, of_is_not_defined_for_types_that_no_code_describes) {
  static_assert(!usmx::element_type<long double>);
  static_assert(!usmx::element_type<std::complex<long double>>);
  static_assert(!usmx::element_type<void>);
  static_assert(!usmx::element_type<int*>);
  static_assert(!usmx::element_type<int&>);
  static_assert(!usmx::element_type<usmx_test::two_bytes>);
  static_assert(!usmx::element_type<usmx_test::wide_half>);
}

TEST(dtype, sizes_and_alignments_of_cpp_types_agree) {
  const auto agrees = []<class T>(T) {
    return dtype::of<T>().itemsize() == sizeof(T) && dtype::of<T>().alignment() == alignof(T);
  };
  EXPECT_TRUE(agrees(true));
  EXPECT_TRUE(agrees(std::int16_t{}));
  EXPECT_TRUE(agrees(std::int32_t{}));
  EXPECT_TRUE(agrees(std::int64_t{}));
  EXPECT_TRUE(agrees(0.0f));
  EXPECT_TRUE(agrees(0.0));
  EXPECT_TRUE(agrees(std::complex<float>{}));
  EXPECT_TRUE(agrees(std::complex<double>{}));
}

TEST(dtype, streams_its_name) {
  std::ostringstream out;
  out << dtype::of<std::complex<double>>();
  EXPECT_EQ(out.str(), "complex128");
}

}  // namespace
