#include "usmx/copy.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "convert.hpp"
#include "copy_host.hpp"
#include "copy_plan.hpp"
#include "process_state.hpp"
#include "usmx/error.hpp"
#include "usmx/usm.hpp"

namespace usmx {
namespace {

using detail::copy_end;
using detail::copy_plan;
using shape_span = std::span<const std::ptrdiff_t>;

/// One side of a copy and its memory. Kind `unknown` is ordinary host memory, in reach of every
/// queue.
struct copy_side {
  copy_end end;
  usm_kind kind;
  const sycl::queue& queue;

  bool host_may_touch() const { return usmx::host_may_touch(kind, queue.get_device()); }
};

copy_side side_of(const array_view& view) {
  return {{view.data(), view.type(), view.strides(),
           static_cast<std::ptrdiff_t>(view.type().itemsize())},
          view.kind(),
          view.queue()};
}

copy_side side_of(const host_array& host, const sycl::queue& any_queue) {
  return {{host.data, host.type, host.strides_bytes, 1}, usm_kind::unknown, any_queue};
}

/// Compact ordinary memory for elements of that shape.
class staging_memory {
 public:
  staging_memory(shape_span shape, dtype type)
      : where_(layout::c_order(shape)),
        type_(type),
        bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(
            checked_multiply(where_.size(), static_cast<std::ptrdiff_t>(type.itemsize()),
                             "number of bytes of a staged copy")))) {}

  copy_side side(const sycl::queue& any_queue) const {
    return {{bytes_.get(), type_, where_.strides(), static_cast<std::ptrdiff_t>(type_.itemsize())},
            usm_kind::unknown,
            any_queue};
  }

 private:
  layout where_;
  dtype type_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// A memcpy of the runtime for each row; items that are not adjacent are rows of one item.
void run_queue_rows(const copy_plan& plan, sycl::queue queue) {
  const bool has_rows = plan.has_rows();
  const std::size_t nbytes = has_rows ? plan.row_nbytes() : plan.source_type.itemsize();
  const std::size_t outer = has_rows && plan.ndim > 0 ? plan.ndim - 1 : plan.ndim;
  for_each_index(plan, outer, [&](const std::byte* source, std::byte* destination) {
    queue.memcpy(destination, source, nbytes);
  });
  queue.wait();
}

/// The queue that can reach both sides.
const sycl::queue& queue_for(const copy_side& source, const copy_side& destination) {
  return destination.kind == usm_kind::unknown ? source.queue : destination.queue;
}

bool in_one_context(const copy_side& source, const copy_side& destination) {
  return source.kind == usm_kind::unknown || destination.kind == usm_kind::unknown ||
         source.queue.get_context() == destination.queue.get_context();
}

[[noreturn]] void throw_impossible(std::string_view path, const copy_plan& plan,
                                   const copy_side& source, const copy_side& destination) {
  throw value_error(detail::message("copy path '", path, "' cannot copy ", plan, ", from ",
                                    name(source.kind), " to ", name(destination.kind), " memory"));
}

copy_path choose(const copy_plan& plan, bool host_reaches_both) {
  if (host_reaches_both) {
    return copy_path::host_loop;
  }
  return plan.is_whole() ? copy_path::whole : copy_path::rows;
}

void run(const copy_plan& plan, copy_path path, const copy_side& source,
         const copy_side& destination) {
  switch (path) {
    case copy_path::whole:
      if (!plan.is_whole()) {
        throw_impossible("whole", plan, source, destination);
      }
      [[fallthrough]];
    case copy_path::rows:
      if (plan.converts()) {
        throw_impossible("rows", plan, source, destination);
      }
      return run_queue_rows(plan, queue_for(source, destination));
    default:
      if (!source.host_may_touch() || !destination.host_may_touch()) {
        throw_impossible("host_loop", plan, source, destination);
      }
      return detail::copy_on_host(plan);
  }
}

/// Takes the obstacles to a direct copy out of the way, one in each call of itself.
void copy_sides(shape_span shape, const copy_side& source, const copy_side& destination,
                copy_path path) {
  const auto by_way_of = [&](dtype type) {
    const staging_memory staging(shape, type);
    const copy_side middle = staging.side(queue_for(source, destination));
    copy_sides(shape, source, middle, copy_path::automatic);
    copy_sides(shape, middle, destination, copy_path::automatic);
  };
  const copy_plan plan = detail::make_plan(shape, source.end, destination.end);
  if (may_overlap(plan)) {
    return by_way_of(source.end.type);
  }
  const bool host_reaches_source = source.host_may_touch();
  const bool host_reaches_both = host_reaches_source && destination.host_may_touch();
  if (!host_reaches_both) {
    if (plan.converts()) {
      return by_way_of(host_reaches_source ? destination.end.type : source.end.type);
    }
    if (!in_one_context(source, destination)) {
      return by_way_of(source.end.type);
    }
  }
  run(plan, path == copy_path::automatic ? choose(plan, host_reaches_both) : path, source,
      destination);
}

void require_copyable(shape_span source_shape, dtype source_type, shape_span destination_shape,
                      dtype destination_type, bool readonly) {
  if (!std::ranges::equal(source_shape, destination_shape)) {
    throw value_error(detail::message("source of a copy must have the destination's shape ",
                                      tuple_text(destination_shape), ", found ",
                                      tuple_text(source_shape)));
  }
  if (source_type != destination_type &&
      (source_type.is_structured() || destination_type.is_structured())) {
    throw value_error(detail::message("source of a copy must have the destination's element type ",
                                      destination_type, ", found ", source_type));
  }
  if (readonly) {
    throw read_only_error("destination of a copy is read-only");
  }
}

}  // namespace

void copy(const array_view& source, const array_view& destination, copy_path path) {
  require_copyable(source.shape(), source.type(), destination.shape(), destination.type(),
                   destination.readonly());
  if (source.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  copy_sides(source.shape(), side_of(source), side_of(destination), path);
}

void copy_from_host(const host_array& source, const array_view& destination) {
  require_copyable(source.shape, source.type, destination.shape(), destination.type(),
                   destination.readonly());
  if (destination.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  copy_sides(destination.shape(), side_of(source, destination.queue()), side_of(destination),
             copy_path::automatic);
}

void copy_to_host(const array_view& source, const host_array& destination) {
  require_copyable(source.shape(), source.type(), destination.shape, destination.type, false);
  if (source.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  copy_sides(source.shape(), side_of(source), side_of(destination, source.queue()),
             copy_path::automatic);
}

void convert_element(dtype source_type, const std::byte* source, dtype destination_type,
                     std::byte* destination) noexcept {
  detail::conversion(source_type, destination_type)(source, 0, destination, 0, 1);
}

void fill(const array_view& destination, const std::byte* element) {
  const std::array<std::ptrdiff_t, max_ndim> no_strides{};
  copy_from_host({const_cast<std::byte*>(element), destination.type(), destination.shape(),
                  std::span(no_strides).first(destination.shape().size())},
                 destination);
}

void fill_bytes(void* pointer, int value, std::size_t nbytes, usm_kind kind,
                const sycl::queue& queue) {
  const detail::runtime_call call;
  if (host_may_touch(kind, queue.get_device())) {
    std::memset(pointer, value, nbytes);
  } else {
    sycl::queue(queue).memset(pointer, value, nbytes).wait();
  }
}

}  // namespace usmx
