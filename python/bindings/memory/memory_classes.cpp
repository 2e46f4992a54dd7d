#include "memory/memory.hpp"

#include <utility>

#include "exchange/dictionaries.hpp"
#include "exchange/producers.hpp"
#include "internals.hpp"
#include "memory/byte_copies.hpp"
#include "memory/memory_argument.hpp"
#include "objects/buffer_protocol.hpp"
#include "objects/memory.hpp"
#include "objects/owners.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/errors.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl_objects.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// All bytes of memory of the same size, whatever a subclass says of itself.
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
  cls.def(
      "__init__",
      [kind](nb::pointer_and_handle<Memory> self, nb::handle arg, nb::handle alignment,
             nb::object queue, nb::handle copy) {
        initialize(self, [&] {
          return Memory(construct(
              arg, kind,
              {alignment_argument(alignment), std::move(queue), flag_argument("copy", copy)}));
        });
      },
      nb::arg("nbytes_or_producer").none(), nb::kw_only(), nb::arg("alignment").none() = 0,
      nb::arg("queue") = nb::none(), nb::arg("copy").none() = false,
      nb::sig("def __init__(self, nbytes_or_producer: typing.SupportsIndex | _Producer, *, "
              "alignment: int = 0, queue: SyclQueue | None = None, copy: bool = False) -> "
              "None"),
      R"(Make new memory, or view or copy that of a producer.

Args:
    nbytes_or_producer: a number of bytes, more than 0, for new memory; or a producer of this kind of memory, for
        a view of its bytes, which keeps the producer alive.
    alignment: a power of two, of which the address of new memory is a multiple. 0 leaves it to the runtime.
    queue: the queue of new memory. By default the queue that usmx keeps for the default device.
    copy: True: copy the bytes of the producer, which may be of any kind. Waits for the copy.

Raises:
    ValueError: the size or the alignment is not accepted, or the producer is of another kind.
    TypeError: the first argument is neither a number nor a producer.
    USMAllocationError: the memory cannot be allocated.

Example:
    >>> usmx.memory.MemoryUSMShared(64).nbytes
    64)");
  set_python_class<Memory>(cls);
}

