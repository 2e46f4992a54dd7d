#include "pool/living_pools.hpp"

#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {
namespace {

struct pool_list {
  ranked_mutex<lock_rank::living_pools> mutex;  // guards the list and the pools' entries in it
  std::list<std::weak_ptr<living_pool>> pools;
};

/// Never destroyed: pools may be destroyed after main.
pool_list& all() {
  static pool_list& all = *new pool_list;
  return all;
}

}  // namespace

living_pool::~living_pool() {
  const std::lock_guard lock(all().mutex);
  if (entry_) {
    all().pools.erase(*entry_);
  }
}

void enter_living_pools(const std::shared_ptr<living_pool>& pool) {
  const std::lock_guard lock(all().mutex);
  pool->entry_ = all().pools.emplace(all().pools.begin(), pool);
}

std::vector<std::shared_ptr<living_pool>> living_pools() {
  std::vector<std::shared_ptr<living_pool>> found;  // may be the last owner: so not under the lock
  const std::lock_guard lock(all().mutex);
  found.reserve(all().pools.size());
  for (const std::weak_ptr<living_pool>& each : all().pools) {
    if (auto pool = each.lock()) {
      found.push_back(std::move(pool));
    }
  }
  return found;
}

}  // namespace usmx::inline v1::detail
