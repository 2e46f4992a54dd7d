"""Arrays: `USMArray`, and the functions that make, copy and rearrange arrays."""

NEW_MEMORY = """Returns:
    A USMArray in new memory, which usmx owns.

Raises:
    ValueError: an argument has a value that is not accepted, or the device lacks the type.
    TypeError: an argument has a wrong type.
    USMAllocationError: the memory cannot be allocated. This is a MemoryError."""

NEW_ARRAY = f"""Args:
    shape: the shape: an integer or a tuple of integers.
    dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
        By default float64, or float32 on a device without float64.
    order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
    device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
        Device. By default the default device.
    usm_type: the kind of memory: 'device', 'shared' or 'host'. By default `default_usm_type()`.
    sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

{NEW_MEMORY}"""

NEW_ARRAY_LIKE = f"""Args:
    x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    dtype: the element type. By default that of `x`.
    order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
        first one does. 'A': 'F' if `x` is Fortran- and not C-contiguous, else 'C'. 'K':
        compact, with the axes in the order in which those of `x` lie in memory.
    shape: another shape: an integer or a tuple of integers. 'K' keeps the order of the axes if
        there are as many as `x` has, and is 'C' otherwise.
    device: where the new array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
        default on the queue of `x`.
    usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `x`.
    sycl_queue: the queue of the new array. By default that of `x`.

{NEW_MEMORY}"""

RECORDED_EVENT = """Args:
    event: a SyclEvent of usmx or dpctl, or a capsule 'SyclEventRef', which stays usable. usmx keeps a
        copy.

Raises:
    TypeError: `event` is none of these.
    ValueError: the capsule was used before."""

