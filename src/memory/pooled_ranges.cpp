#include "memory/pooled_ranges.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace usmx::detail::pooled_ranges {
namespace {

/// The ends of the ranges by their first bytes. Every import of foreign memory reads it; it changes
/// only with calls of the runtime.
struct range_table {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, std::uintptr_t> ends;
};

/// Never destroyed: memory may be imported after main.
range_table& table() {
  static range_table& all = *new range_table;
  return all;
}

}  // namespace

void add(const std::byte* first, std::size_t nbytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::unique_lock lock(table().mutex);
  table().ends.emplace(begin, begin + nbytes);
}

void remove(const std::byte* first) noexcept {
  const std::unique_lock lock(table().mutex);
  table().ends.erase(reinterpret_cast<std::uintptr_t>(first));
}

bool contains(const void* pointer) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const std::shared_lock lock(table().mutex);
  const auto after = table().ends.upper_bound(at);
  return after != table().ends.begin() && at < std::prev(after)->second;
}

}  // namespace usmx::detail::pooled_ranges
