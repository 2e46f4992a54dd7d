#include "objects/memory_object.hpp"

#include <unordered_map>

#include "internals.hpp"
#include "support/interpreter_lock.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

/// Runs `action` with the interpreter lock, on whatever thread. While the interpreter ends only the
/// thread that ends it can have the lock; after that nothing is run and the object stays: better
/// than a crash.
template <class Action>
void with_interpreter(Action action) noexcept {
  if (has_interpreter()) {
    const with_interpreter_lock locked;
    run_python(action);
  }
}

struct producer_with_queue {
  nb::object producer;
  nb::object queue;
};

void release_with_queue(void* state) noexcept {
  with_interpreter([&] { delete static_cast<producer_with_queue*>(state); });
}

struct buffer_owner {
  nb::object object;
  std::unique_ptr<held_buffer> given;  // let go before the object
};

void release_buffer_owner(void* state) noexcept {
  with_interpreter([&] { delete static_cast<buffer_owner*>(state); });
}

/// The function is apart from the one above, so that the memory can be told by it.
void release_system_memory(void* state) noexcept { release_buffer_owner(state); }

/// The memory of an object of usmx's, which a part of it may keep alive; null for any other object.
const buffer* memory_of(PyObject* object) {
  if (object == nullptr) {
    return nullptr;
  }
  if (const array* own = as_array(object)) {
    return own->owner().get();
  }
  const py_memory* own = value_in<py_memory>(object);
  return own == nullptr ? nullptr : own->memory().get();
}

struct deletion {
  nb::object owner;
  nb::object deleter;
  nb::object pointer;
};

void call(PyObject* deleter, PyObject* pointer) noexcept {
  // Memory may go while an exception is being handled, which must not be lost.
  const nb::error_scope pending;
  PyObject* result = run_python([&] { return PyObject_CallOneArg(deleter, pointer); });
  if (result == nullptr) {
    write_unraisable(deleter);
  }
  Py_XDECREF(result);
}

void release_by_deleter(void* state) noexcept {
  with_interpreter([&] {
    auto* owned = static_cast<deletion*>(state);
    call(owned->deleter.ptr(), owned->pointer.ptr());
    delete owned;
  });
}

detail::foreign_owner* as_owner(PyObject* object) noexcept {
  return reinterpret_cast<detail::foreign_owner*>(object);
}

}  // namespace

void release_object(void* object) noexcept {
  if (object != nullptr) {
    with_interpreter([&] { Py_DECREF(static_cast<PyObject*>(object)); });
  }
}

detail::release_action keep_alive(PyObject* object) noexcept {
  Py_INCREF(object);
  return {release_object, object, as_owner(object)};
}

detail::release_action keep_alive_with_queue(PyObject* producer, PyObject* queue) {
  auto* state = new producer_with_queue{nb::borrow(producer), nb::borrow(queue)};
  return {release_with_queue, state, as_owner(producer)};
}

nb::object queue_object_of(const buffer& memory) {
  const auto* kept =
      static_cast<const producer_with_queue*>(memory.release_state(release_with_queue));
  return kept != nullptr ? kept->queue : queue_object(internal::private_queue(memory));
}

detail::release_action keep_alive(PyObject* object, std::unique_ptr<held_buffer> given) {
  auto* state = new buffer_owner{nb::borrow(object), std::move(given)};
  return {release_buffer_owner, state, as_owner(object)};
}

detail::release_action keep_system_memory_alive(PyObject* object,
                                                std::unique_ptr<held_buffer> given) {
  auto* state = new buffer_owner{nb::borrow(object), std::move(given)};
  return {release_system_memory, state, as_owner(object)};
}

bool is_system_memory(const buffer& memory) {
  if (memory.release_state(release_system_memory) != nullptr) {
    return true;
  }
  const buffer* whole = memory_of(python_owner(memory));
  return whole != nullptr && is_system_memory(*whole);
}

detail::release_action call_with_pointer(PyObject* deleter, PyObject* pointer, PyObject* owner) {
  try {
    auto* state = new deletion{nb::borrow(owner), nb::borrow(deleter), nb::borrow(pointer)};
    return {release_by_deleter, state, as_owner(owner)};
  } catch (const std::bad_alloc&) {
    call(deleter, pointer);
    throw;
  }
}

PyObject* python_owner(const buffer& memory) noexcept {
  return reinterpret_cast<PyObject*>(memory.foreign_owner());
}

namespace {

/// The memory object made for a buffer, until that object is destroyed.
struct known_object {
  explicit known_object(PyObject* made) : object(made) {
#ifdef NB_FREE_THREADED
    weak = checked(PyWeakref_NewRef(made, nullptr));
#endif
  }

  /// A reference to the object; a null object if it is ending. Callbacks of weak references, and
  /// other threads while those run, find objects that have no reference left: these end, whichever
  /// code refers to them again.
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

/// The objects that are known, by their buffers. The interpreter lock guards the table; in a Python
/// without one, known_objects_mutex does, under which no Python runs.
std::unordered_map<const buffer*, known_object>& known_objects() {
  static auto* map = new std::unordered_map<const buffer*, known_object>;
  return *map;
}
nb::ft_mutex known_objects_mutex;

/// The known object of a buffer; a null object if there is none. Called under the table's lock.
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
    // The entry is another object's otherwise, which has taken its place and may have gone since.
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
  // Making the object may run the cycle collector, and that may run any code: there may be another
  // one by now.
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