DOCSTRINGS = {
    "USMArray.__init__": """Make an array in new memory, or in memory that exists. Does not wait.

New memory is exactly as large as the elements span, and the elements are not set. The arguments are those of
``dpnp.tensor.usm_ndarray``.

Args:
    shape: an integer or a sequence of integers.
    dtype: the element type. By default float64, or float32 on a device without float64.
    buffer: the kind of new memory, 'device', 'shared' or 'host', by default `default_usm_type()`; or the memory
        that exists: a memory object, an array or any other producer.
    strides: in elements. By default `order` decides.
    offset: how many elements element zero is away from the first byte of the memory. In new memory with
        negative strides, 0 stands for the offset that fits.
    order: 'C' or 'F', the order of the elements if there are no `strides`.
    buffer_ctor_kwargs: 'queue', 'alignment' and 'copy', for the constructor of new memory.

Raises:
    ValueError: an element would lie outside of the memory, or the device of new memory lacks the type.
    TypeError: an argument has a wrong type.
    USMAllocationError: the memory cannot be allocated.

Example:
    >>> usmx.USMArray((2, 3), 'f4', 'shared').strides
    (3, 1)""",
    "copy": """Copy an array into new memory on the same queue. Waits.

Args:
    usm_ary: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or
        lists, which are copied to the current queue.
    order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
        first one does. 'A': 'F' if `usm_ary` is Fortran- and not C-contiguous, else 'C'. 'K':
        compact, with the axes in the order in which those of `usm_ary` lie in memory.
    usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `usm_ary`.

Returns:
    A USMArray in new memory, which usmx owns.

Raises:
    TypeError: `usm_ary` is no producer.
    ValueError: the description that `usm_ary` gives of its memory breaks a rule of the protocol.
    USMAllocationError: the memory cannot be allocated. This is a MemoryError.

Example:
    >>> a = usmx.arange(3)
    >>> b = usmx.copy(a)
    >>> b[0] = 7
    >>> print(a, b)
    [0 1 2] [7 1 2]""",
    "asnumpy": """Copy the elements of an array into a NumPy array. Waits.

Only the elements are moved, not the allocation around them.

Args:
    usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
    out: where the elements go: a writable NumPy array of the same shape and element type, with
        any strides. None makes a new one, whose axes lie in memory in the order of those of
        `usm_ary`, as with NumPy's order 'K'.

Returns:
    `out`, or the new NumPy array, which owns its memory.

Raises:
    ValueError: `out` has another shape or element type, or is read-only.
    TypeError: `usm_ary` is no producer, or `out` is no NumPy array.

Example:
    >>> usmx.asnumpy(usmx.arange(3))
    array([0, 1, 2])""",
    "to_numpy": """Copy the elements of an array into a new NumPy array. Waits.

This is `asnumpy` under the name that dpctl uses, without `out`.

Args:
    usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

Returns:
    A NumPy array, which owns its memory.

Raises:
    TypeError: `usm_ary` is no producer.

Example:
    >>> usmx.to_numpy(usmx.arange(3))
    array([0, 1, 2])""",
    "USMArray.copy": "Copy the array into new memory, which usmx owns, on the same queue: `usmx.copy`. Waits.",
    "USMArray.fill": """Set every element to one value. Waits.

Args:
    value: a number or an array without dimensions, which is converted as in an assignment.

Raises:
    ValueError: the array is read-only.
    OverflowError: a Python integer does not fit the element type.

Example:
    >>> a = usmx.zeros(2)
    >>> a.fill(7)
    >>> print(a)
    [7. 7.]""",
    "USMArray.tobytes": """Copy the elements into a Python bytes object. Waits.

Args:
    order: 'C': the last index varies fastest. 'F': the first one does. 'A': 'F' if the array is
        Fortran- and not C-contiguous, else 'C'. 'K': 'C', as in NumPy.

Returns:
    bytes, without gaps.

Example:
    >>> usmx.asarray([1, 2], dtype='u1').tobytes()
    b'\\x01\\x02'""",
    "USMArray.record": f"""Announce unfinished work on the array's memory that usmx has not submitted. Does not wait.

Later reads of the memory through usmx come after that work, and usmx does not free the memory before the work is
complete.

{RECORDED_EVENT}

Example:
    >>> a = usmx.zeros(2)
    >>> a.record(usmx.SyclEvent())""",
    "USMArray.record_read": f"""Announce unfinished work that only reads the array's memory. Does not wait.

Later writes to the memory through usmx come after that work; reads do not wait for it. usmx does not free the
memory before the work is complete.

{RECORDED_EVENT}

Example:
    >>> a = usmx.zeros(2)
    >>> a.record_read(usmx.SyclEvent())""",
    "USMArray.record_write": """Announce unfinished work that writes the array's memory: another name of ``record``. Does not wait.

Example:
    >>> a = usmx.zeros(2)
    >>> a.record_write(usmx.SyclEvent())""",
    "asarray": """Make a USMArray of `obj`: a view where `obj` is in unified shared memory, else a copy.

A producer of ``__sycl_usm_array_interface__``, or of ``__cuda_array_interface__`` on a device
that the SYCL runtime has, becomes a view of its memory, unless another argument demands a copy.
The view keeps the producer alive. Everything else is copied into new memory: NumPy arrays and
scalars, objects with a buffer, Python numbers, and nested lists or tuples of all of these,
producers included. An object with both the interface and a buffer counts as a producer. The
function waits for its copies. The name and the arguments are those of the array API and of
dpnp.tensor.

Args:
    obj: what to convert.
    dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
        None keeps the type that `obj` has, as NumPy would find it; for host data on a device
        without float64 or float16 it is float32.
    order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
        first one does. 'A': 'F' if `obj` is Fortran- and not C-contiguous, else 'C'. 'K':
        compact, with the axes in the order in which those of `obj` lie in memory.
    device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. None
        keeps the place of a producer, and means the default device for host data.
    copy: True: always copy. None: copy if needed, and everything that is no producer. False:
        never copy; a NumPy array that is a view of USM then gives that memory.
    usm_type: the kind of memory: 'device', 'shared' or 'host'. None keeps that of a producer,
        and means `default_usm_type()` for host data. For a list with producers it is what
        `get_coerced_usm_type` gives.
    sycl_queue: the queue of the array. None keeps that of a producer, or the common queue of
        the producers in a list, and means the queue that usmx keeps for the device otherwise.

Returns:
    A USMArray.

Raises:
    ValueError: ``copy=False`` cannot be met, `obj` breaks a rule of the exchange, or a list is
        ragged.
    ExecutionPlacementError: arrays of a list are on different queues, and none was asked for.
    TypeError: `obj` cannot be an array.

Example:
    >>> a = usmx.asarray([[1, 2], [3, 4]], usm_type='shared')
    >>> usmx.asarray(a) is a
    True
    >>> print(usmx.asarray(a, dtype='f4'))
    [[1. 2.]
     [3. 4.]]""",
    "empty": f"""Make a new array whose elements are not set. Does not wait.

{NEW_ARRAY}

Example:
    >>> usmx.empty((2, 3), dtype='f4').shape
    (2, 3)""",
    "zeros": f"""Make a new array of zeros. Waits until it is filled.

{NEW_ARRAY}

Example:
    >>> print(usmx.zeros(3))
    [0. 0. 0.]""",
    "empty_like": f"""Make a new array of the shape of another one, whose elements are not set.

Does not wait.

{NEW_ARRAY_LIKE}

Example:
    >>> usmx.empty_like(usmx.zeros((2, 3), dtype='f4')).dtype
    dtype('float32')""",
    "zeros_like": f"""Make a new array of zeros of the shape of another one.

Waits until it is filled.

{NEW_ARRAY_LIKE}

Example:
    >>> print(usmx.zeros_like(usmx.ones(3)))
    [0. 0. 0.]""",
    "from_dlpack": """Take the array of an object with ``__dlpack__``.

Unified shared memory becomes a view, which keeps alive what the producer gave. The view
is on the producer's ``sycl_queue`` if it has one, else on the queue that usmx has for the
device. Memory of a CUDA device comes after the work on the producer's stream. For other devices
DLPack names no queue: finish work on other queues before you call this function. Ordinary host
memory is copied into memory of kind `default_usm_type()`, and the function waits for the copy. The protocol
is that of https://dmlc.github.io/dlpack, the arguments are those of the array API.

Args:
    x: an object with ``__dlpack__``: an array of dpnp, NumPy and others.
    device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device; or a pair
        as ``__dlpack_device__`` gives it, of oneAPI (14) or of the host (1). By default where the
        memory is, and the default device for a copy of host memory.
    copy: True: always copy. None: copy host memory only. False: never copy.

Returns:
    A USMArray; a NumPy array if `device` is a pair of the host.

Raises:
    BufferError: usmx cannot use this kind of memory or element type, or the producer does not
        export the memory.
    ValueError: ``copy=False`` cannot be met, or what the producer gave breaks a rule of the
        exchange.
    TypeError: `x` has no ``__dlpack__``.

Example:
    >>> print(usmx.from_dlpack(np.arange(3.0)))
    [0. 1. 2.]""",
    "from_arrow": """Copy a column or a table of Arrow's, in one chunk or several, into new arrays. Waits.

Numbers keep their type. Arrow's bools, packed into bits, become bool. Dates, times and
durations become the integers that count them, in the unit of the column. Lists of one size
become rows of an array. Indices into a dictionary become the values.

The protocol is Arrow's C data interface. It does not say how long buffers are: usmx checks the
length of a column in USM, and of an object that tells the sizes of its ``buffers()``, as
pyarrow's do. Any other object must be right about its length.

Args:
    column: an object with ``__arrow_c_array__``, ``__arrow_c_stream__`` or
        ``__arrow_c_device_array__``: an array or a table of pyarrow, a series or a frame of
        polars or pandas, and others.
    device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
        Device. By default the default device.
    usm_type: the kind of memory: 'device', 'shared' or 'host'. By default `default_usm_type()`.
    sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

Returns:
    A USMArray with as many rows as the column; for a table, a dictionary from names to arrays.

Raises:
    BufferError: values are missing (null), have a type without an equivalent, such as strings, or
        are not in host memory.
    ValueError: the structure that the object gave breaks a rule of Arrow's, or the column is longer
        than its memory.
    TypeError: `column` has none of these methods.

Example:
    >>> import pyarrow
    >>> print(usmx.from_arrow(pyarrow.array([1, 2, 3])))
    [1 2 3]""",
    "USMArray.item": """Give one element as Python's bool, int, float or complex, or as a tuple if it is structured. Waits.

Args:
    args: nothing, for the element of an array of size 1; one integer, for the element that stands there in
        C order; one integer for each axis, or a tuple of them, for the element at that index.

Raises:
    ValueError: the size is not 1, or there are not as many indices as axes.
    IndexError: an index is outside of its axis.

Example:
    >>> usmx.asarray([[1, 2], [3, 4]]).item(1, 0)
    3""",
    "USMArray.tolist": """Give the elements as Python's numbers, in nested lists. Waits.

Returns:
    A list; the element alone if the array has no dimensions.

Example:
    >>> usmx.asarray([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]""",
    "reshape": """Give the elements of `X` another shape: by a view where possible, else by a copy.

Waits for the copy, if there is one.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    shape: an integer or a tuple of integers. One of them may be -1: it is computed from the
        others.
    order: 'C': the last index varies fastest, in `X` and in the result. 'F': the first one
        does. 'A': 'F' if `X` is Fortran- and not C-contiguous, else 'C'.
    copy: True: always copy. None: copy where there can be no view. False: never copy.

Returns:
    A view of `X`, or a new array that is contiguous in `order`, on the same queue and of the
    same kind.

Raises:
    ValueError: the sizes differ, or ``copy=False`` cannot be met.

Example:
    >>> usmx.reshape(usmx.arange(6), (2, -1)).shape
    (2, 3)""",
    "permute_dims": """Reorder the dimensions of an array, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    axes: dimension k of the result is dimension ``axes[k]`` of `X`. Each dimension must be
        named once. None reverses their order.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: a dimension is named twice, or not at all.

Example:
    >>> usmx.permute_dims(usmx.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)""",
    "moveaxis": """Move axes of an array to other places, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    source: the axes to move: an integer or a tuple.
    destination: their new places: an integer or a tuple of the same length. The other axes keep
        their order.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: `source` and `destination` differ in length, or name an axis twice.

Example:
    >>> usmx.moveaxis(usmx.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)""",
    "swapaxes": """Swap two axes of an array, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    axis1, axis2: integers.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> usmx.swapaxes(usmx.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)""",
    "matrix_transpose": """Swap the last two dimensions of an array, by a view. Does not wait.

Args:
    x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

Returns:
    A view of `x`: a USMArray that shares and keeps its memory.

Raises:
    ValueError: `x` has fewer than 2 dimensions.

Example:
    >>> usmx.matrix_transpose(usmx.zeros((2, 3, 4))).shape
    (2, 4, 3)""",
    "flip": """Reverse the order of the elements along axes, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    axis: an integer or a tuple of integers. None means all axes.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> print(usmx.flip(usmx.arange(3)))
    [2 1 0]""",
    "squeeze": """Leave out axes of size 1, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    axis: which axes: an integer or a tuple. None means all axes of size 1.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.
    ValueError: one of `axis` has another size.

Example:
    >>> usmx.squeeze(usmx.zeros((1, 3, 1))).shape
    (3,)""",
    "expand_dims": """Insert axes of size 1, by a view. Does not wait.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    axis: where in the result the new axes are: an integer or a tuple.

Returns:
    A view of `X`: a USMArray that shares and keeps its memory.

Raises:
    numpy.exceptions.AxisError: there is no such axis.

Example:
    >>> usmx.expand_dims(usmx.zeros(3), axis=0).shape
    (1, 3)""",
    "broadcast_to": """Repeat an array to a shape, by a view. Does not wait.

The view is read-only, since one element may stand in several places. NumPy's view is read-only,
too; dpnp.tensor's is not.

Args:
    X: a USMArray, any other producer of ``__sycl_usm_array_interface__``, or a number or lists,
        which are copied to the current queue.
    shape: an integer or a tuple of integers.

Returns:
    A read-only view of `X`.

Raises:
    ValueError: the shapes are not compatible.

Example:
    >>> print(usmx.broadcast_to(usmx.arange(3), (2, 3)))
    [[0 1 2]
     [0 1 2]]""",
    "USMArray.view": """Read the same bytes as elements of another type, by a view. Does not wait.

If the item size changes, the last dimension changes, and it must be contiguous.

Args:
    dtype: the element type. None keeps it.

Returns:
    A view of the array.

Raises:
    ValueError: the bytes of the last dimension, another stride or the offset are no whole number of new
        elements, or the new type needs another alignment.

Example:
    >>> usmx.zeros(3, dtype='f8').view('u4').shape
    (6,)""",
    "USMArray.reshape": """Give the elements another shape, by a view where possible, else by a copy: `usmx.reshape`.

The shape is one tuple or several integers. Waits for the copy, if there is one.""",
    "USMArray.ravel": """Give all elements one contiguous dimension: by a view where possible, else by a copy. Waits for the copy.

Args:
    order: 'C': the last index varies fastest in memory. 'F': the first one does. 'A': 'F' if the
        array is Fortran- and not C-contiguous, else 'C'. 'K': as they
        lie in memory.

Returns:
    A view, or a new array.

Example:
    >>> print(usmx.asarray([[1, 2], [3, 4]]).ravel('F'))
    [1 3 2 4]""",
    "USMArray.flatten": """Copy all elements into a new array of one dimension, in the orders of `ravel`. Waits.

Example:
    >>> print(usmx.asarray([[1, 2], [3, 4]]).flatten())
    [1 2 3 4]""",
    "USMArray.transpose": """Reorder the dimensions, by a view: `usmx.permute_dims`. Does not wait.

The axes are one tuple or several integers; without them the order is reversed.""",
    "USMArray.squeeze": "Leave out axes of size 1, by a view: `usmx.squeeze`. Does not wait.",
    "USMArray.swapaxes": "Swap two axes, by a view: `usmx.swapaxes`. Does not wait.",
    "from_usm_array_interface": """View the memory of a producer, always without a copy. Does not wait, unless the producer does.

usmx checks pointer, bounds, alignment, device and read-only flag, as docs/protocol.md describes.

Args:
    obj: an object with ``__sycl_usm_array_interface__``.

Returns:
    A USMArray that keeps the producer alive.

Raises:
    TypeError: `obj` is no producer, or a key has a wrong type.
    ValueError: what `obj` says of its memory breaks a rule of the protocol.

Example:
    >>> import dpnp.tensor
    >>> print(usmx.from_usm_array_interface(dpnp.tensor.arange(3)))
    [0 1 2]""",
}
