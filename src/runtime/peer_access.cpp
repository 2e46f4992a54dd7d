#include "runtime/peer_access.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/ranked_mutex.hpp"
#include "runtime/contexts.hpp"
#include "runtime/devices.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The devices of the process, two by two.
class peer_table {
 public:
  /// Asks the back end, and enables the access, unless that is known.
  bool has_access(const sycl::device& device, const sycl::device& peer, const usm_driver& driver) {
    const std::lock_guard lock(mutex_);
    std::optional<bool>& known = allowed(device, peer);
    if (!known) {
      known = can_access_peer(device, peer) && driver.enable_peer_access(device, peer);
    }
    return *known;
  }
  void enable(const sycl::device& device, const sycl::device& peer) {
    const std::lock_guard lock(mutex_);
    std::optional<bool>& known = allowed(device, peer);
    if (!known.value_or(false)) {
      sycl::device(device).ext_oneapi_enable_peer_access(peer);
      known = true;
    }
  }
  void disable(const sycl::device& device, const sycl::device& peer) {
    const std::lock_guard lock(mutex_);
    sycl::device(device).ext_oneapi_disable_peer_access(peer);
    allowed(device, peer) = false;
  }

 private:
  struct row {
    sycl::device device;
    sycl::device peer;
    std::optional<bool> allowed{};
  };
  std::optional<bool>& allowed(const sycl::device& device, const sycl::device& peer) {
    const auto found = std::ranges::find_if(
        rows_, [&](const row& each) { return each.device == device && each.peer == peer; });
    return found == rows_.end() ? rows_.emplace_back(row{device, peer}).allowed : found->allowed;
  }

  ranked_mutex<lock_rank::peer_access> mutex_;
  std::vector<row> rows_;
};

peer_table& known_peers() {
  static peer_table& known = *new peer_table;
  return known;
}

sycl::device root_of(const sycl::device& device) {
  std::optional<sycl::device> root = device;
  while (auto parent = parent_of(*root)) {
    root = std::move(parent);
  }
  return *std::move(root);
}

}  // namespace

bool is_in_reach(const sycl::device& device, const sycl::context& context,
                 const owned_memory& memory) {
  if (memory.kind == usm_kind::unknown) {
    return false;
  }
  if (memory.kind == usm_kind::host || device == memory.owner) {
    return true;
  }
  if (root_of(device) == root_of(memory.owner)) {
    return true;  // parts of one device use each other's memory
  }
  if (memory.kind == usm_kind::shared) {  // peer access is for the kind `device`
    return traits_of(device.get_backend()).shared_memory_is_everybodys;
  }
  const auto known = state_of(context);
  return known->driver().follows_peer_access(memory.first) &&
         known_peers().has_access(device, memory.owner, known->driver());
}

bool is_in_reach(const sycl::queue& queue, const void* first, usm_kind kind,
                 const sycl::queue& of_memory) {
  if (queue == of_memory) {
    return kind != usm_kind::unknown;
  }
  const sycl::context context = queue.get_context();
  return context == of_memory.get_context() &&
         is_in_reach(queue.get_device(), context, {first, kind, of_memory.get_device()});
}

void enable_peer_access(const sycl::device& device, const sycl::device& peer) {
  known_peers().enable(device, peer);
}

void disable_peer_access(const sycl::device& device, const sycl::device& peer) {
  known_peers().disable(device, peer);
}

}  // namespace usmx::inline v1::detail
