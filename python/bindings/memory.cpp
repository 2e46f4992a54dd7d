#include "memory.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstring>
#include <unordered_map>

#include "arguments.hpp"
#include "array.hpp"
#include "buffer_protocol.hpp"
#include "held_buffer.hpp"
#include "interface.hpp"
#include "owners.hpp"
#include "python_thread.hpp"
#include "sycl_event.hpp"
#include "sycl_objects.hpp"
#include "syclobj.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

/// The memory object made for a buffer (borrowed), while that object lives.
std::unordered_map<const buffer*, PyObject*>& known_objects() {
  static auto* map = new std::unordered_map<const buffer*, PyObject*>;
  return *map;
}

class py_memory {
 public:
  explicit py_memory(std::shared_ptr<buffer> memory) noexcept : memory_(std::move(memory)) {}
  py_memory(py_memory&& other) noexcept = default;
  ~py_memory() {
    note_python_thread();
    if (memory_ != nullptr && known_) {
      known_objects().erase(memory_.get());
    }
  }

  /// From now on this is the object that memory_object finds for the buffer.
  void make_known(PyObject* self) {
    known_objects().emplace(memory_.get(), self);
    known_ = true;
  }

  const std::shared_ptr<buffer>& memory() const noexcept { return memory_; }
  buffer& bytes() const noexcept { return *memory_; }

 private:
  std::shared_ptr<buffer> memory_;
  bool known_ = false;
};

// One Python class for each kind, as dpctl has them; what they hold is the same.
struct device_memory : py_memory {
  using py_memory::py_memory;
};
struct shared_memory : py_memory {
  using py_memory::py_memory;
};
struct host_memory : py_memory {
  using py_memory::py_memory;
};

PyTypeObject* base_type = nullptr;
nb::handle device_type;
nb::handle shared_type;
nb::handle host_type;

/// The first bytes of a buffer as one side of a copy.
array_view first_bytes(const buffer& memory, std::size_t nbytes) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(nbytes)};
  return {memory.data(), type_code::uint8, layout::c_order(shape),
          memory.kind(), memory.queue(),   memory.readonly()};
}

/// Ordinary host memory as the other side.
array_view host_bytes(void* bytes, std::size_t nbytes, const sycl::queue& queue) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(nbytes)};
  return {bytes, type_code::uint8, layout::c_order(shape), usm_kind::unknown, queue, false};
}

void require_writable(const buffer& memory) {
  if (memory.readonly()) {
    throw read_only_error("memory is read-only: expected writable memory");
  }
}

/// The bytes from the lowest to the highest element.
buffer touched_part(const array& a, detail::release_action release) {
  const auto itemsize = static_cast<std::ptrdiff_t>(a.type().itemsize());
  const auto extent = a.layout().extent();
  const std::ptrdiff_t first = extent ? extent->first * itemsize : 0;
  const std::ptrdiff_t end = extent ? (extent->last + 1) * itemsize : 0;
  return buffer::part_of(a.owner(), a.owner()->data() + first,
                         static_cast<std::size_t>(end - first), a.readonly(), std::move(release));
}

void copy_to_bytes(buffer& memory, void* destination) {
  const without_interpreter_lock unlocked;
  memory.wait();
  copy(first_bytes(memory, memory.nbytes()),
       host_bytes(destination, memory.nbytes(), memory.queue()));
}

nb::object to_python_bytes(buffer& memory) {
  nb::object result =
      nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(memory.nbytes())));
  if (!result.is_valid()) {
    nb::raise_python_error();
  }
  copy_to_bytes(memory, PyBytes_AS_STRING(result.ptr()));
  return result;
}

/// Whether a PEP 3118 format has 'O' anywhere but in the names of fields, which are between colons.
bool holds_objects(std::string_view format) {
  bool in_name = false;
  for (const char c : format) {
    if (c == 'O' && !in_name) {
      return true;
    }
    in_name = in_name != (c == ':');
  }
  return false;
}

/// Bytes written over references to Python objects would crash the process later.
void require_no_objects(nb::handle destination) {
  Py_buffer view;
  if (PyObject_GetBuffer(destination.ptr(), &view, PyBUF_FORMAT | PyBUF_ANY_CONTIGUOUS) != 0) {
    PyErr_Clear();  // no format, as of NumPy's dates: no objects
    return;
  }
  const bool found = view.format != nullptr && holds_objects(view.format);
  PyBuffer_Release(&view);
  if (found) {
    throw value_error("destination must be a buffer of plain bytes, found one of Python objects");
  }
}

