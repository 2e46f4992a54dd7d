// All waiting inside the driver. Private to the library.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <vector>

#include <sycl/event.hpp>

namespace usmx::detail {

/// The OpenCL CPU driver hangs when one thread waits for an out-of-order queue while another waits
/// for an event, of whatever queue (docs/decisions.md). So whoever waits for such a queue waits
/// alone; all other waits go side by side. Take it last, after a queue's lock.
class alone_in_driver {
 public:
  alone_in_driver();

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

class beside_others_in_driver {
 public:
  beside_others_in_driver();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

/// Every wait for events is one of these.
void wait_for_all(const std::vector<sycl::event>&);

}  // namespace usmx::detail
