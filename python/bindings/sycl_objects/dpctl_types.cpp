#include "sycl_objects/dpctl_types.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "usmx/runtime.hpp"

namespace usmx::bindings {

nb::object loaded_module(interned& name) {
  nb::object module = nb::steal(PyImport_GetModule(name.get()));  // null: not loaded
  if (!module.is_valid()) {
    PyErr_Clear();
  }
  return module;
}

namespace {

/// An array of dpnp's, its memory, and what that was made of: longer chains are not followed.
constexpr int most_wrappers = 8;

interned memory_module("dpctl.memory._memory");

/// A function of dpctl's C interface, from a loaded module. The signature is the name of its
/// capsule: under any other name there is a function of another kind, which is not called. Null
/// where there is none of that name and kind.
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
/// its objects. The signature is the name of that function's capsule: under any other name there is
/// a function of another kind, which is not called.
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

dpctl_class dpctl_queue("dpctl._sycl_queue", "SyclQueue", "SyclQueue_GetQueueRef",
                        "DPCTLSyclQueueRef (struct PySyclQueueObject *)");
dpctl_class dpctl_context("dpctl._sycl_context", "SyclContext", "SyclContext_GetContextRef",
                          "DPCTLSyclContextRef (struct PySyclContextObject *)");
dpctl_class dpctl_device("dpctl._sycl_device", "SyclDevice", "SyclDevice_GetDeviceRef",
                         "DPCTLSyclDeviceRef (struct PySyclDeviceObject *)");
dpctl_class dpctl_event("dpctl._sycl_event", "SyclEvent", "SyclEvent_GetEventRef",
                        "DPCTLSyclEventRef (struct PySyclEventObject *)");

using memory_types = std::array<PyTypeObject*, 3>;  // held for ever; null where there is none

/// dpctl's three memory classes; null while dpctl is not loaded.
std::unique_ptr<const memory_types> find_memory_types() {
  const nb::object module = loaded_module(memory_module);
  if (!module.is_valid()) {
    return nullptr;
  }
  memory_types found{};
  std::ranges::transform(std::array{"MemoryUSMDevice", "MemoryUSMShared", "MemoryUSMHost"},
                         found.begin(), [&](const char* name) -> PyTypeObject* {
                           nb::object cls = nb::getattr(module, name, nb::none());
                           return PyType_Check(cls.ptr())
                                      ? reinterpret_cast<PyTypeObject*>(cls.release().ptr())
                                      : nullptr;
                         });
  return std::make_unique<const memory_types>(found);
}

/// A class of another package, as soon as its module is loaded.
class loaded_class {
 public:
  loaded_class(const char* module, const char* name) : module_(module), name_(name) {}

  /// Null while the module is not loaded. Held for ever.
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

const memory_types* known_memory_types() {
  static std::atomic<const memory_types*> known = nullptr;  // never freed
  const memory_types* types = known.load(std::memory_order_acquire);
  if (types != nullptr) {
    return types;
  }
  auto found = find_memory_types();
  if (found != nullptr &&
      known.compare_exchange_strong(types, found.get(), std::memory_order_acq_rel)) {
    return found.release();
  }
  return types;  // another thread's, if that was first
}

}  // namespace

template <>
const sycl::queue* as_dpctl(PyObject* object) {
  return static_cast<const sycl::queue*>(dpctl_queue.look_into(object));
}
template <>
const sycl::context* as_dpctl(PyObject* object) {
  return static_cast<const sycl::context*>(dpctl_context.look_into(object));
}
template <>
const sycl::device* as_dpctl(PyObject* object) {
  return static_cast<const sycl::device*>(dpctl_device.look_into(object));
}
template <>
const sycl::event* as_dpctl(PyObject* object) {
  return static_cast<const sycl::event*>(dpctl_event.look_into(object));
}

bool are_dpctls_classes_known() {
  return dpctl_queue.is_known() && dpctl_context.is_known() && dpctl_device.is_known() &&
         dpctl_event.is_known();
}

bool has_truthful_readonly_flag(PyObject* producer) {
  const memory_types* types = known_memory_types();
  if (types == nullptr) {
    return true;
  }
  for (PyTypeObject* type : *types) {
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

/// Null where dpctl is not loaded, or has no such function.
make_memory_function find_make_memory() {
  constexpr const char* signature =
      "PyObject *(DPCTLSyclUSMRef, size_t, DPCTLSyclQueueRef, PyObject *)";
  const nb::object module = loaded_module(memory_module);
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
  const memory_types* memories = known_memory_types();
  nb::object kept = nb::borrow(producer);
  for (int depth = 0; depth < most_wrappers; ++depth) {
    PyTypeObject* type = Py_TYPE(kept.ptr());
    if (type == array_type) {
      kept = nb::getattr(kept, usm_data.get());
    } else if (memories != nullptr && std::ranges::find(*memories, type) != memories->end()) {
      kept = nb::getattr(kept, reference_obj.get());
    } else {
      break;
    }
  }
  return kept;
}

}  // namespace usmx::bindings
