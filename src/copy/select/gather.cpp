#include "usmx/copy/select/gather.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "array/array_internal.hpp"
#include "array/pending_work.hpp"
#include "base/process_state.hpp"
#include "copy/arguments.hpp"
#include "copy/copy_internal.hpp"
#include "copy/select/gather_internal.hpp"
#include "copy/select/gather_paths.hpp"
#include "copy/select/mask_scan.hpp"
#include "copy/select/transfer.hpp"
#include "copy/staging.hpp"
#include "layout/byte_range.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
namespace {

void require_type(const array_view& found, const array_view& expected) {
  if (found.type() != expected.type()) {
    throw value_error(detail::message("elements to be moved must be of type ", expected.type(),
                                      ", found ", found.type()));
  }
}

void require_assignable(const array_view& destination) {
  detail::require_writable(destination, "assignment destination");  // NumPy's words
}

void require_shape(const array_view& destination, const selection& selected) {
  if (!std::ranges::equal(destination.shape(), selected.shape())) {
    throw value_error(detail::message("destination must have the shape of what is selected, ",
                                      tuple_text(selected.shape()), ", found ",
                                      tuple_text(destination.shape())));
  }
}

/// Calls `body` with the selection, or with a copy whose integers the host may touch.
template <class Body>
void with_host_integers(const selection& selected, const Body& body) {
  selected.is_on_host() ? body(selected) : body(selected.on_host());
}

bool overlap(const array_view& a, const array_view& b) {
  const auto bytes_of = [](const array_view& view) {
    return detail::bytes_of(view.origin(), view.layout(), view.type().itemsize());
  };
  return overlap(bytes_of(a), bytes_of(b));
}

}  // namespace

void detail::gather_on_host(const array_view& source, const selection& selected,
                            const array_view& destination) {
  const std::optional<transfer> moved = plan_transfer(source, selected, destination);
  if (!moved) {
    const internal::staging result(destination);
    gather_on_host(source, selected, result.view());
    return internal::copy_elements(result.view(), destination);
  }
  move_to_linear(*moved, source, selected, destination.nbytes());
}

void detail::scatter_on_host(const array_view& values, const selection& selected,
                             const array_view& destination) {
  const std::optional<transfer> moved = plan_transfer(destination, selected, values);
  if (!moved) {
    return scatter_on_host(internal::staging::fetched(values).view(), selected, destination);
  }
  move_to_indexed(*moved, destination, selected);
}

void detail::gather_staged(const array_view& source, const selection& selected,
                           const array_view& destination) {
  const internal::staging result(destination);
  gather_on_host(internal::staging::fetched(source).view(), selected, result.view());
  internal::copy_elements(result.view(), destination);
}

void detail::scatter_staged(const array_view& values, const selection& selected,
                            const array_view& destination) {
  const internal::staging changed = internal::staging::fetched(destination);
  scatter_on_host(internal::staging::fetched(values).view(), selected, changed.view());
  internal::copy_elements(changed.view(), destination);
}

namespace {

bool gather_by_mask(const array_view& source, const selection& selected,
                    const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && mask->gather(source, destination);
}

bool scatter_by_mask(const array_view& values, const selection& selected,
                     const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && mask->scatter(values, destination);
}

/// Whether one element of the host's goes to all true places: then nobody has to count them.
bool fills_by_mask(const array_view& values, const selection& selected,
                   const array_view& destination) {
  detail::mask_scan* const mask = detail::only_mask(selected);
  return mask != nullptr && values.size() == 1 && values.ndim() <= 1 &&
         (values.kind() == usm_kind::unknown || detail::touched_by_host(values)) &&
         !overlap(mask->mask(), destination);
}

void gather_ordered(const array& source, const selection& selected, const array& destination,
                    detail::destination_memory memory) {
  const array_view from = internal::private_view(source);
  const array_view to = internal::private_view(destination);
  require_type(to, from);
  require_assignable(to);
  require_shape(to, selected);
  if (to.size() == 0) {
    return selected.check();
  }
  const detail::runtime_call call;
  detail::wait_before(source, detail::access::read);
  detail::wait_before(destination, detail::access::write);
  const array_view part = from.with_layout_unchecked(selected.basic());
  if (detail::touched_by_host(part) && detail::touched_by_host(to)) {
    with_host_integers(
        selected, [&](const selection& reached) { detail::gather_on_host(part, reached, to); });
  } else if (!gather_by_mask(part, selected, to) &&
             !detail::gather_by_kernels(part, selected, to, memory)) {
    detail::gather_staged(part, selected.on_host(), to);
  }
}

/// Of finished values.
void scatter_view(const array_view& values, selection& selected, const array_view& part) {
  selected.keep_from(part);
  if (overlap(values, part)) {
    return scatter_view(internal::staging::fetched(values).view(), selected, part);
  }
  const array_view source =
      values.with_layout_unchecked(broadcast_assigned(values.layout(), selected.shape()));
  if (detail::touched_by_host(source) && detail::touched_by_host(part)) {
    with_host_integers(selected, [&](const selection& reached) {
      detail::scatter_on_host(source, reached, part);
    });
  } else if (!scatter_by_mask(source, selected, part) &&
             !detail::scatter_by_kernels(source, selected, part)) {
    detail::scatter_staged(source, selected.on_host(), part);
  }
}

/// `wait()` waits for the work before the values.
template <class Wait>
void scatter_ordered(const array_view& values, selection& selected, const array& destination,
                     const Wait& wait) {
  const array_view to = internal::private_view(destination);
  require_assignable(to);
  require_type(values, to);
  if (fills_by_mask(values, selected, to)) {
    const detail::runtime_call call;
    wait();
    detail::wait_before(destination, detail::access::write);
    if (detail::only_mask(selected)->fill(values.data(), to)) {
      return;
    }
  }
  const layout spread = broadcast_assigned(values.layout(), selected.shape());
  if (spread.size() == 0) {
    return selected.check();
  }
  if (detail::touched_by_host(to)) {  // elsewhere the integers are checked where they are
    selected.check();
  }
  const detail::runtime_call call;
  wait();
  detail::wait_before(destination, detail::access::write);
  scatter_view(values, selected, to.with_layout_unchecked(selected.basic()));
}

}  // namespace

void gather(const array& source, const selection& selected, const array& destination) {
  gather_ordered(source, selected, destination, detail::destination_memory::given);
}

void internal::gather_to_fresh(const array& source, const selection& selected,
                               const array& destination) {
  gather_ordered(source, selected, destination, detail::destination_memory::fresh);
}

void scatter(const array& values, selection selected, const array& destination) {
  scatter_ordered(internal::private_view(values), selected, destination,
                  [&] { detail::wait_before(values, detail::access::read); });
}

void scatter(const array_view& values, selection selected, const array& destination) {
  detail::require_host_memory("scatter", values);
  scatter_ordered(values, selected, destination, [] {});
}

}  // namespace usmx::inline v1
