#include "sycl_objects/dpctl.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "support/hooks.hpp"
#include "usmx/runtime.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::bindings {

nb::object loaded_module(interned& name) {
  nb::object module = nb::steal(PyImport_GetModule(name.get()));  // null: not loaded
  if (!module.is_valid()) {
    PyErr_Clear();
  }
  return module;
}

namespace {

/// The longest chain of wrappers that is followed: an array of dpnp's, its memory, and what that
/// was made of.
constexpr int most_wrappers = 8;

constexpr const char* memory_module = "dpctl.memory._memory";

/// A function of dpctl's C interface, from a loaded module. The signature is the name of its
/// capsule: a capsule with another name holds a function of another kind, which is not called. Null
/// if there is no function of that name and kind.
void* c_function(const nb::object& module, const char* name, const char* signature) {
  const nb::object functions = nb::getattr(module, "__pyx_capi__", nb::none());
  if (!PyDict_Check(functions.ptr())) {
    return nullptr;
  }
  const nb::object capsule = optional_item(functions.ptr(), nb::str(name).ptr());
  const bool is_known = capsule.is_valid() && PyCapsule_IsValid(capsule.ptr(), signature) != 0;
  return is_known ? PyCapsule_GetPointer(capsule.ptr(), signature) : nullptr;
}

/// One of dpctl's classes of SYCL objects, and the function of dpctl's C interface that looks into
/// its objects. The signature is the name of that function's capsule: a capsule with another name
/// holds a function of another kind, which is not called.
class dpctl_class {
 public:
  dpctl_class(const char* module, const char* name, const char* function, const char* signature)
      : module_(module), name_(name), function_(function), signature_(signature) {}

  bool is_known() {
    if (look_.load(std::memory_order_acquire) == nullptr) {
      find();
    }
    return look_.load(std::memory_order_acquire) != nullptr;
  }

  /// The SYCL object inside one of dpctl's; null for any other object.
  const void* look_into(PyObject* object) {
    if (!is_known() || !PyObject_TypeCheck(object, type_.load(std::memory_order_relaxed))) {
      return nullptr;
    }
    check_single_runtime();
    return look_.load(std::memory_order_relaxed)(object);
  }

 private:
  using get_reference = void* (*)(PyObject*);

  void find() {
    const nb::object module = loaded_module(module_);
    if (!module.is_valid()) {
      return;
    }
    nb::object type = nb::getattr(module, name_, nb::none());
    void* const look = c_function(module, function_, signature_);
    if (!PyType_Check(type.ptr()) || look == nullptr) {
      return;
    }
    type_.store(reinterpret_cast<PyTypeObject*>(type.release().ptr()), std::memory_order_relaxed);
    look_.store(reinterpret_cast<get_reference>(look), std::memory_order_release);
  }

  interned module_;
  const char* name_;
  const char* function_;
  const char* signature_;
  std::atomic<PyTypeObject*> type_ = nullptr;  // held for ever
  std::atomic<get_reference> look_ = nullptr;  // set last
};

template <class T>
dpctl_class dpctls;
template <>
dpctl_class dpctls<sycl::queue>("dpctl._sycl_queue", "SyclQueue", "SyclQueue_GetQueueRef",
                                "DPCTLSyclQueueRef (struct PySyclQueueObject *)");
template <>
dpctl_class dpctls<sycl::context>("dpctl._sycl_context", "SyclContext", "SyclContext_GetContextRef",
                                  "DPCTLSyclContextRef (struct PySyclContextObject *)");
template <>
dpctl_class dpctls<sycl::device>("dpctl._sycl_device", "SyclDevice", "SyclDevice_GetDeviceRef",
                                 "DPCTLSyclDeviceRef (struct PySyclDeviceObject *)");
template <>
dpctl_class dpctls<sycl::event>("dpctl._sycl_event", "SyclEvent", "SyclEvent_GetEventRef",
                                "DPCTLSyclEventRef (struct PySyclEventObject *)");

/// A class of another package, as soon as its module is loaded.
class loaded_class {
 public:
  loaded_class(const char* module, const char* name) : module_(module), name_(name) {}

