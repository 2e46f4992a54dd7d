// usmx/exchange/dlpack.hpp: tensors of arrays, arrays of tensors, and who lets go when.
#include "usmx/exchange/dlpack.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "memory/registry.hpp"
#include "support/child_process.hpp"
#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using support::runtime_block;
using usmx::array;
using usmx::buffer_error;
using usmx::dtype;
using usmx::layout;
using usmx::overflow_error;
using usmx::type_code;
using usmx::usm_kind;
using usmx::value_error;
using usmx::exchange::dlpack_device;
using usmx::exchange::from_dlpack;
using usmx::exchange::host_view;
using usmx::exchange::to_dlpack;
using usmx::exchange::to_legacy_dlpack;
namespace dlpack = usmx::dlpack;
using extents = std::vector<std::ptrdiff_t>;

constexpr dlpack::data_type f8{dlpack::type_kind::floating, 64, 1};

/// Who lets a tensor of usmx's go.
struct let_go {
  template <class Managed>
  void operator()(Managed* managed) const {
    managed->deleter(managed);
  }
};
using held_tensor = std::unique_ptr<dlpack::managed_tensor, let_go>;

/// A tensor of a stranger's, whose deleter counts.
struct foreign_tensor {
  extents shape;
  extents strides;
  dlpack::managed_tensor managed{};
  int deleted = 0;

  foreign_tensor(void* data, dlpack::data_type type, extents with_shape,
                 std::optional<extents> with_strides = std::nullopt)
      : shape(std::move(with_shape)), strides(with_strides.value_or(extents())) {
    managed.version = dlpack::current_version;
    managed.context = this;
    managed.deleter = [](dlpack::managed_tensor* self) {
      ++static_cast<foreign_tensor*>(self->context)->deleted;
    };
    managed.tensor = {.data = data,
                      .device = {dlpack::device_type::oneapi, 0},
                      .ndim = static_cast<std::int32_t>(shape.size()),
                      .type = type,
                      .shape = shape.data(),
                      .strides = with_strides ? strides.data() : nullptr,
                      .byte_offset = 0};
  }
  foreign_tensor(const foreign_tensor&) = delete;
  foreign_tensor& operator=(const foreign_tensor&) = delete;

  dlpack::tensor& tensor() { return managed.tensor; }
};

class dlpack_test : public support::device_test {
 protected:
  static constexpr std::size_t nbytes = 1024;

  static array sample(usm_kind kind = usm_kind::device, type_code type = type_code::float64) {
    return usmx::empty(extents{4, 6}, type, queue(), kind);
  }
  /// The number that the tests' memory has.
  static dlpack::device here() { return dlpack_device(sample()); }

  template <class Error>
  static void refuse(foreign_tensor& given, std::initializer_list<std::string> parts,
                     std::source_location where = std::source_location::current()) {
    expect_error<Error>([&] { from_dlpack(&given.managed); }, parts, where);
    EXPECT_EQ(given.deleted, 1);
  }
};

// ---- The binary interface, as every program on 64 bits has it

static_assert(sizeof(dlpack::tensor) == 48);
static_assert(sizeof(dlpack::managed_tensor) == 80);
static_assert(sizeof(dlpack::legacy_managed_tensor) == 64);

// ---- Out

TEST_F(dlpack_test, device_is_the_place_among_all_devices) {
  if (device().get_backend() == sycl::backend::ext_oneapi_cuda) {
    EXPECT_EQ(dlpack_device(sample()), (dlpack::device{dlpack::device_type::cuda, 0}));
    return;
  }
  const auto devices = usmx::get_devices();
  const dlpack::device found = dlpack_device(sample());
  EXPECT_EQ(found.type, dlpack::device_type::oneapi);
  EXPECT_EQ(devices.at(static_cast<std::size_t>(found.id)), device());
}

TEST_F(dlpack_test, memory_of_another_context_has_no_number) {
  if (!support::contexts_are_apart(queue())) {
    GTEST_SKIP() << "all contexts of this device share their memory";
  }
  const sycl::queue elsewhere(new_context(), device());
  const array a = usmx::empty(extents{4}, type_code::int8, elsewhere);
  expect_error<buffer_error>([&] { dlpack_device(a); }, {"default context"});
}

TEST_F(dlpack_test, memory_of_a_sub_device_has_no_number) {
  const auto parts = support::two_sub_devices::of(device());
  if (!parts) {
    GTEST_SKIP() << "the device cannot be partitioned";
  }
  const array a =
      usmx::empty(extents{4}, type_code::int8, sycl::queue(parts->context, parts->first));
  expect_error<buffer_error>([&] { dlpack_device(a); }, {"sub-device"});
}