int get_memory_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded(-1, [&] {
    const auto& memory = ready_instance<py_memory>(self);
    return get_buffer(self, as_bytes(memory.memory()), view, flags);
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

/// `announce` is buffer::record_read or buffer::record_write.
template <void (buffer::*announce)(const sycl::event&)>
void announce_event(const py_memory& self, nb::handle event) {
  const sycl::event unfinished = event_argument("event", event);
  ordered(false, [&] { (self.bytes().*announce)(unfinished); });
}

void bind_base(nb::module_& m) {
  nb::class_<py_memory> cls(m, "_Memory", nb::type_slots(memory_slots), nb::is_weak_referenceable(),
                            "What the memory classes of the three kinds have in common.");
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
  cls.def_prop_ro(
         "_queue", [](const py_memory& self) { return queue_object_of(self.bytes()); },
         nb::sig("def _queue(self) -> SyclQueue"))
      .def_prop_ro(
          "_context",
          [](const py_memory& self) {
            return context_object(internal::private_queue(self.bytes()));
          },
          nb::sig("def _context(self) -> SyclContext"))
      .def_prop_ro(
          "_pointer",
          [](const py_memory& self) {
            const array bytes = as_bytes(self.memory());
            return handed_out_ready(bytes,
                                    [&] { return reinterpret_cast<std::uintptr_t>(bytes.data()); });
          },
          "The address of the first byte. usmx waits for the work on the bytes.")
      .def_prop_ro(
          "readonly", [](const py_memory& self) { return self.bytes().readonly(); },
          "Whether the memory refuses to be written to.")
      .def_prop_ro(
          "reference_obj",
          [](const py_memory& self) -> nb::object {
            PyObject* producer = python_owner(self.bytes());
            return producer == nullptr ? nb::none() : nb::borrow(producer);
          },
          nb::sig("def reference_obj(self) -> object"),
          "The producer of memory that usmx did not allocate, or the `owner` given to "
          "`from_pointer`; None for memory of usmx's and where there is no owner.")
      .def_prop_ro(
          "__sycl_usm_array_interface__",
          [](py_memory& self) { return to_dictionary(self.lent().lend(as_bytes(self.memory()))); },
          nb::sig("def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]"))
      .def(
          "get_usm_type",
          [](const py_memory& self, nb::handle syclobj) {
            return name(usm_type_of(self.bytes(), syclobj));
          },
          nb::arg("syclobj") = nb::none(),
          nb::sig("def get_usm_type(self, syclobj: object = None) -> str"),
          R"(Give the kind of the memory.

Args:
    syclobj: None for the memory's own context; or a queue, a context or another form of ``syclobj``, to ask what
        the memory is in that context.

Returns:
    'device', 'shared' or 'host', and in another context also 'unknown'.)")
      .def(
          "get_usm_type_enum",
          [](const py_memory& self, nb::handle syclobj) {
            return static_cast<int>(usm_type_of(self.bytes(), syclobj));
          },
          nb::arg("syclobj") = nb::none(),
          nb::sig("def get_usm_type_enum(self, syclobj: object = None) -> int"),
          R"(Give the kind of the memory as dpctl's number: 0 unknown, 1 device, 2 shared, 3 host.

Args:
    syclobj: None for the memory's own context; or a queue, a context or another form of ``syclobj``.)")
      .def(
          "tobytes", [](const py_memory& self) { return to_python_bytes(self.memory()); },
          nb::sig("def tobytes(self) -> bytes"),
          "Copy all bytes into a Python bytes object. Waits.")
      .def(
          "__bytes__", [](const py_memory& self) { return to_python_bytes(self.memory()); },
          nb::sig("def __bytes__(self) -> bytes"))
      .def(
          "copy_to_host",
          [](const py_memory& self, nb::object obj) { return copy_to_host(self.memory(), obj); },
          nb::arg("obj") = nb::none(),
          nb::sig("def copy_to_host(self, obj: typing.Any = None) -> typing.Any"),
          R"(Copy all bytes to the start of a buffer. Waits.

Args:
    obj: a writable contiguous buffer. None makes a new NumPy array of bytes.

Returns:
    The buffer.

Raises:
    ValueError: the buffer is too small.)")
      .def(
          "copy_from_host",
          [](const py_memory& self, nb::handle obj) { copy_from_host(self.memory(), obj); },
          nb::arg("obj"), nb::sig("def copy_from_host(self, obj: typing.Any) -> None"),
          R"(Copy a buffer to the start of this memory. Waits.

Args:
    obj: a contiguous buffer.

Raises:
    ValueError: the buffer does not fit, or this memory is read-only.)")
      .def(
          "copy_from_device",
          [](const py_memory& self, nb::handle obj) { copy_from_device(self.memory(), obj); },
          nb::arg("sycl_usm_ary"),
          nb::sig("def copy_from_device(self, sycl_usm_ary: _Producer) -> None"),
          R"(Copy the bytes of a producer to the start of this memory. Waits.

Args:
    sycl_usm_ary: an object with ``__sycl_usm_array_interface__``.

Raises:
    ValueError: the bytes do not fit, or this memory is read-only.)")
      .def(
          "memset", [](const py_memory& self, nb::handle val) { memset_bytes(self.bytes(), val); },
          nb::arg("val").none() = 0,
          nb::sig("def memset(self, val: typing.SupportsIndex = 0) -> None"),
          R"(Set every byte to one value. Waits.

Args:
    val: an integer from 0 to 255.

Raises:
    ValueError: this memory is read-only, or `val` is out of range.)")
      .def("record", &announce_event<&buffer::record_write>, nb::arg("event").none(),
           nb::sig("def record(self, event: object) -> None"),
           R"(Announce unfinished work on this memory that usmx has not submitted. Does not wait.

Whoever reads the memory through usmx waits for that work, and usmx does not free the memory before it is
complete.

Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.

Raises:
    TypeError: `event` is none of these.)")
      .def("record_read", &announce_event<&buffer::record_read>, nb::arg("event").none(),
           nb::sig("def record_read(self, event: object) -> None"),
           R"(Announce unfinished work that only reads this memory. Does not wait.

Whoever writes the memory through usmx waits for that work, whoever reads it does not. usmx does not free
the memory before the work is complete.

Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.

Raises:
    TypeError: `event` is none of these.

Example:
    >>> usmx.memory.MemoryUSMShared(8).record_read(usmx.SyclEvent()))")
      .def(
          "record_write", &announce_event<&buffer::record_write>, nb::arg("event").none(),
          nb::sig("def record_write(self, event: object) -> None"),
          R"(Announce unfinished work that writes this memory: another name of ``record``. Does not wait.

Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.

Raises:
    TypeError: `event` is none of these.

Example:
    >>> usmx.memory.MemoryUSMShared(8).record_write(usmx.SyclEvent()))")
      .def(
          "wait", [](const py_memory& self) { wait_for(self.bytes()); },
          "Wait for all work on the memory that usmx can know of.")
      .def("_copy_own_bytes", &copy_own_bytes, nb::arg("source"),
           nb::sig("def _copy_own_bytes(self, source: _Memory) -> None"))
      .def("__repr__", [](const py_memory& self) { return repr(self.bytes()); });
  set_python_class<py_memory>(cls);
}

nb::object as_usm_memory(nb::handle producer) {
  std::shared_ptr<buffer> memory = memory_of_producer(producer.ptr());
  if (memory == nullptr) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", producer.ptr());
  }
  return new_memory_object(std::move(memory));
}

}  // namespace

void bind_memory_classes(nb::module_& m) {
  bind_base(m);
  bind_kind<device_memory>(m, "MemoryUSMDevice", usm_kind::device,
                           "Bytes of USM device memory, which only its device may touch.");
  bind_kind<shared_memory>(m, "MemoryUSMShared", usm_kind::shared,
                           "Bytes of USM shared memory, which its device and the host may touch.");
  bind_kind<host_memory>(
      m, "MemoryUSMHost", usm_kind::host,
      "Bytes of USM host memory, which the host and all devices of the context may touch.");
  m.def(
      "as_usm_memory", &as_usm_memory, nb::arg("obj").none(),
      nb::sig("def as_usm_memory(obj: _Producer) -> MemoryUSMDevice | MemoryUSMShared | "
              "MemoryUSMHost"),
      R"(View the bytes of a producer, from its lowest element to its highest. Does not copy or wait.

Args:
    obj: an object with ``__sycl_usm_array_interface__``.

Returns:
    A memory object of the kind of the memory, which keeps the producer alive.

Raises:
    TypeError: `obj` is no producer.
    ValueError: what `obj` says of its memory breaks a rule of the protocol.

Example:
    >>> usmx.memory.as_usm_memory(usmx.zeros(3)).nbytes
    24)");
}

}  // namespace usmx::bindings
