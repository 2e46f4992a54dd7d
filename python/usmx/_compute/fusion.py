"""`usmx.fuse`: one kernel for an expression of the table's functions.

The function is called with objects that stand for the elements of its arrays, and with its numbers
as they are. Each function of the table makes a line of C++ of its call, in the types that arrays
would have, so that results are those of the function without fusion.
"""

from __future__ import annotations

import atexit
from functools import update_wrapper
from struct import pack
from threading import Lock
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from usmx._compute.call import (
    Traced,
    comparable,
    cpp,
    is_number,
    kind_of,
    new_cache,
    number_of,
    operands_of,
    preamble,
    require_castable,
    tracing,
    types_of,
    written,
)
from usmx._compute.methods import METHODS, OPERATORS
from usmx._compute.promotion import available, default_float, number_converter, require_plain
from usmx._compute.reductions import make_kernel, result_type_of
from usmx._container.asynchronous import copy_async
from usmx._container.host import numpy
from usmx._container.strides import may_share_memory
from usmx._core import ElementwiseKernel, USMArray, _as_array, _dtype, _require_exponent, asarray
from usmx._kernels import identity_text
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from usmx._compute.table import Reduction, Row
    from usmx._core import SyclDevice
    from usmx._typing import Casting, NumpyType


def fuse(function: Callable[..., Any]) -> Fused:
    """Make one kernel of a function of arrays, as a decorator. Compiles nothing yet.

    The function may use operators, element-wise functions of usmx's and of NumPy's, and at its end
    one reduction. Its results are those of the function as it is, to the last bit but for
    reductions and the bits of NaN; nothing is stored in between. What cannot be so is refused.

    Args:
        function: a function that returns one result. It is called once for each combination of
            element types, numbers and other arguments, with objects that stand for the elements of
            arrays. What it does must depend on nothing else. Work in place, as ``x += 1``, changes
            an argument as it does without fusion.

    Returns:
        A function of the same arguments. Those by position are arrays, which are broadcast
        together, and numbers; those by keyword are no arrays. Numbers are arguments of the kernel,
        so that other numbers make no other kernel. The latest 256 kernels and 256 combinations of
        arguments are kept. ``out=`` takes an array for the result.

    Raises:
        TypeError: `function` cannot be called; later, when it is called, and cannot be traced.

    Example:
        >>> @usmx.fuse
        ... def distance(x, y):
        ...     return usmx.sqrt(x * x + y * y)
        >>> print(distance(usmx.asarray([3.0, 6.0]), 4.0))
        [5.         7.21110255]
    """
    if not callable(function):
        raise TypeError(f"fuse takes a function, found {short_repr(function)}")
    return Fused(function)


class Recent:
    """A dictionary of the latest entries. The lock guards changes."""

    most = 256

    def __init__(self) -> None:
        self.entries: dict[Any, Any] = {}
        self._lock = Lock()

    def keep(self, key: Any, entry: Any) -> None:
        """Keep an entry as the latest one."""
        with self._lock:
            self.entries.pop(key, None)
            if len(self.entries) >= self.most:
                del self.entries[next(iter(self.entries))]
            self.entries[key] = entry


_all: WeakSet[Fused] = WeakSet()


@atexit.register
def _forget_kernels():
    for each in _all:
        each._programs.entries.clear()
        each._kernels.entries.clear()


