// src/copy/kernels.hpp: device kernels write the bytes that the loops on the host write.
#include "copy/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

#include "copy/convert.hpp"
#include "copy/host.hpp"
#include "kernels/groups.hpp"
#include "support/device_test.hpp"
#include "support/seed.hpp"
#include "usmx/layout/dtype.hpp"

namespace {

using support::runtime_block;
using usmx::dtype;
using usmx::type_code;
using usmx::usm_kind;
using usmx::detail::copy_plan;
using usmx::detail::device_kernels;
using usmx::detail::kernel_shape;
using usmx::detail::shape_for;
using bytes = std::vector<std::byte>;
using extents = std::vector<std::ptrdiff_t>;

/// Extents and strides in bytes.
struct byte_layout {
  extents shape;
  extents strides;
  std::ptrdiff_t first = 0;  // of element zero in its memory
  std::size_t nbytes = 0;    // of the memory
};

/// The memory that strides in bytes span, with room on both sides.
byte_layout placed(extents shape, extents strides, std::size_t itemsize, std::ptrdiff_t room) {
  byte_layout result{std::move(shape), std::move(strides), room,
                     itemsize + 2 * static_cast<std::size_t>(room)};
  for (std::size_t k = 0; k < result.shape.size(); ++k) {
    const std::ptrdiff_t reach = (result.shape[k] - 1) * result.strides[k];
    result.nbytes += static_cast<std::size_t>(std::abs(reach));
    result.first -= std::min<std::ptrdiff_t>(reach, 0);
  }
  return result;
}

byte_layout compact(const extents& shape, std::size_t itemsize) {
  extents strides(shape.size());
  auto stride = static_cast<std::ptrdiff_t>(itemsize);
  for (std::size_t k = shape.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= shape[k];
  }
  return placed(shape, strides, itemsize, 0);
}

copy_plan plan_of(std::byte* source, dtype source_type, const byte_layout& from,
                  std::byte* destination, dtype destination_type, const byte_layout& to) {
  return usmx::detail::make_plan(from.shape, {source + from.first, source_type, from.strides, 1},
                                 {destination + to.first, destination_type, to.strides, 1});
}

/// The kernels to test: the device's own choice, and those that other devices would get.
struct variant {
  const char* name;
  kernel_shape shape;
  bool use_fp64;
};
void PrintTo(const variant& v, std::ostream* out) { *out << v.name; }

constexpr std::array variants{variant{"narrow", kernel_shape::narrow, true},
                              variant{"wide", kernel_shape::wide, true},
                              variant{"tiled", kernel_shape::tiled, true},
                              variant{"integer_double", kernel_shape::narrow, false},
                              variant{"wide_integer_double", kernel_shape::wide, false}};

class copy_kernel_test : public support::device_test, public testing::WithParamInterface<variant> {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (IsSkipped()) {
      return;
    }
    const bool of_the_driver = shape_for(device()) == kernel_shape::tiled;
    if (of_the_driver != (GetParam().shape == kernel_shape::tiled)) {
      GTEST_SKIP() << (of_the_driver ? "this device's kernels are the driver's"
                                     : "this device's kernels are the SYCL runtime's");
    }
  }

  /// Kept for the whole run: building them takes long.
  static device_kernels& kernels(kernel_shape shape) {
    static std::array<device_kernels*, 3> all{
        new device_kernels(context(), device(), kernel_shape::narrow),
        new device_kernels(context(), device(), kernel_shape::wide),
        new device_kernels(context(), device(), kernel_shape::tiled)};
    return *all[static_cast<std::size_t>(shape)];
  }

  bytes noise(std::size_t nbytes) {
    bytes result(nbytes + sizeof(std::uint32_t));
    for (std::size_t at = 0; at < nbytes; at += sizeof(std::uint32_t)) {
      const auto word = static_cast<std::uint32_t>(random_());
      std::memcpy(&result[at], &word, sizeof word);
    }
    result.resize(nbytes);
    return result;
  }

  /// Copies by the host into one memory and by a kernel into another, and compares all bytes.
  void expect_same_as_host(const bytes& content, dtype source_type, const byte_layout& from,
                           dtype destination_type, const byte_layout& to) {
    const runtime_block source(content.size() + 1, usm_kind::device, queue());
    const runtime_block destination(to.nbytes + 1, usm_kind::device, queue());
    const bytes before = noise(to.nbytes);
    bytes host_source = content;
    bytes expected = before;
    support::upload(content, source.data(), queue());
    support::upload(before, destination.data(), queue());
    usmx::detail::copy_on_host(
        plan_of(host_source.data(), source_type, from, expected.data(), destination_type, to));
    const auto done = usmx::detail::copy_by_kernel_of(
        kernels(GetParam().shape),
        plan_of(source.data(), source_type, from, destination.data(), destination_type, to),
        queue(), GetParam().use_fp64, {});
    ASSERT_TRUE(done.has_value());
    sycl::event(*done).wait();
    const bytes found = support::download(destination.data(), to.nbytes, queue());
    const auto differs = std::ranges::mismatch(found, expected);
    EXPECT_EQ(differs.in1 - found.begin(), static_cast<std::ptrdiff_t>(found.size()))
        << "first byte that differs, of " << source_type << " -> " << destination_type;
  }

