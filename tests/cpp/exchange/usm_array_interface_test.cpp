// usmx/exchange/usm_array_interface.hpp: one test for each rule of the exchange that concerns
// values, and every description accepted exactly when arithmetic of twice the width says so.
#include "usmx/exchange/usm_array_interface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/slabs.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::runtime_block;
using support::text;
using usmx::array;
using usmx::dtype;
using usmx::layout;
using usmx::overflow_error;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using usmx::exchange::check;
using usmx::exchange::checked_import;
using usmx::exchange::describe;
using usmx::exchange::placement;
using usmx::exchange::usm_array_interface;
using extents = std::vector<std::ptrdiff_t>;

constexpr std::ptrdiff_t two_to(int exponent) { return std::ptrdiff_t{1} << exponent; }

std::string hex(std::uintptr_t value) { return text(reinterpret_cast<const void*>(value)); }

class exchange_test : public support::device_test {
 protected:
  static constexpr std::size_t nbytes = 1024;

  void SetUp() override {
    device_test::SetUp();
    if (!IsSkipped()) {
      block_.emplace(nbytes, usm_kind::device, queue());
    }
  }

  std::uintptr_t start() const { return reinterpret_cast<std::uintptr_t>(block_->data()); }
  static placement here() { return queue(); }

  // A description whose parts live as long as it does.
  class description {
   public:
    description(std::uintptr_t data, std::string typestr, extents shape)
        : typestr_(std::move(typestr)),
          shape_(std::move(shape)),
          values_{data, false, typestr_, std::nullopt, shape_, std::nullopt, 0} {}
    description(std::uintptr_t data, std::string typestr, extents shape,
                const std::optional<extents>& strides, std::ptrdiff_t offset = 0,
                bool readonly = false)
        : description(data, std::move(typestr), std::move(shape)) {
      if (strides) {
        strides_ = *strides;
        values_.strides = strides_;
      }
      values_.offset = offset;
      values_.readonly = readonly;
    }
    description& in_buffer_of(std::size_t nbytes) {
      values_.buffer_nbytes = nbytes;
      return *this;
    }
    description(const description&) = delete;
    description& operator=(const description&) = delete;

    operator const usm_array_interface&() const { return values_; }

   private:
    std::string typestr_;
    extents shape_;
    extents strides_;
    usm_array_interface values_;
  };

  static checked_import accept(const description& given) { return check(given, here()); }
  template <class Error>
  static void refuse(const description& given, std::initializer_list<std::string> parts,
                     std::source_location where = std::source_location::current()) {
    expect_error<Error>([&] { check(given, here()); }, parts, where);
  }

  std::optional<runtime_block> block_;
};

// ---- What is accepted

TEST_F(exchange_test, description_of_real_memory_is_accepted_as_it_is) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(nbytes, kind, queue());
    const auto data = reinterpret_cast<std::uintptr_t>(block.data());
    const checked_import found = accept({data, "<f8", {4, 8}});
    EXPECT_EQ(found.memory, block.data());
    EXPECT_EQ(found.nbytes, 256U);
    EXPECT_EQ(found.type, type_code::float64);
    EXPECT_EQ(found.where, layout::c_order(extents{4, 8}));
    EXPECT_EQ(found.kind, kind);
    EXPECT_EQ(found.queue, queue());
    EXPECT_FALSE(found.readonly);
  }
}

TEST_F(exchange_test, memory_of_usmx_itself_is_accepted) {
  const array own = usmx::empty(extents{4, 8}, type_code::int16, queue(), usm_kind::shared);
  const checked_import found = check(describe(own), here());
  EXPECT_EQ(found.memory, own.data());
  EXPECT_EQ(found.nbytes, 64U);
  EXPECT_EQ(found.where, own.layout());
  EXPECT_EQ(found.kind, usm_kind::shared);
}

TEST_F(exchange_test, every_type_is_accepted) {
  for (int code = 0; code < usmx::type_count; ++code) {
    const dtype type(static_cast<type_code>(code));
    EXPECT_EQ(accept({start(), std::string(type.typestr()), {3}}).type, type);
  }
}

TEST_F(exchange_test, structured_type_is_accepted_with_its_description_and_without_alignment) {
  const extents shape = {3};
  usm_array_interface given;
  given.data = start() + 1;
  given.typestr = "|V9";
  given.shape = shape;
  given.typedescr = {{"a", "|i1", {}}, {"b", "<f8", {}}};
  const checked_import found = check(given, here());
  EXPECT_EQ(found.type, usmx::exchange::parse_typedescr("|V9", *given.typedescr));
  EXPECT_EQ(found.nbytes, 27U);
}

TEST_F(exchange_test, structured_typestr_without_a_description_is_refused) {
  refuse<value_error>({start(), "|V9", {3}}, {"'|V9'", "'typedescr'", "found none"});
}

