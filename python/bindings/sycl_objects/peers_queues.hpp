// The queues that dpctl keeps for devices, on which default arrays of dpctl and dpnp are: found as
// soon as dpctl is loaded, and made known to the library, which then shows them instead of its own.
#pragma once

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Finds dpctl's queues for the devices on which usmx has queues, as soon as dpctl is loaded. To be
/// called before anything that may wait, because a consumer may have put memory that left earlier
/// on such a queue. Takes nanoseconds if nothing has changed.
void look_for_peers();

/// The same for the device of a queue that goes out or comes in, also where usmx has no queue yet.
void look_for_peers_of(const sycl::queue&);

}  // namespace usmx::bindings
