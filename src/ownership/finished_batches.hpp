// A look at batches of memory that wait for their work. Of batches it needs only that they can be
// asked. No SYCL here. Private to the library.
#pragma once

#include <cstddef>
#include <exception>
#include <iterator>
#include <list>

namespace usmx::inline v1::detail {

/// Moves batches that are finished to `finished`: asks each in turn, from `next` on, until so many
/// were not. Where asking fails, the batch stays, and the others are asked: whoever calls it must
/// count what was moved in any case. Returns the last failure, or null.
template <class Batch>
std::exception_ptr take_finished(std::list<Batch>& all, typename std::list<Batch>::iterator& next,
                                 std::size_t unfinished, std::list<Batch>& finished) noexcept {
  std::exception_ptr failure;
  for (std::size_t left = all.size(); left > 0 && unfinished > 0; --left) {
    const auto at = next == all.end() ? all.begin() : next;
    next = std::next(at);
    bool is_finished = false;
    try {
      is_finished = at->is_finished();
    } catch (...) {
      failure = std::current_exception();
    }
    if (is_finished) {
      finished.splice(finished.end(), all, at);
    } else {
      --unfinished;
    }
  }
  return failure;
}

}  // namespace usmx::inline v1::detail
