// The Python classes of SYCL objects, and the functions that read the objects in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/platform.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"

namespace usmx::bindings {

// SyclDevice: holds exactly one sycl::device.

/// The class, _get_devices and diagnose_missing_device.
void bind_sycl_device(nb::module_& m);

inline nb::object to_python(const sycl::device& device) { return make_instance(device); }

/// The device that SyclDevice(argument) stands for: the default device for None.
sycl::device construct_device(nb::handle argument);

/// Returns nothing for a sub-device.
std::optional<std::string> filter_string_of(const sycl::device& device);

/// The filter string in quotes, or the description of a sub-device: for repr.
std::string device_name(const sycl::device& device);

/// Prints a few lines for people to Python's sys.stdout.
void print_device_info(const sycl::device& device);

// ---- SyclPlatform: holds exactly one sycl::platform.

/// The class and get_platforms.
void bind_sycl_platform(nb::module_& m);

inline nb::object to_python(const sycl::platform& platform) { return make_instance(platform); }

// ---- SyclContext: holds exactly one sycl::context.

void bind_sycl_context(nb::module_& m);

/// The default context of a root device's platform. Not every back end has queues for a sub-device
/// there (cached_queue): for one it is a new context of it alone.
sycl::context context_of(const sycl::device& device);

inline nb::object to_python(const sycl::context& context) { return make_instance(context); }

// ---- SyclQueue: holds exactly one sycl::queue.

/// The class without the commands, which are in memory/queue_commands.hpp, and synchronize.
nb::class_<sycl::queue> bind_sycl_queue(nb::module_& m);

/// An object of usmx's own class, which notes when somebody takes the queue out of it. Queues for
/// code outside usmx go through dpctl_objects.hpp.
inline nb::object own_object(const sycl::queue& queue) { return make_instance(queue); }

// ---- SyclEvent: holds exactly one sycl::event. Also events of any library as arguments.

void bind_sycl_event(nb::module_& m);

/// An object of usmx's own class. Events for code outside usmx go through dpctl_objects.hpp.
inline nb::object own_object(const sycl::event& event) { return make_instance(event); }

/// A copy of the event in a SyclEvent of usmx or dpctl, any other object whose _get_capsule() holds
/// one, or such a capsule, which stays usable; none for anything else.
std::optional<sycl::event> event_of_object(nb::handle object);

/// The same of all items of a tuple or list; type_error naming `name` for anything else.
std::vector<sycl::event> events_argument(const char* name, nb::handle events);

/// The same; type_error for anything else, value_error when a capsule was used or has another name.
sycl::event event_argument(const char* name, nb::handle);

// ---- usmx.Device: the value of `device=` in Python.

struct py_device {
  sycl::queue queue;
};

/// The class without create_device, which is in queue_argument.hpp.
nb::class_<py_device> bind_device(nb::module_& m);

/// The queue inside a Device; null for any other object.
inline const sycl::queue* device_queue(PyObject* object) {
  const py_device* device = value_in<py_device>(object);
  return device == nullptr ? nullptr : &device->queue;
}

// ---- usmx's and dpctl's classes of one name

/// Makes them work alike: isinstance(x, usmx.SyclQueue) and the like is true for dpctl's objects of
/// that name, too, and objects of both are compared by what they hold. To be called after the
/// classes are bound.
void bind_instance_check(nb::module_& m);

// The questions that a device answers: one table, from which the properties of SyclDevice, their
// types in the stub and their documentation come.

/// A property for each descriptor. Also the module's _device_descriptors, the names of those that
/// are plain data: what `usmx devices --json` lists.
void bind_device_descriptors(nb::module_& m, nb::class_<sycl::device>& cls);

}  // namespace usmx::bindings
