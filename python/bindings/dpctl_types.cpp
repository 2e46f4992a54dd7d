#include "dpctl_types.hpp"

#include <optional>

#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// A module if it is loaded; never imports it.
nb::object loaded_module(const char* name) {
  nb::object module = nb::steal(PyMapping_GetItemString(PyImport_GetModuleDict(), name));
  if (!module.is_valid()) {
    PyErr_Clear();
  }
  return module;
}

/// dpctl.SyclQueue and the function of dpctl's C interface that looks into one.
struct queue_access {
  using get_reference = void* (*)(PyObject*);

  PyTypeObject* type;  // held for ever
  get_reference look;
};

/// None while dpctl is not loaded, or when its C interface is another.
std::optional<queue_access> find_queue_access() {
  const nb::object module = loaded_module("dpctl._sycl_queue");
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
  const nb::object module = loaded_module("dpctl.memory._memory");
  if (!module.is_valid()) {
    return true;
  }
  for (const char* name : {"MemoryUSMDevice", "MemoryUSMShared", "MemoryUSMHost"}) {
    const nb::object cls = nb::getattr(module, name, nb::none());
    if (PyType_Check(cls.ptr()) && nb::isinstance(nb::handle(producer), cls)) {
      const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(producer)));
      return !type.attr("__sycl_usm_array_interface__")
                  .is(cls.attr("__sycl_usm_array_interface__"));
    }
  }
  return true;
}

}  // namespace usmx::bindings
