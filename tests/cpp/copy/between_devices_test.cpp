// Copies between two devices of a context: right for all layouts, types and kinds of memory, and
// no kernel gets memory that its device does not reach, whether the devices have peer access or
// not. A real GPU punishes such a kernel by the end of all work of the process; so does the driver
// of tools/level_zero, whose devices are peers only if CPUEXEC_PEER_ACCESS is set.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "array/array.hpp"
#include "copy/copy.hpp"
#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/seed.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"

namespace {

using support::all_kinds;
using usmx::array;
using usmx::dtype;
using usmx::layout;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;
using bytes = std::vector<std::byte>;

/// Whether kernels of the devices may use each other's memory, if they can.
enum class access { as_found, taken_away };

class between_devices_test : public support::device_test,
                             public testing::WithParamInterface<access> {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (!IsSkipped()) {
      pair_ = support::device_pair::find();
      if (!pair_) {
        GTEST_SKIP() << "no two devices in one context";
      }
    }
    if (!IsSkipped() && GetParam() == access::taken_away) {
      take_away(device(0), device(1));
      take_away(device(1), device(0));
    }
  }
  void TearDown() override {
    if (pair_ && GetParam() == access::taken_away) {
      give_back(device(0), device(1));
      give_back(device(1), device(0));
    }
  }

  sycl::queue on(int which) const { return which == 0 ? pair_->first : pair_->second; }
  sycl::device device(int which) const { return on(which).get_device(); }

 private:
  static void take_away(const sycl::device& device, const sycl::device& peer) {
    if (usmx::can_access_peer(device, peer)) {
      usmx::enable_peer_access(device, peer);
      usmx::disable_peer_access(device, peer);
    }
  }
  static void give_back(const sycl::device& device, const sycl::device& peer) {
    if (usmx::can_access_peer(device, peer)) {
      usmx::enable_peer_access(device, peer);
    }
  }

  std::optional<support::device_pair> pair_;
};

INSTANTIATE_TEST_SUITE_P(Access, between_devices_test,
                         testing::Values(access::as_found, access::taken_away),
                         [](const auto& tested) {
                           return tested.param == access::as_found ? "as_found" : "taken_away";
                         });

/// The elements in C order, by copies that never leave the array's device.
bytes elements_of(const array& a) {
  bytes result(a.nbytes());
  const layout compact =
      layout::c_order(a.shape()).scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  usmx::copy_to_host(a, {result.data(), a.type(), a.shape(), compact.strides()});
  return result;
}

void set_elements(const array& a, bytes values) {
  const layout compact =
      layout::c_order(a.shape()).scaled(static_cast<std::ptrdiff_t>(a.type().itemsize()));
  usmx::copy_from_host({values.data(), a.type(), a.shape(), compact.strides()}, a);
}

/// Numbers that every type holds.
bytes numbers(std::ptrdiff_t count, dtype type, std::mt19937& random) {
  bytes result(static_cast<std::size_t>(count) * type.itemsize());
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const auto number = static_cast<std::int8_t>(random() % 100);
    usmx::convert_element(type_code::int8, reinterpret_cast<const std::byte*>(&number), type,
                          result.data() + static_cast<std::size_t>(k) * type.itemsize());
  }
  return result;
}

bytes converted(const bytes& from, dtype source, dtype destination) {
  const std::size_t count = from.size() / source.itemsize();
  bytes result(count * destination.itemsize());
  for (std::size_t k = 0; k < count; ++k) {
    usmx::convert_element(source, from.data() + k * source.itemsize(), destination,
                          result.data() + k * destination.itemsize());
  }
  return result;
}

class random_cases {
 public:
  explicit random_cases(std::uint32_t number) : random_(support::seed(number)) {}

  std::ptrdiff_t number(std::ptrdiff_t from, std::ptrdiff_t to) {
    return std::uniform_int_distribution<std::ptrdiff_t>(from, to)(random_);
  }
  template <class Range>
  auto one_of(const Range& all) {
    return all[static_cast<std::size_t>(number(0, std::ssize(all) - 1))];
  }
  extents shape() {
    extents result(static_cast<std::size_t>(number(0, 4)));
    for (std::ptrdiff_t& n : result) {
      n = number(1, 12);
    }
    return result;
  }
  /// Dimensions in any order, with and without gaps, in both directions.
  layout where(const extents& shape) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (number(0, 1) == 0) {
      std::ranges::shuffle(order, random_);
    }
    extents strides(shape.size());
    std::ptrdiff_t stride = number(0, 1) == 0 ? 1 : number(1, 3);
    std::ptrdiff_t lowest = 0;
    for (const std::size_t k : order) {
      strides[k] = number(0, 4) == 0 ? -stride : stride;
      lowest += std::min<std::ptrdiff_t>(strides[k] * (shape[k] - 1), 0);
      stride = stride * shape[k] + (number(0, 2) == 0 ? number(0, 3) : 0);
    }
    return layout::strided(shape, strides, -lowest);
  }
  std::mt19937& engine() { return random_; }

 private:
  std::mt19937 random_;
};

constexpr std::array types{type_code::bool_,   type_code::int8,    type_code::uint16,
                           type_code::float32, type_code::float64, type_code::complex128};

