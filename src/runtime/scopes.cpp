#include "runtime/scopes.hpp"

#include <atomic>
#include <cstddef>

namespace usmx::inline v1::internal {
namespace {

std::atomic<std::size_t> live = 0;

}  // namespace

counted_scope::counted_scope() noexcept { live.fetch_add(1, std::memory_order_relaxed); }

counted_scope::~counted_scope() { live.fetch_sub(1, std::memory_order_relaxed); }

// Relaxed: the thread that began a scope sees its own count, and a thread that runs in a copy of
// its context was told of that with an order.
bool scopes_live() noexcept { return live.load(std::memory_order_relaxed) != 0; }

}  // namespace usmx::inline v1::internal