  /// The class, held for ever; null as long as the module is not loaded.
  PyTypeObject* get() {
    PyTypeObject* known = type_.load(std::memory_order_acquire);
    if (known == nullptr) {
      known = find();
      type_.store(known, std::memory_order_release);
    }
    return known;
  }

 private:
  PyTypeObject* find() {
    const nb::object module = loaded_module(module_);
    if (!module.is_valid()) {
      return nullptr;
    }
    nb::object cls = nb::getattr(module, name_, nb::none());
    return PyType_Check(cls.ptr()) ? reinterpret_cast<PyTypeObject*>(cls.release().ptr()) : nullptr;
  }

  interned module_;
  const char* name_;
  std::atomic<PyTypeObject*> type_ = nullptr;
};

loaded_class tensor_array("dpnp.tensor._usmarray", "usm_ndarray");
loaded_class dpnp_array("dpnp.dpnp_array", "dpnp_array");

loaded_class memory_classes[] = {{memory_module, "MemoryUSMDevice"},
                                 {memory_module, "MemoryUSMShared"},
                                 {memory_module, "MemoryUSMHost"}};

bool is_loaded_memory_class(const PyTypeObject* type) {
  return memory_classes[0].get() != nullptr &&
         std::ranges::any_of(memory_classes,
                             [&](loaded_class& each) { return each.get() == type; });
}

}  // namespace

template <class T>
const T* as_dpctl(PyObject* object) {
  return static_cast<const T*>(dpctls<T>.look_into(object));
}

template const sycl::queue* as_dpctl(PyObject* object);
template const sycl::context* as_dpctl(PyObject* object);
template const sycl::device* as_dpctl(PyObject* object);
template const sycl::event* as_dpctl(PyObject* object);

bool are_dpctls_classes_known() {
  return dpctls<sycl::queue>.is_known() && dpctls<sycl::context>.is_known() &&
         dpctls<sycl::device>.is_known() && dpctls<sycl::event>.is_known();
}

bool has_truthful_readonly_flag(PyObject* producer) {
  if (memory_classes[0].get() == nullptr) {
    return true;
  }
  for (loaded_class& each : memory_classes) {
    PyTypeObject* const type = each.get();
    if (type != nullptr && PyObject_TypeCheck(producer, type)) {
      constexpr const char* name = "__sycl_usm_array_interface__";
      const nb::handle own(reinterpret_cast<PyObject*>(Py_TYPE(producer)));
      return !own.attr(name).is(nb::handle(reinterpret_cast<PyObject*>(type)).attr(name));
    }
  }
  return true;
}

bool is_dpnp_array(PyObject* producer) {
  const auto is_of = [&](loaded_class& known) {
    PyTypeObject* type = known.get();
    return type != nullptr && PyObject_TypeCheck(producer, type) != 0;
  };
  return is_of(tensor_array) || is_of(dpnp_array);
}

namespace {

using make_memory_function = PyObject* (*)(void*, std::size_t, const void*, PyObject*);

/// dpctl's function that makes memory; null if dpctl is not loaded, or has no such function.
make_memory_function find_make_memory() {
  constexpr const char* signature =
      "PyObject *(DPCTLSyclUSMRef, size_t, DPCTLSyclQueueRef, PyObject *)";
  static interned name(memory_module);
  const nb::object module = loaded_module(name);
  return module.is_valid()
             ? reinterpret_cast<make_memory_function>(c_function(module, "Memory_Make", signature))
             : nullptr;
}

}  // namespace

nb::object new_dpctl_memory(void* first, std::size_t nbytes, const sycl::queue& queue,
                            nb::handle owner) {
  static std::atomic<make_memory_function> known = nullptr;
  make_memory_function make = known.load(std::memory_order_acquire);
  if (make == nullptr) {
    make = find_make_memory();
    known.store(make, std::memory_order_release);
  }
  if (make == nullptr) {
    return {};
  }
  check_single_runtime();
  return checked(make(first, nbytes, &queue, owner.ptr()));
}

