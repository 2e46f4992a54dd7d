#include "runtime/waiting.hpp"

namespace usmx::detail {
namespace {

struct waits {
  /// Passed on the way in, and held by who wants to be alone until the others have left: otherwise
  /// new ones could keep coming for ever.
  std::mutex entrance;
  std::shared_mutex inside;
};

/// Never destroyed: used at exit.
waits& all_waits() {
  static waits& all = *new waits;
  return all;
}

}  // namespace

alone_in_driver::alone_in_driver() {
  const std::lock_guard first(all_waits().entrance);
  lock_ = std::unique_lock(all_waits().inside);
}

beside_others_in_driver::beside_others_in_driver() {
  const std::lock_guard first(all_waits().entrance);
  lock_ = std::shared_lock(all_waits().inside);
}

void wait_for_all(const std::vector<sycl::event>& events) {
  if (!events.empty()) {
    const beside_others_in_driver waiting;
    sycl::event::wait(events);
  }
}

}  // namespace usmx::detail
