"""Memory objects, pools and resources, and the commands of queues on memory."""

RECORDED_EVENT = """Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable.

Raises:
    TypeError: `event` is none of these."""

DOCSTRINGS = {
    "from_pointer": """Take over memory that a native library allocated, without a copy.

`owner` and `deleter` say how the memory is freed. One of them must be given.

usmx keeps the owner alive until the last view of the memory is gone and the work recorded on it is complete. It
then calls the deleter once, as ``deleter(pointer)``, after all work that others may have submitted to the queue
of the memory, and before it releases the owner. It also calls the deleter if this function fails, unless `pointer`
is no address. The deleter may be called on any thread, and exceptions that it raises go to ``sys.unraisablehook``.

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
    64""",
    "get_usm_type": """Say what an address, or the first byte of a producer's memory, is in a context.

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
    'device'""",
    "from_shared_memory": """Make an array over memory that several processes share, without a copy. Does not wait.

The device must be able to touch memory of the system (the aspect ``usm_system_allocations``), as
the CPU device can. The array is of kind 'shared', because SYCL lets kernels use such memory in
place of shared memory. Views, copies, kernels, buffers and pickles work as for any array. For
DLPack it is memory of the host. The array has no dictionary, because this memory is not USM for
the SYCL runtime, and so neither for dpctl nor for dpnp: these get a copy.

usmx orders only the work of this process. Other processes must have finished with the elements
before this process uses them, and no process may shrink the block.

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

    If the buffer of `shm` is not contiguous, the error is the one that `shm` raises.

Example:
    >>> from multiprocessing.shared_memory import SharedMemory
    >>> block = SharedMemory(create=True, size=64)
    >>> array = usmx.from_shared_memory(block, (2, 4), "f8")
    >>> array[:] = 7
    >>> bytes(block.buf[:8]) == np.float64(7).tobytes()
    True
    >>> del array
    >>> block.close(), block.unlink()
    (None, None)""",
    "_Memory.__init__": """Make new memory, or view or copy that of a producer.

Args:
    nbytes_or_producer: a number of bytes, more than 0, for new memory; or a producer of this kind of memory, for
        a view of its bytes, which keeps the producer alive.
    alignment: a power of two. The address of new memory is a multiple of it. 0 leaves the alignment to the runtime.
    queue: the queue of new memory. By default the queue that usmx keeps for the default device.
    copy: True: copy the bytes of the producer, which may be of any kind. Waits for the copy.

Raises:
    ValueError: the size or the alignment is not accepted, or the producer is of another kind.
    TypeError: the first argument is neither a number nor a producer.
    USMAllocationError: the memory cannot be allocated.

Example:
    >>> usmx.memory.MemoryUSMShared(64).nbytes
    64""",
    "_Memory.get_usm_type": """Give the kind of the memory.

Args:
    syclobj: None for the memory's own context; or a queue, a context or another form of ``syclobj``, to ask what
        the memory is in that context.

Returns:
    'device', 'shared' or 'host', and in another context also 'unknown'.""",
    "_Memory.get_usm_type_enum": """Give the kind of the memory as dpctl's number: 0 unknown, 1 device, 2 shared, 3 host.

Args:
    syclobj: None for the memory's own context; or a queue, a context or another form of ``syclobj``.""",
    "_Memory.copy_to_host": """Copy all bytes to the start of a buffer. Waits.

Args:
    obj: a writable contiguous buffer. None makes a new NumPy array of bytes.

Returns:
    The buffer.

Raises:
    ValueError: the buffer is too small.""",
    "_Memory.copy_from_host": """Copy a buffer to the start of this memory. Waits.

Args:
    obj: a contiguous buffer.

Raises:
    ValueError: the buffer does not fit, or this memory is read-only.""",
    "_Memory.copy_from_device": """Copy the bytes of a producer to the start of this memory. Waits.

Args:
    sycl_usm_ary: an object with ``__sycl_usm_array_interface__``.

Raises:
    ValueError: the bytes do not fit, or this memory is read-only.""",
    "_Memory.memset": """Set every byte to one value. Waits.

Args:
    val: an integer from 0 to 255.

Raises:
    ValueError: this memory is read-only, or `val` is out of range.""",
    "_Memory.record": f"""Announce unfinished work on this memory that usmx has not submitted. Does not wait.

Later reads of the memory through usmx come after that work, and usmx does not free the memory before the work is
complete.

{RECORDED_EVENT}""",
    "_Memory.record_read": f"""Announce unfinished work that only reads this memory. Does not wait.

Later writes to the memory through usmx come after that work; reads do not wait for it. usmx does not free the
memory before the work is complete.

{RECORDED_EVENT}

Example:
    >>> usmx.memory.MemoryUSMShared(8).record_read(usmx.SyclEvent())""",
    "_Memory.record_write": """Announce unfinished work that writes this memory: another name of ``record``. Does not wait.

Example:
    >>> usmx.memory.MemoryUSMShared(8).record_write(usmx.SyclEvent())""",
    "as_usm_memory": """View the bytes of a producer, from its lowest element to its highest. Does not copy or wait.

Args:
    obj: an object with ``__sycl_usm_array_interface__``.

Returns:
    A memory object of the kind of the memory, which keeps the producer alive.

Raises:
    TypeError: `obj` is no producer.
    ValueError: what `obj` says of its memory breaks a rule of the protocol.

Example:
    >>> usmx.memory.as_usm_memory(usmx.zeros(3)).nbytes
    24""",
    "MemoryPool.set_limit": """Set or remove the limit of the memory that the pool takes from the resource below.

The pool keeps the memory that it already has. An allocation beyond the limit raises a USMAllocationError.

Args:
    size: the limit in bytes. 0 is no limit.
    fraction: the limit as a fraction of the device's memory. 0 is no limit. Without both arguments there is no limit.

Raises:
    ValueError: both are given, or one is out of range.

Example:
    >>> pool = usmx.memory.get_memory_pool()
    >>> pool.set_limit(size=1 << 30)
    >>> pool.get_limit()
    1073741824
    >>> pool.set_limit()""",
    "MemoryPool.set_keep_limit": """Set how many bytes of free blocks of more than 64 KiB the pool keeps.

Free blocks beyond that limit go back to the resource below at once, for which this call may wait for work on them.
Later ones go back with the next allocation, or when any array or memory object is pickled. The environment variable
USMX_POOL_KEEP sets the first limit; without it, that is a sixteenth of the device's memory, and at least 64 MiB.

Args:
    size: the limit in bytes.

Raises:
    ValueError: it is negative.
    TypeError: it is no integer.

Example:
    >>> pool = usmx.memory.get_memory_pool()
    >>> before = pool.get_keep_limit()
    >>> pool.set_keep_limit(1 << 20)
    >>> pool.get_keep_limit()
    1048576
    >>> pool.set_keep_limit(before)""",
    "PoolResource": """A pool of one device on top of another resource.

It gives memory for queues of that device and its context, and raises a ValueError for any other queue.

Args:
    upstream: the resource that the pool takes its memory from.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Raises:
    ValueError: `upstream` is, or stands on, a pool of another context or device, or on too many
        resources (16).

Example:
    >>> pool = usmx.memory.PoolResource(usmx.memory.PlainResource('host'))
    >>> pool.set_limit(size=1 << 30)
    >>> with usmx.memory.using_memory_resource(pool):
    ...     a = usmx.zeros(100, usm_type='host')
    >>> pool.used_bytes()
    896""",
    "get_memory_pool": """Find usmx's own pool from which new memory of a kind comes.

With ``USMX_POOL=off`` in the environment, new memory comes from the SYCL runtime, block by block. The function then
returns a pool that gives out no memory: its figures are 0.

Args:
    kind: 'device', 'shared' or 'host'.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    A MemoryPool.

Raises:
    ValueError: `kind` is no kind, or `set_memory_resource` has set another resource for new memory.

Example:
    >>> usmx.memory.get_memory_pool('shared').kind
    'shared'""",
    "set_pending_limit": """Set how many bytes may wait for unfinished work after their arrays are gone.

Memory that was released while work on it was unfinished waits until the work is complete. If more bytes wait than
this limit, and the next allocation finds no free memory, it waits for the oldest of that work. By default 256 MiB may
wait, or as much as the environment variable USMX_PENDING_LIMIT says.

Args:
    nbytes: the bytes that may wait, for all devices and kinds together.

Raises:
    ValueError: `nbytes` is negative.
    TypeError: `nbytes` is no integer.

Example:
    >>> before = usmx.memory.get_pending_limit()
    >>> usmx.memory.set_pending_limit(1 << 30)
    >>> usmx.memory.get_pending_limit()
    1073741824
    >>> usmx.memory.set_pending_limit(before)""",
    "get_pending_limit": """Give how many bytes may wait for unfinished work after their arrays are gone.

Example:
    >>> usmx.memory.get_pending_limit() > 0
    True""",
    "empty_cache": """Let all pools give back the memory that they keep and that is not in use.

usmx's own pools give it to the SYCL runtime, and each PoolResource to the resource below it.

Example:
    >>> usmx.memory.empty_cache()""",
    "mem_get_info": """Give the free and the total memory of a device, for all processes together.

Args:
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    A tuple (free, total), in bytes.

Raises:
    ValueError: the device does not say how much memory is free.

Example:
    >>> free, total = usmx.memory.mem_get_info()
    >>> free <= total
    True""",
    "SyclQueue.memcpy": """Copy bytes, and wait.

The copy comes after the work on both sides that usmx knows of.

Args:
    dest: where to: a memory object, another producer of ``__sycl_usm_array_interface__``, or a writable contiguous
        buffer. The bytes are written at its start.
    src: where from: the same, or a buffer that is read-only.
    count: the number of bytes.

Raises:
    ValueError: `count` is negative or more than one of the sides has, `dest` is read-only, or the memory is of
        another context than the queue.
    BufferError: `dest` is a read-only buffer.
    TypeError: one of the sides is neither.

Example:
    >>> memory = usmx.memory.MemoryUSMDevice(8)
    >>> usmx.default_queue().memcpy(memory, b'12345678', 8)
    >>> memory.tobytes()
    b'12345678'""",
    "SyclQueue.memcpy_async": """Start to copy bytes, and do not wait.

Both sides are kept alive until the copy is complete, and what usmx does with them later comes after it. A copy
between two buffers of the host, one between sides that overlap, and one of no bytes, waits for `dEvents` and is
complete on return.

Args:
    dest, src, count: as of ``memcpy``.
    dEvents: SyclEvents that the copy comes after, too.

Returns:
    A SyclEvent that is complete when the copy is.

Raises:
    TypeError: `dEvents` has something else than events; the other errors are those of ``memcpy``.

Example:
    >>> queue = usmx.default_queue()
    >>> memory = usmx.memory.MemoryUSMDevice(8)
    >>> first = queue.memcpy_async(memory, b'12345678', 8)
    >>> target = bytearray(8)
    >>> queue.memcpy_async(target, memory, 8, [first]).wait()
    >>> bytes(target)
    b'12345678'""",
    "SyclQueue.copy": """Copy elements, and wait.

Args:
    dest, src: as of ``memcpy``.
    count: the number of elements.
    dtype: their type: one of i1, u1, i2, u2, i4, u4, i8, u8, f4, f8.

Raises:
    ValueError: `dtype` is another type; the other errors are those of ``memcpy``.""",
    "SyclQueue.copy_async": """Start to copy elements, and do not wait, as ``memcpy_async``.

Args:
    dest, src, count, dtype: as of ``copy``.
    dEvents: SyclEvents that the copy comes after, too.

Returns:
    A SyclEvent that is complete when the copy is.

Raises:
    TypeError: `dEvents` has something else than events; the other errors are those of ``copy``.""",
    "SyclQueue.memset": """Set bytes to one value, and wait.

Args:
    mem: a memory object or another producer of ``__sycl_usm_array_interface__``.
    val: the value, of which the low byte counts.
    count: the number of bytes, from the first one. 0, or more than there are, means all.

Raises:
    ValueError: `count` is negative, `mem` is read-only, or its memory is of another context than the queue.
    TypeError: `mem` is no producer.

Example:
    >>> memory = usmx.memory.MemoryUSMDevice(4)
    >>> usmx.default_queue().memset(memory, 7)
    >>> list(memory.tobytes())
    [7, 7, 7, 7]""",
    "SyclQueue.memset_async": """Start to set bytes to one value, and do not wait.

The memory is kept alive until the command is complete, and what usmx does with it later comes after it.

Args:
    mem, val, count: as of ``memset``.
    dEvents: SyclEvents that the command comes after, too.

Returns:
    A SyclEvent that is complete when the command is.

Raises:
    TypeError: `dEvents` has something else than events; the other errors are those of ``memset``.""",
    "SyclQueue.fill": """Set elements to one number, and wait.

Args:
    mem: a memory object or another producer of ``__sycl_usm_array_interface__``.
    value: the number, converted as in an assignment.
    count: the number of elements, from the first one. 0, or more than there are, means all.
    dtype: their type: one of i1, u1, i2, u2, i4, u4, i8, u8, f4, f8. None means that of an array, which must be
        contiguous then, and bytes of a memory object.

Raises:
    ValueError: `dtype` is another type, `count` is negative, `mem` is read-only or not contiguous, or its memory is of
        another context than the queue.
    OverflowError: a Python integer does not fit the type.
    TypeError: `mem` is no producer.

Example:
    >>> memory = usmx.memory.MemoryUSMDevice(8)
    >>> usmx.default_queue().fill(memory, 258, dtype='u2')
    >>> list(memory.tobytes())
    [2, 1, 2, 1, 2, 1, 2, 1]""",
    "SyclQueue.fill_async": """Start to set elements to one number, and do not wait.

The memory is kept alive until the command is complete, and what usmx does with it later comes after it. A fill that no
kernel of usmx can do, and one of no elements, waits for `dEvents` and is complete on return.

Args:
    mem, value, count, dtype: as of ``fill``.
    dEvents: SyclEvents that the command comes after, too.

Returns:
    A SyclEvent that is complete when the command is.

Raises:
    TypeError: `dEvents` has something else than events; the other errors are those of ``fill``.""",
    "SyclQueue.prefetch": """Ask the driver to move memory to the queue's device, and wait.

Args:
    mem: a memory object or another producer of ``__sycl_usm_array_interface__``.
    count: the number of bytes, from the first one. 0, or more than there are, means all.

Raises:
    ValueError: `count` is negative, or the memory is of another context than the queue.
    TypeError: `mem` is no producer.""",
    "SyclQueue.mem_advise": """Tell the driver how memory will be used, and wait.

Args:
    mem: a memory object or another producer of ``__sycl_usm_array_interface__``.
    count: the number of bytes, from the first one. 0, or more than there are, means all.
    advice: a number that the back end defines; 0 resets what was told before.

Raises:
    ValueError: `count` is negative, or the memory is of another context than the queue.
    TypeError: `mem` is no producer.""",
    "SyclQueue.submit_barrier": """Start a barrier: what is submitted to the queue later comes after it.

Args:
    dependent_events: SyclEvents that the barrier comes after, besides everything that was submitted to the queue
        before. This function waits for them, because a driver may crash on events of another context. Once dpctl
        is loaded, it also waits for an out-of-order queue, because the runtime's barriers miss commands behind
        host tasks.

Returns:
    A SyclEvent that is complete when all this work is complete.

Raises:
    TypeError: `dependent_events` has something else than events.

Example:
    >>> usmx.SyclQueue().submit_barrier().wait()""",
    "PlainResource": """A resource whose blocks are allocations of the SYCL runtime, one each.

Args:
    kind: 'device', 'shared' or 'host'.

Example:
    >>> usmx.memory.PlainResource('shared').kind
    'shared'""",
    "FunctionResource": """A resource that consists of two C functions.

They have the form of PyTorch's pluggable allocators: ``void* allocate(size_t, int device, sycl::queue*)`` and
``void free(void*, size_t, sycl::queue*)``. Any thread may call them, with or without the interpreter lock, so
they must not be Python functions.

Args:
    kind: 'device', 'shared' or 'host': what `allocate` returns.
    allocate, free: the addresses of the functions, as integers.
    device: the number that `allocate` gets.

Example:
    >>> functions = usmx.memory.FunctionResource('shared', 0x1000, 0x2000)  # not called here
    >>> functions.kind
    'shared'""",
    "LimitingResource": """A resource that gives out no more than `limit` bytes of `upstream` at a time.

Args:
    upstream: a resource.
    limit: bytes.

Raises:
    ValueError: `upstream` stands on too many others (16).

Example:
    >>> usmx.memory.LimitingResource(usmx.memory.PlainResource(), 1 << 20).used_bytes()
    0""",
    "StatisticsResource": """A resource that counts what passes through to `upstream`.

Args:
    upstream: a resource.

Raises:
    ValueError: `upstream` stands on too many others (16).

Example:
    >>> usmx.memory.StatisticsResource(usmx.memory.PlainResource()).counts()['blocks.total']
    0""",
    "TrackingResource": """A resource that notes which line of which Python file allocated each block that is alive.

It makes each allocation some microseconds slower.

Args:
    upstream: a resource.

Raises:
    ValueError: `upstream` stands on too many others (16).

Example:
    >>> usmx.memory.TrackingResource(usmx.memory.PlainResource()).live_blocks()
    []""",
    "LoggingResource": """A resource that writes a line of CSV for each allocation, free and failure of `upstream`, at once.

docs/memory.md has the format, and ``python -m usmx memory --plot`` draws the file. A file that exists is
overwritten. The resource makes each allocation and each free some microseconds slower.

Args:
    upstream: a resource.
    path: the file.

Raises:
    ValueError: the file cannot be written, another log is being written to it, or `upstream` stands on too many
        others (16).

Example:
    >>> import os
    >>> usmx.memory.LoggingResource(usmx.memory.PlainResource(), os.devnull).kind
    'device'""",
    "FailingResource": """A resource that fails on purpose, to test how a program handles it.

Args:
    upstream: a resource.
    after: how many requests succeed before all others fail.

Raises:
    ValueError: `upstream` stands on too many others (16).

Example:
    >>> with usmx.memory.using_memory_resource(usmx.memory.FailingResource(usmx.memory.PlainResource())):
    ...     usmx.zeros(3)
    Traceback (most recent call last):
    usmx.USMAllocationError: ...""",
    "get_memory_resource": """Find the resource that new memory of a kind comes from.

Args:
    kind: 'device', 'shared' or 'host'.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    A MemoryResource.

Raises:
    ValueError: `kind` is no kind.

Example:
    >>> usmx.memory.get_memory_resource('host').kind
    'host'""",
    "set_memory_resource": """Set the resource that new memory of its kind comes from, on all threads.

Memory goes back to the resource that it came from. Within a block of ``using_memory_resource``, new memory still comes
from that block's resource.

Args:
    resource: a resource.
    device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default device.

Returns:
    The resource before.

Raises:
    ValueError: the resource is, or stands on, a pool of another context or device.

Example:
    >>> before = usmx.memory.set_memory_resource(usmx.memory.PlainResource('host'))
    >>> _ = usmx.memory.set_memory_resource(before)""",
}
