#include "sycl_objects/classes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/class_parts.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::bindings {
namespace {

/// The name of a capsule whose content was taken. A fresh capsule's name lacks "used_".
template <class T>
constexpr const char* used_name = nullptr;
template <>
constexpr const char* used_name<sycl::queue> = "used_SyclQueueRef";
template <>
constexpr const char* used_name<sycl::context> = "used_SyclContextRef";
template <>
constexpr const char* used_name<sycl::event> = "used_SyclEventRef";
template <class T>
constexpr const char* fresh_name = used_name<T> + 5;

interned get_capsule_name("_get_capsule");

template <class T>
void destroy(PyObject* capsule) {
  // A capsule that other code renamed to anything else is no longer ours to free.
  const char* name = PyCapsule_GetName(capsule);
  if (name != nullptr &&
      (std::strcmp(name, fresh_name<T>) == 0 || std::strcmp(name, used_name<T>) == 0)) {
    delete static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  }
}

template <class T>
nb::object make(const T& value) {
  require_usable_process();
  auto copy = std::make_unique<T>(value);
  PyObject* capsule = PyCapsule_New(copy.get(), fresh_name<T>, destroy<T>);
  if (capsule == nullptr) {
    nb::raise_python_error();
  }
  copy.release();
  return nb::steal(capsule);
}

template <class T>
std::optional<T> read(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, fresh_name<T>)) {
    return std::nullopt;
  }
  require_usable_process();
  check_single_runtime();
  return *static_cast<const T*>(PyCapsule_GetPointer(capsule, fresh_name<T>));
}

template <class T>
T take(PyObject* capsule) {
  const nb::ft_object_guard alone(capsule);
  std::optional<T> value = read<T>(capsule);
  if (!value) {
    throw type_error(detail::message("capsule must be named '", fresh_name<T>,
                                     "' and not be used yet, found ", capsule_name_text(capsule)));
  }
  if (PyCapsule_SetName(capsule, used_name<T>) != 0) {
    nb::raise_python_error();
  }
  return *std::move(value);
}

}  // namespace

nb::object to_capsule(const sycl::queue& queue) { return make(queue); }
nb::object to_capsule(const sycl::context& context) { return make(context); }
nb::object to_capsule(const sycl::event& event) { return make(event); }

std::optional<sycl::queue> queue_in_capsule(PyObject* capsule) {
  return read<sycl::queue>(capsule);
}
std::optional<sycl::context> context_in_capsule(PyObject* capsule) {
  return read<sycl::context>(capsule);
}
std::optional<sycl::event> event_in_capsule(PyObject* capsule) {
  return read<sycl::event>(capsule);
}

sycl::queue take_queue(PyObject* capsule) { return take<sycl::queue>(capsule); }
sycl::context take_context(PyObject* capsule) { return take<sycl::context>(capsule); }
sycl::event take_event(PyObject* capsule) { return take<sycl::event>(capsule); }

nb::object capsule_of(PyObject* object) {
  if (PyType_Check(object)) {
    return nb::object();  // a class has the methods of its objects, but no capsule
  }
  nb::object method = optional_attribute(object, get_capsule_name.get());
  if (!method.is_valid()) {
    return nb::object();
  }
  nb::object capsule = checked(run_python([&] { return PyObject_CallNoArgs(method.ptr()); }));
  if (!PyCapsule_CheckExact(capsule.ptr())) {
    throw type_error(detail::message(type_name(object),
                                     "._get_capsule() must return a capsule, found ",
                                     type_name(capsule.ptr())));
  }
  return capsule;
}

std::string capsule_name_text(PyObject* capsule) {
  const char* name = PyCapsule_GetName(capsule);
  return name == nullptr ? "no name" : detail::message("'", name, "'");
}