class Fused:
    """A function whose calls are one kernel each."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._programs = Recent()
        self._kernels = Recent()
        _all.add(self)

    def __call__(self, *operands: Any, out: USMArray | None = None, **constants: Any) -> Any:
        """Call the function."""
        name = _identifier(self._function)
        if any(isinstance(each, Traced) for each in (*operands, *constants.values())):
            if out is not None:
                raise TypeError(f"fuse: {name} takes no out= while a function is traced")
            return self._function(*operands, **constants)
        for keyword, constant in constants.items():
            if _as_array(constant) is not None:
                raise TypeError(f"fuse: {name} takes arrays by position, found one as {keyword}=")
        if all(map(is_number, operands)):
            found = self._function(*operands, **constants)
            return found if out is None else written(name, out, asarray(found))
        positions = [f"argument {position}" for position, _ in enumerate(operands, 1)]
        arguments = operands_of(name, positions, operands)
        device = next(each for each in arguments if type(each) is USMArray)._own_queue.sycl_device
        key = _key_of(device, arguments, constants)
        program = self._programs.entries.get(key)
        if program is None:
            program = self._trace(name, arguments, device, constants)
            if key is not None:
                self._programs.keep(key, program)
        return program.run(operands, arguments, out)

    def __reduce__(self) -> str:
        """By its name, as a function."""
        return self.__qualname__  # type: ignore[attr-defined, no-any-return]

    def _trace(self, name, operands, device, constants):
        trace = Trace(device)
        arguments = [
            trace.argument(position, each.dtype) if type(each) is USMArray else each
            for position, each in enumerate(operands)
        ]
        with trace:
            result = self._function(*arguments, **constants)
        changed = {
            position: self._step(name, each)
            for position, each in enumerate(arguments)
            if isinstance(each, Element) and each.name != f"p{position}"
        }
        returned = next(
            (position for position, each in enumerate(arguments) if each is result), None
        )
        if returned is not None and isinstance(result, Element):
            return Program(name, None, returned, changed, trace.fits)
        if not isinstance(result, (Element, Reduced)):
            raise TypeError(
                f"fuse: {name} must return one result of its arguments, found {short_repr(result)}"
            )
        trace.require_own(result)
        return Program(name, self._step(name, result), None, changed, trace.fits)

    def _step(self, name, result):
        """The kernel of a result, and what it is called with."""
        element = result.of if isinstance(result, Reduced) else result
        if not element.trace.values[element.name].arrays:
            raise TypeError(f"fuse: {name} must return a result of its arrays, found numbers alone")
        needed = element.trace.needed(element.name)
        body = "".join(each.text for _, each in needed)
        inputs = tuple((each.dtype, own) for own, each in needed if not each.text)
        given = [each.argument for _, each in needed if not each.text]
        key = (inputs, body, *result.form)
        kernel = self._kernels.entries.get(key)
        if kernel is None:
            kernel = result.kernel(name, inputs, body)
        self._kernels.keep(key, kernel)
        return Step(kernel, given, result.options)


class Position(int):
    """The position of an array among the arguments of a function."""


class Step(NamedTuple):
    """A kernel and what it is called with: positions of arrays, and numbers."""

    kernel: Any
    given: list[Any]
    options: dict[str, Any]

    def run(self, operands: tuple[Any, ...], out: Any = None) -> Any:
        """Call the kernel."""
        given = [operands[each] if type(each) is Position else each for each in self.given]
        return self.kernel(*given, out=out, **self.options)


class Program(NamedTuple):
    """The work of a call of a function for arguments of certain types."""

    name: str
    step: Step | None
    """The step that makes the result, unless the function returns an argument."""
    returned: int | None
    """The position of that argument."""
    changed: dict[int, Step]
    """The steps that make the values which the function leaves in arguments, by their positions."""
    fits: list[tuple[frozenset[int], frozenset[int]]]
    """Positions of arrays that make what is changed, and of those that must not extend it."""

    def run(self, given: tuple[Any, ...], operands: tuple[Any, ...], out: Any) -> Any:
        """Call the kernels. Arguments are changed once all results are made."""
        for into, added in self.fits:
            self._require_fitting(_shape_of(operands, into), _shape_of(operands, into | added))
        for position in self.changed:
            self._require_changeable(position, given, operands)
        found = None if self.step is None else self.step.run(operands, out)
        made = [(operands[position], step.run(operands)) for position, step in self.changed.items()]
        for changed, value in made:
            copy_async(changed, value)
        if self.returned is None:
            return found
        returned = operands[self.returned]
        return returned if out is None else written(self.name, out, returned)

    def _require_fitting(self, into, shape):
        if into != shape:
            raise ValueError(
                f"fuse: {self.name} works in place on elements of shape {into}, with others of "
                f"shape {shape}"
            )

    def _require_changeable(self, position, given, operands):
        changed = operands[position]
        text = f"fuse: {self.name} works in place on argument {position + 1}, which"
        if _as_array(given[position]) is None:
            raise TypeError(f"{text} must be a USMArray, found {short_repr(given[position])}")
        if not changed.flags.writable:
            raise ValueError(f"{text} is read-only")
        for other, each in enumerate(operands):
            if other != position and type(each) is USMArray and may_share_memory(changed, each):
                raise TypeError(f"{text} may share memory with argument {other + 1}")


def _shape_of(operands, positions):
    return numpy.broadcast_shapes(*(operands[position].shape for position in positions))


# ---- keys of arguments: by type and bits


class _NoKeyError(Exception):
    pass


def _key_of(device, operands, constants):
    """The key of a trace; None if it depends on objects that say nothing of being equal."""
    try:
        return (
            device,
            *(each.dtype if type(each) is USMArray else _bits_of(each) for each in operands),
            *((name, _bits_of(constants[name])) for name in sorted(constants)),
        )
    except _NoKeyError:
        return None


def _bits_of(value):
    cls = type(value)
    if cls in (bool, int, str, bytes):
        return cls, value
    if cls is float:
        return cls, pack("d", value)
    if cls is complex:
        return cls, pack("dd", value.real, value.imag)
    if cls in (tuple, list):
        return cls, *map(_bits_of, value)
    if cls is dict:
        return cls, *((_bits_of(key), _bits_of(each)) for key, each in value.items())
    if isinstance(value, numpy.generic) and value.dtype.kind in "biufc":
        return cls, value.tobytes()
    compared = (type, NoneType, FunctionType, BuiltinFunctionType, numpy.ufunc, numpy.dtype)
    if isinstance(value, compared):
        return cls, value
    raise _NoKeyError


# ---- tracing

# With `zero` and the result, as many as a kernel may have.
_MOST_PARAMETERS = 21


class Form(NamedTuple):
    """The line of a function for operands of certain types."""

    parameters: list[tuple[NumpyType, Callable[[Any], Any]]]
    """The types, and how numbers are converted to them."""
    result: NumpyType
    text: str
    """With positions for the names of the operands."""


_forms: dict[tuple[Any, ...], Form] = new_cache()


def _make_form(row, kinds, device):
    types = types_of(row, kinds, device)
    read = "".join(
        f"const {cpp(dtype)} {operand} = {cpp(dtype)}({{}});\n"
        for dtype, operand in zip(types.parameters, row.operands, strict=True)
    )
    operation = types.operation(row, types.result, "@").replace("{", "{{").replace("}", "}}")
    parameters = [(dtype, number_converter(dtype)) for dtype in types.parameters]
    return Form(parameters, types.result, read + operation)


class Value(NamedTuple):
    """The meaning of a name in a kernel: an array's elements, a number, or the result of a line."""

    dtype: NumpyType
    text: str
    """The line, which only what is no parameter has."""
    reads: tuple[str, ...]
    """The names in it."""
    arrays: frozenset[int]
    """The positions of the arrays that decide about its shape."""
    argument: Any = None
    """The argument that the kernel is called with."""


