#include "memory/memory.hpp"

#include "exchange/producers.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::bindings {
namespace {

constexpr const char* an_address = "an integer address";

/// From here on the memory is usmx's to let go, even when adopting fails.
detail::release_action release_of(nb::handle owner, nb::handle deleter, nb::handle pointer) {
  if (deleter.is_none()) {
    if (owner.is_none()) {
      throw type_error(
          "from_pointer takes an 'owner' that keeps the memory alive, a 'deleter' that frees it, "
          "or both, found neither");
    }
    return keep_alive(owner.ptr());
  }
  if (PyCallable_Check(deleter.ptr()) == 0) {
    throw_wrong_type("deleter", "a callable that takes the address", deleter.ptr());
  }
  return call_with_pointer(deleter.ptr(), pointer.ptr(), owner.is_none() ? nullptr : owner.ptr());
}

/// The bytes as an imported dictionary would describe them: the same rules hold.
exchange::checked_import check_bytes(std::uintptr_t address, std::ptrdiff_t nbytes,
                                     const exchange::placement& where, bool readonly) {
  if (nbytes <= 0) {
    throw value_error(detail::message("'nbytes' must be positive, found ", nbytes));
  }
  if (address == 0) {
    throw value_error("'pointer' must point to memory, found a null pointer");
  }
  const std::ptrdiff_t shape[] = {nbytes};
  exchange::usm_array_interface bytes;
  bytes.data = address;
  bytes.readonly = readonly;
  bytes.typestr = "|u1";
  bytes.shape = shape;
  return exchange::check(bytes, where);
}

nb::object from_pointer(nb::handle pointer, nb::handle nbytes, nb::handle syclobj, nb::handle owner,
                        nb::handle deleter, nb::handle readonly) {
  const nb::object integer = to_integer("pointer", an_address, pointer.ptr());
  const std::uintptr_t address = to_address("pointer", an_address, integer.ptr());
  detail::release_action release = release_of(owner, deleter, integer);
  const std::ptrdiff_t count = to_count("nbytes", "a number of bytes", nbytes.ptr());
  exchange::checked_import checked = check_bytes(address, count, resolve_syclobj(syclobj.ptr()),
                                                 flag_argument("readonly", readonly));
  return memory_object(
      exchange::to_buffer(std::move(checked), std::move(release), !deleter.is_none()));
}

std::string_view get_usm_type(nb::handle object, nb::handle syclobj) {
  if (const std::shared_ptr<buffer> memory = memory_of_producer(object.ptr())) {
    return name(usm_type_of(*memory, syclobj));
  }
  const std::uintptr_t address =
      to_address("obj", "an address or an object with __sycl_usm_array_interface__", object.ptr());
  if (syclobj.is_none()) {
    throw type_error("'syclobj' must say in which context an address is meant, found None");
  }
  return name(pointer_kind(reinterpret_cast<const void*>(address),
                           resolve_syclobj(syclobj.ptr()).context()));
}

}  // namespace

void bind_adoption(nb::module_& m) {
  m.def("from_pointer", &from_pointer, nb::arg("pointer").none(), nb::arg("nbytes").none(),
        nb::arg("syclobj").none(), nb::kw_only(), nb::arg("owner") = nb::none(),
        nb::arg("deleter") = nb::none(), nb::arg("readonly").none() = false,
        nb::sig("def from_pointer(pointer: typing.SupportsIndex, nbytes: typing.SupportsIndex, "
                "syclobj: object, *, owner: object = None, deleter: typing.Callable[[int], object] "
                "| None = None, readonly: bool = False) -> MemoryUSMDevice | MemoryUSMShared | "
                "MemoryUSMHost"),
        R"(Take over memory that a native library allocated, without a copy.

`owner` and `deleter` say how the memory is freed. One of them must be given.

The owner is kept alive until the last view of the memory is gone and the work recorded on it is complete. The
deleter is called once then, as ``deleter(pointer)``, after all work on its queue that others may have
submitted, and before the owner is let go. It is also called if this function fails, unless `pointer` is no
address. It may be called on any thread, and what it raises goes to ``sys.unraisablehook``.

Args:
    pointer: the address of the first byte.
    nbytes: the number of bytes.
    syclobj: the context of the memory: a queue, a context, a filter string, a capsule or an object with
        ``_get_capsule()``.
    owner: any object, such as a capsule with a destructor. The result's ``reference_obj`` is this object.
    deleter: a callable. A ctypes function needs ``argtypes = [ctypes.c_void_p]``.
    readonly: whether nothing may be written to the memory.

Returns:
    A memory object of the class of the pointer's kind.

Raises:
    ValueError: the bytes are not all inside one live allocation of that context and device.
    TypeError: an argument has a wrong type, or there is neither owner nor deleter.

Example:
    >>> native = usmx.memory.MemoryUSMShared(64)  # stands for a library's memory
    >>> usmx.memory.from_pointer(native._pointer, 64, native.sycl_queue, owner=native).nbytes
    64)");
  m.def("get_usm_type", &get_usm_type, nb::arg("obj").none(), nb::arg("syclobj") = nb::none(),
        nb::sig("def get_usm_type(obj: typing.SupportsIndex | _Producer, syclobj: object = None) "
                "-> str"),
        R"(Say what an address, or the first byte of a producer's memory, is in a context.

Args:
    obj: an address as an integer, or a producer.
    syclobj: a queue, a context, a filter string, a capsule or an object with ``_get_capsule()``. None stands for
        the producer's own context; an address has none.

Returns:
    'device', 'shared' or 'host'; 'unknown' if it is no USM there.

Raises:
    TypeError: `obj` is neither, or `syclobj` is missing for an address.
    ValueError: a producer breaks a rule of the protocol.

Example:
    >>> usmx.memory.get_usm_type(usmx.zeros(3))
    'device')");
}

}  // namespace usmx::bindings
