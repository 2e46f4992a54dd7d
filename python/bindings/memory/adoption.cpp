#include "memory/adoption.hpp"

#include <nanobind/stl/string_view.h>

#include "exchange/producers.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/placement.hpp"
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
  m.def(
      "from_pointer", &from_pointer, nb::arg("pointer").none(), nb::arg("nbytes").none(),
      nb::arg("syclobj").none(), nb::kw_only(), nb::arg("owner") = nb::none(),
      nb::arg("deleter") = nb::none(), nb::arg("readonly").none() = false,
      nb::sig("def from_pointer(pointer: typing.SupportsIndex, nbytes: typing.SupportsIndex, "
              "syclobj: object, *, owner: object = None, deleter: typing.Callable[[int], object] "
              "| None = None, readonly: bool = False) -> MemoryUSMDevice | MemoryUSMShared | "
              "MemoryUSMHost"),
      "Memory that a native library allocated: `nbytes` bytes from the address `pointer` on, in "
      "the context of `syclobj` (a queue, context, filter string, capsule or object with "
      "`_get_capsule()`), without a copy. The result is of the class of the pointer's kind and "
      "reports `owner` as its `reference_obj`.\n\n"
      "`owner` and `deleter` say how the memory is freed; one of them must be given. `owner`, any "
      "object, such as a capsule with a destructor, is kept alive until the last view of the "
      "memory is gone and the work recorded on it is complete. `deleter`, a callable, is called "
      "once then, `deleter(pointer)`, after all work on its queue that others may have submitted, "
      "before the owner is let go; also when this function fails, "
      "unless `pointer` is no address. That may happen on any thread; what it raises goes to "
      "`sys.unraisablehook`. (A ctypes function needs `argtypes = [ctypes.c_void_p]`.)\n\n"
      "Raises ValueError when the bytes are not all inside one live allocation of that context "
      "and device, TypeError for arguments of another type and when there is neither owner nor "
      "deleter.");
  m.def("get_usm_type", &get_usm_type, nb::arg("obj").none(), nb::arg("syclobj") = nb::none(),
        nb::sig("def get_usm_type(obj: typing.SupportsIndex | _Producer, syclobj: object = None) "
                "-> str"),
        "What the address `obj`, or the first byte of a producer's memory, is in the context of "
        "`syclobj` (a queue, context, filter string, capsule or object with `_get_capsule()`): "
        "'device', 'shared', 'host', or 'unknown' when it is no USM there. A producer has a "
        "context of its own, which None stands for; an address has none.\n\n"
        "Raises TypeError for what is neither, and ValueError for a producer that breaks a rule of "
        "the protocol.");
}

}  // namespace usmx::bindings