TEST_F(dlpack_test, tensor_of_memory_that_the_host_reaches_may_be_on_the_host) {
  EXPECT_EQ(usmx::exchange::is_on(sample(), dlpack::host),
            usmx::host_may_touch(usm_kind::device, device()));
}

TEST_F(dlpack_test, tensor_on_a_device_that_its_memory_is_not_on_is_refused) {
  const support::strict_host_access strict;
  const array a = sample();
  for (const dlpack::device where : {dlpack::host, dlpack::device{dlpack::device_type::oneapi, 77},
                                     dlpack::device{dlpack::device_type::oneapi, -1},
                                     dlpack::device{dlpack::device_type::cuda, 77},
                                     dlpack::device{dlpack::device_type::cuda_managed, 77},
                                     dlpack::device{static_cast<dlpack::device_type>(10), 0}}) {
    const std::initializer_list<std::string> parts = {
        "kind 'device'", "device type " + std::to_string(static_cast<int>(where.type)) +
                             " with number " + std::to_string(where.id)};
    expect_error<buffer_error>([&] { to_dlpack(a, where); }, parts);
    expect_error<buffer_error>([&] { to_legacy_dlpack(a, where); }, parts);
    expect_error<buffer_error>([&] { usmx::exchange::view_as_dlpack(a, where); }, parts);
  }
  const held_tensor on_host(to_dlpack(sample(usm_kind::shared), dlpack::host));
  EXPECT_EQ(on_host->tensor.device, dlpack::host);
}

TEST_F(dlpack_test, array_without_memory_is_refused_on_every_device) {
  for (const dlpack::device where : {dlpack::host, here()}) {
    expect_error<value_error>([&] { to_dlpack(array(), where); }, {"without memory"});
    expect_error<value_error>([&] { to_legacy_dlpack(array(), where); }, {"without memory"});
    expect_error<value_error>([&] { usmx::exchange::view_as_dlpack(array(), where); },
                              {"without memory"});
  }
}

TEST_F(dlpack_test, no_tensor_is_refused) {
  expect_error<value_error>([] { from_dlpack(nullptr); }, {"expected a tensor, found null"});
}

/// Consumers are not told a queue, so they work on the one that dpctl and dpnp keep, too. In a
/// process of its own, since that one stays known.
TEST_F(dlpack_test, lent_tensor_is_open_to_the_queue_of_peers_until_it_is_let_go) {
  for (const char* form : {"tensor", "legacy-tensor", "buffer"}) {
    const auto child = support::run_child("", std::string("lent ") + form);
    EXPECT_EQ(child.output, here().type == dlpack::device_type::oneapi || form[0] == 'b'
                                ? "closed open closed"
                                : "closed closed closed")
        << form;
  }
}

TEST_F(dlpack_test, tensor_points_at_element_zero) {
  for (const usm_kind kind : all_kinds) {
    const array whole = sample(kind);
    const extents shape{2, 3};
    const extents strides{-12, 2};
    const array view = whole.with_layout(layout::strided(shape, strides, 19));
    const held_tensor made(to_dlpack(view, here()));
    const dlpack::tensor& found = made->tensor;
    EXPECT_EQ(found.data, whole.owner()->data() + 19 * 8);
    EXPECT_EQ(found.byte_offset, 0U);
    EXPECT_EQ(found.device, here());
    EXPECT_EQ(extents(found.shape, found.shape + found.ndim), shape);
    EXPECT_EQ(extents(found.strides, found.strides + found.ndim), strides);
    EXPECT_EQ(made->version.major, 1U);
    EXPECT_EQ(made->flags, 0U);
  }
}

TEST_F(dlpack_test, tensor_without_elements_points_to_its_memory_on_oneapi_alone) {
  const array a = usmx::empty(extents{3, 0}, type_code::float32, queue());
  const held_tensor made(to_dlpack(a, here()));
  const bool on_oneapi = here().type == dlpack::device_type::oneapi;
  EXPECT_EQ(made->tensor.data, on_oneapi ? a.owner()->data() : nullptr);
  EXPECT_NE(made->tensor.strides, nullptr);
}

