#include "memory/memory.hpp"

#include "elements/dtype_argument.hpp"
#include "internals.hpp"
#include "objects/array.hpp"
#include "objects/owners.hpp"
#include "support/arguments.hpp"
#include "sycl_objects/queue_argument.hpp"
#include "usmx/runtime.hpp"

namespace usmx::bindings {
namespace {

interned buffer_name("buf");

/// Only there may kernels use memory that the SYCL runtime has not allocated.
void require_system_allocations(const sycl::device& device) {
  if (!device.has(sycl::aspect::usm_system_allocations)) {
    throw value_error(detail::message(
        "from_shared_memory needs a device that may touch the system's memory (aspect "
        "usm_system_allocations), found ",
        describe(device), ", which has not: usmx.asarray(numpy.ndarray(...)) copies the block"));
  }
}

/// What gives the bytes: SharedMemory by its `buf`, other objects by themselves.
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

/// All bytes of the block, as the kind that SYCL says it may take the place of.
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
  m.def("_is_system_memory", &is_memory_of_the_system, nb::arg("a"),
        nb::sig("def _is_system_memory(a: USMArray) -> bool"),
        "Whether the memory is that of from_shared_memory, which is no USM to dpctl.");
  m.def("from_shared_memory", &from_shared_memory, nb::arg("shm").none(), nb::arg("shape").none(),
        nb::arg("dtype").none(), nb::kw_only(), nb::arg("device") = nb::none(),
        nb::arg("sycl_queue") = nb::none(),
        nb::sig("def from_shared_memory(shm: object, shape: Shape, dtype: DTypeLike, *, "
                "device: DeviceLike | None = None, sycl_queue: QueueLike | None = None) "
                "-> USMArray"),
        R"(Make an array over memory that several processes share, without a copy. Does not wait.

Only for devices that may touch memory of the system (the aspect ``usm_system_allocations``): the
CPU device is one. The array is of kind 'shared', which SYCL says such memory may take the place
of. Views, copies, kernels, buffers and pickles work as for any array; DLPack has it as memory of
the host. There is no dictionary: to the SYCL runtime, and so to dpctl and dpnp, this memory is no
USM. They get a copy.

usmx orders only the work of this process. Other processes must have finished with the elements
before this one uses them, and nobody may shrink the block.

Args:
    shm: a ``multiprocessing.shared_memory.SharedMemory``, or any object with a buffer, such as an
        ``mmap``, a ``numpy.memmap`` or a part of ``shm.buf``. The array, its views and its memory
        object keep it alive, and ``close()`` raises a BufferError as long as one of them lives.
    shape: the number of elements along each axis. They lie in C order from the first byte on.
    dtype: the element type.
    device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. By default
        the default device.
    sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

Returns:
    A USMArray, read-only if the buffer is. Its ``base.reference_obj`` is `shm`.

Raises:
    ValueError: the device may not touch such memory, the block is too small, not aligned for the
        type, or closed, or the device lacks the type.
    TypeError: `shm` has no buffer, or an argument has a wrong type.

    What `shm` raises if its buffer is not contiguous passes through.

Example:
    >>> from multiprocessing.shared_memory import SharedMemory
    >>> block = SharedMemory(create=True, size=64)
    >>> array = usmx.from_shared_memory(block, (2, 4), "f8")
    >>> array[:] = 7
    >>> bytes(block.buf[:8]) == np.float64(7).tobytes()
    True
    >>> del array
    >>> block.close(), block.unlink()
    (None, None))");
}

}  // namespace usmx::bindings
