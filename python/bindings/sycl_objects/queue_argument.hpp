// How users name a queue: every accepted form of the arguments `sycl_queue=` and `device=` becomes
// a queue, and every one of `syclobj`, in dictionaries and arguments, a queue or a context.
#pragma once

#include <optional>

#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {

/// The queue that arguments `sycl_queue=` and `device=` ask for: None for both is the default
/// queue; a filter string or device is that device's cached queue. Throws value_error when both are
/// given and disagree.
sycl::queue queue_argument(nb::handle sycl_queue, nb::handle device);

/// The queue of an object that is or holds one: a SyclQueue of usmx or dpctl, a capsule, or an
/// object that gives one by _get_capsule(). None for any other object. If it is the queue that
/// dpctl keeps for a device, usmx's own instead.
std::optional<sycl::queue> queue_of_object(nb::handle object);

/// Whether `device=` names a queue, and not only a device on which any queue will do.
bool names_a_queue(nb::handle device);

/// The placement that a `syclobj` names. It takes the forms of docs/protocol.md, in their order.
/// Throws type_error/value_error naming the type found.
exchange::placement resolve_syclobj(PyObject* object);

/// _queue_argument, the default queue, and Device.create_device, which takes what `device=` takes.
void bind_queue_argument(nb::module_& m, nb::class_<py_device>& device_class);

}  // namespace usmx::bindings
