// The `syclobj` of the dictionary, and arguments that name a queue: every accepted form becomes a
// context and, where it has one, a queue.
#pragma once

#include "support.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {

/// The forms of PROTOCOL.md, in its order. Throws type_error/value_error naming the type found.
exchange::placement resolve_syclobj(PyObject* object);

/// The queue that arguments `sycl_queue=` and `device=` ask for: None for both is the default
/// queue; a filter string or device is that device's cached queue. Throws value_error when both are
/// given and disagree.
sycl::queue queue_argument(nb::handle sycl_queue, nb::handle device);

/// Whether `device=` names a queue, and not only a device on which any queue will do.
bool names_queue(nb::handle device);

}  // namespace usmx::bindings
