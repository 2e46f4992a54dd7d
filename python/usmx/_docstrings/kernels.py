"""Kernels that users write: `Kernel`, `ElementwiseKernel`, `ReductionKernel` and `local_memory`."""

OPTIONS_AND_DEBUG = """\
    options: options of the compiler. This is the SYCL runtime's, with options such as '-ffast-math', or
        NVIDIA's for CUDA devices, with options such as '--use_fast_math'.
    debug: whether each index of a raw array is checked. Each call then waits for the kernel, and raises
        an IndexError that names the first bad index. Bad indices reach no array.

Raises:
    TypeError: a parameter is no string.
    ValueError: parameters are not in this form, two have the same name, or there is no output."""

OUTPUT_AND_TYPES = """Returns:
    The output, as given or a new USMArray; a tuple for several. Its stub says USMArray, which suits
    both: type checkers do not read the parameters.

Raises:
    TypeError: too few or too many arguments, or one is of another kind or element type; a type
        variable stands for two types, or for none."""

OUTPUT_AND_EVENT = """Returns:
    What a call returns, and a SyclEvent, which is complete when the outputs are.

Raises:
    TypeError: as a call does, like the other errors."""

RAISED_BY_CALLS = """    IndexError: an index of a raw array was out of bounds, if the kernel was made with `debug`.
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    CompileError: the source cannot be compiled for these types."""

