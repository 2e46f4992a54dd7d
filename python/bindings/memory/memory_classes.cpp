#include "memory/memory.hpp"

#include "elements/element.hpp"
#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/memory_object.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

constexpr const char* an_address = "an integer address";

/// Makes the action that releases the memory. Once it exists, usmx releases the memory, even when
/// adopting fails.
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

/// Checks bytes as those of an imported dictionary: the same rules hold.
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
  declare<
      "def from_pointer(pointer: typing.SupportsIndex, nbytes: typing.SupportsIndex, syclobj: "
      "object, *, owner: object = None, deleter: typing.Callable[[int], object] | None = None, "
      "readonly: bool = False) -> MemoryUSMDevice | MemoryUSMShared | MemoryUSMHost">(
      m, &from_pointer);
  declare<
      "def get_usm_type(obj: typing.SupportsIndex | _Producer, syclobj: object = None) -> UsmType "
      "| Literal['unknown']">(m, &get_usm_type);
}

namespace {

interned buffer_name("buf");

/// Throws unless kernels of the device may use memory that the SYCL runtime has not allocated.
void require_system_allocations(const sycl::device& device) {
  if (!device.has(sycl::aspect::usm_system_allocations)) {
    throw value_error(detail::message(
        "from_shared_memory needs a device that may touch the system's memory (aspect "
        "usm_system_allocations), found ",
        describe(device), ", which has not: usmx.asarray(numpy.ndarray(...)) copies the block"));
  }
}

/// The object that exports the bytes: the `buf` of a SharedMemory, or else the object itself.
nb::object exporter_of(nb::handle shm) {
  nb::object found = optional_attribute(shm.ptr(), buffer_name.get());
  if (!found.is_valid()) {
    found = nb::borrow(shm);
  } else if (found.is_none()) {
    throw value_error("'shm' must be open, found one whose close() has been called");
  }
  if (PyObject_CheckBuffer(found.ptr()) == 0) {
    throw_wrong_type("shm", "a SharedMemory or an object with a buffer", shm.ptr());
  }
  return found;
}

/// Adopts all bytes of the block, as the kind of memory that SYCL lets it stand for.
std::shared_ptr<buffer> adopt_block(nb::handle shm, const sycl::queue& queue) {
  auto held = std::make_unique<held_buffer>(exporter_of(shm), PyBUF_SIMPLE);
  void* const first = held->data();
  const std::size_t nbytes = held->nbytes();
  const bool readonly = held->view().readonly != 0;
  return buffer::adopt_checked(first, nbytes, usm_kind::shared, queue,
                               keep_system_memory_alive(shm.ptr(), std::move(held)), readonly);
}

nb::object from_shared_memory(nb::handle shm, nb::handle shape, nb::handle dtype_object,
                              nb::handle device, nb::handle sycl_queue) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  require_system_allocations(queue.get_device());
  const counts extents = shape_argument(shape);
  const dtype type = dtype_argument_on(queue.get_device(), dtype_object, type_code::float64);
  return to_python(array(adopt_block(shm, queue), type, layout::c_order(extents.span())));
}

bool is_memory_of_the_system(const py_array& a) {
  return a.value.owner() && is_system_memory(*a.value.owner());
}

}  // namespace

void bind_shared_memory(nb::module_& m) {
  declare<"def _is_system_memory(a: USMArray) -> bool">(
      m, &is_memory_of_the_system,
      "Whether the memory is that of from_shared_memory, which is no USM to dpctl.");
  declare<
      "def from_shared_memory(shm: object, shape: Shape, dtype: DTypeLike, *, device: DeviceLike | "
      "None = None, sycl_queue: QueueLike | None = None) -> USMArray">(m, &from_shared_memory);
}

