// How the work of a copy is shared among threads. No SYCL here.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"
#include "copy/host.hpp"

namespace usmx::inline v1::detail {

inline std::ptrdiff_t ceil_divide(std::ptrdiff_t a, std::ptrdiff_t b) { return (a + b - 1) / b; }

/// How the work is shared: small work is one task.
struct sharing {
  bool parallel;
  bool streaming;
  std::ptrdiff_t task_nbytes;

  sharing(std::ptrdiff_t nbytes, const host_thresholds& thresholds) noexcept
      : parallel(static_cast<std::size_t>(nbytes) >= thresholds.parallel),
        streaming(static_cast<std::size_t>(nbytes) >= thresholds.streaming),
        task_nbytes(static_cast<std::ptrdiff_t>(thresholds.task)) {}

  /// Divides `units` of work of that many bytes each into tasks, and calls body(first, end) for
  /// each.
  template <class Body>
  void run(std::ptrdiff_t units, std::ptrdiff_t unit_nbytes, const Body& body) const noexcept {
    const std::ptrdiff_t at_once = std::max<std::ptrdiff_t>(task_nbytes / unit_nbytes, 1);
    if (!parallel || units <= at_once) {
      return body(std::ptrdiff_t{0}, units);
    }
    for_each_task(ceil_divide(units, at_once), [&](std::ptrdiff_t task) {
      body(task * at_once, std::min((task + 1) * at_once, units));
    });
  }
};

}  // namespace usmx::inline v1::detail
