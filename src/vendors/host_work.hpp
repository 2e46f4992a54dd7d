// Work that the host does on arrays whose memory it reaches, in the order of all work on them.
// Not installed.
#pragma once

#include <functional>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::internal {

/// A function of the host that reads some arrays and writes others.
class USMX_API host_work {
 public:
  /// All arrays are on one queue, and the host reaches their memory; `run` does not throw and keeps
  /// no array, as the SYCL runtime's threads may not release memory. `is_little` says that it takes
  /// less time than it takes to submit a command.
  host_work(std::vector<array> reads, std::vector<array> writes, bool is_little,
            std::function<void()> run);

  /// Runs it on the calling thread, if it is little and no work on the arrays is unfinished.
  /// Returns whether it did. The caller keeps others from starting such work meanwhile.
  bool run_at_once() const;

  /// Submits it as a host task. With `wait` returns when it is done.
  void start(bool wait) const;

 private:
  std::vector<array> reads_;
  std::vector<array> writes_;
  bool is_little_;
  std::function<void()> run_;
};

}  // namespace usmx::inline v1::internal