TEST_F(exchange_test, structured_array_of_usmx_itself_is_accepted) {
  const dtype type = dtype::structured({{"a", type_code::int8, {}, 1}}, 3);
  const array own = usmx::empty(extents{4, 8}, type, queue(), usm_kind::shared);
  const usm_array_interface described = describe(own);
  EXPECT_EQ(described.typestr, "|V3");
  EXPECT_EQ(usmx::exchange::text(described.typedescr.value()),
            "[('', '|V1'), ('a', '|i1'), ('', '|V1')]");
  EXPECT_EQ(check(described, here()).type, type);
}

TEST_F(exchange_test, plain_array_has_no_typedescr) {
  EXPECT_FALSE(describe(usmx::empty(extents{4}, type_code::int8, queue())).typedescr);
}

TEST_F(exchange_test, no_dimensions_are_one_element) {
  const checked_import found = accept({start(), "<f8", {}});
  EXPECT_EQ(found.where.ndim(), 0);
  EXPECT_EQ(found.nbytes, 8U);
}

TEST_F(exchange_test, missing_strides_mean_c_order) {
  EXPECT_EQ(accept({start(), "<f4", {2, 3, 4}}).where, layout::c_order(extents{2, 3, 4}));
}

TEST_F(exchange_test, strides_and_offset_count_elements) {
  const checked_import found = accept({start(), "<f4", {2, 3}, extents{10, 2}, 5});
  EXPECT_EQ(found.memory, block_->data() + 20);
  EXPECT_EQ(found.nbytes, 15U * 4);
  EXPECT_EQ(found.where, layout::strided(extents{2, 3}, extents{10, 2}));
}

TEST_F(exchange_test, negative_strides_reach_below_element_zero) {
  const checked_import found = accept({start(), "<i2", {2, 3}, extents{-8, -1}, 10});
  EXPECT_EQ(found.memory, block_->data());
  EXPECT_EQ(found.nbytes, 22U);
  EXPECT_EQ(found.where, layout::strided(extents{2, 3}, extents{-8, -1}, 10));
}

TEST_F(exchange_test, negative_offset_reaches_below_the_pointer) {
  const checked_import found = accept({start() + 80, "<f8", {5}, std::nullopt, -10});
  EXPECT_EQ(found.memory, block_->data());
  EXPECT_EQ(found.nbytes, 40U);
}

TEST_F(exchange_test, zero_strides_repeat_one_element) {
  const checked_import found = accept({start(), "<f8", {1000, 1000}, extents{0, 0}, 3});
  EXPECT_EQ(found.memory, block_->data() + 24);
  EXPECT_EQ(found.nbytes, 8U);
  EXPECT_EQ(found.where.size(), 1'000'000);
}

TEST_F(exchange_test, whole_allocation_is_accepted_in_every_direction) {
  EXPECT_EQ(accept({start(), "|u1", {1024}}).nbytes, nbytes);
  EXPECT_EQ(accept({start(), "<f8", {128}, extents{-1}, 127}).nbytes, nbytes);
  EXPECT_EQ(accept({start(), "<c16", {8, 8}, extents{1, 8}}).nbytes, nbytes);
  EXPECT_EQ(accept({start(), "<i4", {2}, extents{255}}).nbytes, nbytes);
}

TEST_F(exchange_test, read_only_flag_is_passed_on) {
  EXPECT_TRUE(accept({start(), "|u1", {4}, std::nullopt, 0, true}).readonly);
  EXPECT_FALSE(accept({start(), "|u1", {4}, std::nullopt, 0, false}).readonly);
  EXPECT_TRUE(accept({0, "|u1", {0}, std::nullopt, 0, true}).readonly);
}

// ---- typestr, shape, strides: values that cannot be

TEST_F(exchange_test, unknown_typestr_is_an_error_naming_it) {
  for (const char* typestr :
       {"", "f16", "<f16", ">f8", "m8", "<M8", "|O", "|S8", "<U4", "f", "<f8 "}) {
    refuse<value_error>({start(), typestr, {4}}, {typestr});
  }
}

TEST_F(exchange_test, negative_extent_is_an_error_naming_it) {
  refuse<value_error>({start(), "|u1", {4, -3}}, {"-3"});
  refuse<value_error>({start(), "|u1", {0, -3}}, {"-3"});
}

TEST_F(exchange_test, strides_of_another_length_are_an_error_naming_both) {
  refuse<value_error>({start(), "<f8", {4, 5, 6}, extents{30, 6}},
                      {"'strides'", "3", "(4, 5, 6)", "2", "(30, 6)"});
  refuse<value_error>({start(), "<f8", {}, extents{1}}, {"'strides'", "0", "()", "(1,)"});
  refuse<value_error>({start(), "<f8", {4}, extents{}}, {"'strides'", "1", "(4,)", "()"});
}

TEST_F(exchange_test, too_many_dimensions_are_an_error) {
  refuse<value_error>({start(), "|u1", extents(usmx::max_ndim + 1, 1)}, {text(usmx::max_ndim)});
  EXPECT_NO_THROW(accept({start(), "|u1", extents(usmx::max_ndim, 1)}));
}

// ---- Check 1: nothing wraps

