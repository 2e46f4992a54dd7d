// All pools that live, usmx's own and the program's, so that the memory that they keep can be
// freed. Private to the library.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace usmx::inline v1::detail {

/// Base of the parts of a pool. It is listed from enter_living_pools() until it is destroyed.
class living_pool {
 public:
  living_pool() = default;
  living_pool(const living_pool&) = delete;
  living_pool& operator=(const living_pool&) = delete;
  virtual ~living_pool();

  /// Gives unused memory back to the resource below.
  virtual void trim() noexcept = 0;
  /// Gives back what is free beyond what the pool keeps.
  virtual void give_back_surplus() noexcept = 0;

 private:
  friend void enter_living_pools(const std::shared_ptr<living_pool>&);

  std::optional<std::list<std::weak_ptr<living_pool>>::iterator> entry_;
};

void enter_living_pools(const std::shared_ptr<living_pool>& pool);

/// The latest first: then a pool below, which was made earlier, also gives back what the pools
/// above gave back to it.
std::vector<std::shared_ptr<living_pool>> living_pools();

}  // namespace usmx::inline v1::detail