namespace {

/// Copies all bytes of memory of the same size, whatever a subclass says of itself.
void copy_own_bytes(const py_memory& self, const py_memory& source) {
  copy_buffer(source.memory(), self.memory());
}

std::string repr(const buffer& memory) {
  require_usable_process();
  return detail::message("<USM ", name(memory.kind()), " memory of ", memory.nbytes(), " bytes at ",
                         static_cast<const void*>(memory.data()),
                         memory.readonly() ? ", read-only" : "", ", on ",
                         describe(internal::private_queue(memory).get_device()), ">");
}

std::shared_ptr<buffer> construct(nb::handle argument, usm_kind kind,
                                  const memory_options& options) {
  if (std::shared_ptr<buffer> existing = memory_of_producer(argument.ptr())) {
    return take_memory(std::move(existing), kind, options);
  }
  return allocate_memory(
      to_count("nbytes", "a number of bytes or an object with __sycl_usm_array_interface__",
               argument.ptr()),
      kind, options);
}

template <class Memory>
void bind_kind(nb::module_& m, const char* name, usm_kind kind, const char* doc) {
  auto cls = pooled_class<Memory, py_memory>(m, name, doc);
  declare<
      "def __init__(self, nbytes_or_producer: typing.SupportsIndex | _Producer, *, alignment: int "
      "= 0, queue: SyclQueue | None = None, copy: bool = False) -> None">(
      cls,
      [kind](nb::pointer_and_handle<Memory> self, nb::handle arg, nb::handle alignment,
             nb::object queue, nb::handle copy) {
        initialize(self, [&] {
          return Memory(construct(
              arg, kind,
              {alignment_argument(alignment), std::move(queue), flag_argument("copy", copy)}));
        });
      },
      docstring("_Memory.__init__"));
  set_python_class<Memory>(cls);
}

/// Gives a buffer. Memory that the host does not reach is no bytes-like object, as dpctl's device
/// memory is none.
int get_memory_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(-1, [&] {
    const auto& memory = ready_instance<py_memory>(self);
    const array bytes = as_bytes(memory.memory());
    if (!internal::host_may_view(bytes)) {
      throw type_error(
          detail::message("a bytes-like object is required, not ", type_name(self),
                          ": the host cannot reach device memory, copy_to_host copies it"));
    }
    return get_buffer(self, bytes, view, flags);
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded<Py_ssize_t>(-1, [&] {
    return static_cast<Py_ssize_t>(ready_instance<py_memory>(self).bytes().nbytes());
  });
}

PyType_Slot memory_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_memory_buffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                              {Py_sq_length, reinterpret_cast<void*>(length)},
                              {0, nullptr}};

/// Announces an event by `announce`, which is buffer::record_read or buffer::record_write.
template <void (buffer::*announce)(const sycl::event&)>
void announce_event(const py_memory& self, nb::handle event) {
  const sycl::event unfinished = event_argument("event", event);
  ordered(false, [&] { (self.bytes().*announce)(unfinished); });
}

void bind_base(nb::module_& m) {
  nb::class_<py_memory> cls(
      m, "_Memory", nb::type_slots(memory_slots), nb::is_weak_referenceable(),
      "The members that the memory classes of the three kinds have in common.");
  const auto number = [&](const char* name) {
    cls.def_prop_ro(name, [](const py_memory& self) { return self.bytes().nbytes(); }, "Bytes.");
  };
  cls.def_prop_ro(
      "_owned_nbytes", [](const py_memory& self) { return internal::owned_nbytes(self.bytes()); },
      "The bytes if usmx allocated them; none of memory that is others', or a part.");
  number("nbytes");
  number("size");
  bind_where(
      cls,
      [](const py_memory& self) -> const sycl::queue& {
        return internal::private_queue(self.bytes());
      },
      [](const py_memory& self) { return queue_object_of(self.bytes()); });
  declare_attribute<"def _queue(self) -> SyclQueue">(
      cls, [](const py_memory& self) { return queue_object_of(self.bytes()); });
  declare_attribute<"def _context(self) -> SyclContext">(cls, [](const py_memory& self) {
    return context_object(internal::private_queue(self.bytes()));
  });
  cls.def_prop_ro(
         "_pointer",
         [](const py_memory& self) {
           const array bytes = as_bytes(self.memory());
           return handed_out_ready(bytes,
                                   [&] { return reinterpret_cast<std::uintptr_t>(bytes.data()); });
         },
         "The address of the first byte. usmx waits for the work on the bytes.")
      .def_prop_ro(
          "readonly", [](const py_memory& self) { return self.bytes().readonly(); },
          "Whether the memory refuses to be written to.");
  declare_attribute<"def reference_obj(self) -> object">(
      cls,
      [](const py_memory& self) -> nb::object {
        PyObject* producer = python_owner(self.bytes());
        return producer == nullptr ? nb::none() : nb::borrow(producer);
      },
      "The producer of memory that usmx did not allocate, or the `owner` given to "
      "`from_pointer`; None for memory of usmx's and where there is no owner.");
  declare_attribute<"def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]">(
      cls,
      [](py_memory& self) { return to_dictionary(self.lent().lend(as_bytes(self.memory()))); });
  declare<"def get_usm_type(self, syclobj: object = None) -> str">(
      cls, [](const py_memory& self, nb::handle syclobj) {
        return name(usm_type_of(self.bytes(), syclobj));
      });
  declare<"def get_usm_type_enum(self, syclobj: object = None) -> int">(
      cls, [](const py_memory& self, nb::handle syclobj) {
        return static_cast<int>(usm_type_of(self.bytes(), syclobj));
      });
  declare<"def tobytes(self) -> bytes">(
      cls, [](const py_memory& self) { return to_python_bytes(self.memory()); },
      "Copy all bytes into a Python bytes object. Waits.");
  declare<"def __bytes__(self) -> bytes">(
      cls, [](const py_memory& self) { return to_python_bytes(self.memory()); });
  declare<"def copy_to_host(self, obj: typing.Any = None) -> typing.Any">(
      cls, [](const py_memory& self, nb::object obj) { return copy_to_host(self.memory(), obj); });
  declare<"def copy_from_host(self, obj: typing.Any) -> None">(
      cls, [](const py_memory& self, nb::handle obj) { copy_from_host(self.memory(), obj); });
  declare<"def copy_from_device(self, sycl_usm_ary: _Producer) -> None">(
      cls, [](const py_memory& self, nb::handle obj) { copy_from_device(self.memory(), obj); });
  declare<"def memset(self, val: typing.SupportsIndex = 0) -> None">(
      cls, [](const py_memory& self, nb::handle val) { memset_bytes(self.bytes(), val); });
  declare<"def record(self, event: object) -> None">(cls, &announce_event<&buffer::record_write>);
  declare<"def record_read(self, event: object) -> None">(cls,
                                                          &announce_event<&buffer::record_read>);
  declare<"def record_write(self, event: object) -> None">(cls,
                                                           &announce_event<&buffer::record_write>);
  cls.def(
      "wait", [](const py_memory& self) { wait_for(self.bytes()); },
      "Wait for all work on the memory that usmx can know of.");
  declare<"def _copy_own_bytes(self, source: _Memory) -> None">(cls, &copy_own_bytes);
  cls.def("__repr__", [](const py_memory& self) { return repr(self.bytes()); });
  set_python_class<py_memory>(cls);
}

nb::object as_usm_memory(nb::handle producer) {
  std::shared_ptr<buffer> memory = memory_of_producer(producer.ptr());
  if (memory == nullptr) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", producer.ptr());
  }
  return new_memory_object(std::move(memory));
}