TEST_F(exchange_test, number_of_elements_that_wraps_is_an_error) {
  refuse<overflow_error>({start(), "|u1", {two_to(40), two_to(40)}}, {});
  refuse<overflow_error>({start(), "|u1", {two_to(62), 4}}, {});
  refuse<overflow_error>({start(), "|u1", {two_to(32), two_to(32)}, extents{0, 0}}, {});
}

TEST_F(exchange_test, number_of_bytes_that_wraps_is_an_error) {
  refuse<overflow_error>({start(), "<f8", {two_to(60)}}, {});
  refuse<overflow_error>({start(), "<c16", {two_to(59) + 1}}, {});
}

TEST_F(exchange_test, span_that_wraps_is_an_error) {
  refuse<overflow_error>({start(), "|u1", {3}, extents{two_to(62)}}, {});
  refuse<overflow_error>({start(), "|u1", {2, 2}, extents{two_to(62), two_to(62)}}, {});
  refuse<overflow_error>({start(), "|u1", {2, 2}, extents{PTRDIFF_MAX, -PTRDIFF_MAX}}, {});
  refuse<overflow_error>({start(), "|u1", {2}, extents{1}, PTRDIFF_MAX}, {});
  refuse<overflow_error>({start(), "|u1", {2}, extents{-1}, PTRDIFF_MIN}, {});
}

TEST_F(exchange_test, stride_that_wraps_in_bytes_is_an_error_naming_it) {
  refuse<overflow_error>({start(), "<f8", {2}, extents{two_to(62)}}, {"strides", text(two_to(62))});
  refuse<overflow_error>({start(), "<i2", {2}, extents{-two_to(62) - 1}},
                         {"strides", text(-two_to(62) - 1)});
}

TEST_F(exchange_test, offset_that_wraps_in_bytes_is_an_error_naming_it) {
  for (const std::ptrdiff_t offset : {two_to(60), -two_to(60) - 1, PTRDIFF_MAX, PTRDIFF_MIN}) {
    refuse<overflow_error>({start(), "<f8", {1}, std::nullopt, offset}, {text(offset)});
  }
}

TEST_F(exchange_test, elements_beyond_the_address_space_are_an_error_naming_the_pointer) {
  refuse<overflow_error>({UINTPTR_MAX - 3, "<f8", {1}}, {"'data'", hex(UINTPTR_MAX - 3)});
  refuse<overflow_error>({UINTPTR_MAX, "|u1", {2}}, {"'data'", hex(UINTPTR_MAX)});
  refuse<overflow_error>({8, "<f8", {1}, std::nullopt, -2}, {"'data'", "0x8", "-16"});
  refuse<overflow_error>({start(), "|u1", {1}, std::nullopt, PTRDIFF_MIN}, {"'data'"});
  refuse<overflow_error>({UINTPTR_MAX / 2 + 5, "|u1", {1}, std::nullopt, PTRDIFF_MAX - 1},
                         {"'data'"});
}

// ---- Check 2: USM of this context

TEST_F(exchange_test, null_with_elements_is_an_error_naming_the_shape) {
  refuse<value_error>({0, "<f8", {4, 5}}, {"'data'", "null", "(4, 5)"});
  refuse<value_error>({0, "<f8", {}}, {"'data'", "null", "()"});
}

TEST_F(exchange_test, pointer_that_is_not_usm_is_an_error_naming_pointer_and_context) {
  for (const void* pointer : support::garbage_pointers()) {
    const auto data = reinterpret_cast<std::uintptr_t>(pointer);
    if (data == UINTPTR_MAX) {
      continue;  // one byte up to the end of the address space: see above
    }
    refuse<value_error>({data, "|u1", {1}}, {text(pointer), "not USM", usmx::describe(context())});
  }
}

TEST_F(exchange_test, ordinary_host_memory_is_an_error) {
  std::vector<double> ordinary(16);
  refuse<value_error>({reinterpret_cast<std::uintptr_t>(ordinary.data()), "<f8", {16}},
                      {text(static_cast<void*>(ordinary.data())), "not USM"});
}

TEST_F(exchange_test, memory_of_another_context_is_an_error_with_and_without_a_queue) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const sycl::context other = new_context();
  for (const placement& where : {placement(other), placement(sycl::queue(other, device()))}) {
    expect_error<value_error>([&] { check(description{start(), "<f8", {4}}, where); },
                              {hex(start()), "not USM", usmx::describe(other)});
  }
}

TEST_F(exchange_test, freed_memory_is_an_error) {
  block_.emplace(support::beyond_runtime_pools, usm_kind::device, queue());
  const std::uintptr_t data = start();
  block_.reset();
  refuse<value_error>({data, "<f8", {4}}, {hex(data), "not USM"});
}

// ---- Check 3: all elements in one allocation

