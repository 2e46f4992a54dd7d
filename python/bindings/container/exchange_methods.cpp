#include "container/container.hpp"

#include <utility>

#include "exchange/exchange.hpp"
#include "internals.hpp"
#include "objects/waiting.hpp"
#include "support/declare.hpp"
#include "support/hooks.hpp"
#include "support/inspectable.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"

namespace usmx::bindings {
namespace {

// ======== DLPack: the arguments that the array API gives it

// ---- out

/// Refuses numbers that DLPack gives no meaning as CUDA streams. Finished work suits all other
/// streams.
void check_cuda_stream(std::ptrdiff_t stream) {
  if (stream == 0 || stream < -1) {
    throw value_error(detail::message(
        "'stream' must be None, -1 (no order), 1 (the legacy default stream), 2 (the per-thread "
        "default stream) or a cudaStream_t, found ",
        stream, stream == 0 ? ", which may mean 1 or 2" : ""));
  }
}

/// The consumer's stream: the queue on which it will work, if it is one. A number says nothing that
/// usmx can use: finished work suits every stream, and -1 as well. That asks for no order, but
/// nobody else could wait for memory of oneAPI's (mpi4py takes the pointer at once).
struct stream_argument {
  stream_argument(nb::handle stream, bool of_cuda) {
    if (stream.is_none()) {
      return;
    }
    if (PyIndex_Check(stream.ptr()) != 0 && PyBool_Check(stream.ptr()) == 0) {
      const std::ptrdiff_t number = to_count("stream", "an integer", stream.ptr());
      if (of_cuda) {
        check_cuda_stream(number);
      }
      return;
    }
    queue = queue_of_object(stream);
    if (!queue) {
      throw_wrong_type("stream", "None, a SyclQueue or an integer", stream.ptr());
    }
  }

