// New work on a queue that reads and writes arrays: what it has to come after, and announcing it.
// The rule stands here for submit() and for asynchronous copies. Private to the library.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/pending_work.hpp"
#include "usmx/array/array.hpp"

namespace usmx::inline v1::detail {

/// New work on a queue.
class submission {
 public:
  /// Of others, which announce it.
  submission() = default;
  explicit submission(const sycl::queue& queue) : queue_(&queue) {}

  /// The work reads or writes these bytes.
  void use(byte_range bytes, access made);
  /// The work reads or writes these elements. It comes after what others may have submitted to work
  /// on the memory. Waits for that where it is on an out-of-order queue: no barrier there is sure
  /// to come after commands that still wait for a host task (docs/decisions.md, 19).
  void use(const array&, access made);

  /// The work comes after these events, too.
  void follow(std::span<const sycl::event> events);

  const sycl::queue& queue() const noexcept { return *queue_; }
  const std::vector<sycl::event>& before() const noexcept { return before_; }
  /// Where that fails, the work has been waited for.
  sycl::event announce(sycl::event started) const;
  /// Starts the work by a function that takes the events of before(), and announces it. Waits for
  /// it if others may overtake it.
  sycl::event start(const std::function<sycl::event(const std::vector<sycl::event>&)>&) const;
  /// The same for a command that is put into a handler.
  sycl::event start_command(const std::function<void(sycl::handler&)>&) const;

 private:
  /// Some bytes that the work reads or writes, and the work of usmx that it must come after.
  struct part {
    byte_range bytes;
    access made;
    earlier_work earlier;
  };

  void follow_others(const array&);

  const sycl::queue* queue_ = nullptr;
  std::vector<part> parts_;
  std::vector<sycl::event> before_;
  std::vector<sycl::queue> followed_;
  /// Whether others may submit work on the memory that comes after this work only if somebody waits
  /// for it: work through any other queue than this one, or through an out-of-order queue.
  bool others_may_overtake_ = false;
};

}  // namespace usmx::inline v1::detail