TEST_F(exchange_test, element_beyond_the_end_is_an_error_with_both_ranges) {
  const std::string allocation = hex(start()) + " to " + hex(start() + nbytes - 1);
  refuse<value_error>({start(), "<f8", {129}},
                      {hex(start()) + " to " + hex(start() + 129 * 8 - 1), allocation, "1024"});
  refuse<value_error>({start() + 1023, "|u1", {2}},
                      {hex(start() + 1023) + " to " + hex(start() + 1024), allocation});
  refuse<value_error>({start(), "<i4", {2}, extents{256}}, {hex(start() + 1027), allocation});
  refuse<value_error>({start(), "|u1", {4}, std::nullopt, 1021}, {hex(start() + 1024), allocation});
}

TEST_F(exchange_test, element_before_the_start_is_an_error_naming_the_first_byte) {
  refuse<value_error>({start(), "<f8", {2}, extents{-1}}, {hex(start() - 8)});
  refuse<value_error>({start(), "|u1", {1}, std::nullopt, -1}, {hex(start() - 1)});
  refuse<value_error>({start(), "<i2", {2, 3}, extents{-8, -1}, 9}, {hex(start() - 2)});
}

TEST_F(exchange_test, pointer_must_lie_in_the_allocation_of_the_elements) {
  // One past the end, and far behind it; all elements are inside.
  refuse<value_error>({start() + nbytes, "|u1", {4}, extents{-1}, -1}, {hex(start() + nbytes)});
  refuse<value_error>({start() + nbytes + 8000, "<f8", {2}, std::nullopt, -1002}, {"offset -1002"});
  // The offset leads from garbage, and from one live block to another.
  refuse<value_error>({8, "|u1", {4}, std::nullopt, static_cast<std::ptrdiff_t>(start() - 8)},
                      {"0x8 is not USM"});
  for (const usm_kind kind : all_kinds) {
    const auto own = usmx::buffer::allocate(nbytes, kind, queue(), 64);
    const auto other = usmx::buffer::allocate(nbytes, kind, queue(), 64);
    const auto data = reinterpret_cast<std::uintptr_t>(own.data());
    const auto distance = reinterpret_cast<std::intptr_t>(other.data()) - std::intptr_t(data);
    refuse<value_error>({data, "|u1", {4}, std::nullopt, distance}, {"not all inside"});
    refuse<value_error>({data, "|u1", {4}, std::nullopt, distance + 100}, {"not all inside"});
    EXPECT_NO_THROW(accept({data, "|u1", {4}, std::nullopt, 1020}));
  }
}

TEST_F(exchange_test, error_about_bytes_says_how_strides_and_offset_lead_there) {
  refuse<value_error>({start(), "<f8", {4, 40}, extents{40, 1}, 3},
                      {"shape (4, 40), strides (40, 1), offset 3, elements of 8 bytes"});
  refuse<value_error>({start(), "<f8", {128}, std::nullopt, 1}, {"strides None, offset 1,"});
  const std::string hint = "strides and offset count elements, not bytes";
  refuse<value_error>({start(), "<f8", {4, 32}, extents{256, 8}}, {hint});
  refuse<value_error>({start(), "<f8", {4, 31}, extents{256, 8}, 8}, {hint});
  refuse<value_error>({start(), "<f8", {4}, std::nullopt, 8 * 124}, {hint});
  refuse<value_error>({start(), "<f8", {4, 31}, extents{256, 8}, 1}, {hint});
  const auto without = [&](const description& given) {
    try {
      accept(given);
      ADD_FAILURE() << "accepted";
    } catch (const value_error& error) {
      EXPECT_EQ(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  };
  without({start(), "<f8", {129}, extents{1}});
  without({start(), "<f8", {4, 32}, extents{257, 8}});
  without({start(), "|u1", {4}, extents{1024}});
  without({start(), "<f8", {4}, std::nullopt, 8 * 125});
}

TEST_F(exchange_test, size_far_beyond_the_allocation_is_an_error) {
  refuse<value_error>({start(), "|u1", {two_to(62)}}, {"1024"});
  refuse<value_error>({start(), "|u1", {PTRDIFF_MAX - static_cast<std::ptrdiff_t>(start())}},
                      {"1024"});
}

TEST_F(exchange_test, live_block_is_the_bound_inside_a_larger_allocation) {
  usmx::registry::add({block_->data() + 256, 64, usm_kind::device, context()});
  EXPECT_NO_THROW(accept({start() + 256, "<f8", {8}}));
  refuse<value_error>({start() + 256, "<f8", {9}}, {"64 bytes"});
  usmx::registry::remove(block_->data() + 256, 64);
}

// ---- A buffer in the place of `data`

TEST_F(exchange_test, buffer_must_be_host_accessible) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(nbytes, kind, queue());
    const auto data = reinterpret_cast<std::uintptr_t>(block.data());
    if (usmx::is_host_accessible(kind)) {
      EXPECT_EQ(accept(description(data, "<f8", {4}).in_buffer_of(32)).kind, kind);
    } else {
      refuse<value_error>(description(data, "<f8", {4}).in_buffer_of(32),
                          {"host-accessible", "device memory at " + hex(data)});
    }
  }
  const std::vector<double> host(4);
  const auto data = reinterpret_cast<std::uintptr_t>(host.data());
  refuse<value_error>(description(data, "<f8", {4}).in_buffer_of(32),
                      {"host-accessible", "no USM at " + hex(data), "context"});
}

