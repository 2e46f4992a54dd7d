// What tests with a real device share: the fixture, memory straight from the SYCL runtime, and a
// device partitioned in two.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include "memory/registry.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace support {

inline constexpr std::array all_kinds{usmx::usm_kind::device, usmx::usm_kind::shared,
                                      usmx::usm_kind::host};

/// While this lives, the host gets views of shared and host memory alone, as where the device is a
/// GPU.
class strict_host_access {
 public:
  strict_host_access() = default;
  strict_host_access(const strict_host_access&) = delete;
  strict_host_access& operator=(const strict_host_access&) = delete;
  ~strict_host_access() { usmx::internal::set_host_access(before_); }

 private:
  usmx::internal::host_access before_ =
      usmx::internal::set_host_access(usmx::internal::host_access::strict);
};

/// Skips where there is no device at all. With USMX_TEST_REMOTE_DEVICES in the environment every
/// device counts as one with memory of its own.
class device_test : public testing::Test {
 protected:
  void SetUp() override {
    usmx::internal::count_all_devices_as_remote(std::getenv("USMX_TEST_REMOTE_DEVICES") != nullptr);
    if (usmx::get_devices().empty()) {
      GTEST_SKIP() << "no SYCL device";
    }
    let_two_host_tasks_wait();
  }

  /// usmx's own queue of the default device.
  static sycl::queue queue() { return usmx::default_queue(); }
  static sycl::context context() { return queue().get_context(); }
  static sycl::device device() { return queue().get_device(); }
  /// Another context of the same device.
  static sycl::context new_context() { return sycl::context(device()); }
  /// An in-order queue that no other test has. All are kept until the process ends: the runtime's
  /// OpenCL adapter never frees an in-order queue that was used, which would count as a leak of
  /// ours.
  static sycl::queue new_queue() {
    static std::mutex mutex;
    static std::vector<sycl::queue>& kept = *new std::vector<sycl::queue>;
    const std::lock_guard lock(mutex);
    kept.emplace_back(context(), device(), sycl::property::queue::in_order());
    return kept.back();
  }

 private:
  /// The runtime runs host tasks on one thread unless it is told otherwise before the first one of
  /// the process, whichever test that is in. Not on OpenCL, whose driver leaks 48 bytes at the end
  /// of some processes then, and where gates are no host tasks.
  static void let_two_host_tasks_wait() {
    const auto needs_them = [](const sycl::device& device) {
      return device.get_backend() != sycl::backend::opencl;
    };
    if (std::ranges::any_of(usmx::get_devices(), needs_them)) {
      setenv("SYCL_QUEUE_THREAD_POOL_SIZE", "2", /*overwrite=*/0);
    }
  }
};

constexpr sycl::usm::alloc to_sycl(usmx::usm_kind kind) {
  switch (kind) {
    case usmx::usm_kind::device:
      return sycl::usm::alloc::device;
    case usmx::usm_kind::shared:
      return sycl::usm::alloc::shared;
    case usmx::usm_kind::host:
      return sycl::usm::alloc::host;
    case usmx::usm_kind::unknown:
      break;
  }
  return sycl::usm::alloc::unknown;
}

/// Memory straight from the SYCL runtime, as a native library has it: usmx's registry does not know
/// it.
class runtime_block {
 public:
  runtime_block(std::size_t nbytes, usmx::usm_kind kind, const sycl::queue& queue)
      : queue_(queue),
        data_(static_cast<std::byte*>(sycl::aligned_alloc(64, nbytes, queue, to_sycl(kind)))) {}
  runtime_block(runtime_block&& other) noexcept
      : queue_(other.queue_), data_(std::exchange(other.data_, nullptr)) {}
  runtime_block& operator=(runtime_block&&) = delete;
  ~runtime_block() { sycl::free(release(), queue_); }

  std::byte* data() const noexcept { return data_; }
  /// Whoever calls it frees the memory.
  std::byte* release() noexcept { return std::exchange(data_, nullptr); }

 private:
  sycl::queue queue_;
  std::byte* data_;
};

/// Whether memory of one context is unknown in another one of the same device. All of CUDA's are
/// one.
inline bool contexts_are_apart(const sycl::queue& queue) {
  const runtime_block block(64, usmx::usm_kind::device, queue);
  const sycl::context other(queue.get_device());
  return sycl::get_pointer_type(block.data(), other) == sycl::usm::alloc::unknown;
}

/// Moves bytes between the host and any memory of the queue's context.
inline void upload(const std::vector<std::byte>& bytes, std::byte* to, sycl::queue queue) {
  queue.memcpy(to, bytes.data(), bytes.size()).wait();
}
inline std::vector<std::byte> download(const std::byte* from, std::size_t nbytes,
                                       sycl::queue queue) {
  std::vector<std::byte> bytes(nbytes);
  queue.memcpy(bytes.data(), from, nbytes).wait();
  return bytes;
}

/// Two sub-devices of a device: halves, or its tiles; none where it cannot be partitioned.
inline std::vector<sycl::device> halves_of(const sycl::device& device) {
  using enum sycl::info::partition_property;
  constexpr auto next = sycl::info::partition_affinity_domain::next_partitionable;
  const auto units = device.get_info<sycl::info::device::max_compute_units>();
  const auto ways = device.get_info<sycl::info::device::partition_properties>();
  const auto can = [&](auto way) { return std::ranges::find(ways, way) != ways.end(); };
  if (units >= 2 && can(partition_equally)) {
    return device.create_sub_devices<partition_equally>(units / 2);
  }
  if (can(partition_by_affinity_domain)) {
    return device.create_sub_devices<partition_by_affinity_domain>(next);
  }
  return {};
}

/// Two halves of a device, and a context of both. Copy nothing between the two: the OpenCL CPU
/// runtime has been seen to hang in that.
struct two_sub_devices {
  sycl::device first;
  sycl::device second;
  sycl::context context;

  static std::optional<two_sub_devices> of(const sycl::device& device) {
    const auto parts = halves_of(device);
    if (parts.size() < 2) {
      return std::nullopt;
    }
    return two_sub_devices{parts[0], parts[1], sycl::context({parts[0], parts[1]})};
  }
};

/// usmx's own queues of two devices that have one default context.
struct device_pair {
  sycl::queue first;
  sycl::queue second;

  static std::optional<device_pair> find() {
    const std::vector<sycl::device> devices = usmx::get_devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      for (std::size_t k = i + 1; k < devices.size(); ++k) {
        const device_pair found{usmx::cached_queue(devices[i]), usmx::cached_queue(devices[k])};
        if (found.first.get_context() == found.second.get_context()) {
          return found;
        }
      }
    }
    return std::nullopt;
  }
};

/// Addresses that are no memory of anybody, or of the program itself.
inline std::vector<const void*> garbage_pointers() {
  static const int constant = 0;
  std::vector<const void*> all{&constant, reinterpret_cast<const void*>(&garbage_pointers)};
  for (const std::uintptr_t address :
       {std::uintptr_t{1}, std::uintptr_t{0x1000}, std::uintptr_t{0xdeadbeef},
        std::uintptr_t{1} << 47, std::uintptr_t{1} << 63, UINTPTR_MAX}) {
    all.push_back(reinterpret_cast<const void*>(address));
  }
  return all;
}

}  // namespace support
