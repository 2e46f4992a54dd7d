// A thread whose waits for earlier work may be given up.
#pragma once

#include "runtime/waits.hpp"

namespace support {

/// The calling thread asks `check` for the life of this.
class interruptible {
 public:
  explicit interruptible(usmx::internal::interrupt_check check)
      : before_(usmx::internal::set_interrupt_check(check)) {}
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;
  ~interruptible() { usmx::internal::set_interrupt_check(before_); }

 private:
  usmx::internal::interrupt_check before_;
};

}  // namespace support