TEST_F(exchange_test, elements_must_lie_in_the_buffer) {
  const runtime_block block(nbytes, usm_kind::shared, queue());
  const auto data = reinterpret_cast<std::uintptr_t>(block.data()) + 64;
  const auto accept_in = [&](extents shape, std::optional<extents> strides, std::ptrdiff_t offset) {
    accept(description(data, "<f8", std::move(shape), strides, offset).in_buffer_of(64));
  };
  EXPECT_NO_THROW(accept_in({8}, std::nullopt, 0));
  EXPECT_NO_THROW(accept_in({8}, extents{-1}, 7));
  EXPECT_NO_THROW(accept_in({0}, std::nullopt, 1000));
  const auto refuse_in = [&](extents shape, std::optional<extents> strides, std::ptrdiff_t offset,
                             const char* found) {
    refuse<value_error>(
        description(data, "<f8", std::move(shape), strides, offset).in_buffer_of(64),
        {"its 64", found});
  };
  refuse_in({9}, std::nullopt, 0, "bytes 0 to 71 ");
  refuse_in({8}, std::nullopt, 1, "bytes 8 to 71 ");
  refuse_in({1}, std::nullopt, 8, "bytes 64 to 71 ");
  refuse_in({2}, extents{-1}, 0, "bytes -8 to 7 ");
  refuse_in({1}, std::nullopt, -1, "bytes -8 to -1 ");
}

TEST_F(exchange_test, allocation_is_the_bound_of_a_buffer_that_claims_more) {
  const runtime_block block(nbytes, usm_kind::shared, queue());
  const auto data = reinterpret_cast<std::uintptr_t>(block.data());
  refuse<value_error>(description(data, "|u1", {1025}).in_buffer_of(SIZE_MAX), {"1024 bytes"});
}

// ---- Check 5: alignment of element zero

TEST_F(exchange_test, misaligned_element_zero_is_an_error_naming_address_type_and_alignment) {
  refuse<value_error>({start() + 4, "<f8", {4}}, {"8", "<f8", hex(start() + 4)});
  refuse<value_error>({start() + 1, "<i2", {4}}, {"2", "<i2", hex(start() + 1)});
  refuse<value_error>({start() + 2, "<c8", {4}}, {"4", "<c8", hex(start() + 2)});
  refuse<value_error>({start() + 12, "<c16", {4}}, {"8", "<c16", hex(start() + 12)});
  // Of element zero, which the strides put above the lowest byte.
  refuse<value_error>({start() + 1, "<i4", {3}, extents{-2}, 4}, {hex(start() + 17)});
}

TEST_F(exchange_test, complex_numbers_need_the_alignment_of_a_component) {
  EXPECT_NO_THROW(accept({start() + 4, "<c8", {4}}));
  EXPECT_NO_THROW(accept({start() + 8, "<c16", {4}}));
}

TEST_F(exchange_test, bytes_need_no_alignment) {
  EXPECT_NO_THROW(accept({start() + 1, "|u1", {4}}));
  EXPECT_NO_THROW(accept({start() + 3, "|b1", {4}}));
}

// ---- Check 6: no elements

TEST_F(exchange_test, any_pointer_is_accepted_when_there_are_no_elements) {
  std::vector<const void*> pointers = support::garbage_pointers();
  pointers.push_back(nullptr);
  for (const void* pointer : pointers) {
    const auto data = reinterpret_cast<std::uintptr_t>(pointer);
    for (const extents& shape : {extents{0}, extents{3, 0, 4}}) {
      const checked_import found = accept({data, "<f8", shape});
      EXPECT_EQ(found.memory, pointer);
      EXPECT_EQ(found.nbytes, 0U);
      EXPECT_EQ(found.where.size(), 0);
      EXPECT_EQ(found.kind, usm_kind::device);
      EXPECT_EQ(found.queue, queue());
    }
  }
}

TEST_F(exchange_test, kind_of_an_array_without_elements_is_that_of_its_pointer) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(64, kind, queue());
    EXPECT_EQ(accept({reinterpret_cast<std::uintptr_t>(block.data()), "<f8", {0}}).kind, kind);
  }
}

TEST_F(exchange_test, offset_of_an_array_without_elements_is_dropped) {
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{-3}, PTRDIFF_MAX, PTRDIFF_MIN}) {
    EXPECT_EQ(accept({start(), "<f8", {0}, extents{-7}, offset}).where,
              layout::strided(extents{0}, extents{-7}));
  }
}

TEST_F(exchange_test, arrays_without_elements_follow_the_rules_of_type_and_strides) {
  refuse<value_error>({0, "<f16", {0}}, {"<f16"});
  refuse<value_error>({0, "<f8", {0}, extents{1, 1}}, {"(1, 1)"});
  refuse<overflow_error>({0, "<f8", {0}, extents{two_to(62)}}, {"strides"});
}

