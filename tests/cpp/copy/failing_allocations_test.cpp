// Every operation on arrays, with each of its allocations failing once: an exception comes out,
// nothing is leaked or left unfinished, and the same operation then succeeds.
#include "support/failing_allocations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "memory/pending_work.hpp"
#include "memory/reclaim.hpp"
#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/gate.hpp"
#include "usmx/array/array.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using usmx::array;
using usmx::array_view;
using usmx::buffer;
using usmx::copy_path;
using usmx::dtype;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using usmx::internal::private_view;
using extents = std::vector<std::ptrdiff_t>;

constexpr std::ptrdiff_t rows = 128;
constexpr std::ptrdiff_t columns = 256;  // 128 KiB of float: too much to be done at once
const extents matrix{rows, columns};

sycl::queue queue() { return usmx::default_queue(); }

array counted(dtype type) {
  array a = usmx::empty(matrix, type, queue(), usm_kind::shared);
  for (std::ptrdiff_t i = 0; i < a.size(); ++i) {
    const auto value = static_cast<float>(i % 1000);
    usmx::convert_element(type_code::float32, reinterpret_cast<const std::byte*>(&value), type,
                          a.data() + i * static_cast<std::ptrdiff_t>(type.itemsize()));
  }
  return a;
}

/// Made before allocations fail.
struct arrays {
  array floats = counted(type_code::float32);
  array integers = counted(type_code::int32);
  array result = usmx::empty(matrix, type_code::float32, queue(), usm_kind::shared);
  std::vector<float> host = std::vector<float>(rows * columns, 7);
  std::vector<std::int64_t> indices{3, 1, 2};
  sycl::event event{};

  usmx::host_array host_side() {
    return {reinterpret_cast<std::byte*>(host.data()), type_code::float32, matrix, host_strides};
  }
  extents host_strides{columns * 4, 4};
};

bool holds(const array& a, const std::function<float(std::ptrdiff_t)>& expected) {
  a.wait();
  const auto* found = reinterpret_cast<const float*>(a.data());
  for (std::ptrdiff_t i = 0; i < a.size(); ++i) {
    if (found[i] != expected(i)) {
      return false;
    }
  }
  return true;
}

float number(std::ptrdiff_t i) { return static_cast<float>(i % 1000); }
bool is_copied(arrays& in) { return holds(in.result, number); }
bool is_transposed(arrays& in) {
  return holds(in.result, [](std::ptrdiff_t i) { return number(i % rows * columns + i / rows); });
}
bool is_filled(arrays& in) {
  return holds(in.result, [](std::ptrdiff_t) { return 5.0F; });
}
bool has_uploaded(arrays& in) {
  return holds(in.result, [](std::ptrdiff_t) { return 7.0F; });
}
bool has_downloaded(arrays& in) {
  usmx::synchronize();
  for (std::size_t i = 0; i < in.host.size(); ++i) {
    if (in.host[i] != number(static_cast<std::ptrdiff_t>(i))) {
      return false;
    }
  }
  return true;
}
bool is_done(arrays&) { return true; }

array transposed(const array& a) {
  return a.with_layout(layout::strided(extents{columns, rows}, extents{1, columns}));
}
array as_columns(const array& a) { return a.with_layout(layout::c_order(extents{columns, rows})); }

const std::byte* five() {
  static const float value = 5;
  return reinterpret_cast<const std::byte*>(&value);
}

usmx::selection some_rows(arrays& in) {
  const array_view rows_asked(reinterpret_cast<std::byte*>(in.indices.data()), type_code::int64,
                              layout::c_order(extents{3}), usm_kind::unknown, queue(), true);
  const std::vector<usmx::key_item> key{rows_asked};
  return usmx::selection::of(in.floats.layout(), key);
}
array first_three(const array& a) { return a.with_layout(layout::c_order(extents{3, columns})); }
bool is_gathered(arrays& in) {
  return holds(first_three(in.result), [&](std::ptrdiff_t i) {
    return number(in.indices[static_cast<std::size_t>(i / columns)] * columns + i % columns);
  });
}

bool is_scattered(arrays& in) {
  in.result.wait();
  const auto* const found = reinterpret_cast<const float*>(in.result.data());
  for (std::ptrdiff_t i = 0; i < 3 * columns; ++i) {
    const std::ptrdiff_t row = in.indices[static_cast<std::size_t>(i / columns)];
    if (found[row * columns + i % columns] != number(i)) {
      return false;
    }
  }
  return true;
}

struct operation {
  const char* name;
  std::function<void(arrays&)> run;
  std::function<bool(arrays&)> is_right;
};
void PrintTo(const operation& o, std::ostream* out) { *out << o.name; }

