// Reports of kernels that were compiled for debugging about accesses outside of a view: the memory
// that the kernels write a report to, and the error. Private to the library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "user_kernels/arguments.hpp"
#include "user_kernels/launch.hpp"
#include "usmx/array/array.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::detail {

/// The report of one launch, or of several that are one call. The kernels' work items write the
/// first bad access to it.
class view_checks {
 public:
  /// Allocates it where the kernel and the host can write.
  view_checks(const kernel_signature&, const sycl::queue&);

  /// Completes the bytes of the view that is the parameter at `place`.
  void add_to(argument_bytes& view, std::size_t place) const;
  /// The kernel writes it.
  array_use use() const noexcept { return {&memory_, access::write}; }
  /// Waits for the launches. Throws index_error if there was a bad access.
  void require_none(std::vector<sycl::event> done,
                    std::span<const kernel_argument> arguments) const;

 private:
  const kernel_signature& signature_;
  array memory_;
};

}  // namespace usmx::inline v1::detail