TEST_F(exchange_test, other_extents_of_an_array_without_elements_may_be_huge) {
  EXPECT_EQ(accept({0, "|u1", {0, two_to(62), 4}}).where.size(), 0);
  EXPECT_EQ(accept({0, "<f8", {two_to(62), 4, 0}, extents{1, 1, 1}}).where.size(), 0);
}

// ---- Dimensions of one element

TEST_F(exchange_test, strides_of_unit_dimensions_reach_nothing) {
  const checked_import found =
      accept({start(), "|u1", {1, 4, 1}, extents{PTRDIFF_MAX, 1, PTRDIFF_MIN}});
  EXPECT_EQ(found.memory, block_->data());
  EXPECT_EQ(found.nbytes, 4U);
  EXPECT_EQ(accept({start(), "<f8", {1}, extents{PTRDIFF_MAX / 8}}).nbytes, 8U);
}

TEST_F(exchange_test, strides_of_unit_dimensions_must_be_countable_in_bytes) {
  refuse<overflow_error>({start(), "<f8", {1}, extents{two_to(62)}}, {"strides", text(two_to(62))});
}

// ---- Check 7: queue and device

TEST_F(exchange_test, queue_that_was_given_is_kept) {
  const sycl::queue given(context(), device());
  EXPECT_EQ(check(description{start(), "<f8", {4}}, given).queue, given);
  EXPECT_EQ(check(description{0, "<f8", {0}}, given).queue, given);
}

TEST_F(exchange_test, context_alone_takes_the_cached_queue_of_the_pointers_device) {
  for (const usm_kind kind : all_kinds) {
    const sycl::context own = new_context();
    const runtime_block block(64, kind, sycl::queue(own, device()));
    const checked_import found =
        check(description{reinterpret_cast<std::uintptr_t>(block.data()), "<f8", {8}}, own);
    EXPECT_EQ(found.queue, usmx::cached_queue(own, device())) << name(kind);
  }
}

TEST_F(exchange_test, context_alone_is_enough_without_elements) {
  EXPECT_EQ(check(description{0, "<f8", {0}}, context()).queue, queue());
}

class sub_device_exchange_test : public exchange_test {
 protected:
  void SetUp() override {
    exchange_test::SetUp();
    if (!IsSkipped()) {
      parts_ = support::two_sub_devices::of(device());
      if (!parts_) {
        GTEST_SKIP() << "the device cannot be partitioned";
      }
    }
  }

  static description bytes_of(const runtime_block& block) {
    return {reinterpret_cast<std::uintptr_t>(block.data()), "|u1", {64}};
  }

  std::optional<support::two_sub_devices> parts_;
};

TEST_F(sub_device_exchange_test, context_alone_takes_the_queue_of_the_right_sub_device) {
  for (const sycl::device& part : {parts_->second, parts_->first}) {
    for (const usm_kind kind : {usm_kind::device, usm_kind::shared}) {
      const runtime_block block(64, kind, sycl::queue(parts_->context, part));
      EXPECT_EQ(check(bytes_of(block), parts_->context).queue,
                usmx::cached_queue(parts_->context, part))
          << name(kind);
    }
  }
}

TEST_F(sub_device_exchange_test, context_alone_takes_the_first_device_for_host_memory) {
  const runtime_block block(64, usm_kind::host, sycl::queue(parts_->context, parts_->second));
  EXPECT_EQ(check(bytes_of(block), parts_->context).queue.get_device(),
            parts_->context.get_devices().front());
}

TEST_F(sub_device_exchange_test, queue_of_another_device_is_an_error_naming_both) {
  const sycl::queue owner(parts_->context, parts_->first);
  const sycl::queue sibling(parts_->context, parts_->second);
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared}) {
    const runtime_block block(64, kind, owner);
    EXPECT_NO_THROW(check(bytes_of(block), owner));
    expect_error<value_error>([&] { check(bytes_of(block), sibling); },
                              {text(static_cast<void*>(block.data())),
                               usmx::describe(parts_->first), usmx::describe(parts_->second)});
  }
}

TEST_F(sub_device_exchange_test, host_memory_passes_on_every_device_of_the_context) {
  const sycl::queue owner(parts_->context, parts_->first);
  const sycl::queue sibling(parts_->context, parts_->second);
  const runtime_block block(64, usm_kind::host, owner);
  EXPECT_NO_THROW(check(bytes_of(block), sibling));
}

// ---- Accepted exactly when pointer and elements lie in one allocation

// What the rules say, computed in 128 bits and without a look at usmx.
struct model {
  using wide = __int128;

  wide first = 0;  // byte addresses; last is that of the last byte
  wide last = 0;
  bool empty = false;
  bool representable = true;
  bool aligned = true;

