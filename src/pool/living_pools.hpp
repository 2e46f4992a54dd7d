// All pools that live, usmx's own and others, for whoever frees what they keep. Private to the
// library.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace usmx::inline v1::detail {

/// What a pool is made of. It is among those that live from enter_living_pools() on until it ends.
class living_pool {
 public:
  living_pool() = default;
  living_pool(const living_pool&) = delete;
  living_pool& operator=(const living_pool&) = delete;
  virtual ~living_pool();

  /// Gives what nobody uses back to the resource below.
  virtual void trim() noexcept = 0;

 private:
  friend void enter_living_pools(const std::shared_ptr<living_pool>&);

  std::optional<std::list<std::weak_ptr<living_pool>>::iterator> entry_;
};

void enter_living_pools(const std::shared_ptr<living_pool>& pool);

/// The latest first: what a pool gives back, one below it that was made before gives back, too.
std::vector<std::shared_ptr<living_pool>> living_pools();

}  // namespace usmx::inline v1::detail
