#include "exchange/exchange.hpp"

#include <utility>

#include "elements/element.hpp"
#include "internals.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/classes.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/exchange/cuda_array_interface.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// The name of a capsule whose content was taken. A fresh capsule's name lacks "used_".
template <class Managed>
constexpr const char* used_tensor_name = nullptr;
template <>
constexpr const char* used_tensor_name<dlpack::managed_tensor> = "used_dltensor_versioned";
template <>
constexpr const char* used_tensor_name<dlpack::legacy_managed_tensor> = "used_dltensor";
template <class Managed>
constexpr const char* fresh_tensor_name = used_tensor_name<Managed> + 5;

interned dlpack_name("__dlpack__");
interned device_method_name("__dlpack_device__");
interned producers_queue_name("sycl_queue");

/// Calls a tensor's deleter. One of Python's takes the interpreter lock, which makes a thread exit
/// that asks for it while the interpreter ends.
template <class Managed>
void let_go(void* state) noexcept {
  auto* managed = static_cast<Managed*>(state);
  if (managed->deleter != nullptr) {
    run_python([&] { managed->deleter(managed); });
  }
}

/// Destroys the tensor with its capsule if nobody has taken it.
template <class Managed>
void destroy_unused(PyObject* capsule) noexcept {
  if (PyCapsule_IsValid(capsule, fresh_tensor_name<Managed>) != 0) {
    let_go<Managed>(PyCapsule_GetPointer(capsule, fresh_tensor_name<Managed>));
  }
}

template <class Managed>
nb::object capsule_of_tensor(Managed* managed) {
  PyObject* capsule = PyCapsule_New(managed, fresh_tensor_name<Managed>, destroy_unused<Managed>);
  if (capsule == nullptr) {
    managed->deleter(managed);
    nb::raise_python_error();
  }
  return nb::steal(capsule);
}

/// Takes the tensor out of a capsule; the caller owns it from then on. Null when the capsule has
/// another name.
template <class Managed>
Managed* take_from(PyObject* capsule) {
  const nb::ft_object_guard alone(capsule);
  if (PyCapsule_IsValid(capsule, fresh_tensor_name<Managed>) == 0) {
    return nullptr;
  }
  void* held = PyCapsule_GetPointer(capsule, fresh_tensor_name<Managed>);
  if (PyCapsule_SetName(capsule, used_tensor_name<Managed>) != 0) {
    nb::raise_python_error();
  }
  return static_cast<Managed*>(held);
}

// ---- asking a producer

nb::object known_version() {
  static kept_object version;
  return nb::borrow(version.get([] {
    const auto [major, minor] = dlpack::current_version;
    return nb::make_tuple(major, minor);
  }));
}

/// The names of the arguments of a call: with and without `copy`.
PyObject* argument_names(bool with_copy) {
  static std::array<kept_object, 2> made;
  return made[with_copy ? 1 : 0].get([&] {
    return with_copy ? nb::make_tuple("max_version", "copy") : nb::make_tuple("max_version");
  });
}

/// Asks for a capsule. Producers older than version 1.0 know no arguments.
nb::object ask(const nb::object& method, bool may_copy) {
  const nb::object version = known_version();
  PyObject* const arguments[] = {nullptr, version.ptr(), Py_False};
  constexpr std::size_t none_by_position = 0 | PY_VECTORCALL_ARGUMENTS_OFFSET;
  PyObject* names = argument_names(!may_copy);
  PyObject* given = run_python(
      [&] { return PyObject_Vectorcall(method.ptr(), arguments + 1, none_by_position, names); });
  if (given == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    PyErr_Clear();
    given = run_python([&] { return PyObject_CallNoArgs(method.ptr()); });
  }
  return checked(given);
}

nb::object call_with(const nb::object& method, const nb::dict& keywords) {
  const nb::tuple none;
  return nb::steal(
      run_python([&] { return PyObject_Call(method.ptr(), none.ptr(), keywords.ptr()); }));
}

/// Has the producer order its work before CUDA's legacy default stream: what it does without being
/// asked differs. Producers older than version 1.0 know no other argument.
nb::object ask_on_cuda(const nb::object& method, std::int32_t device, bool may_copy) {
  const internal::current_cuda_device current(device);
  nb::dict stream;
  stream["stream"] = exchange::legacy_default_stream;
  nb::dict keywords;
  keywords.update(stream);
  keywords["max_version"] = known_version();
  if (!may_copy) {
    keywords["copy"] = false;
  }
  nb::object given = call_with(method, keywords);
  if (!given.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    PyErr_Clear();
    given = call_with(method, stream);
  }
  return checked(given.release().ptr());
}