nb::object kept_by_wrappers(PyObject* producer) {
  const PyTypeObject* array_type = tensor_array.get();
  static interned usm_data("usm_data");
  static interned reference_obj("reference_obj");
  nb::object kept = nb::borrow(producer);
  for (int depth = 0; depth < most_wrappers; ++depth) {
    PyTypeObject* type = Py_TYPE(kept.ptr());
    if (type == array_type) {
      kept = nb::getattr(kept, usm_data.get());
    } else if (is_loaded_memory_class(type)) {
      kept = nb::getattr(kept, reference_obj.get());
    } else {
      break;
    }
  }
  return kept;
}

namespace {

lazy_import dpctl_queue_subclass("usmx._dpctl_objects", "SyclQueue");
lazy_import dpctl_context_subclass("usmx._dpctl_objects", "SyclContext");
lazy_import dpctl_event_subclass("usmx._dpctl_objects", "SyclEvent");
interned context_attribute("_context");
interned device_attribute("_device");

/// Objects of usmx's subclass of dpctl's class, by the identity of the queue, which no other queue
/// has as long as the object holds it. The interpreter lock guards the table; in a Python without
/// one, a lock of its own does.
class queue_objects {
 public:
  /// The object for a queue; a null object if there is none.
  nb::object find(const sycl::queue& queue) {
    const nb::ft_lock_guard lock(mutex_);
    return nb::borrow(known(queue));
  }

  /// Adds an object for a queue. Returns the object that is known from now on: another thread's, if
  /// that was first.
  nb::object add(const sycl::queue& queue, nb::object object) {
    std::vector<nb::object> let_go;  // after the table has changed, and without the lock
    const nb::ft_lock_guard lock(mutex_);
    take_out_unused(let_go);
    objects_.try_emplace(std::hash<sycl::queue>()(queue), std::move(object));
    return nb::borrow(known(queue));
  }

 private:
  PyObject* known(const sycl::queue& queue) {
    const std::size_t identity = std::hash<sycl::queue>()(queue);
    if (latest_ == nullptr || identity != latest_identity_) {
      const auto known = objects_.find(identity);
      if (known == objects_.end()) {
        return nullptr;
      }
      latest_ = known->second.ptr();
      latest_identity_ = identity;
    }
    return latest_;
  }

  /// Whether no other code has the object, and nothing else has the queue: no array, no memory, no
  /// native code.
  static bool is_unused(const nb::object& object) {
    const auto* queue = as_dpctl<sycl::queue>(object.ptr());
    return Py_REFCNT(object.ptr()) == 1 && sycl::detail::getSyclObjImpl(*queue).use_count() == 1;
  }

  void take_out_unused(std::vector<nb::object>& unused) {
    latest_ = nullptr;
    for (auto at = objects_.begin(); at != objects_.end();) {
      if (is_unused(at->second)) {
        unused.push_back(std::move(at->second));
        at = objects_.erase(at);
      } else {
        ++at;
      }
    }
  }

  nb::ft_mutex mutex_;

  std::unordered_map<std::size_t, nb::object> objects_;
  PyObject* latest_ = nullptr;
  std::size_t latest_identity_ = 0;
};

queue_objects& known_objects() {
  // The table is never destroyed: the interpreter may be gone by then.
  static queue_objects& objects = *new queue_objects;
  return objects;
}

/// The object for the device of the queue that was asked last: programs that work with arrays ask
/// for the device of one queue again and again. The interpreter lock guards it; in a Python without
/// one, a lock of its own does.
class latest_device {
 public:
  /// The object for a queue's device; a null object if another queue was asked last.
  nb::object find(const sycl::queue& queue, bool is_dpctls) {
    const nb::ft_lock_guard lock(mutex_);
    const auto& known = sycl::detail::getSyclObjImpl(queue);
    // Owners are compared, since another queue may be at the address of one that has ended.
    const bool is_same = !queue_.owner_before(known) && !known.owner_before(queue_);
    return is_same && is_dpctls == is_dpctls_ ? device_ : nb::object();
  }

