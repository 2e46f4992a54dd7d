// Users' kernels that were built in a context, so that each is built once there (docs/decisions.md,
// 81). Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sycl/device.hpp>

#include "base/ranked_mutex.hpp"
#include "runtime/contexts.hpp"
#include "user_kernels/kernel_code.hpp"
#include "user_kernels/launch_sizes.hpp"
#include "usmx/user_kernels/compile.hpp"
#include "usmx/user_kernels/signature.hpp"

namespace usmx::inline v1::detail {

/// A kernel that can be launched on any queue of its context and device. It holds no queue: a
/// context whose queues are held is never forgotten.
struct built_kernel {
  kernel_signature signature;
  std::vector<diagnostic> warnings;
  kernel_code code;
  /// For each number of dimensions.
  std::array<launch_limits, 3> limits;
  /// Whether it has views, and was compiled for debugging.
  bool checks_views;
};

using built_program = std::shared_ptr<const std::vector<built_kernel>>;

/// Keeps the programs that were used last. The disk cache has the others.
class built_kernels final : public context_slot {
 public:
  static constexpr std::size_t most_programs = 256;

  explicit built_kernels(const sycl::context& /*of_all*/) {}

  /// Null if the program was not built for this device yet. `identity` is all that was given to the
  /// compiler.
  built_program find(const sycl::device& device, const std::string& identity) {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = programs_.equal_range(identity);
    for (auto at = first; at != last; ++at) {
      if (at->second.device == device) {
        at->second.last_use = ++clock_;
        return at->second.built;
      }
    }
    return nullptr;
  }

  void add(const sycl::device& device, std::string identity, built_program built) {
    built_program forgotten;  // ends without the lock
    const std::lock_guard lock(mutex_);
    programs_.emplace(std::move(identity), entry{device, std::move(built), ++clock_});
    if (programs_.size() > most_programs) {
      const auto oldest = std::ranges::min_element(
          programs_, {}, [](const auto& each) { return each.second.last_use; });
      forgotten = std::move(oldest->second.built);
      programs_.erase(oldest);
    }
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return programs_.size();
  }

 private:
  struct entry {
    sycl::device device;
    built_program built;
    std::uint64_t last_use;
  };

  mutable ranked_mutex<lock_rank::built_kernels> mutex_;
  std::unordered_multimap<std::string, entry> programs_;
  std::uint64_t clock_ = 0;
};

}  // namespace usmx::inline v1::detail