  std::optional<sycl::queue> queue;
};

bool knows_versions(nb::handle max_version) {
  if (max_version.is_none()) {
    return false;
  }
  constexpr const char* expected = "(major, minor)";
  const nb::object version = snapshot("max_version", expected, max_version.ptr());
  if (PyTuple_GET_SIZE(version.ptr()) != 2) {
    throw value_error(detail::message("max_version must be ", expected, ", found ",
                                      PyTuple_GET_SIZE(version.ptr()), " numbers"));
  }
  return to_count("max_version", expected, PyTuple_GET_ITEM(version.ptr(), 0)) >= 1;
}

/// The device that two integers name; nothing if they cannot be a device's.
std::optional<dlpack::device> named_device(nb::handle dl_device) {
  const counts given("dl_device", dl_device.ptr());
  const auto numbers = given.span();
  if (numbers.size() != 2 || !std::in_range<std::int32_t>(numbers[0]) ||
      !std::in_range<std::int32_t>(numbers[1])) {
    return std::nullopt;
  }
  return dlpack::device{static_cast<dlpack::device_type>(numbers[0]),
                        static_cast<std::int32_t>(numbers[1])};
}

/// Where a tensor is: the array's, or that of a copy of it.
struct tensor_target {
  dlpack::device device;
  /// The queue of the device, if the array is not on it.
  std::optional<sycl::queue> elsewhere{};
};

/// The kind of memory for a copy that is made for that device.
usm_kind kind_of_copy(dlpack::device where) {
  if (where == dlpack::host) {
    return usm_kind::host;
  }
  return where.type == dlpack::device_type::cuda_managed ? usm_kind::shared : usm_kind::device;
}

tensor_target target_argument(const array& a, nb::handle dl_device) {
  if (dl_device.is_none()) {
    return {dlpack_device_of(a)};
  }
  const std::optional<dlpack::device> wanted = named_device(dl_device);
  if (wanted == dlpack::host) {
    return {*wanted,
            internal::host_may_view(a) ? std::nullopt : std::optional(internal::private_queue(a))};
  }
  const dlpack::device own = dlpack_device_of(a);
  if (wanted && own != dlpack::host && exchange::is_on(a, *wanted)) {
    return {*wanted};
  }
  if (auto queue = wanted ? internal::find_queue(*wanted) : std::nullopt) {
    return {*wanted, std::move(queue)};
  }
  throw buffer_error(
      detail::message("dl_device must be (", static_cast<int>(own.type), ", ", own.id,
                      "), where the array is, ", own == dlpack::host ? "" : "(1, 0), the host, ",
                      "or another device that there is, found ", repr_text(dl_device.ptr())));
}

/// An array of the same elements, on which the consumer's queue is known to work as well.
array shared_with(const array& a, const sycl::queue& queue) {
  return internal::unchecked_array(internal::buffer_access::moved_to_queue(a.owner(), queue),
                                   a.type(), a.layout(), a.readonly());
}

nb::object to_dlpack(const py_array& self, nb::handle stream, nb::handle max_version,
                     nb::handle dl_device, nb::handle copy) {
  const array& a = self.value;
  const bool versioned = knows_versions(max_version);
  const auto [where, elsewhere] = target_argument(a, dl_device);
  const stream_argument consumer(stream, dlpack::is_cuda(where.type));
  const copying wanted = copy_argument(copy);
  if (elsewhere && wanted == copying::never) {
    throw buffer_error(where == dlpack::host
                           ? "copy=False cannot be met: the host cannot reach device memory"
                           : "copy=False cannot be met: the array is on another device");
  }
  if (elsewhere || wanted == copying::always) {
    const usm_kind kind = elsewhere ? kind_of_copy(where) : a.kind();
    const sycl::queue& queue = elsewhere ? *elsewhere : internal::private_queue(a);
    return to_capsule(copy_of(a, a.type(), kind, queue, element_order::keep), where, versioned,
                      true);
  }
  return handed_out_ready(a, [&] {
    look_for_peers_of(internal::private_queue(a));
    const bool is_elsewhere = consumer.queue && *consumer.queue != internal::private_queue(a);
    return to_capsule(is_elsewhere ? shared_with(a, *consumer.queue) : a, where, versioned, false);
  });
}

nb::object device_of(const py_array& self) {
  const dlpack::device where = dlpack_device_of(self.value);
  return checked(Py_BuildValue("(ii)", static_cast<int>(where.type), static_cast<int>(where.id)));
}

// ---- in

nb::object as_wanted(nb::object view, nb::handle device, copying copy) {
  return device.is_none() && copy != copying::always ? view : as_asked(view, device, copy);
}

lazy_import from_dlpack_on("usmx._dldevices", "from_dlpack_on");

nb::object from_dlpack(nb::handle x, nb::handle device, nb::handle copy) {
  if (PyTuple_Check(device.ptr()) != 0) {
    return from_dlpack_on(x, device, copy);
  }
  const copying wanted = copy_argument(copy);
  if (Py_TYPE(x.ptr()) == python_class<py_array>) {  // whose memory needs no tensor to be known
    return as_wanted(view_of_producer(x), device, wanted);
  }
  taken_tensor taken = taken_tensor::of(x.ptr(), wanted != copying::never);
  const bool on_host = !taken.received().is_usm();
  if (wanted == copying::never && (on_host || taken.received().copied)) {
    throw value_error(on_host ? "copy=False cannot be met: ordinary host memory is not unified "
                                "shared memory"
                              : "copy=False cannot be met: the producer has made a copy");
  }
  if (on_host) {
    return to_python(copy_to_usm(taken.received(), device));
  }
  array view = to_array(std::move(taken), x.ptr());
  if (is_dpnp_array(x.ptr())) {
    internal::buffer_access::note_partners(*view.owner());
  }
  return as_wanted(to_python(std::move(view)), device, wanted);
}

void bind_dlpack_methods(nb::class_<py_array>& cls) {
  declare<
      "def __dlpack__(self, *, stream: object = None, max_version: tuple[int, int] | None = None, "
      "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> "
      "typing_extensions.CapsuleType">(
      cls, &to_dlpack,
      "A capsule of DLPack. The elements are ready to be read, whatever `stream` is; a queue is "
      "one on which the consumer will work.\n\n"
      "Raises BufferError when DLPack has no words for the memory or the elements.");
  declare<"def __dlpack_device__(self) -> tuple[int, int]">(
      cls, &device_of,
      "(2, number): CUDA's device of that number; elsewhere (14, number): oneAPI's device of "
      "that place in get_devices(). (1, 0), the host, for memory of from_shared_memory().");
}

void bind_from_dlpack(nb::module_& m) {
  answer_one_argument("from_dlpack",
                      [](nb::handle x) { return from_dlpack(x, nb::none(), nb::none()); });
  declare<
      "def from_dlpack(x: DLPackProducer, /, *, device: DeviceLike | tuple[int, int] | None = "
      "None, copy: bool | None = None) -> USMArray">(m, &from_dlpack);
}

// ======== dpnp: memory of dpctl's for its arrays

/// The parts of an array of dpnp's: memory, the number of elements before element zero, and whether
/// it is read-only. dpctl's memory keeps an array that leases the memory to dpnp: it ends after the
/// last kernel of dpnp's that uses the memory.
nb::object lend_to_dpnp(const py_array& self) {
  const array& a = self.value;
  require_usable_process();
  look_for_peers_of(internal::private_queue(a));
  array leased =
      internal::unchecked_array(internal::buffer_access::lent_to_partner(a.owner()), a.type(),
                                a.layout(), a.readonly());  // before it waits: see submission.cpp
  {
    const without_interpreter_lock unlocked;
    internal::wait_for_all_but_partner(a);
  }
  const auto span = a.layout().span();
  const std::ptrdiff_t before = span ? a.layout().offset() - span->first : 0;
  const std::size_t nbytes =
      (span ? static_cast<std::size_t>(span->last - span->first + 1) : 1) * a.type().itemsize();
  std::byte* const zero = internal::first_element(a);
  const sycl::queue& queue = internal::handed_out(internal::private_queue(a));
  const nb::object memory =
      new_dpctl_memory(zero - before * static_cast<std::ptrdiff_t>(a.type().itemsize()), nbytes,
                       queue, to_python(std::move(leased)));
  return memory.is_valid() ? nb::object(nb::make_tuple(memory, before, a.readonly())) : nb::none();
}

void bind_lend_to_dpnp(nb::module_& m) {
  declare<"def _lend_to_dpnp(a: USMArray, /) -> tuple[Any, int, bool] | None">(
      m, &lend_to_dpnp,
      "Memory of dpctl's, the number of elements before element zero there, and whether it is "
      "read-only. None where this "
      "dpctl makes no such memory.");
}

// ======== Arrow: the arguments that the PyCapsule protocol gives

/// Checks the schema that a consumer requests. Numbers have one form in Arrow: whichever schema it
/// is, the consumer gets that form.
void require_schema(nb::handle requested) {
  if (!requested.is_none() && PyCapsule_IsValid(requested.ptr(), "arrow_schema") == 0) {
    throw_wrong_type("requested_schema", "None or a capsule 'arrow_schema'", requested.ptr());
  }
}

/// Refuses arguments of later versions of the protocol, unless they are None: then they may be left
/// out.
void require_nothing_else(const nb::kwargs& others) {
  for (const auto& [name, value] : others) {
    if (!value.is_none()) {
      PyErr_Format(PyExc_NotImplementedError, "__arrow_c_device_array__ does not know '%S'",
                   name.ptr());
      nb::raise_python_error();
    }
  }
}

nb::object to_arrow(const py_array& self, nb::handle requested) {
  require_schema(requested);
  return handed_out_ready(self.value, [&] { return to_arrow_capsules(self.value); });
}

nb::object to_arrow_device(const py_array& self, nb::handle requested, const nb::kwargs& others) {
  require_schema(requested);
  require_nothing_else(others);
  return handed_out_ready(self.value, [&] { return to_arrow_device_capsules(self.value); });
}

nb::object from_arrow(nb::handle column, nb::handle device, nb::handle usm_type,
                      nb::handle sycl_queue) {
  const sycl::queue queue = queue_argument(sycl_queue, device);
  const usm_kind kind = kind_argument(usm_type, device);
  const exchange::column received = column_of(column.ptr());
  if (!received.is_table) {
    return to_python(copy_to_usm(received, 0, kind, queue));
  }
  nb::dict columns;
  for (std::size_t k = 0; k < received.formats.size(); ++k) {
    const std::string& name = received.formats[k].name;
    const nb::str key(name.data(), name.size());
    if (columns.contains(key)) {
      throw value_error(detail::message("columns must have different names, found two of ",
                                        repr_text(key.ptr())));
    }
    columns[key] = to_python(copy_to_usm(received, k, kind, queue));
  }
  return columns;
}

void bind_arrow_methods(nb::class_<py_array>& cls) {
  declare<
      "def __arrow_c_array__(self, requested_schema: object = None) -> "
      "tuple[typing_extensions.CapsuleType, typing_extensions.CapsuleType]">(
      cls, &to_arrow,
      "Two capsules of Arrow: the schema, and the elements in host-accessible memory. usmx "
      "waits for the work on them.\n\n"
      "Raises BufferError unless the array has at least one dimension, and contiguous numbers "
      "or bools. Dimensions after the first are lists of one size. Bools are copied, because "
      "Arrow packs them into bits.");
  declare<
      "def __arrow_c_device_array__(self, requested_schema: object = None, **kwargs: object) -> "
      "tuple[typing_extensions.CapsuleType, typing_extensions.CapsuleType]">(
      cls, &to_arrow_device,
      "Two capsules of Arrow: the schema, and the elements in memory of any kind, with their "
      "device. That is the host for the kinds shared and host, and else the oneAPI device "
      "with the memory's number in get_devices(). usmx waits for the work on the "
      "elements.\n\n"
      "Raises BufferError unless the array has at least one dimension, and contiguous numbers "
      "or bools. Dimensions after the first are lists of one size. Bools are copied, because "
      "Arrow packs them into bits.");
}

void bind_from_arrow(nb::module_& m) {
  declare<
      "def from_arrow(column: ArrowColumn, /, *, device: DeviceLike | None = None, usm_type: "
      "UsmType | None = None, sycl_queue: QueueLike | None = None) -> typing.Any">(m, &from_arrow);
}

}  // namespace

void bind_exchange_methods(nb::class_<py_array>& cls) {
  bind_dlpack_methods(cls);
  bind_arrow_methods(cls);
}

void bind_from_others(nb::module_& m) {
  bind_from_dlpack(m);
  bind_lend_to_dpnp(m);
  bind_from_arrow(m);
}

}  // namespace usmx::bindings