  std::mt19937 random_{support::seed(17)};
};

/// Random bits, and in between the values at the edges of every type.
bytes values_of(dtype type, std::size_t count, std::mt19937& random) {
  bytes result(count * type.itemsize());
  std::ranges::generate(result, [&] { return static_cast<std::byte>(random()); });
  if (type == type_code::bool_) {
    std::ranges::transform(result, result.begin(), [](std::byte b) { return b & std::byte{1}; });
  }
  const auto put = [&](auto edges) {
    using number = decltype(edges)::value_type;
    for (std::size_t k = 0; k < edges.size() && (k + 1) * sizeof(number) <= result.size(); ++k) {
      std::memcpy(&result[k * sizeof(number)], &edges[k], sizeof(number));
    }
  };
  const auto floats = [&](auto zero) {
    using number = decltype(zero);
    std::vector<number> edges{number(0.0),       number(-0.0), number(INFINITY),
                              number(-INFINITY), number(NAN),  number(-NAN)};
    // Around each power of two there is some type that ends or rounds: 65504 and 65520 of half
    // precision, its 2^-24, the ends of the integers, the ends of single precision.
    for (int power = -160; power <= 160; ++power) {
      for (const double factor :
           {1.0, 1.5, 1 + 0x1p-10, 1 + 0x1p-11, 1 + 0x1.8p-11, 1 + 0x1.004p-11, 1 - 0x1p-11,
            1 - 0x1p-12, 1 - 0x1p-24, 1 - 0x1p-25, 1 - 0x1p-53, 1 + 0x1p-23, 1 + 0x1p-24,
            1 + 0x1.8p-24, 1 + 0x1p-52}) {
        edges.push_back(static_cast<number>(std::ldexp(factor, power)));
        edges.push_back(static_cast<number>(-std::ldexp(factor, power)));
      }
    }
    put(edges);
  };
  const auto integers = [&](auto zero) {
    using number = decltype(zero);
    std::vector<number> edges{number(0), number(1), number(-1), std::numeric_limits<number>::min(),
                              std::numeric_limits<number>::max()};
    for (int shift = 0; shift < std::numeric_limits<number>::digits; ++shift) {
      for (const int distance : {-2, -1, 0, 1, 2, 3}) {
        edges.push_back(static_cast<number>((number{1} << shift) + static_cast<number>(distance)));
      }
    }
    put(edges);
  };
  switch (type.code()) {
    case type_code::int16:
      integers(std::int16_t());
      break;
    case type_code::int32:
      integers(std::int32_t());
      break;
    case type_code::int64:
      integers(std::int64_t());
      break;
    case type_code::uint16:
      integers(std::uint16_t());
      break;
    case type_code::uint32:
      integers(std::uint32_t());
      break;
    case type_code::uint64:
      integers(std::uint64_t());
      break;
    case type_code::float32:
    case type_code::complex64:
      floats(float());
      break;
    case type_code::float64:
    case type_code::complex128:
      floats(double());
      break;
    default:  // of 8 and 16 bits random ones find all
      break;
  }
  return result;
}

/// Replaces what an integer type cannot hold, whose conversion is unspecified, by 1.
template <class Component>
void bring_into_range(bytes& values, dtype to) {
  const int digits = static_cast<int>(8 * to.itemsize()) - (to.kind() == 'i' ? 1 : 0);
  const double end = std::ldexp(1.0, digits);
  const double lowest = to.kind() == 'i' ? -end : 0.0;
  for (std::size_t at = 0; at < values.size(); at += sizeof(Component)) {
    Component value;
    std::memcpy(&value, &values[at], sizeof value);
    const double whole = std::trunc(static_cast<double>(value));
    if (!(whole >= lowest && whole < end)) {
      value = 1;
      std::memcpy(&values[at], &value, sizeof value);
    }
  }
}

void bring_into_range(bytes& values, dtype from, dtype to) {
  if (to.kind() != 'i' && to.kind() != 'u') {
    return;
  }
  if (from == type_code::float16) {
    bring_into_range<_Float16>(values, to);
  } else if (from == type_code::float32 || from == type_code::complex64) {
    bring_into_range<float>(values, to);
  } else if (from == type_code::float64 || from == type_code::complex128) {
    bring_into_range<double>(values, to);
  }
}