operation copying(const char* name, copy_path path) {
  return {name, [=](arrays& in) { usmx::copy(in.floats, in.result, path); }, is_copied};
}
operation transposing(const char* name, copy_path path) {
  return {name, [=](arrays& in) { usmx::copy(transposed(in.floats), as_columns(in.result), path); },
          is_transposed};
}
operation casting(const char* name, copy_path path) {
  return {name, [=](arrays& in) { usmx::copy(in.integers, in.result, path); }, is_copied};
}

const std::vector<operation> operations{
    copying("copy_whole", copy_path::whole),
    copying("copy_staged", copy_path::staged),
    transposing("transpose_on_host", copy_path::host_loop),
    transposing("transpose_by_kernel", copy_path::kernel),
    transposing("transpose_staged", copy_path::staged),
    transposing("transpose_by_rows", copy_path::rows),
    casting("cast_on_host", copy_path::host_loop),
    casting("cast_by_kernel", copy_path::kernel),
    casting("cast_staged", copy_path::staged),
    {"copy_async", [](arrays& in) { usmx::copy_async(in.floats, in.result); }, is_copied},
    {"cast_async", [](arrays& in) { usmx::copy_async(in.integers, in.result); }, is_copied},
    {"transpose_async",
     [](arrays& in) { usmx::copy_async(transposed(in.floats), as_columns(in.result)); },
     is_transposed},
    {"copy_from_host_async",
     [](arrays& in) {
       usmx::copy_from_host_async(in.host_side(), in.result, std::make_shared<int>(1));
     },
     has_uploaded},
    {"copy_to_host_async",
     [](arrays& in) {
       usmx::copy_to_host_async(in.floats, in.host_side(), std::make_shared<int>(1));
     },
     has_downloaded},
    {"fill", [](arrays& in) { usmx::fill(in.result, five()); }, is_filled},
    {"fill_by_queue", [](arrays& in) { usmx::fill(in.result, five(), copy_path::whole); },
     is_filled},
    {"fill_by_kernel", [](arrays& in) { usmx::fill(in.result, five(), copy_path::kernel); },
     is_filled},
    {"fill_async", [](arrays& in) { usmx::fill_async(in.result, five()); }, is_filled},
    {"gather", [](arrays& in) { usmx::gather(in.floats, some_rows(in), first_three(in.result)); },
     is_gathered},
    {"scatter", [](arrays& in) { usmx::scatter(first_three(in.floats), some_rows(in), in.result); },
     is_scattered},
    {"allocation", [](arrays&) { buffer::allocate_shared(100, usm_kind::device, queue()); },
     is_done},
    {"zeros", [](arrays&) { usmx::zeros(matrix, type_code::float32, queue()); }, is_done},
    {"on_queue",
     [](arrays& in) {
       buffer::on_queue(in.floats.owner(),
                        sycl::queue(in.floats.queue().get_context(), in.floats.queue().get_device(),
                                    sycl::property::queue::in_order()));
     },
     is_done},
    {"record", [](arrays& in) { in.result.record(in.event); }, is_done},
    {"letting_go_of_memory_at_work",
     [](arrays& in) {
       const array a = usmx::empty(matrix, type_code::float32, queue(), usm_kind::shared);
       usmx::copy_async(in.floats, a);
     },
     is_done},
};

/// Whether it came to its end. Only bad_alloc may come out.
bool runs_with_failing(int number, const operation& asked, arrays& in) {
  const support::failing_allocation failing(number);
  try {
    asked.run(in);
    return true;
  } catch (const std::bad_alloc&) {
    EXPECT_TRUE(failing.has_happened());
    return false;
  }
}

/// What is written must be written anew.
void forget_results(arrays& in) {
  std::fill_n(in.result.data(), in.result.nbytes(), std::byte{0xff});
  std::ranges::fill(in.host, 7.0F);
}

class every_allocation : public support::device_test,
                         public testing::WithParamInterface<operation> {};

TEST_P(every_allocation, may_fail_and_leaves_nothing_behind) {
  arrays in;
  GetParam().run(in);  // builds kernels, and starts what is started once
  usmx::synchronize();
  const std::size_t blocks = usmx::registry::size();
  int number = 1;
  for (bool failed = true; failed; ++number) {
    SCOPED_TRACE(testing::Message() << "allocation " << number);
    forget_results(in);
    const bool ran = runs_with_failing(number, GetParam(), in);
    failed = support::failing_allocation::has_happened();
    usmx::synchronize();
    ASSERT_TRUE(!ran || GetParam().is_right(in));
    ASSERT_EQ(usmx::registry::size(), blocks);
    ASSERT_EQ(usmx::detail::deferred_nbytes(), 0U);
    ASSERT_FALSE(usmx::detail::has_pending_work());
    forget_results(in);
    GetParam().run(in);
    ASSERT_TRUE(GetParam().is_right(in));
    usmx::synchronize();
  }
}

INSTANTIATE_TEST_SUITE_P(, every_allocation, testing::ValuesIn(operations),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