class Trace:
    """The lines of C++ that a function makes while it is called.

    A name is `p` and the place of an array, `n` and a count for a number, `v` and a count for a
    line. Results are made of those lines alone which they need.

    Integers are combined with the parameter `zero`, which hides from Intel's compiler for CPUs how
    they were made: it makes 0 of ``(-a) >> 31`` where `a` is the least integer, and 1.0 of the -1
    of ``a > 0 ? 1 : a < 0 ? -1 : 0``.
    """

    def __init__(self, device: SyclDevice) -> None:
        self.device = device
        self.values = {"zero": Value(numpy.dtype("i4"), "", (), frozenset(), 0)}
        self.fits: list[tuple[frozenset[int], frozenset[int]]] = []
        self._outer: Any = None
        self._is_open = False
        self._parameter_count = 0

    def __enter__(self) -> None:
        self._outer, tracing.trace = tracing.trace, self
        self._is_open = True

    def __exit__(self, *error: object) -> None:
        tracing.trace = self._outer
        self._is_open = False

    def argument(self, position: int, dtype: NumpyType) -> Element:
        """The elements of an array."""
        value = Value(dtype, "", (), frozenset((position,)), Position(position))
        self._parameter_count += 1
        return self._element(f"p{position}", value)

    def needed(self, name: str) -> list[tuple[str, Value]]:
        """The parameters and lines that a value is made of, in their order."""
        wanted = {name}
        found = []
        for each, value in reversed(self.values.items()):
            if each in wanted:
                wanted.update(value.reads)
                found.append((each, value))
        return found[::-1]

    def require_own(self, element: Any) -> None:
        """TypeError for an element of another call, or of one that has ended."""
        if element.trace is not self:
            raise TypeError("fuse: an element was kept from another call of a fused function")

    def apply(self, row: Row, operands: tuple[Any, ...], out: Any) -> Element:
        """The result of a function of the table."""
        if isinstance(out, tuple) and len(out) == 1:
            (out,) = out
        operands = tuple(
            self._operand(row, *each) for each in zip(row.operands, operands, strict=True)
        )
        if row.name == "pow" and isinstance(operands[0], Element) and type(operands[1]) is int:
            _require_exponent(operands[0].dtype, operands[1] < 0)
        if not any(isinstance(each, Element) for each in operands):
            operands = self._of_numbers(operands)
        kinds = tuple(
            each.dtype if isinstance(each, Element) else kind_of(each) for each in operands
        )
        form = _forms.get((row.name, kinds, self.device))
        if form is None:
            form = _forms[row.name, kinds, self.device] = _make_form(row, kinds, self.device)
        try:
            names = [
                each.name if isinstance(each, Element) else self._number(each, dtype, convert)
                for each, (dtype, convert) in zip(operands, form.parameters, strict=True)
            ]
        except OverflowError:
            if not row.compares:
                raise
            return self.apply(row, tuple(map(comparable, operands)), out)
        found = self.line(form.result, form.text.format(*names), names)
        return found if out is None else self._in_place(row, out, found)

    def line(self, dtype: NumpyType, text: str, names: list[str]) -> Element:
        """The value that a line makes of those with these names; it calls itself `@`."""
        if not self._is_open:
            raise TypeError("fuse: an element was kept until its function had returned")
        reads = tuple(name for name in names if name in self.values)
        arrays = frozenset().union(*(self.values[name].arrays for name in reads))
        if dtype.kind in "iu":
            text, reads = f"{text};\n@ ^= {cpp(dtype)}(zero)", (*reads, "zero")
        name = f"v{len(self.values)}"
        text = f"{cpp(dtype)} {name};\n{{\n{text.replace('@', name)};\n}}\n"
        return self._element(name, Value(dtype, text, reads, arrays))

    def _element(self, name, value):
        self.values[name] = value
        return Element(self, value.dtype, name)

    def _operand(self, row, name, operand):
        """An element of this trace, or a number."""
        if isinstance(operand, Reduced):
            raise TypeError(f"{operand!r}, found {row.name} of it")
        if isinstance(operand, Element):
            self.require_own(operand)
            return operand
        number = number_of(row.name, name, operand)
        if number is None:
            raise TypeError(
                f"fuse: {row.name} takes an array from outside of the function: make it an argument"
            )
        return number

    def _of_numbers(self, numbers):
        """Numbers alone as the arrays that usmx's functions make of them (`operands_of`)."""
        has_types = any(isinstance(each, numpy.generic) for each in numbers)
        found = []
        for each in numbers:
            if not has_types or isinstance(each, numpy.generic):
                dtype = available(numpy.asarray(each).dtype, self.device)
                name = self._number(each, dtype, number_converter(dtype))
                found.append(self.line(dtype, f"@ = {name}", [name]))
            else:
                found.append(each)
        return tuple(found)

    def _number(self, number, dtype, convert):
        """The name of a number; its text, where there are too many parameters."""
        number = convert(number)
        if self._parameter_count >= _MOST_PARAMETERS:
            return identity_text(number)
        self._parameter_count += 1
        name = f"n{self._parameter_count}"
        self.values[name] = Value(dtype, "", (), frozenset(), number)
        return name

    def _in_place(self, row, out, found):
        """Makes the result what `out` is by all of its names."""
        if not isinstance(out, Element):
            raise TypeError(f"fuse: {row.name} writes to elements, found out={short_repr(out)}")
        self.require_own(out)
        require_castable(row.name, found.dtype, out.dtype)
        into, added = (self.values[each.name].arrays for each in (out, found))
        if not added <= into:
            self.fits.append((into, added))
        # Its shape stays that of what it was.
        text = f"@ = converted<{cpp(out.dtype)}>({found.name})"
        out.name = self.line(out.dtype, text, [found.name, out.name]).name
        return out


