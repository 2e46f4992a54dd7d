#include "user_kernels/launch.hpp"

#include "array/submission.hpp"

namespace usmx::inline v1::detail {

sycl::event submit_in_order(const sycl::queue& queue, std::span<const array_use> uses,
                            std::span<const sycl::event> after, const ordered_command& command) {
  submission work(queue);
  for (const array_use& use : uses) {
    work.use(*use.used, use.made);
  }
  work.follow(after);
  return work.start_command([&](sycl::handler& handler) { command(handler, work.before()); });
}

}  // namespace usmx::inline v1::detail