TEST_P(copy_kernel_test, every_type_becomes_every_other_as_on_the_host) {
  constexpr std::size_t count = 4000;
  for (int from = 0; from < usmx::type_count; ++from) {
    for (int to = 0; to < usmx::type_count; ++to) {
      const dtype source_type = static_cast<type_code>(from);
      const dtype destination_type = static_cast<type_code>(to);
      bytes values = values_of(source_type, count, random_);
      bring_into_range(values, source_type, destination_type);
      expect_same_as_host(values, source_type, compact({count}, source_type.itemsize()),
                          destination_type, compact({count}, destination_type.itemsize()));
    }
  }
}

/// Random extents and strides in bytes.
class random_layouts {
 public:
  explicit random_layouts(unsigned seed) : random_(seed) {}

  std::ptrdiff_t number(std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random_);
  }

  extents shape() {
    const auto ndim = static_cast<std::size_t>(number(0, 11));
    extents result(ndim);
    for (std::ptrdiff_t& n : result) {
      n = number(1, ndim < 3 ? 90 : ndim < 5 ? 20 : 3);
    }
    return result;
  }

  /// Every element in a place of its own; strides are multiples of `step`, which divides the item.
  byte_layout distinct(const extents& shape, std::size_t itemsize, std::ptrdiff_t step) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (number(0, 1) == 0) {
      std::ranges::shuffle(order, random_);
    }
    const bool gaps = number(0, 1) == 0;
    extents strides(shape.size());
    auto span = static_cast<std::ptrdiff_t>(itemsize);
    for (const std::size_t k : order) {
      strides[k] = (number(0, 3) == 0 ? -1 : 1) * span;
      span = span * shape[k] + (gaps ? step * number(0, 2) : 0);
    }
    return placed(shape, strides, itemsize, step * number(0, 3));
  }

  /// Elements may share places.
  byte_layout any(const extents& shape, std::size_t itemsize, std::ptrdiff_t step) {
    if (number(0, 2) != 0) {
      return distinct(shape, itemsize, step);
    }
    extents strides(shape.size());
    for (std::ptrdiff_t& stride : strides) {
      stride = number(0, 2) == 0 ? 0 : step * number(-9, 9);
    }
    return placed(shape, strides, itemsize, step * number(0, 3));
  }

 private:
  std::mt19937 random_;
};

/// Memory in which every place that is aligned for the type holds a number from 0 to 100.
bytes small_numbers(dtype type, std::size_t nbytes) {
  const dtype component = type == type_code::complex64    ? dtype(type_code::float32)
                          : type == type_code::complex128 ? dtype(type_code::float64)
                                                          : type;
  const std::size_t size = component.itemsize();
  bytes result(nbytes);
  for (std::size_t at = 0; at + size <= nbytes; at += size) {
    const auto number = static_cast<std::uint8_t>(at / size * 37 % 101);
    const auto value = static_cast<std::byte>(number);
    usmx::detail::conversion(type_code::uint8, component).strided(&value, 0, &result[at], 0, 1);
  }
  return result;
}

dtype of_size(std::size_t nbytes) {
  return dtype::structured({{"a", type_code::int8, {}, 0}}, nbytes);
}

TEST_P(copy_kernel_test, elements_of_every_size_go_from_any_layout_to_any_layout) {
  random_layouts random(support::seed(5));
  for (int round = 0; round < 200; ++round) {
    const std::size_t itemsize =
        std::array{1, 2, 4, 8, 16, 3, 6, 12, 17, 24, 32, 40}[static_cast<std::size_t>(round) % 12];
    const auto item = static_cast<std::ptrdiff_t>(itemsize);
    const extents shape = random.shape();
    // Aligned, or to some smaller power of two.
    const std::ptrdiff_t step = std::min<std::ptrdiff_t>(item & -item, 1 << random.number(0, 5));
    const byte_layout from = random.any(shape, itemsize, step);
    const byte_layout to = random.distinct(shape, itemsize, step);
    SCOPED_TRACE(testing::Message() << "round " << round << ", items of " << itemsize);
    expect_same_as_host(noise(from.nbytes), of_size(itemsize), from, of_size(itemsize), to);
    if (HasFatalFailure() || HasNonfatalFailure()) {
      return;
    }
  }
}

