#include "usmx/memory/memory_resource.hpp"

#include <bit>
#include <limits>
#include <tuple>

#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

/// Offsets in a block, and ranges of bytes, are ptrdiff_t.
constexpr auto largest_request =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

}  // namespace

bool is_possible_request(std::size_t nbytes, std::size_t alignment) noexcept {
  return nbytes > 0 && nbytes <= largest_request &&
         (alignment == 0 || std::has_single_bit(alignment));
}

any_resource as_upstream(any_resource resource) {
  std::ignore = required(resource.identity(), "memory resource", "another one to lie on");
  int depth = 0;
  for (const any_resource* each = &resource; each != nullptr; each = each->upstream()) {
    ++depth;
  }
  if (depth >= max_resource_depth) {
    throw value_error(message("at most ", max_resource_depth,
                              " memory resources may lie on top of each other, found ", depth,
                              " below a new one"));
  }
  return resource;
}

void check_request(std::size_t nbytes, std::size_t alignment) {
  if (nbytes == 0) {
    throw value_error("number of bytes to allocate must be positive, found 0");
  }
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    throw value_error(message("alignment must be 0 or a power of two, found ", alignment));
  }
}

std::string refusal(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                    std::string_view reason) {
  return message("cannot allocate ", nbytes, " bytes of USM ", name(kind), " memory on ",
                 describe(queue.get_device()), ": ", reason);
}

}  // namespace usmx::inline v1::detail