TEST_P(between_devices_test, copies_are_right_for_random_layouts_types_and_kinds) {
  random_cases random(20261127);
  for (int round = 0; round < 300; ++round) {
    const int side = round % 2;
    const extents shape = random.shape();
    const dtype source_type = random.one_of(types);
    const dtype type = random.number(0, 2) > 0 ? source_type : dtype(random.one_of(types));
    const array source =
        usmx::empty(random.where(shape), source_type, on(side), random.one_of(all_kinds));
    const array destination =
        usmx::empty(random.where(shape), type, on(1 - side), random.one_of(all_kinds));
    const bytes values = numbers(source.size(), source_type, random.engine());
    set_elements(source, values);
    if (random.number(0, 1) == 0) {
      usmx::copy(source, destination);
    } else {
      usmx::copy_async(source, destination);
    }
    ASSERT_EQ(elements_of(destination), converted(values, source_type, type))
        << source.layout() << " -> " << destination.layout() << ", " << source_type << " -> "
        << type << ", " << usmx::name(source.kind()) << " -> " << usmx::name(destination.kind());
  }
}

TEST_P(between_devices_test, work_on_both_sides_comes_first) {
  const extents shape{300, 200};
  for (int round = 0; round < 20; ++round) {
    const int side = round % 2;
    const array source = usmx::empty(shape, usmx::float32, on(side));
    const array destination = usmx::empty(shape, usmx::float32, on(1 - side));
    const float early = 1;
    const float late = 2;
    usmx::fill_async(destination, early);
    usmx::fill_async(source, late);
    usmx::copy_async(
        usmx::internal::with_layout(source, usmx::transposed(source.layout())),
        usmx::internal::with_layout(destination, usmx::transposed(destination.layout())));
    usmx::fill_async(source, early);
    const bytes found = elements_of(destination);
    for (std::size_t k = 0; k < found.size(); k += sizeof late) {
      ASSERT_EQ(std::memcmp(found.data() + k, &late, sizeof late), 0) << "element " << k / 4;
    }
  }
}

TEST_P(between_devices_test, long_rows_and_large_transposes_arrive) {
  std::mt19937 random(support::seed(7));
  const extents shape{40, 30'000};
  const array whole = usmx::empty(shape, usmx::float32, on(0));
  const bytes values = numbers(whole.size(), usmx::float32, random);
  set_elements(whole, values);
  const layout every_other = layout::strided(extents{20, 20'000}, extents{60'000, 1});
  const layout turned = usmx::transposed(whole.layout());
  for (const layout& part : {every_other, turned}) {
    const array source = usmx::internal::with_layout(whole, part);
    const array compact = usmx::empty(part.shape(), usmx::float32, on(1));
    usmx::copy(source, compact);
    EXPECT_EQ(elements_of(compact), elements_of(source));
    const array back = usmx::empty(part.shape(), usmx::float32, on(0));
    usmx::copy_async(usmx::internal::with_layout(compact, usmx::transposed(compact.layout())),
                     usmx::internal::with_layout(back, usmx::transposed(back.layout())));
    EXPECT_EQ(elements_of(back), elements_of(source));
  }
}

TEST_P(between_devices_test, selections_take_source_integers_and_destination_of_any_device) {
  random_cases random(31);
  for (int round = 0; round < 60; ++round) {
    const auto any_queue = [&] { return on(static_cast<int>(random.number(0, 1))); };
    const std::ptrdiff_t length = random.number(1, 50);
    const std::ptrdiff_t count = random.number(1, 80);
    const array source =
        usmx::empty(extents{length}, usmx::float32, any_queue(), random.one_of(all_kinds));
    const array places =
        usmx::empty(extents{count}, usmx::int64, any_queue(), random.one_of(all_kinds));
    const array taken =
        usmx::empty(extents{count}, usmx::float32, any_queue(), random.one_of(all_kinds));
    const bytes values = numbers(length, usmx::float32, random.engine());
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(count));
    std::ranges::generate(chosen, [&] { return random.number(0, length - 1); });
    bytes chosen_bytes(chosen.size() * sizeof(std::int64_t));
    std::memcpy(chosen_bytes.data(), chosen.data(), chosen_bytes.size());
    set_elements(source, values);
    set_elements(places, chosen_bytes);
    const std::array<usmx::key_item, 1> key{places};
    usmx::gather(source, usmx::selection::of(source.layout(), key), taken);
    bytes wanted;
    for (const std::int64_t place : chosen) {
      const auto first = values.begin() + place * 4;
      wanted.insert(wanted.end(), first, first + 4);
    }
    ASSERT_EQ(elements_of(taken), wanted);
    usmx::scatter(taken, usmx::selection::of(source.layout(), key), source);
    ASSERT_EQ(elements_of(source), values);
  }
}

TEST(between_peers_test, all_is_the_same_where_devices_are_peers) {
  if (std::getenv("SetCommandStreamReceiver") == nullptr || !support::device_pair::find()) {
    GTEST_SKIP() << "real devices are what they are";
  }
  const support::outcome child =
      support::run_test("CPUEXEC_PEER_ACCESS=1", "'Access/between_devices_test.*'");
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

}  // namespace