nb::object capsule_of_producer(PyObject* producer, bool may_copy) {
  const nb::object method = optional_attribute(producer, dlpack_name.get());
  if (!method.is_valid()) {
    throw_wrong_type("x", "an object with __dlpack__", producer);
  }
  const std::optional<std::int32_t> on_cuda = cuda_device_of(producer);
  nb::object capsule = on_cuda ? ask_on_cuda(method, *on_cuda, may_copy) : ask(method, may_copy);
  if (!PyCapsule_CheckExact(capsule.ptr())) {
    throw type_error(detail::message(type_name(producer),
                                     ".__dlpack__() must return a capsule, found ",
                                     type_name(capsule.ptr())));
  }
  return capsule;
}

/// The queue on which a producer works; none if it does not say.
std::optional<sycl::queue> queue_of(PyObject* producer) {
  if (producer == nullptr) {
    return std::nullopt;
  }
  if (const array* own = as_array(producer)) {
    return internal::private_queue(*own);
  }
  const nb::object queue = optional_attribute(producer, producers_queue_name.get());
  return queue.is_valid() ? queue_of_object(queue) : std::nullopt;
}

}  // namespace

std::optional<std::int32_t> cuda_device_of(PyObject* producer) {
  if (!exchange::has_cuda_devices()) {
    return std::nullopt;
  }
  const nb::object method = optional_attribute(producer, device_method_name.get());
  if (!method.is_valid()) {
    return std::nullopt;
  }
  const nb::object where = checked(run_python([&] { return PyObject_CallNoArgs(method.ptr()); }));
  if (!PyTuple_Check(where.ptr()) || PyTuple_GET_SIZE(where.ptr()) != 2) {
    throw_wrong_type("__dlpack_device__()", "(device type, number)", where.ptr());
  }
  const std::ptrdiff_t type = to_count("__dlpack_device__()[0]", "an integer device type",
                                       PyTuple_GET_ITEM(where.ptr(), 0));
  if (!std::in_range<std::int32_t>(type) ||
      !dlpack::is_cuda(static_cast<dlpack::device_type>(type))) {
    return std::nullopt;
  }
  const std::ptrdiff_t number = to_count("__dlpack_device__()[1]", "an integer device number",
                                         PyTuple_GET_ITEM(where.ptr(), 1));
  return std::in_range<std::int32_t>(number) ? static_cast<std::int32_t>(number) : -1;  // no device
}

dlpack::device dlpack_device_of(const array& a) {
  const bool is_system = a.owner() && is_system_memory(*a.owner());
  return is_system ? dlpack::host : exchange::dlpack_device(a);
}

nb::object to_capsule(const array& a, dlpack::device where, bool versioned, bool copied) {
  return versioned ? capsule_of_tensor(exchange::to_dlpack(a, where, copied))
                   : capsule_of_tensor(exchange::to_legacy_dlpack(a, where));
}

template <class Managed>
taken_tensor::taken_tensor(Managed* managed)
    : owner_(let_go<Managed>, managed), received_(exchange::receive(*managed)) {}
template taken_tensor::taken_tensor(dlpack::managed_tensor*);

taken_tensor taken_tensor::of(PyObject* producer, bool may_copy) {
  const nb::object capsule = capsule_of_producer(producer, may_copy);
  if (auto* managed = take_from<dlpack::managed_tensor>(capsule.ptr())) {
    return taken_tensor(managed);
  }
  if (auto* managed = take_from<dlpack::legacy_managed_tensor>(capsule.ptr())) {
    return taken_tensor(managed);
  }
  throw value_error(detail::message(
      "capsule must be named 'dltensor_versioned' or 'dltensor' and not be used yet, found ",
      capsule_name_text(capsule.ptr())));
}

array to_array(taken_tensor&& taken, PyObject* producer) {
  const std::optional<sycl::queue> queue = queue_of(producer);
  const exchange::received_tensor received = taken.received();
  array made = [&] {  // the lock may be what those wait for whom CUDA's driver waits for
    const without_interpreter_lock unlocked(received.is_on_cuda());
    return exchange::to_array(received, queue ? &*queue : nullptr, std::move(taken).owner());
  }();
  if (queue && *queue != internal::private_queue(made)) {
    const without_interpreter_lock unlocked;
    internal::wait_interruptibly(*queue);
  }
  return made;
}

array copy_to_usm(const exchange::received_tensor& received, nb::handle device) {
  const sycl::queue queue = queue_argument(nb::none(), device);
  const array_view source = exchange::host_view(received, queue);
  const dtype type = dtype_argument_on(queue.get_device(), nb::none(), source.type());
  array made = make_array(compact_like(source.layout()), type, queue,
                          kind_argument(nb::none(), device), first_use::at_once);
  if (made.size() > 0) {
    ordered(is_short(made), [&] { copy_from_host(source, made); });
  }
  return made;
}

}  // namespace usmx::bindings
