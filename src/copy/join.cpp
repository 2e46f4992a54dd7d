#include "copy/join.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "array/submission.hpp"
#include "base/process.hpp"
#include "copy/kernels.hpp"
#include "kernels/device/traversal.hpp"
#include "kernels/device_kernel.hpp"
#include "kernels/groups.hpp"
#include "kernels/store.hpp"
#include "memory/reclaim.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/queues.hpp"

namespace usmx::inline v1 {
namespace {

using detail::access;
using kernels::joined_parts;

/// More bytes take longer than it takes to start the copies.
constexpr std::size_t most_nbytes = std::size_t{8} << 20;

/// A part, as bytes of each row of the result.
struct part_bytes {
  const array* of;
  std::byte* first;
  std::size_t width;
};

/// The largest item of which all widths and addresses are multiples.
std::size_t item_of(std::span<const part_bytes> parts, const std::byte* result) {
  std::size_t item = 16;
  const auto fits = [&](const std::byte* first, std::size_t width) {
    return width % item == 0 &&
           reinterpret_cast<std::uintptr_t>(first) % std::min<std::size_t>(item, 8) == 0;
  };
  while (!fits(result, 0) || !std::ranges::all_of(parts, [&](const part_bytes& each) {
    return fits(each.first, each.width);
  })) {
    item /= 2;
  }
  return item;
}

/// Joins up to max_joined parts, which begin at the byte `first` of each row.
void start_join(std::span<const part_bytes> parts, const array& result, std::size_t first,
                std::size_t pitch, const detail::device_kernel& kernel, std::size_t item,
                detail::kernel_shape shape) {
  const sycl::queue& queue = internal::presented_queue(internal::private_queue(result));
  detail::submission work(queue);
  work.reserve(parts.size() + 1);
  joined_parts all{};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    all.first[k] = parts[k].first;
    all.columns += static_cast<std::int64_t>(parts[k].width / item);
    all.end[k] = all.columns;
    work.use(*parts[k].of, access::read);
  }
  work.use(result, access::write);
  all.pitch = static_cast<std::int64_t>(pitch / item);
  all.count = static_cast<std::int64_t>(result.nbytes() / pitch) * all.columns;
  const detail::row_launch launch = detail::launch_over(all.count, shape, 1);
  all.per_group = launch.per_group;
  void* const to = internal::first_element(result) + first;
  if (kernel.is_for_streams() && work.may_start_on_stream()) {
    {
      const detail::cuda::used_stream stream(queue);
      detail::cuda::hold_up(stream.get(), work.before());
      kernel.start_on(stream.get(), launch.range, to, all);
    }
    work.announce(detail::pending_event(queue));
    return;
  }
  work.start_command([&](sycl::handler& handler) {
    kernel.enqueue(handler, work.before(), launch.range, to, all);
  });
}

}  // namespace

bool internal::is_for_join(std::span<const array> parts, const array& result) {
  return parts.size() > 1 && result.nbytes() <= most_nbytes && !host_reaches(result);
}

bool internal::join_by_kernels(std::span<const array> parts, const array& result, int axis) {
  std::vector<part_bytes> all;
  all.reserve(parts.size());
  std::size_t pitch = result.type().itemsize();
  for (int k = axis; k < result.ndim(); ++k) {
    pitch *= static_cast<std::size_t>(result.extent(k));
  }
  for (const array& each : parts) {
    if (each.type() != result.type() || !each.layout().is_c_contiguous()) {
      return false;
    }
    if (each.size() != 0) {
      all.push_back({&each, first_element(each), each.nbytes() / (result.nbytes() / pitch)});
    }
  }
  if (all.empty()) {
    return true;
  }
  const detail::runtime_call call;
  detail::release_finished();
  const std::size_t item = item_of(all, first_element(result));
  const std::shared_ptr<detail::device_kernels> own = detail::kernels_of(private_queue(result));
  const detail::device_kernel* const kernel = own->find(detail::join_kernel(item));
  if (kernel == nullptr) {
    return false;
  }
  std::size_t first = 0;
  for (std::span<const part_bytes> left = all; !left.empty();) {
    const auto some = left.first(std::min<std::size_t>(left.size(), kernels::max_joined));
    left = left.subspan(some.size());
    start_join(some, result, first, pitch, *kernel, item, own->shape());
    for (const part_bytes& each : some) {
      first += each.width;
    }
  }
  return true;
}

}  // namespace usmx::inline v1