nb::object copy_to_host(buffer& memory, nb::object destination) {
  if (destination.is_none()) {
    destination = nb::module_::import_("numpy").attr("empty")(memory.nbytes(), "u1");
  }
  const held_buffer target(destination, PyBUF_WRITABLE | PyBUF_ANY_CONTIGUOUS);
  require_no_objects(destination);
  if (target.nbytes() < memory.nbytes()) {
    throw value_error(detail::message("destination must have at least ", memory.nbytes(),
                                      " bytes, found ", target.nbytes()));
  }
  copy_to_bytes(memory, target.data());
  return destination;
}

void copy_from_host(buffer& memory, nb::handle source_object) {
  require_writable(memory);
  const held_buffer source(source_object, PyBUF_ANY_CONTIGUOUS);
  if (source.nbytes() > memory.nbytes()) {
    throw value_error(detail::message("source must have at most ", memory.nbytes(),
                                      " bytes, found ", source.nbytes()));
  }
  const without_interpreter_lock unlocked;
  memory.wait();
  copy(host_bytes(source.data(), source.nbytes(), memory.queue()),
       first_bytes(memory, source.nbytes()));
}

void copy_buffer(buffer& source, buffer& destination) {
  source.wait();
  destination.wait();
  copy(first_bytes(source, source.nbytes()), first_bytes(destination, source.nbytes()));
}

void copy_from_device(buffer& memory, nb::handle producer) {
  require_writable(memory);
  const std::shared_ptr<buffer> source = memory_of_producer(producer.ptr());
  if (source == nullptr) {
    throw_wrong_type("sycl_usm_ary", "an object with __sycl_usm_array_interface__", producer.ptr());
  }
  if (source->nbytes() > memory.nbytes()) {
    throw value_error(detail::message("source must have at most ", memory.nbytes(),
                                      " bytes, found ", source->nbytes()));
  }
  const without_interpreter_lock unlocked;
  copy_buffer(*source, memory);
}

void memset_bytes(buffer& memory, nb::handle val) {
  require_writable(memory);
  const std::ptrdiff_t value = to_count("val", "a byte, 0 to 255", val.ptr());
  if (value < 0 || value > 255) {
    throw value_error(detail::message("'val' must be a byte, 0 to 255, found ", value));
  }
  const without_interpreter_lock unlocked;
  memory.wait();
  fill_bytes(memory.data(), static_cast<int>(value), memory.nbytes(), memory.kind(),
             memory.queue());
}

nb::object reduce(nb::handle self) {
  return nb::module_::import_("usmx._memory_pickling").attr("reduce_memory")(self);
}

nb::object duplicate(nb::handle self, nb::handle memo) {
  return nb::module_::import_("usmx._memory_pickling").attr("copy_memory")(self, memo);
}

/// All bytes of memory of the same size, whatever a subclass says of itself.
void copy_own_bytes(const py_memory& self, const py_memory& source) {
  const without_interpreter_lock unlocked;
  copy_buffer(source.bytes(), self.bytes());
}

