#include "usmx/copy/select/gather.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "array/pending_work.hpp"
#include "base/process_state.hpp"
#include "copy/select/gather_paths.hpp"
#include "copy/select/transfer.hpp"
#include "copy/staging.hpp"
#include "layout/byte_range.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1 {
namespace {

bool touched_by_host(const array_view& view) { return host_may_touch(view.kind(), view.device()); }

void require_type(const array_view& found, const array_view& expected) {
  if (found.type() != expected.type()) {
    throw value_error(detail::message("elements to be moved must be of type ", expected.type(),
                                      ", found ", found.type()));
  }
}

void require_writable(const array_view& destination) {
  if (destination.readonly()) {
    throw read_only_error("assignment destination is read-only");
  }
}

void require_shape(const array_view& destination, const selection& selected) {
  if (!std::ranges::equal(destination.shape(), selected.shape())) {
    throw value_error(detail::message("destination must have the shape of what is selected, ",
                                      tuple_text(selected.shape()), ", found ",
                                      tuple_text(destination.shape())));
  }
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
    const staging result(destination);
    gather_on_host(source, selected, result.view());
    return copy(result.view(), destination);
  }
  move_to_linear(*moved, source, selected, destination.nbytes());
}

void detail::scatter_on_host(const array_view& values, const selection& selected,
                             const array_view& destination) {
  const std::optional<transfer> moved = plan_transfer(destination, selected, values);
  if (!moved) {
    return scatter_on_host(staging::fetched(values).view(), selected, destination);
  }
  move_to_indexed(*moved, destination, selected);
}

void detail::gather_staged(const array_view& source, const selection& selected,
                           const array_view& destination) {
  const staging result(destination);
  gather_on_host(staging::fetched(source).view(), selected, result.view());
  copy(result.view(), destination);
}

void detail::scatter_staged(const array_view& values, const selection& selected,
                            const array_view& destination) {
  const staging changed = staging::fetched(destination);
  scatter_on_host(staging::fetched(values).view(), selected, changed.view());
  copy(changed.view(), destination);
}

void gather(const array_view& source, const selection& selected, const array_view& destination) {
  require_type(destination, source);
  require_writable(destination);
  require_shape(destination, selected);
  if (destination.size() == 0) {
    return selected.check();
  }
  const detail::runtime_call call;
  const array_view part = source.with_layout_unchecked(selected.basic());
  detail::wait_for_pending_work(part, detail::access::read);
  detail::wait_for_pending_work(destination, detail::access::write);
  if (touched_by_host(part) && touched_by_host(destination)) {
    detail::gather_on_host(part, selected, destination);
  } else {
    detail::gather_staged(part, selected, destination);
  }
}

void scatter(const array_view& values, selection selected, const array_view& destination) {
  require_writable(destination);
  require_type(values, destination);
  const layout spread = broadcast_assigned(values.layout(), selected.shape());
  selected.check();
  if (spread.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  const array_view part = destination.with_layout_unchecked(selected.basic());
  detail::wait_for_pending_work(values, detail::access::read);
  detail::wait_for_pending_work(part, detail::access::write);
  selected.keep_from(part);
  if (overlap(values, part)) {
    const auto kept = detail::staging::fetched(values);
    return scatter(kept.view(), std::move(selected), destination);
  }
  const array_view source = values.with_layout_unchecked(spread);
  if (touched_by_host(source) && touched_by_host(part)) {
    detail::scatter_on_host(source, selected, part);
  } else {
    detail::scatter_staged(source, selected, part);
  }
}

}  // namespace usmx::inline v1
