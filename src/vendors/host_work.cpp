#include "vendors/host_work.hpp"

#include <algorithm>
#include <utility>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "base/process.hpp"
#include "runtime/waits.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1::internal {

host_work::host_work(std::vector<array> reads, std::vector<array> writes, bool is_little,
                     std::function<void()> run)
    : reads_(std::move(reads)),
      writes_(std::move(writes)),
      is_little_(is_little),
      run_(std::move(run)) {}

bool host_work::run_at_once() const {
  const auto is_busy = [](const array& a) { return a.may_be_busy(); };
  if (!is_little_ || std::ranges::any_of(reads_, is_busy) ||
      std::ranges::any_of(writes_, is_busy)) {
    return false;
  }
  run_();
  return true;
}

void host_work::start(bool wait) const {
  const detail::runtime_call call;
  const sycl::queue& queue = private_queue(writes_.front());
  const sycl::event done = submit(
      queue, reads_, writes_,
      std::function<void(sycl::handler&)>([this](sycl::handler& to) { to.host_task(run_); }));
  if (wait) {
    detail::wait_for(done);
  }
}

}  // namespace usmx::inline v1::internal