namespace {

template <class Value>
struct named {
  Value value;
  const char* name;
};

template <class Value, std::size_t N>
const char* name_in(const std::array<named<Value>, N>& table, Value value) {
  const auto found = std::ranges::find(table, value, &named<Value>::value);
  return found == table.end() ? nullptr : found->name;
}

/// The member of an enumeration; RuntimeError if the runtime reports a value without a name.
template <class Value, std::size_t N>
nb::object member(lazy_import& enumeration, const std::array<named<Value>, N>& table, Value value) {
  const char* name = name_in(table, value);
  if (name == nullptr) {
    PyErr_Format(PyExc_RuntimeError, "the SYCL runtime reports a value without a name: %lld",
                 static_cast<long long>(value));
    nb::raise_python_error();
  }
  return enumeration.get().attr(name);
}

using sycl::info::device_type;
constexpr std::array device_types{named{device_type::all, "all"},
                                  named{device_type::accelerator, "accelerator"},
                                  named{device_type::automatic, "automatic"},
                                  named{device_type::cpu, "cpu"},
                                  named{device_type::custom, "custom"},
                                  named{device_type::gpu, "gpu"}};

using sycl::info::event_command_status;
constexpr std::array statuses{named{event_command_status::submitted, "submitted"},
                              named{event_command_status::running, "running"},
                              named{event_command_status::complete, "complete"},
                              named{event_command_status::ext_oneapi_unknown, "unknown_status"}};

using cache = sycl::info::global_mem_cache_type;
constexpr std::array caches{named{cache::none, "none"}, named{cache::read_only, "read_only"},
                            named{cache::read_write, "read_write"}};

using local = sycl::info::local_mem_type;
constexpr std::array local_memories{named{local::none, "none"}, named{local::local, "local"},
                                    named{local::global, "global_mem"}};

using partition = sycl::info::partition_property;
constexpr std::array partitions{
    named{partition::no_partition, "no_partition"},
    named{partition::partition_equally, "partition_equally"},
    named{partition::partition_by_counts, "partition_by_counts"},
    named{partition::partition_by_affinity_domain, "partition_by_affinity_domain"},
    named{partition::ext_intel_partition_by_cslice, "ext_intel_partition_by_cslice"}};

using domain = sycl::info::partition_affinity_domain;
constexpr std::array domains{named{domain::not_applicable, "not_applicable"},
                             named{domain::numa, "numa"},
                             named{domain::L4_cache, "L4_cache"},
                             named{domain::L3_cache, "L3_cache"},
                             named{domain::L2_cache, "L2_cache"},
                             named{domain::L1_cache, "L1_cache"},
                             named{domain::next_partitionable, "next_partitionable"}};

using sycl::info::fp_config;
constexpr std::array floats{
    named{fp_config::denorm, "denorm"},
    named{fp_config::inf_nan, "inf_nan"},
    named{fp_config::round_to_nearest, "round_to_nearest"},
    named{fp_config::round_to_zero, "round_to_zero"},
    named{fp_config::round_to_inf, "round_to_inf"},
    named{fp_config::fma, "fma"},
    named{fp_config::correctly_rounded_divide_sqrt, "correctly_rounded_divide_sqrt"},
    named{fp_config::soft_float, "soft_float"}};

using sycl::memory_order;
constexpr std::array orders{
    named{memory_order::relaxed, "relaxed"}, named{memory_order::acquire, "acquire"},
    named{memory_order::release, "release"}, named{memory_order::acq_rel, "acq_rel"},
    named{memory_order::seq_cst, "seq_cst"}};

using sycl::memory_scope;
constexpr std::array scopes{
    named{memory_scope::work_item, "work_item"}, named{memory_scope::sub_group, "sub_group"},
    named{memory_scope::work_group, "work_group"}, named{memory_scope::device, "device"},
    named{memory_scope::system, "system"}};

lazy_import backend_type("usmx.enum_types", "backend_type");
lazy_import device_type_class("usmx.enum_types", "device_type");
lazy_import event_status_type("usmx.enum_types", "event_status_type");
lazy_import global_mem_cache_type("usmx.enum_types", "global_mem_cache_type");
lazy_import local_mem_type("usmx.enum_types", "local_mem_type");
lazy_import partition_property("usmx.enum_types", "partition_property");
lazy_import fp_config_class("usmx.enum_types", "fp_config");
lazy_import memory_order_class("usmx.enum_types", "memory_order");
lazy_import memory_scope_class("usmx.enum_types", "memory_scope");

}  // namespace