std::string repr(const buffer& memory) {
  return detail::message("<USM ", name(memory.kind()), " memory of ", memory.nbytes(), " bytes at ",
                         static_cast<const void*>(memory.data()),
                         memory.readonly() ? ", read-only" : "", ", on ",
                         describe(memory.queue().get_device()), ">");
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
nb::handle bind_kind(nb::module_& m, const char* name, usm_kind kind, const char* doc) {
  return nb::class_<Memory, py_memory>(m, name, nb::pooled(), doc)
      .def(
          "__init__",
          [kind](Memory* self, nb::handle arg, nb::handle alignment, nb::object queue,
                 nb::handle copy) {
            new (self) Memory(construct(
                arg, kind,
                {alignment_argument(alignment), std::move(queue), flag_argument("copy", copy)}));
          },
          nb::arg("nbytes_or_producer").none(), nb::kw_only(), nb::arg("alignment").none() = 0,
          nb::arg("queue") = nb::none(), nb::arg("copy").none() = false,
          nb::sig("def __init__(self, nbytes_or_producer: typing.SupportsIndex | _Producer, *, "
                  "alignment: int = 0, queue: SyclQueue | None = None, copy: bool = False) -> "
                  "None"),
          "New memory of a number of bytes (> 0), on `queue` (by default usmx's own queue of the "
          "default device), at a multiple of `alignment` (a power of two; 0 leaves it to the "
          "runtime). Or a view of a producer's bytes of this kind, which keeps the producer "
          "alive; with `copy=True` a copy of the bytes of a producer of any kind.\n\n"
          "Raises ValueError for a bad size or alignment, or a producer of another kind; "
          "USMAllocationError when there is no memory.");
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

void bind_base(nb::module_& m) {
  nb::class_<py_memory> cls(m, "_Memory", nb::type_slots(memory_slots), nb::is_weak_referenceable(),
                            "What the memory classes of the three kinds have in common.");
  const auto number = [&](const char* name) {
    cls.def_prop_ro(name, [](const py_memory& self) { return self.bytes().nbytes(); }, "Bytes.");
  };
  number("nbytes");
  number("size");
  const auto queue = [&](const char* name, const char* signature) {
    cls.def_prop_ro(
        name, [](const py_memory& self) { return to_python(self.bytes().queue()); },
        nb::sig(signature));
  };
  queue("sycl_queue", "def sycl_queue(self) -> SyclQueue");
  queue("_queue", "def _queue(self) -> SyclQueue");
  const auto context = [&](const char* name, const char* signature) {
    cls.def_prop_ro(
        name, [](const py_memory& self) { return to_python(self.bytes().queue().get_context()); },
        nb::sig(signature));
  };
  context("sycl_context", "def sycl_context(self) -> SyclContext");
  context("_context", "def _context(self) -> SyclContext");
  cls.def_prop_ro(
         "_pointer",
         [](const py_memory& self) {
           return reinterpret_cast<std::uintptr_t>(self.bytes().data());
         },
         "The address of the first byte.")
      .def_prop_ro("readonly", [](const py_memory& self) { return self.bytes().readonly(); })
      .def_prop_ro(
          "sycl_device",
          [](const py_memory& self) { return to_python(self.bytes().queue().get_device()); },
          nb::sig("def sycl_device(self) -> SyclDevice"))
      .def_prop_ro(
          "reference_obj",
          [](const py_memory& self) -> nb::object {
            PyObject* producer = owner_behind(self.bytes());
            return producer == nullptr ? nb::none() : nb::borrow(producer);
          },
          nb::sig("def reference_obj(self) -> object"),
          "The object whose memory this is a view of, or the owner given to `from_pointer`; "
          "None for memory of its own.")
      .def_prop_ro(
          "__sycl_usm_array_interface__",
          [](const py_memory& self) { return to_dictionary(as_bytes(self.memory())); },
          nb::sig("def __sycl_usm_array_interface__(self) -> dict[str, typing.Any]"))
      .def(
          "get_usm_type",
          [](const py_memory& self, nb::handle syclobj) {
            return name(usm_type_of(self.bytes(), syclobj));
          },
          nb::arg("syclobj") = nb::none(),
          nb::sig("def get_usm_type(self, syclobj: object = None) -> str"),
          "'device', 'shared' or 'host'; with a queue, context or another form of `syclobj`, what "
          "the memory is in that context: there it may be 'unknown'.")
      .def(
          "get_usm_type_enum",
          [](const py_memory& self, nb::handle syclobj) {
            return static_cast<int>(usm_type_of(self.bytes(), syclobj));
          },
          nb::arg("syclobj") = nb::none(),
          nb::sig("def get_usm_type_enum(self, syclobj: object = None) -> int"),
          "The same as dpctl's number: 0 unknown, 1 device, 2 shared, 3 host.")
      .def(
          "tobytes", [](const py_memory& self) { return to_python_bytes(self.bytes()); },
          nb::sig("def tobytes(self) -> bytes"), "A copy of all bytes. Waits.")
      .def(
          "__bytes__", [](const py_memory& self) { return to_python_bytes(self.bytes()); },
          nb::sig("def __bytes__(self) -> bytes"))
      .def(
          "copy_to_host",
          [](const py_memory& self, nb::object obj) { return copy_to_host(self.bytes(), obj); },
          nb::arg("obj") = nb::none(),
          nb::sig("def copy_to_host(self, obj: typing.Any = None) -> typing.Any"),
          "Copies all bytes to the start of a writable contiguous buffer (by default a new NumPy "
          "array of bytes) and returns it. Waits. Raises ValueError when it is too small.")
      .def(
          "copy_from_host",
          [](const py_memory& self, nb::handle obj) { copy_from_host(self.bytes(), obj); },
          nb::arg("obj"), nb::sig("def copy_from_host(self, obj: typing.Any) -> None"),
          "Copies a contiguous buffer to the start of this memory. Waits. Raises ValueError when "
          "it does not fit or this memory is read-only.")
      .def(
          "copy_from_device",
          [](const py_memory& self, nb::handle obj) { copy_from_device(self.bytes(), obj); },
          nb::arg("sycl_usm_ary"),
          nb::sig("def copy_from_device(self, sycl_usm_ary: _Producer) -> None"),
          "Copies the bytes of any producer to the start of this memory. Waits. Raises ValueError "
          "when they do not fit or this memory is read-only.")
      .def(
          "memset", [](const py_memory& self, nb::handle val) { memset_bytes(self.bytes(), val); },
          nb::arg("val").none() = 0,
          nb::sig("def memset(self, val: typing.SupportsIndex = 0) -> None"),
          "Sets every byte. Waits. Raises ValueError on read-only memory.")
      .def(
          "record",
          [](const py_memory& self, nb::handle event) {
            self.bytes().record(event_argument("event", event));
          },
          nb::arg("event").none(), nb::sig("def record(self, event: object) -> None"),
          "Announces unfinished work on this memory that usmx has not submitted: whoever reads the "
          "memory through usmx waits for it, and it is not freed before. `event` is a SyclEvent of "
          "usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.")
      .def(
          "wait",
          [](const py_memory& self) {
            const without_interpreter_lock unlocked;
            self.bytes().wait();
          },
          "Waits for all work on the memory that usmx can know of.")
      .def(
          "__reduce_ex__", [](nb::handle self, nb::handle) { return reduce(self); },
          nb::arg("protocol"),
          nb::sig("def __reduce_ex__(self, protocol: typing.SupportsIndex) -> tuple[typing.Any, "
                  "...]"),
          "Pickles kind, bytes, read-only flag and the device's filter string; read back, the "
          "memory is on usmx's own queue of that device.")
      .def(
          "__copy__", [](nb::handle self) { return duplicate(self, nb::none()); },
          nb::sig("def __copy__(self) -> typing.Self"),
          "New, writable memory of the same kind on the same queue with the same bytes. Waits.")
      .def("__deepcopy__", &duplicate, nb::arg("memo"),
           nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any]) -> typing.Self"))
      .def("_copy_own_bytes", &copy_own_bytes, nb::arg("source"),
           nb::sig("def _copy_own_bytes(self, source: _Memory) -> None"))
      .def("__repr__", [](const py_memory& self) { return repr(self.bytes()); });
  base_type = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

nb::object new_memory_object(std::shared_ptr<buffer> memory) {
  switch (memory->kind()) {
    case usm_kind::shared:
      return make_instance(shared_type, shared_memory(std::move(memory)));
    case usm_kind::host:
      return make_instance(host_type, host_memory(std::move(memory)));
    default:
      return make_instance(device_type, device_memory(std::move(memory)));
  }
}

nb::object as_usm_memory(nb::handle producer) {
  std::shared_ptr<buffer> memory = memory_of_producer(producer.ptr());
  if (memory == nullptr) {
    throw_wrong_type("obj", "an object with __sycl_usm_array_interface__", producer.ptr());
  }
  return new_memory_object(std::move(memory));
}

}  // namespace

usm_kind usm_type_of(const buffer& memory, nb::handle syclobj) {
  return syclobj.is_none() ? memory.kind()
                           : pointer_kind(memory.data(), resolve_syclobj(syclobj.ptr()).context());
}

std::size_t alignment_argument(nb::handle alignment) {
  const std::ptrdiff_t value =
      to_count("alignment", "0 or a power of two, an integer", alignment.ptr());
  if (value < 0) {
    throw value_error(detail::message("alignment must be 0 or a power of two, found ", value));
  }
  return static_cast<std::size_t>(value);
}

array as_bytes(const std::shared_ptr<buffer>& memory) {
  const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(memory->nbytes())};
  return array::unchecked(memory, type_code::uint8, layout::c_order(shape), memory->readonly());
}

