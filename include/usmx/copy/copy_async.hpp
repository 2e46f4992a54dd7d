// Copies and fills that are started and not waited for. The same ones with waiting: copy.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include <sycl/event.hpp>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::inline v1 {

/// Starts a copy as `copy` makes it (errors too) and returns its event. The copy comes after all
/// work on both arrays that usmx knows or must expect, and is recorded on both: what usmx does with
/// them from then on comes after it, and their memory outlives it. Others wait for the event.
///
/// Nothing is waited for where commands of the destination's queue can do the copy: USM of one
/// context, elements aligned as their types ask, no overlap. What they cannot do, and what
/// the host does in less time than a command takes, is finished on return; its event is complete.
USMX_API sycl::event copy_async(const array& source, const array& destination);

/// The same between ordinary host memory and an array. Whoever must keep the host memory may leave
/// that to usmx: `owner` is let go of when it is no longer read or written, on a thread that then
/// copies asynchronously, allocates, lets memory go or synchronizes. The caller keeps the memory
/// itself, until the event is complete, where `owner` is null.
///
/// Nothing is waited for where both sides are compact in the same order, of one type. Any other
/// source is read before this returns; for any other destination everything is waited for.
USMX_API sycl::event copy_from_host_async(const host_array& source, const array& destination,
                                          std::shared_ptr<const void> owner);
USMX_API sycl::event copy_to_host_async(const array& source, const host_array& destination,
                                        std::shared_ptr<const void> owner);

/// Starts to set every element to the one at `element`, which is read before this returns: as
/// `fill`, asynchronous as `copy_async`.
USMX_API sycl::event fill_async(const array& destination, const std::byte* element);

}  // namespace usmx::inline v1