_METHODS = (
    "all", "any", "argmax", "argmin", "clip", "conj", "conjugate", "max", "mean", "min", "prod",
    "round", "sum",
)  # fmt: skip
# NumPy's functions that are these methods, or rows of the table.
_NUMPY_FUNCTIONS = (
    "all", "amax", "amin", "any", "argmax", "argmin", "around", "clip", "max", "mean", "min",
    "prod", "round", "sum", "where",
)  # fmt: skip
_NEEDING_VALUES = (
    "__array__", "__bool__", "__complex__", "__contains__", "__float__", "__format__",
    "__getitem__", "__imatmul__", "__index__", "__int__", "__iter__", "__len__", "__matmul__",
    "__reduce_ex__", "__rmatmul__", "__setitem__", "__str__",
)  # fmt: skip


def _refusing(name):
    def method(self: Any, *_operands: Any, **_options: Any) -> NoReturn:
        raise TypeError(
            f"fuse: {name} asks for values or a shape, which are not known while the function is "
            "traced; the function must not depend on them: usmx.where chooses"
        )

    method.__name__ = name
    return method


_OfArrays = type(
    "_OfArrays",
    (Traced,),
    {name: vars(USMArray)[name] for name in OPERATORS}
    | {name: METHODS[name] for name in _METHODS}
    | {name: _refusing(name) for name in _NEEDING_VALUES},
)


