#include "user_kernels/launch.hpp"

namespace usmx::inline v1::detail {

sycl::event submit_in_order(const launch_order& order, std::span<const array_use> uses,
                            const ordered_command& command) {
  submission work(order.queue, order.by_others);
  for (const array_use& use : uses) {
    work.use(*use.used, use.made);
  }
  work.follow(order.after);
  return work.start_command([&](sycl::handler& handler) { command(handler, work.before()); });
}

}  // namespace usmx::inline v1::detail