TEST_F(dlpack_test, strides_along_axes_of_one_element_are_normal) {
  const array whole = usmx::empty(extents{4, 6}, type_code::float32, queue());
  const array row = whole.with_layout(layout::strided(extents{1, 3, 1}, extents{-6, 2, -1}, 1));
  const held_tensor made(to_dlpack(row, here()));
  const std::int64_t* const found = made->tensor.strides;
  EXPECT_EQ(extents(found, found + 3), (extents{6, 2, 1}));
}

TEST_F(dlpack_test, flags_say_read_only_and_copied) {
  const array a = sample();
  EXPECT_EQ(held_tensor(to_dlpack(a.as_readonly(), here()))->flags, dlpack::flag_readonly);
  EXPECT_EQ(held_tensor(to_dlpack(a, here(), true))->flags, dlpack::flag_copied);
}

TEST_F(dlpack_test, legacy_tensor_cannot_say_read_only) {
  const array a = sample();
  std::unique_ptr<dlpack::legacy_managed_tensor, let_go> made(to_legacy_dlpack(a, here()));
  EXPECT_EQ(made->tensor.data, a.data());
  expect_error<buffer_error>([&] { to_legacy_dlpack(a.as_readonly(), here()); }, {"read-only"});
}

TEST_F(dlpack_test, structured_elements_have_no_tensor) {
  const dtype type = dtype::structured({{"x", type_code::int32, {}, 0}}, 4);
  const array a = usmx::empty(extents{2}, type, queue());
  expect_error<buffer_error>([&] { to_dlpack(a, here()); }, {"structured"});
}

TEST_F(dlpack_test, tensor_keeps_the_memory_until_its_deleter_runs) {
  const std::size_t before = usmx::registry::size();
  held_tensor made(to_dlpack(sample(), here()));
  EXPECT_EQ(usmx::registry::size(), before + 1);
  made.reset();
  EXPECT_EQ(usmx::registry::size(), before);
}

TEST_F(dlpack_test, deleter_may_run_on_any_thread) {
  const std::size_t before = usmx::registry::size();
  held_tensor made(to_dlpack(sample(), here()));
  std::thread([&] { made.reset(); }).join();
  usmx::synchronize();  // frees what a thread that may be the runtime's own has let go
  EXPECT_EQ(usmx::registry::size(), before);
}

// ---- There and back

TEST_F(dlpack_test, array_of_every_type_and_kind_comes_back) {
  for (const usm_kind kind : all_kinds) {
    for (int code = 0; code < usmx::type_count; ++code) {
      const array a = sample(kind, static_cast<type_code>(code));
      const array again = from_dlpack(to_dlpack(a, here()));
      EXPECT_EQ(again.type(), a.type());
      EXPECT_EQ(again.layout(), a.layout());
      EXPECT_EQ(again.data(), a.data());
      EXPECT_EQ(again.kind(), kind);
      EXPECT_EQ(again.queue(), a.queue());
      EXPECT_FALSE(again.readonly());
    }
  }
}

TEST_F(dlpack_test, array_keeps_its_queue_when_it_comes_back) {
  const array a = usmx::empty(extents{4}, type_code::int8, new_queue());
  EXPECT_EQ(from_dlpack(to_dlpack(a, here())).queue(), a.queue());
}

TEST_F(dlpack_test, read_only_array_comes_back_read_only) {
  EXPECT_TRUE(from_dlpack(to_dlpack(sample().as_readonly(), here())).readonly());
}

TEST_F(dlpack_test, read_only_array_stays_so_whatever_the_flags_say) {
  auto* made = to_dlpack(sample().as_readonly(), here());
  made->flags = 0;
  EXPECT_TRUE(from_dlpack(made).readonly());
}

TEST_F(dlpack_test, usmxs_own_tensor_is_checked_once_somebody_has_changed_it) {
  const array a = sample();
  const auto changed = [&](auto change) {
    auto* made = to_dlpack(a, here());
    change(made->tensor);
    return made;
  };
  std::int64_t fewer[] = {2, 6};
  std::int64_t more[] = {5, 6};
  EXPECT_EQ(from_dlpack(changed([&](dlpack::tensor& t) { t.shape = fewer; })).size(), 12);
  EXPECT_EQ(from_dlpack(changed([&](dlpack::tensor& t) { t.ndim = 1; })).size(), 4);
  EXPECT_EQ(from_dlpack(changed([&](dlpack::tensor& t) { t.type.bits = 32; })).type(),
            type_code::float32);
  expect_error<value_error>(
      [&] { from_dlpack(changed([&](dlpack::tensor& t) { t.shape = more; })); },
      {"not all inside"});
  expect_error<value_error>(
      [&] { from_dlpack(changed([&](dlpack::tensor& t) { t.byte_offset = 8; })); },
      {"not all inside"});
  expect_error<value_error>(
      [&] { from_dlpack(changed([&](dlpack::tensor& t) { t.data = nullptr; })); },
      {"null pointer"});
  EXPECT_EQ(a.owner().use_count(), 1);
}