  model(std::uintptr_t data, const extents& shape, const std::optional<extents>& strides,
        std::ptrdiff_t offset, std::ptrdiff_t itemsize, std::ptrdiff_t alignment) {
    wide count = 1;
    for (const std::ptrdiff_t n : shape) {
      empty |= n == 0;
    }
    wide lowest = offset;
    wide highest = offset;
    wide c_stride = 1;
    for (std::size_t k = shape.size(); k-- > 0;) {
      const wide stride = strides ? wide((*strides)[k]) : c_stride;
      c_stride *= shape[k];
      count *= shape[k];
      const wide reach = stride * (shape[k] - 1);
      (reach < 0 ? lowest : highest) += reach;
      representable &=
          fits(stride * itemsize) && fits(count * itemsize) && fits(lowest) && fits(highest);
    }
    representable &= fits(lowest * itemsize) && fits((highest + 1) * itemsize);
    first = wide(data) + lowest * itemsize;
    last = wide(data) + highest * itemsize + itemsize - 1;
    aligned = (wide(data) + wide(offset) * itemsize) % alignment == 0;
  }

  static bool fits(wide value) { return value >= PTRDIFF_MIN && value <= PTRDIFF_MAX; }
};

class exchange_property_test : public exchange_test, public testing::WithParamInterface<bool> {};

