// The Python classes of SYCL objects and the functions that read the objects in them; SYCL objects
// in capsules; SYCL's enumerations; and how users name a queue.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/info/device.hpp>
#include <sycl/info/event.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/platform.hpp>
#include <sycl/queue.hpp>

#include "support/nanobind.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::bindings {

// SyclDevice: holds exactly one sycl::device.

/// The class, _get_devices and diagnose_missing_device.
void bind_sycl_device(nb::module_& m);

inline nb::object to_python(const sycl::device& device) { return make_instance(device); }

/// The device that SyclDevice(argument) stands for: the default device for None.
sycl::device construct_device(nb::handle argument);

/// The filter string of a device; nothing for a sub-device.
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
/// there (cached_queue): then it is a new context of the sub-device alone.
sycl::context context_of(const sycl::device& device);

inline nb::object to_python(const sycl::context& context) { return make_instance(context); }

// ---- SyclQueue: holds exactly one sycl::queue.

/// Binds the class without the commands, which are in memory/queue_commands.hpp, and synchronize.
nb::class_<sycl::queue> bind_sycl_queue(nb::module_& m);

/// An object of usmx's own class, which notes when the queue is taken out of it. Queues for code
/// outside usmx go through dpctl_objects.hpp.
inline nb::object own_object(const sycl::queue& queue) { return make_instance(queue); }

// ---- SyclEvent: holds exactly one sycl::event. Also events of any library as arguments.

void bind_sycl_event(nb::module_& m);

/// An object of usmx's own class. Events for code outside usmx go through dpctl_objects.hpp.
inline nb::object own_object(const sycl::event& event) { return make_instance(event); }

/// A copy of the event in a SyclEvent of usmx or dpctl, any other object whose _get_capsule() holds
/// one, or such a capsule, which stays usable; none for anything else.
std::optional<sycl::event> event_of_object(nb::handle object);

/// Copies of the events in all items of a tuple or list, as event_of_object() finds them;
/// type_error naming `name` for anything else.
std::vector<sycl::event> events_argument(const char* name, nb::handle events);

/// A copy of the event in an object, as event_of_object() finds it; type_error for anything else,
/// value_error when a capsule was used or has another name.
sycl::event event_argument(const char* name, nb::handle);

// ---- usmx.Device: the value of `device=` in Python.

struct py_device {
  sycl::queue queue;
  /// The kind of memory of the array that the device came from; none if it came from none.
  std::optional<usm_kind> kind{};
};

/// Binds the class without create_device, which is below.
nb::class_<py_device> bind_device(nb::module_& m);

/// The queue inside a Device; null for any other object.
inline const sycl::queue* device_queue(PyObject* object) {
  const py_device* device = value_in<py_device>(object);
  return device == nullptr ? nullptr : &device->queue;
}

// ---- usmx's and dpctl's classes of one name

/// Makes the classes of usmx and dpctl work alike: isinstance(x, usmx.SyclQueue) and the like is
/// true for dpctl's objects of that name, too, and objects of both are compared by their contents.
/// Called after the classes are bound.
void bind_instance_check(nb::module_& m);

// The questions that a device answers: one table, from which the properties of SyclDevice, their
// types in the stub and their documentation come.

/// A property for each descriptor. Also the module's _device_descriptors, the names of those that
/// are plain data: what `usmx devices --json` lists.
void bind_device_descriptors(nb::module_& m, nb::class_<sycl::device>& cls);

// SYCL objects in Python capsules, as dpctl makes and reads them: names, `used_` renaming, and a
// destructor that frees under either name. What a capsule holds is copied, never moved.

/// A new capsule "SyclQueueRef" that owns a copy of the queue.
nb::object to_capsule(const sycl::queue&);
/// A new capsule "SyclContextRef" that owns a copy of the context.
nb::object to_capsule(const sycl::context&);
/// A new capsule "SyclEventRef" that owns a copy of the event.
nb::object to_capsule(const sycl::event&);

/// A copy of what the capsule holds; none if it has another name. Throws runtime_conflict if there
/// is another SYCL runtime that may have made it.
std::optional<sycl::queue> queue_in_capsule(PyObject* capsule);
std::optional<sycl::context> context_in_capsule(PyObject* capsule);
std::optional<sycl::event> event_in_capsule(PyObject* capsule);

/// A copy of what the capsule holds for a constructor, which marks the capsule as used. Throws
/// type_error when the capsule was used before or is named otherwise.
sycl::queue take_queue(PyObject* capsule);
sycl::context take_context(PyObject* capsule);
sycl::event take_event(PyObject* capsule);

/// Asks an object for its capsule by _get_capsule(), once; null when it has no such method.
/// type_error when that returns anything else.
nb::object capsule_of(PyObject* object);

/// The name of a capsule for messages: "'SyclQueueRef'" or "no name".
std::string capsule_name_text(PyObject* capsule);

// SYCL's enumerations as members of those in usmx.enum_types, which have dpctl's names.

/// A member of backend_type: usmx has a name for every back end of the runtime.
nb::object to_python(sycl::backend);
nb::object to_python(sycl::info::device_type);
nb::object to_python(sycl::info::event_command_status);
nb::object to_python(sycl::info::global_mem_cache_type);
nb::object to_python(sycl::info::local_mem_type);
nb::object to_python(sycl::info::partition_property);
nb::object to_python(sycl::info::fp_config);
nb::object to_python(sycl::memory_order);
nb::object to_python(sycl::memory_scope);

/// The name of a member of device_type or backend_type, which is a filter selector; null for any
/// other object.
nb::object filter_named_by(nb::handle argument);

/// The name of an affinity domain, by which sub-devices are asked for.
nb::object to_python(sycl::info::partition_affinity_domain);
/// The affinity domain of that name; nothing for any other text.
std::optional<sycl::info::partition_affinity_domain> affinity_domain_of(std::string_view name);

/// A tuple of members, or of names.
template <class Enumeration>
nb::object to_python(const std::vector<Enumeration>& members) {
  nb::list list;
  for (const Enumeration member : members) {
    list.append(to_python(member));
  }
  return nb::tuple(list);
}

// How users name a queue: every accepted form of the arguments `sycl_queue=` and `device=` becomes
// a queue, and every one of `syclobj`, in dictionaries and arguments, a queue or a context.

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

/// The kind of memory of a new array: the one that `usm_type=` names; if that is None, the kind of
/// the array that `device=` came from; else the one of the innermost scope, or the default.
usm_kind kind_argument(nb::handle usm_type, nb::handle device);

/// _queue_argument, the default queue and kind, and Device.create_device, which takes what
/// `device=` takes.
void bind_queue_argument(nb::module_& m, nb::class_<py_device>& device_class);

}  // namespace usmx::bindings
