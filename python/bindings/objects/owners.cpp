#include "objects/owners.hpp"

#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/memory.hpp"
#include "sycl_objects/dpctl.hpp"

namespace usmx::bindings {
namespace {

/// Runs `action` with the interpreter lock, on whatever thread. While the interpreter ends only the
/// thread that ends it can have the lock; after that nothing is run and the object stays: better
/// than a crash.
template <class Action>
void with_interpreter(Action action) noexcept {
  take_interpreter_lock([&] {
    if (has_interpreter_lock() || Py_IsInitialized() != 0) {
      const with_interpreter_lock locked;
      action();
    }
  });
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

/// Apart from the function above, so that the memory can be told by it.
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
  // Memory may go while an exception is on its way: that one must get through.
  const nb::error_scope pending;
  PyObject* result = run_python([&] { return PyObject_CallOneArg(deleter, pointer); });
  if (result == nullptr) {
    PyErr_WriteUnraisable(deleter);
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

}  // namespace usmx::bindings