class _Operand(_OfArrays):  # type: ignore[misc, valid-type]
    """An object that a function may compute with, and nothing else."""

    def __getattr__(self, name: str) -> NoReturn:
        # An AttributeError would be an answer to `hasattr` and the like, and another one than the
        # array's.
        is_attribute = not name.startswith("__") and hasattr(USMArray, name)
        error = TypeError if is_attribute else AttributeError
        raise error(
            f"fuse: {name!r} is no operator or element-wise function, nor a reduction at the end"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's ufuncs, as of arrays."""
        from usmx._compute.numpy_protocol import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of elements, and reductions."""
        from usmx._compute.numpy_protocol import FUNCTIONS  # which adds those that compute
        from usmx._container.numpy_functions import name_of

        name = name_of(func)
        if name not in _NUMPY_FUNCTIONS:
            raise TypeError(
                f"fuse: numpy.{name} is no function for each element, nor a reduction at the end"
            )
        return FUNCTIONS[name](name, args, kwargs)


class Element(_Operand):
    """Stands for an element of an array. Its name is that of what it is at the time."""

    options: dict[str, Any] = {}  # noqa: RUF012  # of the call of its kernel

    def __init__(self, trace: Trace, dtype: NumpyType, name: str) -> None:
        self.trace = trace
        self.dtype = dtype
        self.name = name

    def __repr__(self) -> str:
        return f"fuse's element of type {self.dtype}"

    def __copy__(self) -> Element:
        return Element(self.trace, self.dtype, self.name)

    def __deepcopy__(self, memo: Any) -> Element:
        return self.__copy__()

    def copy(self) -> Element:
        """Copy it, so that work in place on one of both leaves the other one as it is."""
        return self.__copy__()

    def astype(
        self, dtype: Any, order: Any = "K", casting: Casting = "unsafe", copy: bool = True
    ) -> Element:
        """The element, converted."""
        wanted = default_float(self.trace.device) if dtype is None else _dtype(dtype)
        for each in (self.dtype, wanted):
            require_plain("astype", each)
        if not numpy.can_cast(self.dtype, wanted, casting):
            raise TypeError(f"astype: cannot cast {self.dtype} to {wanted}, found {casting=}")
        if wanted != available(wanted, self.trace.device):
            raise ValueError(f"astype: the device has no {wanted}")
        if wanted == self.dtype:
            return self.__copy__() if copy else self
        text = f"@ = converted<{cpp(wanted)}>({self.name})"
        return self.trace.line(wanted, text, [self.name])

    def apply(self, row: Row, operands: tuple[Any, ...], out: Any) -> Element:
        """The result of a function of the table, of which this is an operand."""
        return self.trace.apply(row, operands, out)

    def reduced(self, row: Reduction, axis: Any, keepdims: bool, dtype: Any, out: Any) -> Reduced:
        """The end of a function."""
        if out is not None or row.types == "real":
            raise TypeError(f"fuse: {row.name} cannot be the end of a function, or writes to out=")
        found = result_type_of(row, self.dtype, self.trace.device, dtype)
        return Reduced(self.__copy__(), row, {"axis": axis, "keepdims": keepdims}, found)

    @property
    def form(self) -> tuple[Any, ...]:
        """Everything that a kernel depends on, beside its parameters and its text."""
        return self.name, self.dtype

    def kernel(self, name: str, inputs: tuple[tuple[Any, str], ...], body: str) -> Any:
        """The kernel that makes the result."""
        return ElementwiseKernel(
            ", ".join(f"{dtype} {parameter}" for dtype, parameter in inputs),
            f"{self.dtype} out",
            f"{body}out = {self.name}",
            name,
            preamble=preamble(),
        )


class Reduced(_Operand):
    """A reduction, which nothing may follow."""

    def __init__(self, of: Element, row: Reduction, options: dict[str, Any], dtype: Any) -> None:
        self.of = of
        self.row = row
        self.options = options
        self.dtype = dtype
        self.trace = of.trace

    def __repr__(self) -> str:
        return f"fuse: {self.row.name} must be the end of the function"

    def apply(self, row: Row, operands: tuple[Any, ...], out: Any) -> Element:
        """Nothing is computed with it: a TypeError."""
        return self.trace.apply(row, operands, out)

    def reduced(self, row: Reduction, axis: Any, keepdims: bool, dtype: Any, out: Any) -> NoReturn:
        """Nothing is computed with it: a TypeError."""
        raise TypeError(f"{self!r}, found {row.name} of it")

    @property
    def form(self) -> tuple[Any, ...]:
        """Everything that a kernel depends on, beside its parameters and its text."""
        return self.of.name, self.of.dtype, self.row.name, self.dtype

    def kernel(self, _name: str, inputs: tuple[tuple[Any, str], ...], body: str) -> Any:
        """The kernel that makes the result."""
        element = cpp(self.of.dtype)
        parameters = ", ".join(f"{cpp(dtype)} {parameter}" for dtype, parameter in inputs)
        return make_kernel(
            self.row,
            self.of.dtype,
            self.dtype,
            self.trace.device,
            ", ".join(f"{dtype} {parameter}" for dtype, parameter in inputs),
            f"fused_value({', '.join(parameter for _, parameter in inputs)})",
            f"inline {element} fused_value({parameters}) {{\n{body}return {self.of.name};\n}}\n",
        )


def _identifier(function):
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() and name.isascii() else "fused"