  /// Keeps an object. Afterwards `device` is the previous one: it ends without the lock.
  void keep(const sycl::queue& queue, bool is_dpctls, nb::object& device) {
    const nb::ft_lock_guard lock(mutex_);
    std::swap(device_, device);
    queue_ = sycl::detail::getSyclObjImpl(queue);
    is_dpctls_ = is_dpctls;
  }

 private:
  nb::ft_mutex mutex_;
  std::weak_ptr<sycl::detail::queue_impl> queue_;
  nb::object device_;
  bool is_dpctls_ = false;
};

/// The object belongs to the module, which ends it; the pointer is null before and after.
latest_device* latest = nullptr;

/// The object of dpctl's class for the queue that others see; null if dpctl is not loaded. It
/// depends on the queue alone.
nb::object dpctl_object(const sycl::queue& own) {
  look_for_peers_of(own);
  const sycl::queue& queue = internal::handed_out(own);
  if (nb::object known = known_objects().find(queue); known.is_valid()) {
    return known;
  }
  return known_objects().add(queue, dpctl_queue_subclass(to_capsule(queue)));
}

nb::object new_device_object(const sycl::queue& queue, bool is_dpctls) {
  return is_dpctls ? nb::object(dpctl_object(queue).attr(device_attribute.get()))
                   : to_python(queue.get_device());
}

}  // namespace

void bind_latest_device(nb::module_& m) {
  latest = new latest_device;
  m.attr("_latest_device") =
      nb::capsule(latest, [](void*) noexcept { delete std::exchange(latest, nullptr); });
}

nb::object queue_object(const sycl::queue& queue) {
  return are_dpctls_classes_known() ? dpctl_object(queue) : own_object(queue);
}

nb::object context_object(const sycl::queue& queue) {
  return are_dpctls_classes_known() ? dpctl_object(queue).attr(context_attribute.get())
                                    : to_python(queue.get_context());
}

nb::object device_object(const sycl::queue& queue) {
  const bool is_dpctls = are_dpctls_classes_known();
  if (latest == nullptr) {
    return new_device_object(queue, is_dpctls);
  }
  if (nb::object known = latest->find(queue, is_dpctls); known.is_valid()) {
    return known;
  }
  nb::object made = new_device_object(queue, is_dpctls);
  nb::object kept = made;
  latest->keep(queue, is_dpctls, kept);
  return made;
}

nb::object event_object(const sycl::event& event) {
  return are_dpctls_classes_known() ? dpctl_event_subclass(to_capsule(event)) : own_object(event);
}

nb::object context_object(const sycl::context& context) {
  return are_dpctls_classes_known() ? dpctl_context_subclass(to_capsule(context))
                                    : to_python(context);
}

nb::object device_object(const sycl::device& device) {
  if (!are_dpctls_classes_known()) {
    return to_python(device);
  }
  // dpctl's devices have no capsules, but its queues do.
  return device_object(filter_string_of(device) ? cached_queue(device)
                                                : sycl::queue(context_of(device), device));
}

namespace {

interned manager_name("dpctl._sycl_queue_manager");
interned device_module_name("dpctl._sycl_device");

/// The functions of dpctl, once it is loaded, and their answers. The interpreter lock guards this;
/// in a Python without one, a lock of its own does, under which no Python runs.
class peers {
 public:
  bool are_loaded() {
    PyObject* modules = PyImport_GetModuleDict();
    // The question comes before every wait, so it looks once for each number of modules that there
    // are.
    if (!is_found() && PyDict_GET_SIZE(modules) != seen_.load(std::memory_order_relaxed)) {
      find();
      if (!is_found() && PyDict_Contains(modules, manager_name.get()) != 1) {
        // Otherwise dpctl is being imported just now.
        seen_.store(PyDict_GET_SIZE(modules), std::memory_order_relaxed);
      }
    }
    return is_found();
  }