std::shared_ptr<buffer> allocate_memory(std::ptrdiff_t nbytes, usm_kind kind,
                                        const memory_options& options) {
  if (nbytes <= 0) {
    throw value_error(
        detail::message("number of bytes to allocate must be positive, found ", nbytes));
  }
  return std::make_shared<buffer>(buffer::allocate(static_cast<std::size_t>(nbytes), kind,
                                                   queue_argument(options.queue, nb::none()),
                                                   options.alignment));
}

std::shared_ptr<buffer> take_memory(std::shared_ptr<buffer> existing, usm_kind kind,
                                    const memory_options& options) {
  const sycl::queue queue =
      options.queue.is_none() ? existing->queue() : queue_argument(options.queue, nb::none());
  if (options.copy) {
    if (existing->nbytes() == 0) {
      throw value_error("a copy of memory needs at least one byte, found none");
    }
    auto copied = std::make_shared<buffer>(
        buffer::allocate(existing->nbytes(), kind, queue, options.alignment));
    const without_interpreter_lock unlocked;
    copy_buffer(*existing, *copied);
    return copied;
  }
  if (existing->kind() != kind) {
    throw value_error(detail::message("a view of memory must be of its kind: expected ", name(kind),
                                      " memory, found ", name(existing->kind()),
                                      " memory; copy=True copies it"));
  }
  if (options.alignment != 0 &&
      reinterpret_cast<std::uintptr_t>(existing->data()) % options.alignment != 0) {
    throw value_error(detail::message("memory must be aligned to ", options.alignment,
                                      " bytes, found address ",
                                      static_cast<const void*>(existing->data())));
  }
  if (queue != existing->queue()) {
    throw value_error(
        "a view of memory stays on its own queue, found another: copy=True copies "
        "the memory to that queue");
  }
  return existing;
}

