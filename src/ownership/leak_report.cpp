#include "ownership/leak_report.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process_state.hpp"
#include "base/ranked_mutex.hpp"
#include "observing/environment.hpp"
#include "ownership/deferred_release.hpp"
#include "usmx/memory/resources/tracking.hpp"

namespace usmx::inline v1::detail {
namespace {

/// Memory keeps its resource, so one that has gone has none to report.
struct tracked_resources {
  ranked_mutex<lock_rank::tracked_resources> mutex;
  std::vector<std::weak_ptr<tracking_resource>> all;

  void add(const std::shared_ptr<tracking_resource>& resource) {
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& each) { return each.expired(); });
    all.push_back(resource);
  }
  std::vector<std::shared_ptr<tracking_resource>> living() {
    std::vector<std::shared_ptr<tracking_resource>> found;
    const std::lock_guard lock(mutex);
    for (const std::weak_ptr<tracking_resource>& each : all) {
      if (auto resource = each.lock()) {
        found.push_back(std::move(resource));
      }
    }
    return found;
  }
};

/// Never destroyed: memory may be released after main.
tracked_resources& tracked() {
  static tracked_resources& resources = *new tracked_resources;
  return resources;
}

void report() noexcept {
  if (is_forked_child()) {
    return;
  }
  try {
    release_all();  // memory that only waits for its work is no leak
  } catch (...) {
    // The work has failed. The memory is released nevertheless.
  }
  try {
    std::size_t count = 0;
    for (const auto& resource : tracked().living()) {
      for (const tracked_block& block : resource->live_blocks()) {
        ++count;
        std::fprintf(stderr, "usmx: %zu bytes of %s memory are alive at exit: %s\n", block.nbytes,
                     name(resource->kind()).data(), block.call_site.c_str());
      }
    }
    std::fprintf(stderr, "usmx: blocks that are alive at exit: %zu\n", count);
  } catch (const std::bad_alloc&) {
    // There is no memory for the report.
  }
}

}  // namespace

any_resource reported(any_resource resource) {
  if (!leak_report_is_wanted()) {
    return resource;
  }
  [[maybe_unused]] static const int registered = std::atexit(report);
  auto tracking = std::make_shared<tracking_resource>(std::move(resource), &current_call_site);
  tracked().add(tracking);
  return tracking;
}

}  // namespace usmx::inline v1::detail
