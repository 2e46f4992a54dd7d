#include "copy/copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "base/process.hpp"
#include "copy/convert.hpp"
#include "copy/host.hpp"
#include "copy/kernels.hpp"
#include "copy/staging.hpp"
#include "runtime/devices.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/copy/values.hpp"

namespace usmx::inline v1::detail {
namespace {

using shape_span = std::span<const std::ptrdiff_t>;

void require(shape_span source_shape, dtype source_type, shape_span destination_shape,
             dtype destination_type) {
  if (!std::ranges::equal(source_shape, destination_shape)) {
    throw value_error(message("source of a copy must have the destination's shape ",
                              tuple_text(destination_shape), ", found ", tuple_text(source_shape)));
  }
  if (!internal::is_convertible(source_type, destination_type)) {
    throw value_error(message("source of a copy must have the destination's element type ",
                              destination_type, ", found ", source_type));
  }
}

/// Checks that the caller has given a stride for each extent of ordinary host memory: nothing else
/// describes it.
void require_described(const host_array& host) {
  if (host.strides_bytes.size() != host.shape.size()) {
    throw value_error(message("host memory of shape ", tuple_text(host.shape), " must have ",
                              host.shape.size(), " strides, found ", host.strides_bytes.size()));
  }
}

void require_address(std::string_view what, const std::byte* first, std::ptrdiff_t count) {
  if (first == nullptr && count != 0) {
    throw value_error(message(what, ": expected the address of ", count, " elements, found null"));
  }
}

}  // namespace

void require_copyable(const array_view& source, const array_view& destination) {
  require(source.shape(), source.type(), destination.shape(), destination.type());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const host_array& source, const array_view& destination) {
  require_described(source);
  require(source.shape, source.type, destination.shape(), destination.type());
  require_address("host memory", source.data, destination.size());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const array_view& source, const host_array& destination) {
  require_described(destination);
  require(source.shape(), source.type(), destination.shape, destination.type);
  require_address("host memory", destination.data, source.size());
}

void require_host_memory(std::string_view function, const array_view& view) {
  if (view.kind() != usm_kind::unknown) {
    throw value_error(message(function, ": expected a view of ordinary host memory, found one of ",
                              name(view.kind()), " memory: pass its array"));
  }
  require_address(function, view.origin(), view.size());
}

namespace {

bool is_adjacent(const copy_plan& plan, copy_operand side, dtype type) {
  return plan.ndim == 0 ||
         plan.dimensions().back().strides[side] == static_cast<std::ptrdiff_t>(type.itemsize());
}

}  // namespace

const sycl::queue* queue_for_kernels(const copy_plan& plan, const side_memory& source,
                                     const side_memory& destination) {
  const auto reach_both = [&](const sycl::queue& queue) {
    return is_in_reach(queue, source.first, source.kind, source.queue) &&
           is_in_reach(queue, destination.first, destination.kind, destination.queue);
  };
  // A link between two devices is fast for adjacent elements. So the source's queue writes over the
  // link where the destination's elements are adjacent, and else the destination's queue reads over
  // it. It reads as well where elements become wider by the conversion and the source's are
  // adjacent.
  const bool apart =
      source.kind != usm_kind::host && source.queue.get_device() != destination.queue.get_device();
  const bool reads_less = plan.source_type.itemsize() < plan.destination_type.itemsize() &&
                          is_adjacent(plan, source_side, plan.source_type);
  const bool writes_over_link =
      apart && (destination.kind == usm_kind::host ||
                (!reads_less && is_adjacent(plan, destination_side, plan.destination_type)));
  const sycl::queue& better = writes_over_link ? source.queue : destination.queue;
  const sycl::queue& other = writes_over_link ? destination.queue : source.queue;
  return reach_both(better) ? &better : apart && reach_both(other) ? &other : nullptr;
}

void allow_direct_copy(const side_memory& source, const side_memory& destination) {
  const auto is_of_device = [](const side_memory& side) {
    return side.kind == usm_kind::device || side.kind == usm_kind::shared;
  };
  if (is_of_device(source) && is_of_device(destination) &&
      source.queue.get_device() != destination.queue.get_device()) {
    std::ignore = is_in_reach(destination.queue, source.first, source.kind, source.queue);
    std::ignore = is_in_reach(source.queue, destination.first, destination.kind, destination.queue);
  }
}

halfway halfway_of(std::span<const std::ptrdiff_t> shape, const copy_end& source,
                   const copy_end& destination) {
  layout order = compact_like(layout::strided(shape, destination.strides));
  const bool is_packed = make_plan(shape, source,
                                   {destination.data, destination.type, order.strides(),
                                    static_cast<std::ptrdiff_t>(destination.type.itemsize())})
                             .is_whole() &&
                         source.type == destination.type;
  return {std::move(order), is_packed};
}

void require_fillable(const array_view& destination, const std::byte* element) {
  require_writable(destination, destination_of_copies);
  require_address("element of a fill", element, destination.size() == 0 ? 0 : 1);
}

void require_writable(const array_view& view, std::string_view what) {
  if (view.readonly()) {
    throw read_only_error(message(what, " is read-only"));
  }
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

using detail::access;
using detail::copy_end;
using detail::copy_plan;
using shape_span = std::span<const std::ptrdiff_t>;

/// One side of a copy and its memory. Kind `unknown` is ordinary host memory, in reach of every
/// queue.
struct copy_side {
  copy_end end;
  usm_kind kind;
  const sycl::queue& queue;

  detail::side_memory memory() const { return {end.data, kind, queue}; }
  bool host_may_touch() const { return usmx::host_may_touch(kind, queue.get_device()); }
};

copy_side side_of(const array_view& view, const sycl::queue&) {
  return {detail::end_of(view), view.kind(), view.queue()};
}

copy_side side_of(const host_array& host, const sycl::queue& any_queue) {
  return {detail::end_of(host), usm_kind::unknown, any_queue};
}

/// The queue that can reach both sides.
const sycl::queue& queue_for(const copy_side& source, const copy_side& destination) {
  return destination.kind == usm_kind::unknown ? source.queue : destination.queue;
}

struct situation {
  bool overlap;
  bool host_reaches_source;
  bool host_reaches_destination;
  bool one_context;
  const sycl::queue* reaches_both;  ///< A queue whose kernels do; null if none is known.
  /// Whether the host may touch both sides, but doing so would move a device's memory to the host.
  bool better_left_to_device;

  bool host_reaches_both() const { return host_reaches_source && host_reaches_destination; }
  bool host_does_it() const { return host_reaches_both() && !better_left_to_device; }
};

std::size_t nbytes_of(const copy_plan& plan) {
  std::size_t nbytes = plan.destination_type.itemsize();
  for (const detail::copy_dimension& d : plan.dimensions()) {
    nbytes *= static_cast<std::size_t>(d.extent);
  }
  return nbytes;
}

/// Whether a side is shared memory that the driver migrates between the host and a device with
/// memory of its own. The host makes small copies all the same, at a lower cost.
bool is_better_left_to_device(const copy_plan& plan, const copy_side& source,
                              const copy_side& destination) {
  constexpr std::size_t worth_a_command = std::size_t{64} << 10;
  const auto moves = [](const copy_side& side) {
    return side.kind == usm_kind::shared && is_remote(side.queue.get_device());
  };
  return nbytes_of(plan) >= worth_a_command && source.kind != usm_kind::unknown &&
         destination.kind != usm_kind::unknown && (moves(source) || moves(destination));
}

situation look_at(const copy_plan& plan, const copy_side& source, const copy_side& destination,
                  copy_path path) {
  const bool ordinary_memory =
      source.kind == usm_kind::unknown || destination.kind == usm_kind::unknown;
  situation now{may_overlap(plan),
                source.host_may_touch(),
                destination.host_may_touch(),
                true,
                nullptr,
                is_better_left_to_device(plan, source, destination)};
  const bool host_loop_it_is = path == copy_path::automatic && now.host_does_it();
  if (!ordinary_memory && !host_loop_it_is) {  // which needs no context
    now.one_context = source.queue.get_context() == destination.queue.get_context();
    const bool may_need_kernels =
        path == copy_path::kernel || !plan.is_whole() || now.overlap || now.better_left_to_device;
    if (now.one_context && may_need_kernels) {
      now.reaches_both = detail::queue_for_kernels(plan, source.memory(), destination.memory());
    }
    now.better_left_to_device = now.better_left_to_device && now.reaches_both != nullptr;
  }
  return now;
}

/// The path if only one is possible; none if there is a choice.
std::optional<copy_path> forced_path(const copy_plan& plan, const situation& now) {
  if (now.overlap) {
    // The host's loop is memmove then; staging copies the source first.
    return plan.is_whole() && now.host_reaches_both() ? copy_path::host_loop : copy_path::staged;
  }
  if (!now.one_context && !now.host_reaches_both()) {
    return copy_path::staged;
  }
  return std::nullopt;
}

/// Whether kernels make this copy faster than commands that copy rows. Commands are as good for
/// long rows if one command copies all of them, or each moves half a piece of a transfer.
bool is_work_for_kernels(const copy_plan& plan, const sycl::queue& queue) {
  constexpr std::size_t long_row = std::size_t{64} << 10;
  constexpr std::size_t worth_a_command = std::size_t{2} << 20;
  if (!plan.has_rows() || plan.row_nbytes() < long_row) {
    return true;
  }
  const std::size_t nbytes = detail::command_nbytes(plan, queue);
  return nbytes < worth_a_command && nbytes < nbytes_of(plan);
}

/// The path for a copy that a kernel would make best, if no queue's kernels reach both sides.
copy_path out_of_reach(const copy_plan& plan, const sycl::queue& queue) {
  return is_work_for_kernels(plan, queue) ? copy_path::staged : copy_path::rows;
}

/// The path for a copy that no kernel can make.
copy_path without_kernel(const copy_plan& plan, const situation& now) {
  if (now.host_reaches_both()) {
    return copy_path::host_loop;
  }
  return plan.converts() ? copy_path::staged : copy_path::rows;
}

/// The choice between the executors: docs/copy-engine.md has the measurements. How the host's loop
/// is run (on how many threads, past the caches or not) is decided in host.hpp.
copy_path choose(const copy_plan& plan, const situation& now, const sycl::queue& queue) {
  if (now.host_does_it()) {
    return copy_path::host_loop;  // the smallest command of a queue takes 3 us or more
  }
  if (plan.is_whole()) {
    return copy_path::whole;
  }
  return now.reaches_both != nullptr ? copy_path::kernel : out_of_reach(plan, queue);
}

void copy_sides(shape_span shape, const copy_side& source, const copy_side& destination,
                copy_path path);

/// Copies to `between` and on to the destination, for copies that cannot be made directly. Each of
/// the two copies is planned anew and meets fewer obstacles.
void copy_by_way_of(const array_view& between, const copy_side& source,
                    const copy_side& destination) {
  const copy_side middle = side_of(between, between.queue());
  copy_sides(between.shape(), source, middle, copy_path::automatic);
  copy_sides(between.shape(), middle, destination, copy_path::automatic);
}

/// Copies by way of compact memory that the host and the device of one side reach: that device's
/// kernels pack, unpack and convert. Returns false where there is no such memory.
bool copy_with_device(shape_span shape, const copy_side& source, const copy_side& destination,
                      const situation& now) {
  // The host converts on the side that it reaches.
  const copy_side& side = now.host_reaches_source ? destination : source;
  const auto between =
      detail::staging_for_commands(layout::c_order(shape), destination.end.type, side.queue);
  if (between) {
    copy_by_way_of(internal::private_view(*between), source, destination);
  }
  return between.has_value();
}

/// Copies by way of compact memory of the device.
void copy_on_device(shape_span shape, const copy_side& source, const copy_side& destination) {
  const array between = empty(shape, source.end.type, destination.queue, usm_kind::device);
  copy_by_way_of(internal::private_view(between), source, destination);
}

/// Whether neither the host nor the kernels of the other side's queue reach a side.
bool is_between_devices(const copy_side& source, const copy_side& destination,
                        const situation& now) {
  return now.one_context && now.reaches_both == nullptr && !now.host_reaches_source &&
         !now.host_reaches_destination && source.kind != usm_kind::unknown &&
         destination.kind != usm_kind::unknown;
}

/// Copies by way of compact memory of one of the devices: see detail::halfway. Returns false if
/// there is not enough memory: then the copy has to be made in another way.
bool copy_between_devices(shape_span shape, const copy_side& source, const copy_side& destination) {
  try {
    detail::halfway way = detail::halfway_of(shape, source.end, destination.end);
    const sycl::queue& queue = way.is_packed ? destination.queue : source.queue;
    const array between =
        empty(std::move(way.order), destination.end.type, queue, usm_kind::device);
    copy_by_way_of(internal::private_view(between), source, destination);
    return true;
  } catch (const allocation_error&) {
    return false;
  }
}

/// Copies by way of compact host memory.
void copy_staged(shape_span shape, const copy_side& source, const copy_side& destination,
                 const copy_plan& plan, const situation& now) {
  const bool converts_first = plan.converts() && now.host_reaches_source && !now.overlap;
  const internal::staging between(shape, converts_first ? destination.end.type : source.end.type,
                                  queue_for(source, destination));
  copy_by_way_of(between.view(), source, destination);
}

[[noreturn]] void throw_impossible(std::string_view path, const copy_plan& plan,
                                   const copy_side& source, const copy_side& destination) {
  throw value_error(detail::message("copy path '", path, "' cannot copy ", plan, ", from ",
                                    name(source.kind), " to ", name(destination.kind), " memory"));
}

void run_on_host(const copy_plan& plan, const situation& now) {
  if (now.overlap) {  // one run, see forced_path
    std::memmove(plan.destination, plan.source, plan.row_nbytes());
  } else {
    detail::copy_on_host(plan);
  }
}

/// Returns false, with nothing done, if the bytes are few or the driver copies them directly.
bool run_in_pieces(const copy_plan& plan, const copy_side& source, const copy_side& destination) {
  constexpr std::size_t worth_pieces = std::size_t{512} << 10;
  const bool is_upload = source.kind == usm_kind::unknown;
  const sycl::queue& queue = queue_for(source, destination);
  if (plan.row_nbytes() < worth_pieces || !is_remote(queue.get_device()) ||
      is_upload == (destination.kind == usm_kind::unknown)) {
    return false;
  }
  const auto move = is_upload ? &detail::upload_in_pieces : &detail::download_in_pieces;
  return move(plan.destination, plan.source, plan.row_nbytes(), queue);
}

/// Returns false, with nothing done, if no kernel can make the copy.
bool run_kernel(const copy_plan& plan, const sycl::queue& queue) {
  const std::optional<sycl::event> done = detail::copy_by_kernel(plan, queue);
  if (done) {
    detail::wait_for(*done);
  }
  return done.has_value();
}

void copy_sides(shape_span shape, const copy_side& source, const copy_side& destination,
                copy_path path) {
  const copy_plan plan = detail::make_plan(shape, source.end, destination.end);
  if (is_in_place(plan)) {
    return;
  }
  const situation now = look_at(plan, source, destination, path);
  const bool may_choose = path == copy_path::automatic;
  const sycl::queue& queue = queue_for(source, destination);
  path = forced_path(plan, now).value_or(may_choose ? choose(plan, now, queue) : path);
  bool kernels_may_help = true;
  if (path == copy_path::kernel) {
    if (now.reaches_both != nullptr && run_kernel(plan, *now.reaches_both)) {
      return;
    }
    if (!may_choose) {
      throw_impossible("kernel", plan, source, destination);
    }
    path = without_kernel(plan, now);
    kernels_may_help = false;
  }
  switch (path) {
    case copy_path::whole:
      if (!plan.is_whole()) {
        throw_impossible("whole", plan, source, destination);
      }
      if (may_choose && run_in_pieces(plan, source, destination)) {
        return;
      }
      detail::allow_direct_copy(source.memory(), destination.memory());
      [[fallthrough]];
    case copy_path::rows:
      if (plan.converts()) {
        throw_impossible("rows", plan, source, destination);
      }
      return detail::copy_by_queue(plan, queue);
    case copy_path::staged:
      if (now.overlap && now.reaches_both != nullptr && !now.host_reaches_both()) {
        return copy_on_device(shape, source, destination);
      }
      if (kernels_may_help && is_between_devices(source, destination, now) &&
          copy_between_devices(shape, source, destination)) {
        return;
      }
      if (kernels_may_help && !now.host_reaches_both() && is_work_for_kernels(plan, queue) &&
          copy_with_device(shape, source, destination, now)) {
        return;
      }
      return copy_staged(shape, source, destination, plan, now);
    default:
      if (!now.host_reaches_both()) {
        throw_impossible("host_loop", plan, source, destination);
      }
      return run_on_host(plan, now);
  }
}

/// Makes a copy for which require_copyable() has been called. At least one side is a view.
template <class Source, class Destination>
void copy_checked(const Source& source, const Destination& destination,
                  copy_path path = copy_path::automatic) {
  constexpr bool is_to_view = std::is_same_v<Destination, array_view>;
  const array_view& view = *std::get<is_to_view ? 1 : 0>(std::tuple(&source, &destination));
  if (view.size() != 0) {
    const detail::runtime_call call;
    copy_sides(view.shape(), side_of(source, view.queue()), side_of(destination, view.queue()),
               path);
  }
}

}  // namespace

// ---- views

void internal::copy_elements(const array_view& source, const array_view& destination,
                             copy_path path) {
  detail::require_copyable(source, destination);
  copy_checked(source, destination, path);
}

void internal::copy_elements(const host_array& source, const array_view& destination) {
  detail::require_copyable(source, destination);
  copy_checked(source, destination);
}

void internal::copy_elements(const array_view& source, const host_array& destination) {
  detail::require_copyable(source, destination);
  copy_checked(source, destination);
}

void convert_element(dtype source_type, const std::byte* source, dtype destination_type,
                     std::byte* destination) noexcept {
  detail::conversion(source_type, destination_type).strided(source, 0, destination, 0, 1);
}

void internal::fill_elements(const array_view& destination, const std::byte* element,
                             copy_path path) {
  detail::require_fillable(destination, element);
  if (destination.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  const copy_side to = side_of(destination, destination.queue());
  const std::array<std::ptrdiff_t, max_ndim> no_strides{};
  const copy_side from =
      side_of(host_array{const_cast<std::byte*>(element), destination.type(), destination.shape(),
                         std::span(no_strides).first(destination.shape().size())},
              destination.queue());
  const copy_plan plan = detail::make_plan(destination.shape(), from.end, to.end);
  const bool by_device = path == copy_path::automatic &&
                         (!to.host_may_touch() || is_better_left_to_device(plan, to, to));
  const bool adjacent =
      plan.ndim == 0 ||
      (plan.ndim == 1 && plan.dimensions()[0].strides[detail::destination_side] ==
                             static_cast<std::ptrdiff_t>(destination.type().itemsize()));
  const auto by_queue = [&] {
    const std::ptrdiff_t count = plan.ndim == 0 ? 1 : plan.dimensions()[0].extent;
    detail::fill_by_queue(plan.destination, to.kind, element, destination.type().itemsize(),
                          static_cast<std::size_t>(count), destination.queue());
  };
  if (adjacent && by_device &&
      detail::has_fast_fill(plan.destination, to.kind, destination.type().itemsize(),
                            destination.queue())) {
    return by_queue();
  }
  if ((path == copy_path::kernel || by_device) && to.kind != usm_kind::unknown) {
    if (auto done = detail::fill_by_kernel(plan, element, destination.queue())) {
      return detail::wait_for(*done);
    }
  }
  if (adjacent && (path == copy_path::whole || by_device)) {
    return by_queue();
  }
  copy_sides(destination.shape(), from, to, path);
}

// ---- arrays and buffers, which order themselves

void copy(const array& source, const array& destination, copy_path path) {
  const array_view from = internal::private_view(source);
  const array_view to = internal::private_view(destination);
  detail::require_copyable(from, to);
  detail::wait_before(source, access::read);
  detail::wait_before(destination, access::write);
  copy_checked(from, to, path);
}

void copy_from_host(const host_array& source, const array& destination) {
  const array_view to = internal::private_view(destination);
  detail::require_copyable(source, to);
  detail::wait_before(destination, access::write);
  copy_checked(source, to);
}

void copy_from_host(const array_view& source, const array& destination) {
  detail::require_host_memory("copy_from_host", source);
  const array_view to = internal::private_view(destination);
  detail::require_copyable(source, to);
  detail::wait_before(destination, access::write);
  copy_checked(source, to);
}

void copy_to_host(const array& source, const host_array& destination) {
  const array_view from = internal::private_view(source);
  detail::require_copyable(from, destination);
  detail::wait_before(source, access::read);
  copy_checked(from, destination);
}

void detail::read_item(const array& from, dtype type, std::byte* value) {
  if (from.size() != 1) {
    throw value_error(
        message("item() needs an array of size 1, found shape ", tuple_text(from.shape())));
  }
  const layout in_bytes = layout::c_order(from.shape());
  copy_to_host(from, {value, type, from.shape(), in_bytes.strides()});
}

void fill(const array& destination, const std::byte* element, copy_path path) {
  const array_view to = internal::private_view(destination);
  detail::require_fillable(to, element);
  detail::wait_before(destination, access::write);
  internal::fill_elements(to, element, path);
}

void internal::fill_bytes(buffer& destination, std::byte value) {
  const std::size_t nbytes = destination.nbytes();
  if (nbytes == 0) {
    return;
  }
  const detail::runtime_call call;
  destination.wait();
  const sycl::queue& queue = internal::private_queue(destination);
  if (!host_may_touch(destination.kind(), queue.get_device())) {
    return detail::wait_for(detail::submit_to(queue, [&](sycl::queue& to) {
      return to.memset(destination.data(), static_cast<int>(value), nbytes);
    }));
  }
  const std::array extent{static_cast<std::ptrdiff_t>(nbytes)};
  const std::array<std::ptrdiff_t, 1> still{0};
  const std::array<std::ptrdiff_t, 1> adjacent{1};
  detail::copy_on_host(detail::make_plan(extent, {&value, type_code::uint8, still, 1},
                                         {destination.data(), type_code::uint8, adjacent, 1}));
}

array astype(const array& source, dtype type) {
  array result =
      empty(compact_like(source.layout()), type, internal::private_queue(source), source.kind());
  copy(source, result);
  return result;
}

array clone(const array& source) { return clone(source, source.kind()); }

array clone(const array& source, const placement& memory) {
  return clone(source, internal::private_queue(source), memory);
}

array clone(const array& source, const sycl::queue& queue, const placement& memory) {
  array result = empty(compact_like(source.layout()), source.type(), queue, memory);
  copy(source, result);
  return result;
}

array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue, usm_kind kind) {
  return zeros(shape, type, queue, placement(kind));
}

array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue,
            const placement& memory) {
  array result = empty(shape, type, queue, memory);
  internal::fill_bytes(result.memory(), std::byte{0});
  return result;
}

}  // namespace usmx::inline v1