TEST_P(exchange_property_test,
       descriptions_are_accepted_exactly_when_pointer_and_elements_are_inside) {
  std::mt19937_64 random(support::seed(41));
  const auto number = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random);
  };
  // usmx's own memory is known from the registry, other memory from the runtime.
  const bool own = GetParam();
  std::optional<usmx::buffer> buffer;
  if (own) {
    buffer.emplace(usmx::buffer::allocate(nbytes, usm_kind::shared, queue(), 64));
    block_.reset();
  }
  const std::byte* base = own ? buffer->data() : block_->data();
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  // Another chunk of the slab is memory, too.
  const bool surrounded = !own && support::runtime_cuts_slabs(queue());
  int accepted = 0;
  int refused = 0;
  int at_an_edge = 0;
  for (int round = 0; round < 30'000; ++round) {
    const dtype type(static_cast<type_code>(number(0, usmx::type_count - 1)));
    const auto itemsize = static_cast<std::ptrdiff_t>(type.itemsize());
    extents shape(static_cast<std::size_t>(number(0, 4)));
    for (std::ptrdiff_t& n : shape) {
      n = number(1, 5);
    }
    std::optional<extents> strides;
    if (number(0, 3) > 0) {
      strides.emplace();
      for (std::size_t k = 0; k < shape.size(); ++k) {
        strides->push_back(number(-12, 12));
      }
    }
    std::ptrdiff_t offset = number(-20, 20);
    std::uintptr_t data = begin + static_cast<std::uintptr_t>(number(-64, nbytes + 64));
    if (number(0, 1) == 0) {  // put one end of the span at or near one end of the allocation
      const model there(data, shape, strides, offset, itemsize, 1);
      const std::ptrdiff_t near = number(-1, 1) * (number(0, 1) == 0 ? 1 : itemsize);
      data += number(0, 1) == 0
                  ? static_cast<std::uintptr_t>(begin - there.first) + near
                  : static_cast<std::uintptr_t>(begin + nbytes - 1 - there.last) + near;
    }
    if (number(0, 19) == 0) {  // values that are out of this world
      const std::ptrdiff_t huge[] = {two_to(62),       PTRDIFF_MAX,      PTRDIFF_MIN,
                                     PTRDIFF_MAX / 16, PTRDIFF_MIN / 16, two_to(40)};
      const std::ptrdiff_t value = huge[number(0, 5)];
      switch (number(0, 2)) {
        case 0:
          offset = value;
          break;
        case 1:
          if (!shape.empty()) {
            shape[0] = value < 0 ? -(value + 1) : value;
          }
          break;
        default:
          if (strides && !strides->empty()) {
            strides->front() = value;
          }
      }
    }
    const model truth(data, shape, strides, offset, itemsize,
                      static_cast<std::ptrdiff_t>(type.alignment()));
    const model::wide end = model::wide(begin) + nbytes;
    const bool inside = truth.representable && truth.first >= begin && truth.last < end &&
                        data >= begin && data < end;
    at_an_edge += inside && (truth.first == begin || truth.last == end - 1);
    const description given{data, std::string(type.typestr()), shape, strides, offset};
    std::optional<checked_import> found;
    std::string why;
    try {
      found = accept(given);
    } catch (const value_error& e) {
      why = e.what();
    } catch (const overflow_error& e) {
      why = e.what();
    }
    const bool in_another_chunk = found && surrounded && (truth.last < begin || truth.first >= end);
    if (in_another_chunk) {
      continue;
    }
    ASSERT_EQ(found.has_value(), inside && truth.aligned)
        << "data at " << static_cast<std::ptrdiff_t>(data - begin) << " of " << nbytes << ", "
        << type << ", shape " << testing::PrintToString(shape) << ", strides "
        << testing::PrintToString(strides) << ", offset " << offset << ": " << why;
    if (!found) {
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(found->memory), truth.first);
    ASSERT_EQ(found->nbytes, truth.last - truth.first + 1);
    ASSERT_EQ(truth.first + model::wide(found->where.offset()) * itemsize,
              model::wide(data) + model::wide(offset) * itemsize);
    ASSERT_EQ(found->where.span()->first, 0);
    ASSERT_TRUE(std::ranges::equal(found->where.shape(), shape));
    if (strides) {
      ASSERT_TRUE(std::ranges::equal(found->where.strides(), *strides));
    }
  }
  EXPECT_GT(accepted, 3'000);
  EXPECT_GT(refused, 3'000);
  EXPECT_GT(at_an_edge, 300);
}

INSTANTIATE_TEST_SUITE_P(memory, exchange_property_test, testing::Bool(), [](const auto& info) {
  return info.param ? "of_usmx" : "of_the_runtime";
});

// ---- describe

class describe_test : public support::device_test {
 protected:
  static array make(const layout& where, dtype type = type_code::float32) {
    return usmx::empty(usmx::fitted_to_new_memory(where), type, queue(), usm_kind::shared);
  }
  static std::optional<extents> strides_of(const usm_array_interface& d) {
    return d.strides ? std::optional(extents(d.strides->begin(), d.strides->end())) : std::nullopt;
  }
};

TEST_F(describe_test, description_counts_from_the_start_of_the_memory) {
  const array whole = make(layout::c_order(extents{4, 6}));
  const array part = whole.with_layout(layout::strided(extents{2, 3}, extents{12, -2}, 11));
  const usm_array_interface d = describe(part);
  EXPECT_EQ(d.data, reinterpret_cast<std::uintptr_t>(whole.owner()->data()));
  EXPECT_EQ(d.typestr, "<f4");
  EXPECT_EQ(extents(d.shape.begin(), d.shape.end()), (extents{2, 3}));
  EXPECT_EQ(strides_of(d), (extents{12, -2}));
  EXPECT_EQ(d.offset, 11);
  EXPECT_FALSE(d.readonly);
}

TEST_F(describe_test, strides_are_left_out_exactly_when_c_contiguous) {
  EXPECT_EQ(strides_of(describe(make(layout::c_order(extents{3, 4})))), std::nullopt);
  EXPECT_EQ(strides_of(describe(make(layout::c_order(extents{})))), std::nullopt);
  EXPECT_EQ(strides_of(describe(make(layout::c_order(extents{0, 4})))), std::nullopt);
  EXPECT_EQ(strides_of(describe(make(layout::strided(extents{1, 4}, extents{99, 1})))),
            std::nullopt);
  EXPECT_EQ(strides_of(describe(make(layout::f_order(extents{3, 4})))), (extents{1, 3}));
  EXPECT_EQ(strides_of(describe(make(layout::strided(extents{3}, extents{-1})))), (extents{-1}));
  EXPECT_EQ(strides_of(describe(make(layout::strided(extents{3}, extents{0})))), (extents{0}));
}

TEST_F(describe_test, displaced_contiguous_array_has_an_offset_and_no_strides) {
  const array rows =
      make(layout::c_order(extents{4, 6})).with_layout(layout::c_order(extents{2, 6}, 12));
  const usm_array_interface d = describe(rows);
  EXPECT_EQ(d.offset, 12);
  EXPECT_EQ(strides_of(d), std::nullopt);
}

TEST_F(describe_test, read_only_array_says_so) {
  EXPECT_TRUE(describe(make(layout()).as_readonly()).readonly);
}

TEST_F(describe_test, array_without_elements_has_a_valid_pointer) {
  const array none = usmx::empty(extents{0}, type_code::float64, queue());
  EXPECT_EQ(usmx::pointer_kind(reinterpret_cast<const void*>(describe(none).data), context()),
            usm_kind::device);
}

TEST_F(describe_test, typestr_is_that_of_the_type) {
  for (int code = 0; code < usmx::type_count; ++code) {
    const dtype type(static_cast<type_code>(code));
    EXPECT_EQ(describe(make(layout(), type)).typestr, type.typestr());
  }
}

TEST_F(describe_test, what_is_described_is_accepted_and_leads_to_the_same_elements) {
  const array whole = make(layout::c_order(extents{6, 8}));
  for (const layout& where :
       {layout::c_order(extents{6, 8}), layout::strided(extents{3, 2}, extents{-16, -3}, 47),
        layout::strided(extents{5}, extents{0}, 7), layout::c_order(extents{0}),
        layout::c_order(extents{}, 13)}) {
    const array a = whole.with_layout(where).as_readonly();
    const checked_import found = check(describe(a), a.queue());
    if (a.size() > 0) {
      EXPECT_EQ(found.memory + found.where.offset() * 4, a.data()) << where;
    }
    EXPECT_TRUE(std::ranges::equal(found.where.shape(), a.shape()));
    EXPECT_TRUE(std::ranges::equal(found.where.strides(), a.strides()));
    EXPECT_EQ(found.type, a.type());
    EXPECT_EQ(found.kind, a.kind());
    EXPECT_TRUE(found.readonly);
  }
}

}  // namespace