std::shared_ptr<buffer> memory_of_producer(PyObject* object) {
  if (const std::shared_ptr<buffer> own = as_memory(object)) {
    return std::make_shared<buffer>(
        buffer::part_of(own, own->data(), own->nbytes(), own->readonly(), keep_alive(object)));
  }
  if (const array* own = as_array(object)) {
    return std::make_shared<buffer>(touched_part(*own, keep_alive(object)));
  }
  const std::optional<array> imported = import_producer(object);
  return imported ? imported->owner() : nullptr;
}

std::shared_ptr<buffer> as_memory(PyObject* object) {
  if (!PyObject_TypeCheck(object, base_type)) {
    return nullptr;
  }
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  if (!type.is(device_type) && !type.is(shared_type) && !type.is(host_type) &&
      !type.attr("__sycl_usm_array_interface__")
           .is(nb::handle(reinterpret_cast<PyObject*>(base_type))
                   .attr("__sycl_usm_array_interface__"))) {
    return nullptr;
  }
  return ready_instance<py_memory>(object).memory();
}

nb::object memory_object(const std::shared_ptr<buffer>& memory) {
  if (const auto found = known_objects().find(memory.get()); found != known_objects().end()) {
    return nb::borrow(found->second);
  }
  nb::object created = new_memory_object(memory);
  nb::inst_ptr<py_memory>(created)->make_known(created.ptr());
  return created;
}

void bind_memory(nb::module_& m) {
  bind_base(m);
  device_type = bind_kind<device_memory>(m, "MemoryUSMDevice", usm_kind::device,
                                         "USM device memory: for its device only.");
  shared_type = bind_kind<shared_memory>(m, "MemoryUSMShared", usm_kind::shared,
                                         "USM shared memory: for device and host.");
  host_type = bind_kind<host_memory>(m, "MemoryUSMHost", usm_kind::host,
                                     "USM host memory: the host's own, in reach of devices.");
  m.def("as_usm_memory", &as_usm_memory, nb::arg("obj").none(),
        nb::sig("def as_usm_memory(obj: _Producer) -> MemoryUSMDevice | MemoryUSMShared | "
                "MemoryUSMHost"),
        "A memory object for the bytes from the lowest to the highest element of any producer, "
        "without a copy; it keeps the producer alive.\n\nRaises TypeError when the object is no "
        "producer, ValueError when what it says of itself breaks a rule of the protocol.");
}

}  // namespace usmx::bindings
