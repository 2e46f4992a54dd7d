#include "objects/memory.hpp"

#include <unordered_map>

#include "internals.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

/// The memory object made for a buffer, until that object is destroyed.
struct known_object {
  explicit known_object(PyObject* made) : object(made) {
#ifdef NB_FREE_THREADED
    weak = checked(PyWeakref_NewRef(made, nullptr));
#endif
  }

  /// A reference to it; a null object if none is left. Weak references' callbacks, and other
  /// threads while those run, find objects without a reference left: they end, whoever refers to
  /// them again.
  nb::object living() const {
#ifdef NB_FREE_THREADED
    PyObject* found = nullptr;
    PyWeakref_GetRef(weak.ptr(), &found);  // which cannot fail
    return nb::steal(found);
#else
    return Py_REFCNT(object) > 0 ? nb::borrow(object) : nb::object();
#endif
  }

  PyObject* object;  // borrowed
#ifdef NB_FREE_THREADED
  nb::object weak;  // the last reference may go on another thread just when it is looked for
#endif
};

/// The interpreter lock guards it; without one, known_objects_mutex, under which no Python runs.
std::unordered_map<const buffer*, known_object>& known_objects() {
  static auto* map = new std::unordered_map<const buffer*, known_object>;
  return *map;
}
nb::ft_mutex known_objects_mutex;

/// Under that lock; a null object for none.
nb::object find_known(const buffer* memory) {
  const auto found = known_objects().find(memory);
  return found != known_objects().end() ? found->second.living() : nb::object();
}

bool is_plain(PyTypeObject* type) noexcept {
  return type == python_class<device_memory> || type == python_class<shared_memory> ||
         type == python_class<host_memory>;
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
    const nb::ft_lock_guard lock(known_objects_mutex);
    const auto found = known_objects().find(memory_.get());
    // Else another one has taken its place, and may have gone since.
    if (found != known_objects().end() && found->second.object == known_as_) {
      known_objects().erase(found);
    }
  }
}

nb::object py_memory::make_known(nb::object self) {
  known_object made(self.ptr());
  const nb::ft_lock_guard lock(known_objects_mutex);
  if (nb::object first = find_known(memory_.get()); first.is_valid()) {
    return first;
  }
  known_objects().insert_or_assign(memory_.get(), std::move(made));
  known_as_ = self.ptr();
  return self;
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
  {
    const nb::ft_lock_guard lock(known_objects_mutex);
    if (nb::object known = find_known(memory.get()); known.is_valid()) {
      return known;
    }
  }
  nb::object created = new_memory_object(memory);
  auto* held = nb::inst_ptr<py_memory>(created);
  // Making it may run the cycle collector, and that any code: there may be another one by now.
  return held->make_known(std::move(created));
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
