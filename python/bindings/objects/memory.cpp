#include "objects/memory.hpp"

#include <unordered_map>

#include "internals.hpp"
#include "support/python_thread.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

/// The memory object made for a buffer (borrowed), until that object is destroyed.
std::unordered_map<const buffer*, PyObject*>& known_objects() {
  static auto* map = new std::unordered_map<const buffer*, PyObject*>;
  return *map;
}

bool is_plain(PyTypeObject* type) noexcept {
  return type == python_class<device_memory> || type == python_class<shared_memory> ||
         type == python_class<host_memory>;
}

/// The same while it lives; null for none. Weak references' callbacks, and other threads while
/// those run, find objects without a reference left: they end, whoever refers to them again.
PyObject* living_object(const buffer* memory) {
  const auto found = known_objects().find(memory);
  return found != known_objects().end() && Py_REFCNT(found->second) > 0 ? found->second : nullptr;
}

/// Whether the class describes its objects as usmx's memory classes do.
bool has_our_dictionary(PyTypeObject* type) {
  if (is_plain(type)) {
    return true;
  }
  constexpr const char* name = "__sycl_usm_array_interface__";
  const nb::handle ours(reinterpret_cast<PyObject*>(python_class<py_memory>));
  return nb::handle(reinterpret_cast<PyObject*>(type)).attr(name).is(ours.attr(name));
}

}  // namespace

py_memory::~py_memory() {
  note_python_thread();
  if (known_as_ != nullptr) {
    const auto found = known_objects().find(memory_.get());
    // Else another one has taken its place, and may have gone since.
    if (found != known_objects().end() && found->second == known_as_) {
      known_objects().erase(found);
    }
  }
}

void py_memory::make_known(PyObject* self) {
  known_objects().insert_or_assign(memory_.get(), self);
  known_as_ = self;
}

nb::object new_memory_object(std::shared_ptr<buffer> memory) {
  switch (memory->kind()) {
    case usm_kind::shared:
      return make_instance(shared_memory(std::move(memory)));
    case usm_kind::host:
      return make_instance(host_memory(std::move(memory)));
    default:
      return make_instance(device_memory(std::move(memory)));
  }
}

nb::object memory_object(const std::shared_ptr<buffer>& memory) {
  if (PyObject* known = living_object(memory.get())) {
    return nb::borrow(known);
  }
  nb::object created = new_memory_object(memory);
  // Making it may run the cycle collector, and that any code.
  if (PyObject* known = living_object(memory.get())) {
    return nb::borrow(known);
  }
  nb::inst_ptr<py_memory>(created)->make_known(created.ptr());
  return created;
}

bool is_plain_memory(PyObject* object) noexcept { return is_plain(Py_TYPE(object)); }

std::shared_ptr<buffer> as_memory(PyObject* object) {
  if (!PyObject_TypeCheck(object, python_class<py_memory>) ||
      !has_our_dictionary(Py_TYPE(object))) {
    return nullptr;
  }
  return ready_instance<py_memory>(object).memory();
}

usm_kind usm_type_of(const buffer& memory, nb::handle syclobj) {
  return syclobj.is_none() ? memory.kind()
                           : pointer_kind(memory.data(), resolve_syclobj(syclobj.ptr()).context());
}

array as_bytes(const std::shared_ptr<buffer>& memory) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(memory->nbytes())};
  return internal::unchecked_array(memory, type_code::uint8, layout::c_order(shape),
                                   memory->readonly());
}

}  // namespace usmx::bindings
