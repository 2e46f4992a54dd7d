#include "usmx/memory/allocator.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/ranked_mutex.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1 {
namespace {

/// The buffers of all containers, by their first byte: a container gives back no more than that.
struct container_blocks {
  detail::ranked_mutex<detail::lock_rank::container_blocks> mutex;
  std::unordered_map<const void*, std::shared_ptr<buffer>> live;

  void add(std::shared_ptr<buffer> block) {
    const std::lock_guard lock(mutex);
    live.emplace(block->data(), std::move(block));
  }
  std::shared_ptr<buffer> take(const void* first) noexcept {
    const std::lock_guard lock(mutex);
    const auto found = live.find(first);
    auto block = std::move(found->second);
    live.erase(found);
    return block;
  }
};

/// Never destroyed: containers may live longer than main.
container_blocks& all_blocks() {
  static container_blocks& all = *new container_blocks;
  return all;
}

}  // namespace

detail::container_memory::container_memory(const sycl::queue& queue, const placement& where)
    : queue_(queue), where_(where) {
  if (!is_host_accessible(where.kind())) {
    throw value_error(message("containers need memory that the host may touch, of kind shared or ",
                              "host, found kind ", name(where.kind())));
  }
}

void* detail::container_memory::allocate(std::size_t nbytes, std::size_t alignment) const {
  auto block = buffer::allocate_shared(std::max<std::size_t>(nbytes, 1), queue_, where_, alignment);
  void* const first = block->data();
  all_blocks().add(std::move(block));
  return first;
}

void detail::container_memory::deallocate(void* block) noexcept {
  all_blocks().take(block);  // released here, under no lock
}

pmr_resource::pmr_resource(const sycl::queue& queue, const placement& where)
    : memory_(queue, where) {}

pmr_resource::~pmr_resource() = default;

void* pmr_resource::do_allocate(std::size_t nbytes, std::size_t alignment) {
  return memory_.allocate(nbytes, alignment);
}

void pmr_resource::do_deallocate(void* block, std::size_t, std::size_t) {
  memory_.deallocate(block);
}

/// Containers that compare equal may take each other's memory over: each of these frees it.
bool pmr_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return dynamic_cast<const pmr_resource*>(&other) != nullptr;
}

}  // namespace usmx::inline v1
