// The plans of transforms that are kept for the next call of the same form: as many as its bounds
// allow, those that were used last. Private to the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/ranked_mutex.hpp"
#include "vendors/fourier.hpp"

namespace usmx::inline v1::detail {

/// Any thread may call. A plan lives until the last of its users is done, whatever is forgotten.
template <class Key, class Plan>
class plan_cache {
 public:
  /// Plans, and bytes by their owner's estimate. The newest plan stays, however large it is.
  constexpr plan_cache(std::size_t most, std::size_t most_nbytes) noexcept
      : most_(most), most_nbytes_(most_nbytes) {}

  /// Null if there is none.
  std::shared_ptr<Plan> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &entry::key);
    if (found == entries_.end()) {
      return nullptr;
    }
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().made;
  }

  void keep(const Key& key, std::shared_ptr<Plan> made, std::size_t nbytes) {
    std::vector<entry> forgotten;  // plans end without the lock
    const std::lock_guard lock(mutex_);
    entries_.insert(entries_.begin(), {key, std::move(made), nbytes});
    while (entries_.size() > most_ || (entries_.size() > 1 && sum() > most_nbytes_)) {
      forgotten.push_back(std::move(entries_.back()));
      entries_.pop_back();
    }
  }

  internal::kept_plans kept() {
    const std::lock_guard lock(mutex_);
    return {entries_.size(), sum()};
  }

  void clear() {
    std::vector<entry> forgotten;
    const std::lock_guard lock(mutex_);
    forgotten.swap(entries_);
  }

 private:
  struct entry {
    Key key;
    std::shared_ptr<Plan> made;
    std::size_t nbytes;
  };

  std::size_t sum() const {
    return std::accumulate(
        entries_.begin(), entries_.end(), std::size_t{0},
        [](std::size_t so_far, const entry& each) { return so_far + each.nbytes; });
  }

  std::size_t most_;
  std::size_t most_nbytes_;
  ranked_mutex<lock_rank::fourier_plans> mutex_;
  std::vector<entry> entries_;  // the latest used first
};

}  // namespace usmx::inline v1::detail
