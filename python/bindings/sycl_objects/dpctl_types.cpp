#include "sycl_objects/dpctl_types.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// A module if it is loaded; never imports it.
nb::object loaded_module(interned& name) {
  nb::object module = nb::steal(PyImport_GetModule(name.get()));  // null: not loaded
  if (!module.is_valid()) {
    PyErr_Clear();
  }
  return module;
}

/// An array of dpnp's, its memory, and what that was made of: longer chains are not followed.
constexpr int most_wrappers = 8;

interned queue_module("dpctl._sycl_queue");
interned memory_module("dpctl.memory._memory");
interned array_module("dpnp.tensor._usmarray");

/// dpctl.SyclQueue and the function of dpctl's C interface that looks into one.
struct queue_access {
  using get_reference = void* (*)(PyObject*);

  PyTypeObject* type;  // held for ever
  get_reference look;
};

/// None while dpctl is not loaded, or when its C interface is another.
std::optional<queue_access> find_queue_access() {
  const nb::object module = loaded_module(queue_module);
  if (!module.is_valid()) {
    return std::nullopt;
  }
  nb::object type = nb::getattr(module, "SyclQueue", nb::none());
  const nb::object functions = nb::getattr(module, "__pyx_capi__", nb::none());
  if (!PyType_Check(type.ptr()) || !PyDict_Check(functions.ptr())) {
    return std::nullopt;
  }
  PyObject* capsule = PyDict_GetItemString(functions.ptr(), "SyclQueue_GetQueueRef");
  // The name is the function's signature: any other is not what is called here.
  constexpr const char* signature = "DPCTLSyclQueueRef (struct PySyclQueueObject *)";
  if (capsule == nullptr || PyCapsule_IsValid(capsule, signature) == 0) {
    return std::nullopt;
  }
  return queue_access{
      reinterpret_cast<PyTypeObject*>(type.release().ptr()),
      reinterpret_cast<queue_access::get_reference>(PyCapsule_GetPointer(capsule, signature))};
}

using memory_types = std::array<PyTypeObject*, 3>;  // held for ever; null where there is none

/// dpctl's three memory classes; none while dpctl is not loaded.
std::optional<memory_types> find_memory_types() {
  const nb::object module = loaded_module(memory_module);
  if (!module.is_valid()) {
    return std::nullopt;
  }
  memory_types found{};
  std::ranges::transform(std::array{"MemoryUSMDevice", "MemoryUSMShared", "MemoryUSMHost"},
                         found.begin(), [&](const char* name) -> PyTypeObject* {
                           nb::object cls = nb::getattr(module, name, nb::none());
                           return PyType_Check(cls.ptr())
                                      ? reinterpret_cast<PyTypeObject*>(cls.release().ptr())
                                      : nullptr;
                         });
  return found;
}

/// The array of dpnp.tensor; null while that is not loaded. Held for ever.
PyTypeObject* find_array_type() {
  const nb::object module = loaded_module(array_module);
  if (!module.is_valid()) {
    return nullptr;
  }
  nb::object cls = nb::getattr(module, "usm_ndarray", nb::none());
  return PyType_Check(cls.ptr()) ? reinterpret_cast<PyTypeObject*>(cls.release().ptr()) : nullptr;
}

const std::optional<memory_types>& known_memory_types() {
  static std::optional<memory_types> types;
  if (!types) {
    types = find_memory_types();
  }
  return types;
}

}  // namespace

const sycl::queue* as_dpctl_queue(PyObject* object) {
  static std::optional<queue_access> access;
  if (!access) {
    access = find_queue_access();
  }
  if (!access || !PyObject_TypeCheck(object, access->type)) {
    return nullptr;
  }
  check_single_runtime();
  return static_cast<const sycl::queue*>(access->look(object));
}

bool has_truthful_readonly_flag(PyObject* producer) {
  const std::optional<memory_types>& types = known_memory_types();
  if (!types) {
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

nb::object kept_by_wrappers(PyObject* producer) {
  static PyTypeObject* array_type = nullptr;
  if (array_type == nullptr) {
    array_type = find_array_type();
  }
  static interned usm_data("usm_data");
  static interned reference_obj("reference_obj");
  const std::optional<memory_types>& memories = known_memory_types();
  nb::object kept = nb::borrow(producer);
  for (int depth = 0; depth < most_wrappers; ++depth) {
    PyTypeObject* type = Py_TYPE(kept.ptr());
    if (type == array_type) {
      kept = nb::getattr(kept, usm_data.get());
    } else if (memories && std::ranges::find(*memories, type) != memories->end()) {
      kept = nb::getattr(kept, reference_obj.get());
    } else {
      break;
    }
  }
  return kept;
}

}  // namespace usmx::bindings