// ---- views of the host

constexpr std::string_view name(internal::host_access access) noexcept {
  return access == internal::host_access::strict ? "strict" : "reached";
}

std::string_view set_host_access(nb::handle mode) {
  const std::string_view wanted = to_text("mode", mode.ptr());
  for (const auto access : {internal::host_access::reached, internal::host_access::strict}) {
    if (wanted == name(access)) {
      return name(internal::set_host_access(access));
    }
  }
  throw value_error(
      detail::message("mode must be 'reached' or 'strict', found ", repr_text(mode.ptr())));
}

void bind_host_access(nb::module_& m) {
  declare<"def _host_access(mode: object) -> HostAccess">(m, &set_host_access);
  m.attr("_ways_to_host") = ways_to_host;
  declare<"def _host_may_view(a: USMArray, /) -> bool">(
      m, [](const py_array& a) { return internal::host_may_view(a.value); });
  declare<"def _is_ready_on_cpu(a: USMArray, /) -> bool">(
      m, [](const py_array& a) { return internal::is_ready_on_cpu(a.value); });
}

}  // namespace

void bind_memory_classes(nb::module_& m) {
  bind_host_access(m);
  bind_base(m);
  bind_kind<device_memory>(m, "MemoryUSMDevice", usm_kind::device,
                           "Bytes of USM device memory, which only its device may touch.");
  bind_kind<shared_memory>(m, "MemoryUSMShared", usm_kind::shared,
                           "Bytes of USM shared memory, which its device and the host may touch.");
  bind_kind<host_memory>(
      m, "MemoryUSMHost", usm_kind::host,
      "Bytes of USM host memory, which the host and all devices of the context may touch.");
  declare<"def as_usm_memory(obj: _Producer) -> MemoryUSMDevice | MemoryUSMShared | MemoryUSMHost">(
      m, &as_usm_memory);
}

}  // namespace usmx::bindings