DOCSTRINGS = {
    "ElementwiseKernel.__init__": f"""Take the parameters and the operation. Compiles nothing yet.

The first call with certain types and a certain kind of layout generates the source for these, and
compiles it. Arrays may have any layout: operands are not copied.

Args:
    in_params: the inputs, as ``'T x, float32 y, raw T table'``: types and names. A type is a name such
        as 'float32'; or one letter, which stands for any type, the same one wherever it is used; or a
        structure of the preamble, which stands for a structured type of its size. The operation
        indexes raw arrays by itself, and they are not broadcast.
    out_params: the outputs, in the same form. Each call must pass the raw outputs.
    operation: statements of C++ that set the outputs. They may use the letters as types, ``i``, which
        is the number of the element in C order, and the functions of <usmx/kernel.hpp>. For a raw
        array, ``table[k]`` is the k-th element in C order; ``table(i, j)`` and ``table.extent(0)`` are
        those of a ``usmx::view``.
    name: for messages.
    preamble: C++ that comes before the kernel, such as functions that it uses.
{OPTIONS_AND_DEBUG}

Example:
    >>> scale = usmx.ElementwiseKernel('T x, T a', 'T out', 'out = a * x', 'scale')
    >>> x = usmx.arange(4, dtype='f4')
    >>> print(scale(x, 2))
    [0. 2. 4. 6.]
    >>> print(scale(x[::-1], x, out=x))
    [0. 2. 2. 0.]""",
    "ElementwiseKernel.__call__": f"""Compute the outputs. Does not wait, unless other packages may work on the memory.

Args:
    args: one argument for each input, followed by none, or one for each output. Inputs are arrays of
        any layout, which are broadcast together, and numbers that their parameter's type can hold. An
        array is a USMArray or another producer of ``__sycl_usm_array_interface__``.
    out: the array for the output; for several outputs a tuple of arrays and None. Its elements may be
        those of an input. None: new arrays, of the kind of memory that get_coerced_usm_type gives. If
        all inputs of the same shape have their axes in the same order in memory, so have the new
        arrays; otherwise they are in C order.
    dtype: the type of those type variables whose type no array determines.
    size: the shape of the outputs, if no argument is an array, or all arrays are raw.
    queue: where the kernel runs. None: on the queue of the arrays, else on the default queue.
    after: events after which the kernel runs.

{OUTPUT_AND_TYPES}
    ValueError: shapes do not fit each other, `size` is missing or differs, a number does not fit, or an output is
        read-only.
{RAISED_BY_CALLS}""",
    "ElementwiseKernel.submit": f"""Compute the outputs as a call does, and give the event of the work on them, too.

Args:
    args, out, dtype, size, queue, after: as of a call.

{OUTPUT_AND_EVENT}

Example:
    >>> twice = usmx.ElementwiseKernel('T x', 'T y', 'y = 2 * x')
    >>> y, event = twice.submit(usmx.ones(3))
    >>> z, event = twice.submit(y, after=[event])
    >>> event.wait()
    >>> print(z)
    [4. 4. 4.]""",
    "local_memory.__init__": """Ask for local memory in a launch.

Args:
    dtype: the type of the elements, which is that of the kernel's parameter.
    n: how many elements each work group gets, at least 1.

Raises:
    TypeError: `dtype` is no type.
    ValueError: there is no such type, or `n` is less than 1.

Example:
    >>> scratch = usmx.local_memory('f4', 64)""",
    "Kernel.__init__": """Compile a kernel for the default queue's device; for others when it is launched there.

Args:
    source: SYCL source. It includes <usmx/kernel.hpp>, and declares its kernels by
        ``USMX_KERNEL(dimensions)``. Or the bytes of a module of SPIR-V; then `name` is the only other
        argument. Such a module does not say whether an integer is signed (``i32`` in the signature),
        nor which elements most pointers point to (``void*``).
    name: the name of the kernel.
    defines: macros: a dictionary from names to values, which are converted to text.
    headers: a dictionary from the names under which the source includes headers to their texts.
    options: options of the compiler. This is the SYCL runtime's, with options such as '-ffast-math',
        or NVIDIA's for CUDA devices, with options such as '--use_fast_math'.
    debug: whether each access through a ``usmx::view`` checks its indices. Each launch then waits
        for the kernel, and raises an IndexError that names the first bad access. Bad accesses
        reach no array.

Raises:
    CompileError: the source does not compile, or has no such kernel.
    ValueError: a name is no identifier, or the function is no kernel.
    TypeError: a parameter is of a type that no launch can set.

Example:
    >>> double = usmx.Kernel('''
    ... #include <usmx/kernel.hpp>
    ... USMX_KERNEL(1) twice(float* x) { x[usmx::global_id()] *= 2; }''', 'twice')
    >>> x = usmx.ones(4, dtype='f4')
    >>> double(4, None, x).wait()
    >>> print(x)
    [2. 2. 2. 2.]""",
    "Kernel.__call__": """Run the kernel. Waits for it only with `debug`, or if other libraries have the memory.

The kernel runs after the work on the arrays that usmx and dpnp have submitted, and their later work
runs after the kernel. usmx cannot tell other libraries of the kernel. So if one has the memory, by a
view of NumPy's, a dictionary or a pointer, the call first waits for that library's queue, and then for
the kernel. docs/concepts.md has the table.

Args:
    global_size: how many work items there are: an integer, or a tuple of up to three, the
        innermost dimension last. If there are none, the arguments are checked, and nothing runs.
    local_size: how many of them are a work group, in the same form; it divides `global_size`.
        None: usmx chooses.
    args: one for each parameter. For pointers, C-contiguous USMArrays or other producers of
        ``__sycl_usm_array_interface__``; for a ``usmx::view``, such arrays of any layout; for
        numbers, numbers of Python or NumPy that the parameter's type can hold; for structures,
        structured scalars of NumPy of the same size; ``usmx.local_memory``.
    queue: where the kernel runs. None: on the queue of the arrays, else on the default queue.
    after: events after which the kernel runs.
    wait: False: never wait for the kernel. Other libraries than dpnp that have the memory must
        then wait for the event.

Returns:
    A SyclEvent.

Raises:
    TypeError: too few or too many arguments, or one is of another kind or element type.
    ValueError: a number does not fit, an array is read-only, has gaps or is of another context, or
        a size does not suit the kernel and the device.
    IndexError: an access was outside of a view, if the kernel was compiled with `debug`.
    ExecutionPlacementError: the arrays are on different queues, and `queue` is None.
    SyclKernelSubmitError: the SYCL runtime refuses the launch.""",
    "ReductionKernel.__init__": f"""Take the parameters and the expressions. Compiles nothing yet.

`map_expr` makes a value of each element, and `reduce_expr` combines the values of a result. The first
call with certain types and a certain kind of layout generates the source for these, and compiles it.
Arrays may have any layout: operands are not copied.

Args:
    in_params: the inputs, as ``'T x, float32 y, raw T table'``: types and names. A type is a name such
        as 'float32'; or one letter, which stands for any type, the same one wherever it is used; or a
        structure of the preamble, as in an ElementwiseKernel. The expression indexes raw arrays by
        itself, and they are not reduced.
    out_params: the outputs, in the same form; none is raw.
    map_expr: an expression of C++ of the inputs. It may use ``i``, the number of the element, in C
        order, among those that are reduced to one result, and ``n``, how many these are.
    reduce_expr: an expression of ``a`` and ``b`` that combines two values. The order of the values
        must not matter.
    post_map_expr: statements that set the outputs from ``a``. They may also use inputs that are
        numbers or raw, and ``n``.
    identity: an expression or a number for the result of no elements. Empty or None: there is none.
    name: for messages.
    reduce_type: the type of ``a`` and ``b``: a name of a type, a letter of the parameters, or a
        structure of the preamble. None: that of the first output.
    block_type: the type in which ``reduce_expr`` puts eight values together at a time, before they
        join a value of `reduce_type`, which is made from it. Written as `reduce_type` is. None:
        each value is made one of `reduce_type` at once.
    preamble: C++ that comes before the kernels, such as functions that they use.
{OPTIONS_AND_DEBUG}

Example:
    >>> norm = usmx.ReductionKernel(
    ...     'T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm')
    >>> x = usmx.asarray([[3.0, 4.0], [6.0, 8.0]])
    >>> print(norm(x, axis=1))
    [ 5. 10.]
    >>> norm(x[:, 0], keepdims=True).shape
    (1,)""",
    "ReductionKernel.__call__": f"""Compute the outputs. Does not wait, unless other packages may work on the memory.

For one shape and device, the values are always combined in the same order.

Args:
    args: one argument for each input, followed by none, or one for each output. Inputs are arrays of
        any layout, which are broadcast together, and numbers that their parameter's type can hold; at
        least one is an array. An array is a USMArray or another producer of
        ``__sycl_usm_array_interface__``.
    axis: the axis, or a tuple of axes, that is reduced; negative ones count from the end. None: all.
    keepdims: whether the reduced axes stay, with one element.
    out: the array for the output; for several outputs a tuple of arrays and None. It may overlap
        inputs. None: new arrays in C order, of the kind of memory that get_coerced_usm_type gives.
    dtype: the type of those type variables whose type no array determines.
    queue: where the kernels run. None: on the queue of the arrays.
    after: events after which the kernels run.

{OUTPUT_AND_TYPES}
    ValueError: shapes do not fit each other, an axis is named twice, there are no elements and no
        identity, a number does not fit, or an output is read-only.
    AxisError: there is no such axis.
{RAISED_BY_CALLS}""",
    "ReductionKernel.submit": f"""Compute the outputs as a call does, and give the event of the work on them, too.

Args:
    args, axis, keepdims, out, dtype, queue, after: as of a call.

{OUTPUT_AND_EVENT}

Example:
    >>> total = usmx.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', 0)
    >>> y, event = total.submit(usmx.ones(3))
    >>> event.wait()
    >>> print(y)
    3.0""",
}