TEST_F(dlpack_test, array_that_came_back_many_times_keeps_the_memory_alone) {
  array a = sample();
  const std::weak_ptr<usmx::buffer> first = a.owner();
  for (int round = 0; round < 10; ++round) {
    a = from_dlpack(to_dlpack(a, here()));
  }
  EXPECT_EQ(first.use_count(), 1);
}

// ---- In

TEST_F(dlpack_test, foreign_tensor_is_viewed_and_let_go_once) {
  for (const usm_kind kind : all_kinds) {
    const runtime_block block(nbytes, kind, queue());
    foreign_tensor given(block.data(), f8, {3, 4}, extents{-8, 1});
    given.tensor().byte_offset = 160;
    given.managed.flags = dlpack::flag_readonly;
    {
      const array a = from_dlpack(&given.managed);
      EXPECT_EQ(a.data(), block.data() + 160);
      EXPECT_EQ(a.kind(), kind);
      EXPECT_EQ(extents(a.strides().begin(), a.strides().end()), (extents{-8, 1}));
      EXPECT_EQ(a.queue(), queue());
      EXPECT_TRUE(a.readonly());
      EXPECT_EQ(given.deleted, 0);
    }
    usmx::synchronize();
    EXPECT_EQ(given.deleted, 1);
  }
}

TEST_F(dlpack_test, tensor_without_strides_is_c_contiguous) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {3, 4});
  EXPECT_EQ(from_dlpack(&given.managed).layout(), layout::c_order(extents{3, 4}));
}

TEST_F(dlpack_test, tensor_without_a_deleter_is_taken) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {3});
  given.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&given.managed).size(), 3);
}

TEST_F(dlpack_test, tensor_without_elements_may_point_anywhere) {
  for (void* data : {static_cast<void*>(nullptr), reinterpret_cast<void*>(8)}) {
    foreign_tensor given(data, f8, {3, 0});
    EXPECT_EQ(from_dlpack(&given.managed).size(), 0);
  }
}

TEST_F(dlpack_test, other_major_version_is_let_go_and_refused) {
  for (const std::uint32_t major : {0U, 2U, 4000000000U}) {
    foreign_tensor given(nullptr, f8, {});
    given.managed.version.major = major;
    refuse<buffer_error>(given, {"1.x", std::to_string(major) + ".3"});
  }
}

TEST_F(dlpack_test, later_minor_version_is_taken) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {3});
  given.managed.version.minor = 99;
  EXPECT_EQ(from_dlpack(&given.managed).size(), 3);
}

TEST_F(dlpack_test, elements_past_the_allocation_are_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {129});
  refuse<value_error>(given, {"not all inside"});
  foreign_tensor reversed(block.data(), f8, {2}, extents{-1});
  refuse<value_error>(reversed, {});
  foreign_tensor displaced(block.data(), f8, {128});
  displaced.tensor().byte_offset = 8;
  refuse<value_error>(displaced, {"not all inside"});
}

TEST_F(dlpack_test, memory_that_is_no_usm_is_refused) {
  for (const void* pointer : support::garbage_pointers()) {
    foreign_tensor given(const_cast<void*>(pointer), {dlpack::type_kind::signed_, 8, 1}, {1});
    EXPECT_THROW(from_dlpack(&given.managed), std::exception) << pointer;
    EXPECT_EQ(given.deleted, 1);
  }
}

TEST_F(dlpack_test, null_pointer_with_elements_is_refused) {
  foreign_tensor given(nullptr, f8, {3});
  given.tensor().byte_offset = 64;
  refuse<value_error>(given, {"null pointer"});
}

TEST_F(dlpack_test, misaligned_element_zero_is_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {3});
  given.tensor().byte_offset = 4;
  refuse<value_error>(given, {"aligned to 8"});
}

TEST_F(dlpack_test, offset_past_the_address_space_is_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor given(block.data(), f8, {3});
  given.tensor().byte_offset = std::numeric_limits<std::uint64_t>::max();
  refuse<overflow_error>(given, {"byte_offset", "address space"});
}