nb::object filter_named_by(nb::handle argument) {
  const bool is_named = nb::isinstance(argument, device_type_class.get()) ||
                        nb::isinstance(argument, backend_type.get());
  return is_named ? nb::object(argument.attr("name")) : nb::object();
}

nb::object to_python(sycl::backend value) {
  // The names are in the library's table.
  return backend_type.get().attr(nb::str(backend_name(value).data(), backend_name(value).size()));
}
nb::object to_python(sycl::info::device_type value) {
  return member(device_type_class, device_types, value);
}
nb::object to_python(sycl::info::event_command_status value) {
  return member(event_status_type, statuses, value);
}
nb::object to_python(sycl::info::global_mem_cache_type value) {
  return member(global_mem_cache_type, caches, value);
}
nb::object to_python(sycl::info::local_mem_type value) {
  return member(local_mem_type, local_memories, value);
}
nb::object to_python(sycl::info::partition_property value) {
  return member(partition_property, partitions, value);
}
nb::object to_python(sycl::info::fp_config value) { return member(fp_config_class, floats, value); }
nb::object to_python(sycl::memory_order value) { return member(memory_order_class, orders, value); }
nb::object to_python(sycl::memory_scope value) { return member(memory_scope_class, scopes, value); }

nb::object to_python(sycl::info::partition_affinity_domain value) {
  const char* name = name_in(domains, value);
  return nb::str(name == nullptr ? "not_applicable" : name);
}

std::optional<sycl::info::partition_affinity_domain> affinity_domain_of(std::string_view name) {
  const auto found = std::ranges::find(domains, name, &named<domain>::name);
  return found == domains.end() ? std::nullopt : std::optional(found->value);
}

namespace {

template <class T>
bool is_dpctls(PyObject* cls, PyObject* object) {
  return reinterpret_cast<PyTypeObject*>(cls) == python_class<T> && as_dpctl<T>(object) != nullptr;
}

/// The __instancecheck__ of usmx's classes: also true for dpctl's objects of that name, and else
/// Python's own answer. Subclasses of ours have no counterpart.
PyObject* is_instance(PyObject* cls, PyObject* object) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    const bool found = is_dpctls<sycl::queue>(cls, object) ||
                       is_dpctls<sycl::context>(cls, object) ||
                       is_dpctls<sycl::device>(cls, object) || is_dpctls<sycl::event>(cls, object);
    static interned name("__instancecheck__");
    return found ? Py_NewRef(Py_True)
                 : PyObject_CallMethodObjArgs(reinterpret_cast<PyObject*>(&PyType_Type), name.get(),
                                              cls, object, nullptr);
  });
}

/// Whether two objects of usmx's or dpctl's classes are the same; NotImplemented where that cannot
/// be said.
template <class... T>
nb::object are_same(nb::handle a, nb::handle b) {
  nb::object answer = nb::borrow(Py_NotImplemented);
  const auto compare = [&]<class Each>(const Each* left) {
    const Each* right = left != nullptr ? value_of_either<Each>(b.ptr()) : nullptr;
    if (right != nullptr) {
      answer = nb::cast(compared(*left) == compared(*right));
    }
  };
  (compare(value_of_either<T>(a.ptr())), ...);
  return answer;
}

PyMethodDef method = {"__instancecheck__", &is_instance, METH_O, nullptr};

}  // namespace

void bind_instance_check(nb::module_& m) {
  declare<"def _are_same(a: object, b: object) -> bool">(
      m, &are_same<sycl::queue, sycl::context, sycl::device>,
      "Whether two queues, contexts or devices of usmx or dpctl are the same.");
  // The class of the class gets the method, since Python asks it. nanobind's, which usmx shares
  // with nobody, takes neither attributes nor subclasses from Python.
  PyTypeObject* metaclass = Py_TYPE(reinterpret_cast<PyObject*>(python_class<sycl::queue>));
  const nb::object bound = checked(PyDescr_NewMethod(metaclass, &method));
  if (PyDict_SetItemString(metaclass->tp_dict, method.ml_name, bound.ptr()) != 0) {
    nb::raise_python_error();
  }
  PyType_Modified(metaclass);
}

}  // namespace usmx::bindings
