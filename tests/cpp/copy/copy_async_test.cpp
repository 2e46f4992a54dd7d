// usmx/copy_async.hpp: copies that come after all pending work, do what copy() does, and keep what
// they use.
#include "usmx/copy/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "memory/buffer.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/gate.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/usm.hpp"

namespace {

using namespace std::chrono_literals;
using support::all_kinds;
using support::expect_error;
using support::gate;
using usmx::array;
using usmx::copy_async;
using usmx::copy_from_host_async;
using usmx::copy_to_host_async;
using usmx::dtype;
using usmx::fill_async;
using usmx::host_array;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;
using bytes = std::vector<std::byte>;

constexpr std::ptrdiff_t rows = 200;
constexpr std::ptrdiff_t columns = 300;  // of 4 bytes: too much for the host to do at once
const extents matrix{rows, columns};

bool is_complete(const sycl::event& event) {
  return event.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

bytes counted(std::size_t nbytes, int first = 1) {
  bytes result(nbytes);
  for (std::size_t i = 0; i < nbytes; ++i) {
    result[i] = static_cast<std::byte>(static_cast<int>(i) * 7 + first);
  }
  return result;
}

template <class Function>
auto later(Function function) {
  return std::async(std::launch::async, std::move(function));
}

template <class Result>
bool returns_soon(const std::future<Result>& result) {
  return result.wait_for(20ms) == std::future_status::ready;
}

/// A queue on which nothing else is, so that a look at memory comes after nothing.
sycl::queue idle_queue(const array& a) {
  const sycl::queue& queue = usmx::internal::private_queue(*a.owner());
  return {queue.get_context(), queue.get_device()};
}

/// All bytes of the array's memory, at once.
bytes now_in(const array& a) {
  return support::download(a.owner()->data(), a.owner()->nbytes(), idle_queue(a));
}

bytes later_in(const array& a) {
  a.wait();
  return now_in(a);
}

host_array host_side(bytes& memory, dtype type, const extents& shape, const extents& strides) {
  return {memory.data(), type, shape, strides};
}

class copy_async_test : public support::device_test {
 protected:
  static sycl::queue out_of_order_queue() { return sycl::queue(context(), device()); }
  static array made(const layout& where, dtype type, usm_kind kind, const sycl::queue& queue,
                    int first) {
    array a = usmx::empty(where, type, queue, kind);
    support::upload(counted(a.owner()->nbytes(), first), a.owner()->data(), idle_queue(a));
    return a;
  }
  static array made(const extents& shape, dtype type, int first = 1) {
    return made(layout::c_order(shape), type, usm_kind::shared, queue(), first);
  }
};

/// One asynchronous operation from `source` (or host memory, or a number) to `destination`, and
/// what it should leave in the destination.
struct operation {
  const char* name;
  std::function<sycl::event(const array& source, const array& destination)> start;
  std::function<void(const array& source, const array& destination)> do_now;
};
void PrintTo(const operation& o, std::ostream* out) { *out << o.name; }

array every_second_column(const array& a) {
  const extents shape{rows, columns / 2};
  const extents strides{columns, 2};
  return a.with_layout(layout::strided(shape, strides));
}

array transposed(const array& a) {
  const extents strides{1, rows};
  return a.with_layout(layout::strided(a.shape(), strides));
}

array reinterpreted(const array& a, dtype type) { return {a.owner(), type, a.layout()}; }

operation between_arrays(const char* name, std::function<array(const array&)> source,
                         std::function<array(const array&)> destination) {
  return {
      name,
      [=](const array& from, const array& to) { return copy_async(source(from), destination(to)); },
      [=](const array& from, const array& to) { usmx::copy(source(from), destination(to)); }};
}

array itself(const array& a) { return a; }

const std::byte* sample() {
  static const bytes value = counted(16, 77);
  return value.data();
}

operation filling(const char* name, std::function<array(const array&)> destination) {
  return {name,
          [=](const array&, const array& to) { return fill_async(destination(to), sample()); },
          [=](const array&, const array& to) { usmx::fill(destination(to), sample()); }};
}

array of_3_bytes(const array& a) {
  const dtype type = dtype::structured({{"a", type_code::int8, {}, 0}}, 3);
  return {a.owner(), type, layout::c_order(extents{rows, columns})};
}

const std::array started_at_once{
    between_arrays("whole", itself, itself),
    between_arrays("strided", every_second_column, every_second_column),
    between_arrays("transposed", transposed, itself),
    between_arrays(
        "cast", [](const array& a) { return reinterpreted(a, type_code::int32); }, itself),
    filling("fill", itself),
    filling("fill_strided", every_second_column),
    filling("fill_of_3_bytes", of_3_bytes),
};

class started_operation : public copy_async_test, public testing::WithParamInterface<operation> {
 protected:
  static bytes expected() {
    const array source = made(matrix, type_code::float32, 3);
    const array destination = made(matrix, type_code::float32, 100);
    GetParam().do_now(source, destination);
    return now_in(destination);
  }

  /// With unfinished work that `hold_up` makes the array's.
  static void expect_after_work(
      const sycl::queue& queue, usm_kind kind,
      const std::function<void(const array& source, const array& destination, gate&)>& begin) {
    const array source = made(layout::c_order(matrix), type_code::float32, kind, queue, 3);
    const array destination = made(layout::c_order(matrix), type_code::float32, kind, queue, 100);
    const bytes before = now_in(destination);
    gate work(queue.get_context());
    begin(source, destination, work);
    const sycl::event event = GetParam().start(source, destination);
    EXPECT_FALSE(is_complete(event));
    EXPECT_EQ(now_in(destination), before);
    work.open();
    EXPECT_EQ(later_in(destination), expected());
    EXPECT_TRUE(is_complete(event));
  }
};

TEST_P(started_operation, comes_after_work_recorded_on_the_destination) {
  for (const usm_kind kind : all_kinds) {
    expect_after_work(queue(), kind, [](const array&, const array& destination, gate& work) {
      destination.record(work.event());
    });
  }
}

TEST_P(started_operation, waits_for_unrecorded_work_on_an_out_of_order_queue) {
  const sycl::queue queue = out_of_order_queue();
  const array source =
      made(layout::c_order(matrix), type_code::float32, usm_kind::device, queue, 3);
  const array destination =
      made(layout::c_order(matrix), type_code::float32, usm_kind::device, queue, 100);
  const bytes before = now_in(destination);
  gate work(context());
  const auto view = destination.view();  // from here on others may do this:
  sycl::queue(view.queue()).memset(view.data(), 100, 1, work.event());
  auto event = later([&] { return GetParam().start(source, destination); });
  EXPECT_FALSE(returns_soon(event));
  EXPECT_EQ(now_in(destination), before);
  work.open();
  event.get();
  EXPECT_EQ(later_in(destination), expected());
}

// No barrier would: the SYCL runtime forgets, in the first host task that completes after a
// barrier, which commands are not enqueued yet.
TEST_P(started_operation, comes_after_others_host_tasks_that_follow_a_barrier) {
  const sycl::queue shared_queue = out_of_order_queue();
  sycl::queue queue = shared_queue;
  const array source =
      made(layout::c_order(matrix), type_code::float32, usm_kind::shared, queue, 3);
  const array destination =
      made(layout::c_order(matrix), type_code::float32, usm_kind::shared, queue, 100);
  std::byte* const first = destination.view().data();
  const std::size_t nbytes = destination.nbytes();
  queue.ext_oneapi_submit_barrier().wait();
  const auto host_task = [&](auto work) {
    return queue.submit([&](sycl::handler& handler) { handler.host_task(work); });
  };
  sycl::event short_one = host_task([] { std::this_thread::sleep_for(1ms); });
  host_task([=] {
    std::this_thread::sleep_for(20ms);
    std::fill_n(first, nbytes, std::byte{5});
  });
  short_one.wait();
  std::this_thread::sleep_for(2ms);
  const bytes wanted = [&] {
    const array model = made(matrix, type_code::float32, 0);
    std::ranges::fill(std::span(model.owner()->data(), nbytes), std::byte{5});
    GetParam().do_now(source, model);
    return now_in(model);
  }();
  GetParam().start(source, destination);
  EXPECT_EQ(later_in(destination), wanted);
}

TEST_P(started_operation, comes_after_unrecorded_work_on_an_in_order_queue) {
  expect_after_work(new_queue(), usm_kind::device,
                    [](const array&, const array& destination, gate& work) {
                      const auto view = destination.view();
                      sycl::queue(view.queue()).memset(view.data(), 100, 1, work.event());
                    });
}

TEST_P(started_operation, is_waited_for_by_whoever_reads_the_destination) {
  const array source = made(matrix, type_code::float32, 3);
  const array destination = made(matrix, type_code::float32, 100);
  GetParam().start(source, destination);
  EXPECT_EQ(later_in(destination), expected());
}

TEST_P(started_operation, is_finished_before_its_memory_is_let_go) {
  bytes left;
  const bytes wanted = expected();
  sycl::queue queue = this->queue();
  support::runtime_block block(wanted.size(), usm_kind::shared, queue);
  std::ranges::copy(counted(wanted.size(), 100), block.data());
  gate work(context());
  {
    const array source = made(matrix, type_code::float32, 3);
    const array destination =
        array::adopt(block.data(), matrix, type_code::float32, queue, [&](void* data) {
          const auto* first = static_cast<const std::byte*>(data);
          left.assign(first, first + wanted.size());
        });
    source.record(work.event());
    destination.record(work.event());
    GetParam().start(source, destination);
  }
  EXPECT_TRUE(left.empty());
  work.open();
  usmx::synchronize();
  EXPECT_EQ(left, wanted);
}

INSTANTIATE_TEST_SUITE_P(, started_operation, testing::ValuesIn(started_at_once),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- sources

TEST_F(copy_async_test, comes_after_work_recorded_on_the_source) {
  const array source = made(matrix, type_code::float32, 3);
  const array destination = made(matrix, type_code::float32, 100);
  gate work(context());
  source.record(work.event());
  const sycl::event event = copy_async(source, destination);
  EXPECT_FALSE(is_complete(event));
  EXPECT_NE(now_in(destination), now_in(source));
  work.open();
  EXPECT_EQ(later_in(destination), now_in(source));
}

TEST_F(copy_async_test, comes_after_recorded_work_of_another_context) {
  const array source = made(matrix, type_code::float32, 3);
  const array destination = made(matrix, type_code::float32, 100);
  const bytes before = now_in(destination);
  gate work(new_context());
  source.record(work.event());
  copy_async(source, destination);
  EXPECT_EQ(now_in(destination), before);
  work.open();
  EXPECT_EQ(later_in(destination), now_in(source));
}

TEST_F(copy_async_test, waits_for_unrecorded_work_on_the_sources_out_of_order_queue) {
  const array source =
      made(layout::c_order(matrix), type_code::float32, usm_kind::device, out_of_order_queue(), 3);
  const array destination = made(matrix, type_code::float32, 100);
  gate work(context());
  const auto view = source.view();
  sycl::queue(view.queue()).memset(view.data(), 5, view.nbytes(), work.event());
  auto event = later([&] { return copy_async(source, destination); });
  EXPECT_FALSE(returns_soon(event));
  work.open();
  event.get();
  EXPECT_EQ(later_in(destination), bytes(view.nbytes(), std::byte{5}));
}

TEST_F(copy_async_test, comes_after_unrecorded_work_on_the_sources_in_order_queue) {
  const array source =
      made(layout::c_order(matrix), type_code::float32, usm_kind::device, new_queue(), 3);
  const array destination = made(matrix, type_code::float32, 100);
  gate work(context());
  const auto view = source.view();
  sycl::queue(view.queue()).memset(view.data(), 5, view.nbytes(), work.event());
  const sycl::event event = copy_async(source, destination);
  EXPECT_FALSE(is_complete(event));
  work.open();
  EXPECT_EQ(later_in(destination), bytes(view.nbytes(), std::byte{5}));
}

TEST_F(copy_async_test, work_on_the_source_waits_for_its_copy) {
  const array source = made(matrix, type_code::float32, 3);
  const array destination = made(matrix, type_code::float32, 100);
  const bytes before = now_in(source);
  gate work(context());
  destination.record(work.event());
  copy_async(source, destination);
  fill_async(source, sample());
  EXPECT_EQ(now_in(source), before);
  work.open();
  EXPECT_EQ(later_in(destination), before);
  EXPECT_NE(later_in(source), before);
}

TEST_F(copy_async_test, copies_in_a_row_come_one_after_the_other) {
  std::vector<array> all;
  for (int k = 0; k < 20; ++k) {
    all.push_back(made(matrix, type_code::float32, k));
  }
  const bytes first = now_in(all.front());
  gate work(context());
  all.front().record(work.event());
  for (std::size_t k = 1; k < all.size(); ++k) {
    copy_async(all[k - 1], all[k]);
  }
  work.open();
  EXPECT_EQ(later_in(all.back()), first);
}

// On CUDA a kernel is a native command, whose adapter does not wait for what it depends on.
TEST_F(copy_async_test, large_fills_and_copies_in_a_row_come_one_after_the_other) {
  const extents shape{std::ptrdiff_t{1} << 24};
  const array a =
      usmx::empty(layout::c_order(shape), type_code::float64, queue(), usm_kind::device);
  const array b =
      usmx::empty(layout::c_order(shape), type_code::float64, queue(), usm_kind::device);
  for (int k = 1; k <= 20; ++k) {
    const double number = k;
    fill_async(a, reinterpret_cast<const std::byte*>(&number));
    copy_async(a, b);
  }
  const bytes found = later_in(b);
  const auto* numbers = reinterpret_cast<const double*>(found.data());
  EXPECT_TRUE(std::all_of(numbers, numbers + b.size(), [](double x) { return x == 20; }));
}

// ---- done at once

TEST_F(copy_async_test, what_is_small_and_idle_is_done_on_return) {
  const extents shape{8, 8};
  const array source = made(shape, type_code::float32, 3);
  const array destination = made(shape, type_code::float32, 100);
  EXPECT_TRUE(is_complete(copy_async(source, destination)));
  EXPECT_EQ(now_in(destination), now_in(source));
  EXPECT_TRUE(is_complete(fill_async(destination, sample())));
  EXPECT_TRUE(std::equal(sample(), sample() + 4, now_in(destination).begin() + 64));
}

TEST_F(copy_async_test, overlapping_copy_is_done_on_return_as_if_the_source_had_been_copied) {
  const array a = made({rows * columns + 1}, type_code::float32, 3);
  const bytes before = now_in(a);
  const extents shape{rows * columns};
  const extents strides{1};
  EXPECT_TRUE(is_complete(copy_async(a.with_layout(layout::strided(shape, strides, 0)),
                                     a.with_layout(layout::strided(shape, strides, 1)))));
  EXPECT_TRUE(std::equal(before.begin(), before.end() - 4, now_in(a).begin() + 4));
}

TEST_F(copy_async_test, overlapping_copy_waits_for_work_first) {
  const array a = made({rows * columns + 1}, type_code::float32, 3);
  const extents shape{rows * columns};
  const extents strides{1};
  std::int32_t number = 5;
  for (int k = 0; k < 20; ++k) {
    fill_async(a, reinterpret_cast<const std::byte*>(&++number));
    copy_async(a.with_layout(layout::strided(shape, strides, 0)),
               a.with_layout(layout::strided(shape, strides, 1)));
    EXPECT_EQ(reinterpret_cast<const std::int32_t*>(a.data())[rows * columns], number);
  }
}

TEST_F(copy_async_test, copy_between_contexts_is_done_on_return) {
  const array source = made(layout::c_order(matrix), type_code::float32, usm_kind::device,
                            sycl::queue(new_context(), device()), 3);
  const array destination = made(matrix, type_code::float32, 100);
  EXPECT_TRUE(is_complete(copy_async(source, destination)));
  EXPECT_EQ(now_in(destination), now_in(source));
}

TEST_F(copy_async_test, copy_to_itself_and_of_no_elements_are_complete) {
  const array a = made(matrix, type_code::float32);
  const bytes before = now_in(a);
  EXPECT_TRUE(is_complete(copy_async(a, a)));
  const array none = made({0, 3}, type_code::float32);
  EXPECT_TRUE(is_complete(copy_async(none, none)));
  EXPECT_TRUE(is_complete(fill_async(none, sample())));
  EXPECT_EQ(now_in(a), before);
}

// ---- host memory

const extents host_strides{columns * 4, 4};

TEST_F(copy_async_test, compact_host_memory_is_read_later_and_kept_until_then) {
  auto owner = std::make_shared<bytes>(counted(rows * columns * 4, 9));
  const bytes wanted = *owner;
  const std::weak_ptr<bytes> alive = owner;
  const array destination = made(matrix, type_code::float32, 100);
  gate work(context());
  destination.record(work.event());
  const auto from = host_side(*owner, type_code::float32, matrix, host_strides);
  const sycl::event event = copy_from_host_async(from, destination, std::move(owner));
  EXPECT_FALSE(is_complete(event));
  EXPECT_FALSE(alive.expired());
  work.open();
  EXPECT_EQ(later_in(destination), wanted);
  usmx::synchronize();
  EXPECT_TRUE(alive.expired());
}

TEST_F(copy_async_test, host_memory_with_gaps_is_read_before_it_returns) {
  bytes source = counted(rows * columns * 8, 9);
  const array destination = made(matrix, type_code::float64, 100);
  const array wanted = made(matrix, type_code::float64, 200);
  const extents strides{columns * 8, 8};
  const auto from = host_side(source, type_code::int32, matrix, strides);
  usmx::copy_from_host(from, wanted);
  gate work(context());
  destination.record(work.event());
  const auto owner = std::make_shared<int>(0);
  const sycl::event event = copy_from_host_async(from, destination, owner);
  EXPECT_EQ(owner.use_count(), 1);
  std::ranges::fill(source, std::byte{0});
  EXPECT_FALSE(is_complete(event));
  work.open();
  EXPECT_EQ(later_in(destination), now_in(wanted));
}

TEST_F(copy_async_test, compact_host_memory_is_written_later_and_kept_until_then) {
  const auto kept = std::make_shared<bytes>(rows * columns * 4);
  const array source = made(matrix, type_code::float32, 3);
  gate work(context());
  source.record(work.event());
  const sycl::event event =
      copy_to_host_async(source, host_side(*kept, type_code::float32, matrix, host_strides), kept);
  EXPECT_EQ(kept.use_count(), 2);
  EXPECT_FALSE(is_complete(event));
  EXPECT_NE(*kept, now_in(source));
  work.open();
  sycl::event(event).wait();
  EXPECT_EQ(*kept, now_in(source));
  usmx::synchronize();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(copy_async_test, other_host_memory_is_written_before_it_returns) {
  bytes result(rows * columns * 8);
  const array source = made(matrix, type_code::int32, 3);
  std::int32_t number = 5;
  fill_async(source, reinterpret_cast<const std::byte*>(&number));
  const extents strides{8, rows * 8};
  const auto to = host_side(result, type_code::float64, matrix, strides);
  EXPECT_TRUE(is_complete(copy_to_host_async(source, to, nullptr)));
  const auto* numbers = reinterpret_cast<const double*>(result.data());
  EXPECT_TRUE(std::all_of(numbers, numbers + rows * columns, [](double x) { return x == 5; }));
}

TEST_F(copy_async_test, small_host_memory_is_copied_on_return) {
  const extents shape{4};
  const extents strides{4};
  bytes host = counted(16, 9);
  const array a = made(shape, type_code::float32, 100);
  const auto owner = std::make_shared<int>(0);
  EXPECT_TRUE(is_complete(
      copy_from_host_async(host_side(host, type_code::float32, shape, strides), a, owner)));
  EXPECT_EQ(now_in(a), host);
  bytes back(16);
  EXPECT_TRUE(is_complete(
      copy_to_host_async(a, host_side(back, type_code::float32, shape, strides), owner)));
  EXPECT_EQ(back, host);
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(copy_async_test, host_memory_that_is_the_arrays_own_is_copied_as_if_copied_first) {
  const array a = made({rows * columns + 1}, type_code::float32, 3);
  const bytes before = now_in(a);
  const extents shape{rows * columns};
  const extents item{1};
  const extents nbytes{4};
  const host_array from{a.data(), type_code::float32, shape, nbytes};
  EXPECT_TRUE(is_complete(
      copy_from_host_async(from, a.with_layout(layout::strided(shape, item, 1)), nullptr)));
  EXPECT_TRUE(std::equal(before.begin(), before.end() - 4, now_in(a).begin() + 4));
}

// ---- the same as copies that wait

TEST_F(copy_async_test, does_what_copy_does_for_random_layouts_types_and_kinds) {
  std::mt19937 random(support::seed(20261121));
  const auto number = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  constexpr std::array types{type_code::int8, type_code::uint16, type_code::float32,
                             type_code::float64, type_code::complex128};
  const auto random_layout = [&](const extents& shape) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    extents strides(shape.size());
    std::ptrdiff_t stride = number(1, 2);
    std::ptrdiff_t lowest = 0;
    for (const std::size_t k : order) {
      strides[k] = number(0, 3) == 0 ? -stride : stride;
      lowest += std::min<std::ptrdiff_t>(strides[k] * (shape[k] - 1), 0);
      stride *= shape[k];
    }
    return layout::strided(shape, strides, -lowest);
  };
  for (int round = 0; round < 100; ++round) {
    extents shape(static_cast<std::size_t>(number(0, 4)));
    for (auto& n : shape) {
      n = number(1, 12);
    }
    const layout from = random_layout(shape);
    const layout to = random_layout(shape);
    const dtype source_type = types[static_cast<std::size_t>(number(0, 4))];
    const dtype type = types[static_cast<std::size_t>(number(0, 4))];
    const auto kind = [&] { return all_kinds[static_cast<std::size_t>(number(0, 2))]; };
    const array source = usmx::empty(from, source_type, queue(), kind());
    const array numbers = made(shape, type_code::int8);
    for (std::ptrdiff_t i = 0; i < numbers.size(); ++i) {
      numbers.data()[i] = static_cast<std::byte>(i % 100);
    }
    usmx::copy(numbers, source);
    const array wanted = made(to, type, kind(), queue(), 50);
    const array found = made(to, type, kind(), queue(), 50);
    usmx::copy(source, wanted);
    gate work(context());
    (number(0, 1) == 0 ? source : found).record(work.event());
    copy_async(source, found);
    work.open();
    ASSERT_EQ(later_in(found), now_in(wanted)) << from << " -> " << to;
  }
}

// ---- errors

TEST_F(copy_async_test, errors_are_those_of_copy_and_start_nothing) {
  const array a = made({2, 3}, type_code::float32);
  const array other = made({3, 2}, type_code::float32);
  const array fixed = a.as_readonly();
  bytes host(24);
  const extents shape{3, 2};
  const extents strides{8, 4};
  const auto side = host_side(host, type_code::float32, shape, strides);
  expect_error<usmx::value_error>([&] { copy_async(a, other); }, {"(3, 2)", "(2, 3)"});
  expect_error<usmx::value_error>([&] { copy_from_host_async(side, a, nullptr); }, {"(3, 2)"});
  expect_error<usmx::value_error>([&] { copy_to_host_async(a, side, nullptr); }, {"(3, 2)"});
  expect_error<usmx::read_only_error>([&] { copy_async(a, fixed); });
  expect_error<usmx::read_only_error>([&] { fill_async(fixed, sample()); });
  expect_error<usmx::read_only_error>(
      [&] { copy_from_host_async(side, other.as_readonly(), nullptr); });
}

// ---- What nobody but the caller knows of host memory

/// Copies to and from it, with and without waiting.
template <class Error>
void expect_refused_host(const array& a, const usmx::host_array& host, const std::string& part) {
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { usmx::copy_from_host(host, a); }, [&] { usmx::copy_to_host(a, host); },
           [&] { usmx::copy_from_host_async(host, a, nullptr); },
           [&] { usmx::copy_to_host_async(a, host, nullptr); }}) {
    expect_error<Error>(call, {part});
  }
}

class host_memory_test : public support::device_test {};

TEST_F(host_memory_test, another_number_of_strides_than_of_extents_is_refused) {
  const array a = usmx::empty({2, 3}, usmx::float32, queue());
  std::vector<std::byte> memory(24);
  const std::vector<std::ptrdiff_t> strides{12, 4, 1};
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    expect_refused_host<usmx::value_error>(
        a, {memory.data(), usmx::float32, a.shape(), std::span(strides).first(count)},
        "must have 2 strides, found " + std::to_string(count));
  }
}

TEST_F(host_memory_test, elements_at_no_address_are_refused) {
  const array a = usmx::empty({2, 3}, usmx::float32, queue());
  const std::vector<std::ptrdiff_t> strides{12, 4};
  expect_refused_host<usmx::value_error>(a, {nullptr, usmx::float32, a.shape(), strides},
                                         "expected the address of 6 elements, found null");
  const usmx::array_view nowhere(nullptr, usmx::float32, layout::c_order(a.shape()),
                                 usm_kind::unknown, queue(), false);
  expect_error<usmx::value_error>([&] { usmx::copy_from_host(nowhere, a); }, {"found null"});
  const array none = usmx::empty({0, 3}, usmx::float32, queue());
  usmx::copy_from_host({nullptr, usmx::float32, none.shape(), strides}, none);
}

TEST_F(host_memory_test, fill_without_an_element_is_refused) {
  const std::byte* const nothing = nullptr;
  const array a = usmx::empty({3}, usmx::float32, queue());
  expect_error<usmx::value_error>([&] { usmx::fill(a, nothing); }, {"found null"});
  expect_error<usmx::value_error>([&] { usmx::fill_async(a, nothing); }, {"found null"});
  usmx::fill(usmx::empty({0}, usmx::float32, queue()), nothing);
}

}  // namespace