TEST_P(copy_kernel_test, elements_are_converted_from_any_layout_to_any_layout) {
  random_layouts random(support::seed(6));
  for (int round = 0; round < 100; ++round) {
    const dtype source_type = static_cast<type_code>(random.number(0, usmx::type_count - 1));
    const dtype destination_type = static_cast<type_code>(random.number(0, usmx::type_count - 1));
    const extents shape = random.shape();
    const byte_layout from = random.any(shape, source_type.itemsize(),
                                        static_cast<std::ptrdiff_t>(source_type.alignment()));
    const byte_layout to =
        random.distinct(shape, destination_type.itemsize(),
                        static_cast<std::ptrdiff_t>(destination_type.alignment()));
    SCOPED_TRACE(testing::Message() << "round " << round);
    expect_same_as_host(small_numbers(source_type, from.nbytes), source_type, from,
                        destination_type, to);
    if (HasFatalFailure() || HasNonfatalFailure()) {
      return;
    }
  }
}

TEST_P(copy_kernel_test, large_arrays_are_transposed_reversed_and_thinned_out) {
  const std::ptrdiff_t n = 211;
  const std::ptrdiff_t m = 1103;
  for (const dtype type :
       {dtype(type_code::uint8), dtype(type_code::float32), dtype(type_code::complex128)}) {
    const auto item = static_cast<std::ptrdiff_t>(type.itemsize());
    const byte_layout to = compact({n, m}, type.itemsize());
    for (const extents& strides :
         {extents{item, n * item}, extents{-m * item, -item}, extents{4 * m * item, 2 * item},
          extents{item, -n * item}, extents{0, item}, extents{item, 0}}) {
      const byte_layout from = placed({n, m}, strides, type.itemsize(), 0);
      expect_same_as_host(noise(from.nbytes), type, from, type, to);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(variants, copy_kernel_test, testing::ValuesIn(variants),
                         [](const auto& info) { return std::string(info.param.name); });

class copy_kernel_call_test : public support::device_test {};

TEST_F(copy_kernel_call_test, elements_that_are_not_aligned_are_not_converted) {
  const runtime_block memory(64, usm_kind::device, queue());
  const byte_layout four = compact({4}, 4);
  const byte_layout four_wide = compact({4}, 8);
  EXPECT_FALSE(
      usmx::detail::copy_by_kernel(plan_of(memory.data() + 1, type_code::float32, four,
                                           memory.data() + 32, type_code::float64, four_wide),
                                   queue()));
  EXPECT_FALSE(
      usmx::detail::copy_by_kernel(plan_of(memory.data(), type_code::float32, four,
                                           memory.data() + 28, type_code::float64, four_wide),
                                   queue()));
}

TEST_F(copy_kernel_call_test, copy_comes_after_what_it_has_to_wait_for) {
  constexpr std::size_t nbytes = std::size_t{1} << 22;
  const runtime_block source(nbytes, usm_kind::device, queue());
  const runtime_block destination(nbytes, usm_kind::device, queue());
  const byte_layout all = compact({nbytes}, 1);
  for (int round = 1; round <= 20; ++round) {
    sycl::queue q = queue();
    const sycl::event filled = q.memset(source.data(), round, nbytes);
    auto done = usmx::detail::copy_by_kernel(
        plan_of(source.data(), type_code::uint8, all, destination.data(), type_code::uint8, all), q,
        {filled});
    ASSERT_TRUE(done.has_value());
    done->wait();
    EXPECT_EQ(support::download(destination.data() + nbytes - 1, 1, q)[0],
              static_cast<std::byte>(round));
  }
}

TEST_F(copy_kernel_call_test, fill_sets_every_element_and_nothing_else) {
  std::mt19937 random(support::seed(3));
  random_layouts layouts(support::seed(8));
  for (int round = 0; round < 60; ++round) {
    const std::size_t itemsize = std::size_t{1} << (round % 5);
    const auto step = static_cast<std::ptrdiff_t>(std::min<std::size_t>(itemsize, 8));
    const byte_layout to = layouts.distinct(layouts.shape(), itemsize, step);
    const runtime_block destination(to.nbytes, usm_kind::device, queue());
    bytes expected(to.nbytes, std::byte{7});
    support::upload(expected, destination.data(), queue());
    bytes element(itemsize);
    std::ranges::generate(element, [&] { return static_cast<std::byte>(random()); });
    // Fills by hand: a copy from a source that is one element everywhere.
    const byte_layout from{to.shape, extents(to.shape.size(), 0), 0, itemsize};
    usmx::detail::copy_on_host(
        plan_of(element.data(), of_size(itemsize), from, expected.data(), of_size(itemsize), to));
    auto done = usmx::detail::fill_by_kernel(
        plan_of(element.data(), of_size(itemsize), from, destination.data(), of_size(itemsize), to),
        element.data(), queue());
    ASSERT_TRUE(done.has_value());
    done->wait();
    EXPECT_EQ(support::download(destination.data(), to.nbytes, queue()), expected);
  }
}

}  // namespace
