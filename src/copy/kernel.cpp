#include "copy/kernel.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/handler.hpp>

#include "copy/element_dispatch.hpp"
#include "copy/kernel_copy.hpp"
#include "copy/kernel_launch.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/waiting.hpp"

namespace usmx::inline v1::detail {
namespace {

using events = std::vector<sycl::event>;

/// Leaves the shortest of the outer dimensions to the host, as many as a kernel does not take, and
/// returns how many: they come first.
std::size_t put_surplus_first(kernel_copy& copy) {
  if (copy.ndim <= max_kernel_dimensions) {
    return 0;
  }
  const auto all = copy.dimensions();
  std::ranges::sort(all.begin(), all.end() - 2, {}, &copy_dimension::extent);
  return copy.ndim - max_kernel_dimensions;
}

/// Calls `start(source, destination, launch)` for each index of the dimensions that a kernel does
/// not take.
template <class Start>
void for_each_launch(kernel_copy& copy, work_split split, const Start& start) {
  const std::size_t surplus = put_surplus_first(copy);
  const auto all = copy.dimensions();
  const kernel_launch launch = launch_for(all.subspan(surplus), split);
  for_each_index(
      all.first(surplus), copy.source, copy.destination,
      [&](const std::byte* source, std::byte* destination) { start(source, destination, launch); });
}

/// Enqueues the kernels, each after the one before it. When one cannot be enqueued, those before it
/// have been waited for.
template <class Enqueue>
sycl::event run(kernel_copy& copy, work_split split, sycl::queue& queue,
                const std::vector<sycl::event>& pending, Enqueue enqueue_kernel) {
  std::vector<sycl::event> before = pending;
  before.reserve(1);  // a kernel that is enqueued must not be lost for want of memory
  try {
    for_each_launch(
        copy, split,
        [&](const std::byte* source, std::byte* destination, const kernel_launch& launch) {
          before = {submit_to(queue, [&](sycl::queue& to) {
            return to.submit([&](sycl::handler& handler) {
              enqueue_kernel(handler, before, source, destination, launch);
            });
          })};
        });
  } catch (...) {
    wait_for_all(before);
    throw;
  }
  return before.front();
}

/// Whether the kernels that transpose do it, which move adjacent items on both sides.
bool is_done_by_tiles(const kernel_copy& copy, kernel_shape shape) {
  const copy_dimension& rows = copy.all_dimensions[copy.ndim - 2];
  const copy_dimension& columns = copy.all_dimensions[copy.ndim - 1];
  const auto item = static_cast<std::ptrdiff_t>(copy.destination_size);
  return !copy.cast && rows.source_stride == item && columns.destination_stride == item &&
         can_be_tiled(rows, columns, shape);
}

kernel_id kernel_for(const kernel_copy& copy, bool by_tiles) {
  if (copy.cast) {
    return *copy.cast;
  }
  return by_tiles ? transpose_kernel(copy.destination_size) : copy_kernel(copy.destination_size);
}

/// A fill of small elements in a row, as one of the largest items.
struct wide_fill {
  copy_plan plan;
  std::array<std::byte, 16> item;
};

/// None where the elements are larger, apart, or not a number of such items.
std::optional<wide_fill> widened(const copy_plan& plan, const std::byte* element) {
  constexpr std::ptrdiff_t wide = sizeof(wide_fill::item);
  const auto size = static_cast<std::ptrdiff_t>(plan.destination_type.itemsize());
  if (plan.ndim != 1 || size >= wide || wide % size != 0) {
    return std::nullopt;
  }
  const copy_dimension& row = plan.dimensions()[0];
  if (row.destination_stride != size || row.extent * size % wide != 0 ||
      reinterpret_cast<std::uintptr_t>(plan.destination) % wide != 0) {
    return std::nullopt;
  }
  wide_fill result{plan, {}};
  result.plan.destination_type = type_code::complex128;
  result.plan.all_dimensions[0] = {row.extent * size / wide, wide, wide};
  for (std::ptrdiff_t at = 0; at < wide; at += size) {
    std::memcpy(result.item.data() + at, element, static_cast<std::size_t>(size));
  }
  return result;
}

}  // namespace

std::optional<sycl::event> copy_by_kernel_of(device_kernels& from, const copy_plan& plan,
                                             sycl::queue queue, bool use_fp64,
                                             const std::vector<sycl::event>& pending) {
  std::optional<kernel_copy> copy = to_kernel_copy(plan, use_fp64);
  if (!copy) {
    return std::nullopt;
  }
  const bool by_tiles = is_done_by_tiles(*copy, from.shape());
  const device_kernel* kernel = from.find(kernel_for(*copy, by_tiles));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  return run(*copy, {.shape = from.shape(), .by_tiles = by_tiles}, queue, pending,
             [&](sycl::handler& handler, const events& before, const void* source,
                 void* destination, const kernel_launch& launch) {
               kernel->enqueue(handler, before, launch.range, source, destination, launch.walk);
             });
}

std::optional<sycl::event> copy_by_kernel(const copy_plan& plan, sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  const std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  return copy_by_kernel_of(*kernels, plan, std::move(queue), kernels->has_fp64(), pending);
}

std::optional<sycl::event> fill_by_kernel(const copy_plan& plan, const std::byte* element,
                                          sycl::queue queue,
                                          const std::vector<sycl::event>& pending) {
  const std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  const auto wide =
      kernels->shape() == kernel_shape::narrow ? std::nullopt : widened(plan, element);
  if (wide) {
    return fill_by_kernel(wide->plan, wide->item.data(), std::move(queue), pending);
  }
  copy_plan own = plan;
  own.source = own.destination;
  own.source_type = own.destination_type;
  for (copy_dimension& d : own.dimensions()) {
    d.source_stride = d.destination_stride;
  }
  const std::size_t element_size = plan.destination_type.itemsize();
  std::optional<kernel_copy> fill = to_kernel_copy(own, false);
  if (fill->destination_size != element_size) {
    return std::nullopt;
  }
  const device_kernel* kernel = kernels->find(fill_kernel(element_size));
  if (kernel == nullptr) {
    return std::nullopt;
  }
  std::optional<sycl::event> done;
  with_item_type(element_size, [&]<class Item>(std::type_identity<Item>) {
    Item item;
    std::memcpy(&item, element, sizeof item);
    done = run(*fill, {.shape = kernels->shape(), .fills = true}, queue, pending,
               [&](sycl::handler& handler, const events& before, const void*, void* destination,
                   const kernel_launch& launch) {
                 kernel->enqueue(handler, before, launch.range, item, destination, launch.walk);
               });
  });
  return done;
}

std::optional<std::vector<kernel_run>> places_by_kernel(const copy_plan& plan,
                                                        const kernels::place_rule& rule,
                                                        std::uint32_t* outside,
                                                        device_kernels& from) {
  std::optional<kernel_copy> walked = to_kernel_copy(plan, false);
  if (!walked || walked->source_size != plan.source_type.itemsize()) {
    return std::nullopt;
  }
  const device_kernel* kernel = from.find(places_kernel(plan.source_type.code()));
  // Numbers in a row are handed out finely: measured on an H100, 64 K of them in 8 groups take
  // 30 us.
  const bool is_row = walked->ndim == 2 && walked->all_dimensions[0].extent == 1;
  const kernel_shape shape =
      is_row && from.shape() == kernel_shape::tiled ? kernel_shape::wide : from.shape();
  std::vector<kernel_run> runs;
  for_each_launch(
      *walked, {.shape = shape},
      [&](const std::byte* source, std::byte* destination, const kernel_launch& launch) {
        runs.push_back(kernel->run(launch.range, static_cast<const void*>(source),
                                   static_cast<void*>(destination), launch.walk, rule, outside));
      });
  return runs;
}

}  // namespace usmx::inline v1::detail
