// The kernels that one object of a program has compiled: a few, and without a queue
// (docs/decisions.md, 81). Private to the library and its bindings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/base/api.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// Kernels together with whoever uses them, since others may take their places meanwhile.
using held_kernels = std::shared_ptr<const std::vector<kernel>>;

/// The same kernels, which hold no queue: each launch of them names one.
USMX_API held_kernels without_queue(const std::vector<kernel>&);

/// Finds compiled kernels by a key, and by the context and device of a queue. It keeps those of the
/// `most_places` contexts and devices that were used last, and `most_keys` of each. What it has
/// forgotten is compiled again, or found in the cache of the context or of the disk. Thread-safe.
template <class Key>
class compiled_kernels {
 public:
  static constexpr std::size_t most_places = 8;
  static constexpr std::size_t most_keys = 256;

  /// Null where they must be compiled. `key` is anything that a Key compares with.
  template <class Lookup>
  held_kernels find(const sycl::queue& queue, const Lookup& key) const {
    const sycl::context context = queue.get_context();
    const sycl::device device = queue.get_device();
    const std::lock_guard lock(mutex_);
    if (!put_first(places_, [&](const place& each) { return each.is(context, device); }) ||
        !put_first(places_.front().entries, [&](const entry& each) { return each.key == key; })) {
      return nullptr;
    }
    return places_.front().entries.front().kernels;
  }

  /// Kernels that were just compiled on this queue. Where another thread was first, its are
  /// returned.
  held_kernels add(const sycl::queue& queue, Key key, const std::vector<kernel>& compiled) {
    held_kernels made = without_queue(compiled);
    std::list<place> places{{queue.get_context(), queue.get_device(), {}}};
    std::list<entry> entries{{std::move(key), made}};
    // Forgotten entries are destroyed without the lock: they move to the lists above, which outlive
    // it.
    const std::lock_guard lock(mutex_);
    const auto is_here = [&here = places.front()](const place& each) {
      return each.is(here.context, here.device);
    };
    if (!put_first(places_, is_here)) {
      places_.splice(places_.begin(), places);
    }
    std::list<entry>& known = places_.front().entries;
    if (put_first(known, [&](const entry& each) { return each.key == entries.front().key; })) {
      return known.front().kernels;
    }
    known.splice(known.begin(), entries);
    take_surplus(places_, most_places, places);
    take_surplus(known, most_keys, entries);
    return made;
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return places_.empty();
  }

 private:
  struct entry {
    Key key;
    held_kernels kernels;
  };

  struct place {
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
  mutable std::list<place> places_;  // the latest first
};

}  // namespace usmx::inline v1::internal
