#include "copy/queue.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <sycl/ext/oneapi/memcpy2d.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "copy/block_kernels.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/waiting.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {

sycl::event start_memcpy(std::byte* destination, const std::byte* source, std::size_t nbytes,
                         sycl::queue queue, const std::vector<sycl::event>& before) {
  return submit_to(std::move(queue),
                   [&](sycl::queue& to) { return to.memcpy(destination, source, nbytes, before); });
}

namespace {

/// Rows of bytes at equal distances.
struct equal_rows {
  const std::byte* source;
  std::byte* destination;
  std::size_t nbytes;
  copy_dimension rows;
};

bool is_the_devices(const void* pointer, const sycl::queue& queue) {
  const sycl::usm::alloc kind = sycl::get_pointer_type(pointer, queue.get_context());
  return kind == sycl::usm::alloc::device || kind == sycl::usm::alloc::shared;
}

/// Whether the driver copies them by one command. Between two ends in the host's memory none does.
bool is_one_command(const equal_rows& copy, const sycl::queue& queue) {
  const std::ptrdiff_t longest_distance = traits_of(queue.get_backend()).longest_row_distance;
  const auto nbytes = static_cast<std::ptrdiff_t>(copy.nbytes);
  const auto is_distance = [&](std::ptrdiff_t stride) {
    return nbytes <= stride && stride <= longest_distance;
  };
  return is_distance(copy.rows.source_stride) && is_distance(copy.rows.destination_stride) &&
         (is_the_devices(copy.source, queue) || is_the_devices(copy.destination, queue));
}

void start_rows(const equal_rows& copy, const sycl::queue& queue) {
  const auto count = static_cast<std::size_t>(copy.rows.extent);
  if (is_one_command(copy, queue)) {
    submit_to(queue, [&](sycl::queue& to) {
      return to.ext_oneapi_memcpy2d(
          copy.destination, static_cast<std::size_t>(copy.rows.destination_stride), copy.source,
          static_cast<std::size_t>(copy.rows.source_stride), copy.nbytes, count);
    });
    return;
  }
  for_each_index(std::span(&copy.rows, 1), copy.source, copy.destination,
                 [&](const std::byte* source, std::byte* destination) {
                   start_memcpy(destination, source, copy.nbytes, queue);
                 });
}

/// A plan as rows, and the dimensions around them. Where no items are adjacent a row is one.
struct all_rows {
  explicit all_rows(const copy_plan& plan)
      : nbytes(plan.has_rows() ? plan.row_nbytes() : plan.source_type.itemsize()),
        around(
            plan.dimensions().first(plan.has_rows() && plan.ndim > 0 ? plan.ndim - 1 : plan.ndim)) {
    if (!around.empty()) {
      rows = around.back();
      around = around.first(around.size() - 1);
    }
  }

  std::size_t nbytes;
  copy_dimension rows{1, 0, 0};
  std::span<const copy_dimension> around;
};

}  // namespace

std::size_t command_nbytes(const copy_plan& plan, const sycl::queue& queue) {
  const all_rows all(plan);
  const bool at_once = is_one_command({plan.source, plan.destination, all.nbytes, all.rows}, queue);
  return all.nbytes * (at_once ? static_cast<std::size_t>(all.rows.extent) : 1);
}

void copy_by_queue(const copy_plan& plan, sycl::queue queue) {
  const all_rows all(plan);
  try {
    for_each_index(all.around, plan.source, plan.destination,
                   [&](const std::byte* source, std::byte* destination) {
                     start_rows({source, destination, all.nbytes, all.rows}, queue);
                   });
  } catch (...) {
    wait_for_queue(queue);  // the rows before it are in flight
    throw;
  }
  wait_for_queue(queue);
}

bool has_fast_fill(const std::byte* destination, usm_kind kind, std::size_t itemsize,
                   const sycl::queue& queue) {
  const std::size_t fast = traits_of(queue.get_backend()).fast_fill_itemsize;
  return fast > 0 && itemsize == fast && kind != usm_kind::unknown &&
         reinterpret_cast<std::uintptr_t>(destination) % fast == 0;
}

void fill_by_queue(std::byte* destination, usm_kind kind, const std::byte* item,
                   std::size_t itemsize, std::size_t count, sycl::queue queue) {
  if (has_fast_fill(destination, kind, itemsize, queue)) {
    std::uint32_t pattern;
    std::memcpy(&pattern, item, sizeof pattern);
    return wait_for(submit_to(
        std::move(queue), [&](sycl::queue& to) { return to.fill(destination, pattern, count); }));
  }
  // From the host as much as costs no more than the command itself; then what is there already is
  // copied behind itself.
  constexpr std::size_t first_nbytes = 4096;
  const std::size_t nbytes = itemsize * count;
  const std::size_t first_count =
      std::min(count, std::max<std::size_t>(first_nbytes / itemsize, 1));
  std::vector<std::byte> first(itemsize * first_count);
  const auto step = static_cast<std::ptrdiff_t>(itemsize);
  move_kernel(itemsize, 0, step)(block{
      item, first.data(), 1, 0, 0, static_cast<std::ptrdiff_t>(first_count), 0, step, itemsize});
  wait_for(start_memcpy(destination, first.data(), first.size(), queue));
  for (std::size_t done = first.size(); done < nbytes;) {
    const std::size_t now = std::min(done, nbytes - done);
    wait_for(start_memcpy(destination + done, destination, now, queue));
    done += now;
  }
}

}  // namespace usmx::inline v1::detail
