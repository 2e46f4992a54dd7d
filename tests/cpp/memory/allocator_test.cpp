// usmx/memory/allocator.hpp: containers of the standard library in USM.
#include "usmx/memory/allocator.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace {

using support::expect_error;
using usmx::allocator;
using usmx::usm_kind;
template <class T>
using usm_vector = std::vector<T, allocator<T>>;

class allocator_test : public support::device_test {
 protected:
  static std::shared_ptr<usmx::statistics_resource> counting(usm_kind kind) {
    return std::make_shared<usmx::statistics_resource>(std::make_shared<usmx::usm_resource>(kind));
  }
  static usm_kind kind_of(const void* pointer) { return usmx::pointer_kind(pointer, context()); }
};

TEST_F(allocator_test, elements_of_a_vector_are_usm) {
  for (const usm_kind kind : {usm_kind::shared, usm_kind::host}) {
    usm_vector<int> numbers(100, allocator<int>(queue(), kind));
    std::iota(numbers.begin(), numbers.end(), 0);
    numbers.push_back(100);
    EXPECT_EQ(numbers[99] + numbers[100], 199);
    EXPECT_EQ(kind_of(numbers.data()), kind);
    EXPECT_EQ(numbers.get_allocator().kind(), kind);
  }
  EXPECT_EQ(allocator<int>(queue()).kind(), usm_kind::shared);
  EXPECT_EQ(allocator<int>(queue()).queue(), queue());
}

TEST_F(allocator_test, containers_without_an_allocator_are_on_the_default_queue) {
  const usm_vector<int> numbers(5, 7);
  EXPECT_EQ(kind_of(numbers.data()), usm_kind::shared);
  EXPECT_EQ(numbers.get_allocator().queue(), usmx::default_queue());
  const usmx::using_queue scope(queue());
  const usm_vector<int> others(5, queue());
  EXPECT_EQ(others.get_allocator().queue(), queue());
  EXPECT_EQ(usm_vector<int>().get_allocator().queue(), queue());
}

TEST_F(allocator_test, containers_with_nodes_of_other_types_and_strings_work) {
  std::map<int, double, std::less<>, allocator<std::pair<const int, double>>> map{
      allocator<std::pair<const int, double>>(queue())};
  for (int k = 0; k < 100; ++k) map[k] = k;
  EXPECT_EQ(kind_of(&map[50]), usm_kind::shared);
  std::list<std::string, allocator<std::string>> list{allocator<std::string>(queue())};
  list.emplace_back("a text");
  EXPECT_EQ(list.back(), "a text");
}

TEST_F(allocator_test, memory_comes_from_a_resource_and_goes_back) {
  const auto counted = counting(usm_kind::host);
  {
    usm_vector<double> numbers(10, allocator<double>(queue(), counted));
    EXPECT_EQ(counted->counts().nbytes.current, 80U);
    numbers.resize(1000);
    EXPECT_EQ(counted->counts().nbytes.current, 8000U);
    const usm_vector<double> copied = numbers;
    EXPECT_EQ(counted->counts().blocks.current, 2U);
  }
  EXPECT_EQ(counted->counts().blocks.current, 0U);
}

TEST_F(allocator_test, containers_of_different_allocators_are_moved_and_swapped_without_copies) {
  const auto counted = counting(usm_kind::host);
  usm_vector<int> a(10, 1, allocator<int>(queue(), counted));
  usm_vector<int> b(20, 2, allocator<int>(queue()));
  const int* const of_a = a.data();
  swap(a, b);
  EXPECT_EQ(b.data(), of_a);
  EXPECT_EQ(b.get_allocator().kind(), usm_kind::host);
  a = std::move(b);
  EXPECT_EQ(a.data(), of_a);
  a.push_back(3);
  EXPECT_EQ(kind_of(a.data()), usm_kind::host);
}

TEST_F(allocator_test, alignment_of_the_type_is_kept) {
  struct alignas(256) wide {
    char bytes[256];
  };
  usm_vector<wide> all(3, allocator<wide>(queue()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.data()) % 256, 0U);
}

TEST_F(allocator_test, memory_that_the_host_may_not_touch_is_refused) {
  expect_error<usmx::value_error>([] { allocator<int>(queue(), usm_kind::device); },
                                  {"shared or host", "device"});
  expect_error<usmx::value_error>([] { usmx::pmr_resource(queue(), usm_kind::unknown); });
}

TEST_F(allocator_test, more_than_there_is_fails_as_with_every_allocator) {
  usm_vector<double> numbers{allocator<double>(queue())};
  EXPECT_THROW(numbers.reserve(std::size_t{1} << 50), std::bad_alloc);
  EXPECT_THROW((void)allocator<double>(queue()).allocate(SIZE_MAX), std::bad_alloc);
}

TEST_F(allocator_test, polymorphic_containers_are_in_usm) {
  const auto counted = counting(usm_kind::shared);
  {
    usmx::pmr_resource resource(queue(), counted);
    std::pmr::vector<std::pmr::string> texts(&resource);
    texts.emplace_back("a text that is too long to be stored in the object itself");
    EXPECT_EQ(kind_of(texts[0].data()), usm_kind::shared);
    EXPECT_EQ(resource.kind(), usm_kind::shared);
    EXPECT_EQ(resource.queue(), queue());
    usmx::pmr_resource other(queue(), usm_kind::host);
    EXPECT_TRUE(resource == other);  // each frees the other's memory
    EXPECT_FALSE(resource == *std::pmr::new_delete_resource());
    std::pmr::vector<std::pmr::string> moved(std::move(texts), &other);
    EXPECT_EQ(moved[0].size(), 57U);
    std::pmr::monotonic_buffer_resource arena(&resource);
    (void)arena.allocate(0, 8);
    (void)arena.allocate(100, 8);
  }
  EXPECT_EQ(counted->counts().blocks.current, 0U);
}

}  // namespace
