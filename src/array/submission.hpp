// New work on a queue that reads and writes arrays: the work that it must come after, and how later
// work learns of it. The rule (docs/concepts.md, "One order for all") stands here for submit(),
// launches and asynchronous copies. Private to the library.
#pragma once

#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "memory/buffer.hpp"
#include "runtime/waits.hpp"
#include "usmx/array/array.hpp"

namespace usmx::inline v1::detail {

/// The way in which the work is protected from code that does not read events and so might overtake
/// it: other code that has the bytes, and host code that has a view of them.
enum class overtaking : std::uint8_t {
  prevented,      ///< The call waits for the work.
  left_to_caller  ///< The caller has the event, and waits for it.
};

/// The place where the work runs whose queue is known.
enum class work_site : std::uint8_t {
  on_the_queue,  ///< On an in-order queue it comes after all earlier work there, without an event.
  as_caller_likes  ///< A function of the caller's starts it, and may use another queue.
};

class submission {
 public:
  /// A submission without a queue, for work that others submit. It collects the events to wait for,
  /// and is not announced.
  submission() = default;
  explicit submission(const sycl::queue& queue, overtaking by_others = overtaking::prevented,
                      work_site runs = work_site::on_the_queue)
      : queue_(&queue),
        overtaking_(by_others),
        site_(runs),
        stream_number_(runs == work_site::on_the_queue ? stream_number(queue) : 0) {}

  /// Makes room for that many uses.
  void reserve(std::size_t uses) { parts_.reserve(uses); }
  void use(byte_range bytes, access made);
  /// Says that the work reads or writes these elements. It comes after work on the memory that
  /// others may have submitted. Waits for that work if they give no events, and the work's queue is
  /// out of order.
  void use(const array&, access made);

  void follow(std::span<const sycl::event> events);

  const sycl::queue& queue() const noexcept { return *queue_; }
  const std::vector<sycl::event>& before() const noexcept { return before_; }
  /// Makes everything that is called from now on come after the work: usmx's own work, and that of
  /// others who are told of it. For all others, waits for the work, unless that is left to the
  /// caller. If this throws, the work has been waited for.
  sycl::event announce(sycl::event started) const;
  /// Announces work that may have no event yet.
  void announce(const pending_event& started) const;
  /// Whether the work may start on the queue's native stream, without the runtime and without an
  /// event. It may not if code outside of usmx has the queue: that code might have put host tasks
  /// there, which are on no stream.
  bool may_start_on_stream() const;
  /// Starts the work by a function that takes the events of before(), and announces it.
  template <class Start>
  sycl::event start(const Start& start) const {
    return announce(submit_to(*queue_, [&](sycl::queue&) { return start(before_); }));
  }
  /// Starts the work by a command that is put into a handler, and announces it.
  template <class Command>
  sycl::event start_command(const Command& command) const {
    return announce(submit_to(*queue_, [&](sycl::queue& to) {
      return to.submit([&](sycl::handler& handler) {
        handler.depends_on(before_);
        command(handler);
      });
    }));
  }

 private:
  /// Some bytes that the work reads or writes, and the work of usmx that it must come after.
  struct part {
    byte_range bytes;
    access made;
    earlier_work earlier;
    const array* of;  // null for bytes alone
  };

  void use(byte_range bytes, access made, const array* of);
  void follow_others(const array&);
  void follow_partner(const internal::partner&, bool host_reads);
  bool has_host_views() const;
  bool has_new_partners() const;

  const sycl::queue* queue_ = nullptr;
  overtaking overtaking_ = overtaking::prevented;
  work_site site_ = work_site::as_caller_likes;
  std::uint64_t stream_number_ = 0;
  std::vector<part> parts_;
  std::vector<sycl::event> before_;
  /// The queues of other code that has the memory, each once.
  std::vector<sycl::queue> partners_;
  /// Whether some of that code may read no events, and the order of the work's queue does not keep
  /// it behind the work: it has another queue, or one that is out of order, or reads on the host.
  bool may_be_overtaken_ = false;
  /// Whether code that reads events has another queue than the work: for copies to the host it
  /// waits only for its own queue.
  bool is_beside_partner_ = false;
};

}  // namespace usmx::inline v1::detail