TEST_F(dlpack_test, numbers_of_dimensions_out_of_range_are_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  for (const std::int32_t ndim : {-1, 65, std::numeric_limits<std::int32_t>::max()}) {
    foreign_tensor given(block.data(), f8, extents(65, 1), extents(65, 1));
    given.tensor().ndim = ndim;
    refuse<value_error>(given, {"'ndim'", std::to_string(ndim)});
  }
}

TEST_F(dlpack_test, missing_shape_is_refused) {
  foreign_tensor given(nullptr, f8, {3});
  given.tensor().shape = nullptr;
  refuse<value_error>(given, {"'shape'", "null pointer"});
}

TEST_F(dlpack_test, shapes_and_strides_that_wrap_are_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  constexpr std::ptrdiff_t huge = std::ptrdiff_t{1} << 62;
  for (const auto& [shape, strides] : std::vector<std::pair<extents, extents>>{
           {{huge, 4}, {4, 1}}, {{huge / 4}, {1}}, {{2}, {huge}}, {{3}, {PTRDIFF_MIN}}}) {
    foreign_tensor given(block.data(), f8, shape, strides);
    refuse<overflow_error>(given, {});
  }
  foreign_tensor negative(block.data(), f8, {-1});
  refuse<value_error>(negative, {"-1"});
}

TEST_F(dlpack_test, elements_of_other_types_are_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  const auto kind = [](int code) { return static_cast<dlpack::type_kind>(code); };
  for (const dlpack::data_type type :
       {dlpack::data_type{kind(4), 16, 1},  // bfloat16
        dlpack::data_type{kind(2), 128, 1}, dlpack::data_type{kind(2), 32, 2},
        dlpack::data_type{kind(2), 32, 0}, dlpack::data_type{kind(0), 0, 1},
        dlpack::data_type{kind(6), 1, 1}, dlpack::data_type{kind(255), 64, 1}}) {
    foreign_tensor given(block.data(), type, {1});
    refuse<buffer_error>(given, {"type code"});
  }
}

TEST_F(dlpack_test, other_devices_are_refused) {
  const runtime_block block(nbytes, usm_kind::device, queue());
  foreign_tensor rocm(block.data(), f8, {1});
  rocm.tensor().device = {static_cast<dlpack::device_type>(10), 0};
  refuse<buffer_error>(rocm, {"device type 10"});
  for (const auto type : {dlpack::device_type::cuda, dlpack::device_type::cuda_managed}) {
    foreign_tensor cuda(block.data(), f8, {1});
    cuda.tensor().device = {type, 99};
    refuse<buffer_error>(cuda, {"CUDA memory of device 99", "found devices: "});
  }
  for (const std::int32_t id : {-1, 1000, std::numeric_limits<std::int32_t>::max()}) {
    foreign_tensor given(block.data(), f8, {1});
    given.tensor().device.id = id;
    refuse<value_error>(given, {"device number", std::to_string(id)});
  }
}

// ---- Ordinary host memory

TEST_F(dlpack_test, host_tensor_is_seen_as_it_lies) {
  std::vector<double> values(12);
  foreign_tensor given(values.data(), f8, {3, 4}, extents{-4, 1});
  given.tensor().device = dlpack::host;
  given.tensor().byte_offset = 64;
  const usmx::array_view view = host_view(usmx::exchange::receive(given.managed), queue());
  EXPECT_EQ(view.data(), reinterpret_cast<std::byte*>(values.data() + 8));
  EXPECT_EQ(view.kind(), usm_kind::unknown);
  EXPECT_EQ(view.layout(), layout::strided(extents{3, 4}, extents{-4, 1}));
}

TEST_F(dlpack_test, host_tensor_that_leaves_the_address_space_is_refused) {
  const auto seen = [](foreign_tensor& given) {
    given.tensor().device = dlpack::host;
    host_view(usmx::exchange::receive(given.managed), queue());
  };
  foreign_tensor null(nullptr, f8, {1});
  expect_error<value_error>([&] { seen(null); }, {"null pointer"});
  foreign_tensor high(reinterpret_cast<void*>(UINTPTR_MAX - 15), f8, {3});
  expect_error<overflow_error>([&] { seen(high); }, {"address space"});
}

TEST_F(dlpack_test, usm_is_not_seen_as_host_memory) {
  const runtime_block block(nbytes, usm_kind::host, queue());
  foreign_tensor given(block.data(), f8, {1});
  expect_error<buffer_error>([&] { host_view(usmx::exchange::receive(given.managed), queue()); },
                             {"the host"});
}

}  // namespace
