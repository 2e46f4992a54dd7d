// src/copy/convert.hpp: what the program knows and what the compiler knows agree.
#include "copy/convert.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace {

using usmx::dtype;
using usmx::type_code;
using usmx::detail::with_element_type;
using usmx::detail::with_item_size;
using usmx::detail::with_item_type;

TEST(element_dispatch_test, elements_have_the_size_of_their_type) {
  for (int code = 0; code < usmx::type_count; ++code) {
    const dtype type = static_cast<type_code>(code);
    with_element_type(type.code(), [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ(sizeof(T), type.itemsize()) << type;
    });
  }
}

TEST(element_dispatch_test, numbers_that_cpp_has_are_of_its_types) {
  for (int code = 0; code < usmx::type_count; ++code) {
    const dtype type = static_cast<type_code>(code);
    with_element_type(type.code(), [&]<class T>(std::type_identity<T>) {
      if constexpr (usmx::element_type<T>) {
        EXPECT_EQ(dtype::of<T>(), type);
      } else {
        EXPECT_TRUE(type.kind() == 'b' || type.kind() == 'c' || type == type_code::float16) << type;
      }
    });
  }
}

TEST(element_dispatch_test, element_is_read_at_any_alignment) {
  const std::byte bytes[] = {std::byte{9}, std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}};
  EXPECT_EQ(usmx::detail::element_at<std::uint32_t>(bytes + 1), 0x01010101U);
}

TEST(element_dispatch_test, sizes_of_one_instruction_are_constants) {
  for (std::size_t nbytes = 1; nbytes <= 32; ++nbytes) {
    const bool one_instruction = nbytes <= 16 && (nbytes & (nbytes - 1)) == 0;
    with_item_size(nbytes, [&](auto size) {
      EXPECT_EQ(std::size_t{size}, nbytes);
      EXPECT_EQ((!std::is_same_v<decltype(size), std::size_t>), one_instruction) << nbytes;
    });
  }
}

TEST(element_dispatch_test, items_have_their_size) {
  for (const std::size_t nbytes : {1, 2, 4, 8, 16}) {
    with_item_type(nbytes, [&]<class T>(std::type_identity<T>) { EXPECT_EQ(sizeof(T), nbytes); });
  }
}

}  // namespace
