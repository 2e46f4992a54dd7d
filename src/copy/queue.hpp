// Running a copy by commands of a queue: for memory that the host may not touch.
#pragma once

#include <cstddef>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "copy/plan.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1::detail {

/// One memcpy after the events, submitted with the queue locked and not waited for.
sycl::event start_memcpy(std::byte* destination, const std::byte* source, std::size_t nbytes,
                         sycl::queue queue, const std::vector<sycl::event>& before = {});

/// How many bytes each command of copy_by_queue moves.
std::size_t command_nbytes(const copy_plan& plan, const sycl::queue& queue);

// Both wait.

/// A memcpy for each row, or for many at equal distances where the driver has such a command; items
/// that are not adjacent are rows of one item. Converts nothing.
void copy_by_queue(const copy_plan& plan, sycl::queue queue);

/// Whether the driver fills such items as fast as memory takes them: aligned ones, in USM.
bool has_fast_fill(const std::byte* destination, usm_kind kind, std::size_t itemsize,
                   const sycl::queue&);

/// Sets `count` adjacent items to the one at `item`, which is in host memory.
void fill_by_queue(std::byte* destination, usm_kind kind, const std::byte* item,
                   std::size_t itemsize, std::size_t count, sycl::queue queue);

}  // namespace usmx::inline v1::detail
