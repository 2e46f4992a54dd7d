// The code of users' kernels: ready to run on one device, built once in a context, and the few that
// an object of a program has compiled (docs/decisions.md, 81). Private to the library and its
// bindings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "kernels/device_kernel.hpp"
#include "runtime/contexts.hpp"
#include "runtime/drivers/cuda.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/base/api.hpp"
#include "usmx/kernels/compile.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// Sets the arguments of a kernel of the SYCL runtime, one after the other. All of them, at every
/// launch: the runtime would silently use those of the launch before.
class runtime_arguments {
 public:
  explicit runtime_arguments(sycl::handler& handler) noexcept : handler_(handler) {}

  void add_bytes(const void* bytes, std::size_t nbytes);
  void add_address(void* address) { handler_.set_arg(index_++, address); }
  void add_local(std::size_t nbytes);

 private:
  sycl::handler& handler_;
  int index_ = 0;
};

/// Keeps the arguments of a kernel of CUDA's driver for a command that runs later.
class cuda_arguments {
 public:
  cuda_arguments() {  // with room for those of most kernels
    bytes_.reserve(512);
    offsets_.reserve(16);
  }
  void add_bytes(const void* bytes, std::size_t nbytes);
  void add_address(void* address) { add_bytes(&address, sizeof address); }
  /// The kernel gets the offset in the memory that the work items of a group share.
  void add_local(std::size_t nbytes);

  std::size_t shared_nbytes() const noexcept { return shared_nbytes_; }
  /// Pointers to the arguments, which live as long as this.
  std::vector<void*> pointers();

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> offsets_;
  std::size_t shared_nbytes_ = 0;
};

class kernel_code {
 public:
  explicit kernel_code(device_code code) : code_(std::move(code)) {}

  launch_limits limits(const sycl::device&, int dimensions, std::size_t local_parameters) const;

  /// Makes the handler's command run the kernel after these events, with the arguments that
  /// `add_all(arguments)` adds.
  template <class AddAll>
  void enqueue(sycl::handler& handler, const std::vector<sycl::event>& before,
               const launch_sizes& sizes, const AddAll& add_all) const {
    if (const auto* kernel = std::get_if<sycl::kernel>(&code_)) {
      runtime_arguments arguments(handler);
      add_all(arguments);
      start(handler, *kernel, sizes);
    } else {
      cuda_arguments arguments;
      add_all(arguments);
      start(handler, before, std::get<CUfunction>(code_), sizes, std::move(arguments));
    }
  }

  /// Whether the kernel is code of CUDA's driver, which start_on() takes.
  bool is_for_streams() const noexcept { return std::holds_alternative<CUfunction>(code_); }
  /// Starts the kernel on the stream of an in-order queue after these events.
  template <class AddAll>
  void start_on(const sycl::queue& queue, const std::vector<sycl::event>& before,
                const launch_sizes& sizes, const AddAll& add_all) const {
    cuda_arguments arguments;
    add_all(arguments);
    const cuda::used_stream stream(queue);
    start(stream.get(), before, std::get<CUfunction>(code_), sizes, arguments);
  }

 private:
  static void start(sycl::handler&, const sycl::kernel&, const launch_sizes&);
  static void start(CUstream, const std::vector<sycl::event>& before, CUfunction,
                    const launch_sizes&, cuda_arguments&);
  static void start(sycl::handler&, const std::vector<sycl::event>& before, CUfunction,
                    const launch_sizes&, cuda_arguments);

  device_code code_;
};

/// A kernel that can be launched on any queue of its context and device. It holds no queue: a
/// context whose queues are held is never forgotten.
struct built_kernel {
  kernel_signature signature;
  std::vector<diagnostic> warnings;
  kernel_code code;
  std::array<launch_limits, 3> limits;
  /// Whether the kernel has views, and was compiled for debugging.
  bool checks_views;
};

using built_program = std::shared_ptr<const std::vector<built_kernel>>;

/// Keeps the programs that were used last. The disk cache has the others.
class built_kernels final : public context_slot {
 public:
  static constexpr std::size_t most_programs = 256;

  explicit built_kernels(const sycl::context& /*of_all*/) {}

  /// Finds a built program; null if it was not built for this device yet. `identity` is all that
  /// was given to the compiler.
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

namespace usmx::inline v1::internal {

/// Kernels together with whoever uses them, since others may take their places meanwhile.
using held_kernels = std::shared_ptr<const std::vector<kernel>>;

/// Kernels as these that hold no queue: each launch of them names one.
USMX_API held_kernels without_queue(const std::vector<kernel>&);

/// Finds compiled kernels by a key, and by the context and device of a queue. It keeps those of the
/// `most_targets` contexts and devices that were used last, and `most_keys` of each. What it has
/// forgotten is compiled again, or found in the cache of the context or of the disk. Thread-safe.
template <class Key>
class compiled_kernels {
 public:
  static constexpr std::size_t most_targets = 8;
  static constexpr std::size_t most_keys = 256;

  /// Finds kernels; null if they must be compiled. `key` is anything that a Key compares with.
  template <class Lookup>
  held_kernels find(const sycl::queue& queue, const Lookup& key) const {
    const sycl::context context = queue.get_context();
    const sycl::device device = queue.get_device();
    const std::lock_guard lock(mutex_);
    if (!put_first(targets_, [&](const target& each) { return each.is(context, device); }) ||
        !put_first(targets_.front().entries, [&](const entry& each) { return each.key == key; })) {
      return nullptr;
    }
    return targets_.front().entries.front().kernels;
  }

  /// Kernels that were just compiled on this queue. Where another thread was first, its are
  /// returned.
  held_kernels add(const sycl::queue& queue, Key key, const std::vector<kernel>& compiled) {
    held_kernels made = without_queue(compiled);
    std::list<target> targets{{queue.get_context(), queue.get_device(), {}}};
    std::list<entry> entries{{std::move(key), made}};
    // Forgotten entries are destroyed without the lock: they move to the lists above, which outlive
    // it.
    const std::lock_guard lock(mutex_);
    const auto is_here = [&here = targets.front()](const target& each) {
      return each.is(here.context, here.device);
    };
    if (!put_first(targets_, is_here)) {
      targets_.splice(targets_.begin(), targets);
    }
    std::list<entry>& known = targets_.front().entries;
    if (put_first(known, [&](const entry& each) { return each.key == entries.front().key; })) {
      return known.front().kernels;
    }
    known.splice(known.begin(), entries);
    take_surplus(targets_, most_targets, targets);
    take_surplus(known, most_keys, entries);
    return made;
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return targets_.empty();
  }

 private:
  struct entry {
    Key key;
    held_kernels kernels;
  };

  struct target {
    sycl::context context;
    sycl::device device;
    std::list<entry> entries;  // the latest first

    bool is(const sycl::context& other_context, const sycl::device& other_device) const {
      return context == other_context && device == other_device;
    }
  };

  template <class T, class Predicate>
  static bool put_first(std::list<T>& all, const Predicate& is_wanted) {
    const auto found = std::ranges::find_if(all, is_wanted);
    if (found == all.end()) {
      return false;
    }
    all.splice(all.begin(), all, found);
    return true;
  }

  template <class T>
  static void take_surplus(std::list<T>& from, std::size_t most, std::list<T>& taken) {
    if (from.size() > most) {
      taken.splice(taken.begin(), from, std::prev(from.end()));
    }
  }

  mutable detail::ranked_mutex<detail::lock_rank::compiled_kernels> mutex_;
  mutable std::list<target> targets_;  // the latest first
};

}  // namespace usmx::inline v1::internal