  bool was_asked_about(const sycl::queue& queue) {
    const nb::ft_lock_guard lock(mutex_);
    return latest_ && *latest_ == queue;
  }

  void ask(const sycl::queue& queue) {
    if (queue.get_context() == default_context(queue.get_device())) {
      ask_once(queue);
    }
    std::optional<sycl::queue> previous = queue;  // ends without the lock
    const nb::ft_lock_guard lock(mutex_);
    latest_.swap(previous);
  }

 private:
  bool is_found() const noexcept { return get_queue_.load(std::memory_order_acquire) != nullptr; }

  /// Asks once for a platform: its default context alone has a queue that both sides find by the
  /// device.
  void ask_once(const sycl::queue& of_default_context) {
    const sycl::device device = of_default_context.get_device();
    {
      const nb::ft_lock_guard lock(mutex_);
      if (std::ranges::find(asked_, device) != asked_.end()) {
        return;
      }
    }
    const std::optional<std::string> filter = filter_string_of(device);
    if (!filter) {
      return;  // a sub-device: dpctl keeps no queue of its own for it
    }
    find_queue(of_default_context.get_context(), device, *filter);
    const nb::ft_lock_guard lock(mutex_);
    if (std::ranges::find(asked_, device) == asked_.end()) {
      asked_.push_back(device);
    }
  }

  void find() {
    const nb::object manager =
        nb::steal(PyImport_GetModule(manager_name.get()));  // null: not there
    if (!manager.is_valid() || !are_dpctls_classes_known()) {
      PyErr_Clear();
      return;
    }
    const nb::object devices = checked(PyImport_GetModule(device_module_name.get()));
    nb::object get_queue = nb::getattr(manager, "get_device_cached_queue", nb::none());
    nb::object device_class = nb::getattr(devices, "SyclDevice", nb::none());
    if (PyCallable_Check(get_queue.ptr()) != 0 && PyCallable_Check(device_class.ptr()) != 0) {
      device_class_.store(device_class.release().ptr(), std::memory_order_relaxed);
      get_queue_.store(get_queue.release().ptr(), std::memory_order_release);
    }
  }

  void find_queue(const sycl::context& context, const sycl::device& device,
                  const std::string& filter) {
    try {
      const nb::object object =
          nb::handle(get_queue_.load())(nb::handle(device_class_.load())(filter));
      const auto* queue = as_dpctl<sycl::queue>(object.ptr());
      if (queue != nullptr && queue->get_device() == device && queue->get_context() == context) {
        internal::add_peers_queue(*queue);
      }
    } catch (const nb::python_error&) {
      // dpctl does not know the device, so it has no queue there.
    }
  }

  std::atomic<Py_ssize_t> seen_ = 0;
  std::atomic<PyObject*> device_class_ = nullptr;  // held for ever, as what follows
  std::atomic<PyObject*> get_queue_ = nullptr;     // set last
  nb::ft_mutex mutex_;
  std::optional<sycl::queue> latest_;
  std::vector<sycl::device> asked_;  // each once, of default contexts
};

peers& dpctl_and_dpnp() {
  // The object is never destroyed: the interpreter may be gone by then.
  static peers& known = *new peers;
  return known;
}

}  // namespace

void look_for_peers() {
  static std::atomic<bool> done = false;
  if (done.load(std::memory_order_relaxed) || !dpctl_and_dpnp().are_loaded()) {
    return;
  }
  done.store(true, std::memory_order_relaxed);
  for (const sycl::queue& queue : internal::all_cached_queues()) {
    dpctl_and_dpnp().ask(queue);
  }
}

void look_for_peers_of(const sycl::queue& queue) {
  look_for_peers();
  if (dpctl_and_dpnp().are_loaded() && !dpctl_and_dpnp().was_asked_about(queue)) {
    dpctl_and_dpnp().ask(queue);
  }
}

}  // namespace usmx::bindings
