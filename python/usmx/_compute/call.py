"""Calls of the table's functions, which are the library's: one call each, without a look from here.

What the library does not take is prepared here: other producers' arrays, NumPy's and lists, numbers
alone or outside of a type, structured elements, and operands of `fuse`.
"""

from __future__ import annotations

import atexit
import re
import threading
from functools import cache
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from usmx._compute.promotion import (
    WEAK,
    number_converter,
    require_plain,
)
from usmx._compute.table import ROWS
from usmx._container.asynchronous import copy_async
from usmx._container.compute_follows_data import common_queue, using_queue
from usmx._container.creation import no_producer
from usmx._container.host import arrays_in, is_numpys, numpy
from usmx._container.types import iinfo
from usmx._core import (
    USMArray,
    _as_array,
    _device_text,
    _dtype,
    _language_name,
    _operation_of,
    _row_function,
    _types_of,
    asarray,
    empty,
)
from usmx._kernels import KernelModule
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from usmx._compute.table import Row
    from usmx._core import SyclDevice, SyclQueue
    from usmx._typing import Casting, DTypeLike, NumpyType


def preamble() -> str:
    """The text that the kernels' sources begin with."""
    return _device_text("device_functions.hpp")


@cache
def cpp(dtype: NumpyType) -> str:
    """The type's name in the kernel language."""
    return _language_name(dtype)


def new_cache() -> dict[Any, Any]:
    """A dictionary for kernels, which is emptied before the interpreter ends."""
    cache: dict[Any, Any] = {}
    atexit.register(cache.clear)
    return cache


def kind_of(operand: Any) -> Any:
    """The kind that decides for an operand: the type of an array, the class of a number."""
    cls = type(operand)
    return operand.dtype if cls is USMArray else cls


class Traced:
    """An operand that stands for elements while a function is traced (fusion.py)."""

    def apply(self, row: Row, operands: tuple[Any, ...], out: Any) -> Any:
        """The result of the row's function for these operands."""
        raise NotImplementedError

    def reduced(self, row: Any, axis: Any, keepdims: bool, dtype: Any, out: Any) -> Any:
        """The result of a reduction of these elements."""
        raise NotImplementedError


class _Tracing(threading.local):
    """The trace that the thread makes (fusion.py)."""

    trace: Any = None


tracing = _Tracing()


# Each row's function: of the operands, and of `out` or None. It returns None, and has done nothing,
# where an operand is neither an array nor a number that elements of the type can be. What little
# there is the host computes (docs/decisions.md, 135), unless only kernels are asked for.
CALLS: dict[str, Callable[..., Any]] = {name: _row_function(name) for name in ROWS}
KERNELS: dict[str, Callable[..., Any]] = {name: _row_function(name, "kernel") for name in ROWS}

# Functions of CALLS by NumPy's ufuncs, once one of these has met an array (numpy_protocol.py).
BY_UFUNC: dict[Any, Callable[..., Any]] = new_cache()


# Comparisons of structured elements, by row. They compute by this module (elementwise.py).
OF_STRUCTURES: dict[str, Callable[..., Any]] = {}


def compute(row: Row, operands: tuple[Any, ...], out: Any = None) -> Any:
    """Call the row's function."""
    found = CALLS[row.name](*operands, out)
    return general(row, operands, out) if found is None else found


def launch(row: Row, operands: tuple[Any, ...], out: Any = None) -> Any:
    """Call the row's function, by a kernel."""
    found = KERNELS[row.name](*operands, out)
    return general(row, operands, out, KERNELS) if found is None else found


def general(
    row: Row, operands: tuple[Any, ...], out: Any = None, functions: dict[str, Any] = CALLS
) -> Any:
    """Call the row's function for operands that the library does not take as they are."""
    if row.is_logical:
        operands = tuple(map(truth_of, operands))
    if _is_one_in_a_tuple(out):
        return general(row, operands, out[0], functions)
    for each in (*operands, out):
        if isinstance(each, Traced):
            return each.apply(row, operands, out)
    if tracing.trace is not None and all(map(is_number, operands)):
        return tracing.trace.apply(row, operands, out)
    if all(type(each) in WEAK for each in operands):
        operands = tuple(map(asarray, operands))
    else:
        try:
            operands = operands_of(row.name, row.operands, operands)
        except OverflowError:
            beyond = beyond_integers(operands) if row.compares else None
            if beyond is None:
                raise
            return _compared_beyond(row, operands, beyond, out, functions)
    if out is not None:
        output(row.name, out)
    if row.name in OF_STRUCTURES and _have_fields(operands):
        return OF_STRUCTURES[row.name](row, *operands, out)
    found = functions[row.name](*operands, out)
    return _converted(row, operands, out, functions) if found is None else found


def _converted(row, operands, out, functions):
    """The result for USMArrays and numbers, which become elements of the kernel's types."""
    first = next(each for each in operands if type(each) is USMArray)
    types = types_of(row, tuple(map(kind_of, operands)), first._own_queue.sycl_device)
    try:
        converted = [
            number_converter(dtype)(each) if type(each) in WEAK else each
            for each, dtype in zip(operands, types.parameters, strict=True)
        ]
    except OverflowError:
        if not row.compares:
            raise
        return _converted(row, tuple(map(comparable, operands)), out, functions)
    found = functions[row.name](*converted, out)
    if found is None:  # for `out` alone
        raise TypeError(
            f"{row.name}: a result of type {types.result} cannot be written to an array of type "
            f"{out.dtype}"
        )
    return found


def _is_one_in_a_tuple(out):
    """Whether `out` is written as NumPy's ufuncs take it, too."""
    return type(out) is tuple and len(out) == 1


def _have_fields(operands):
    return all(type(each) is USMArray and each.dtype.names for each in operands)


_OPERANDS = (USMArray, Traced, range, *WEAK)


def is_number(operand: Any) -> bool:
    """Whether it is a number of Python's or NumPy's, and no array."""
    return isinstance(operand, (bool, int, float, complex, numpy.generic))


def is_operand(other: Any) -> bool:
    """Whether operators compute with it.

    It is an array of USM, a plain one of NumPy's, a number, a list or tuple of these, or a range.
    """
    if isinstance(other, _OPERANDS):
        return True
    if isinstance(other, (list, tuple)):
        return _has_numbers(other)
    is_host = type(other) in (numpy.ndarray, numpy.memmap) or isinstance(other, numpy.generic)
    return is_host or _as_array(other) is not None


def _has_numbers(values):
    """Whether `asarray` makes an array of the list or tuple, unless its arrays do not fit."""
    try:
        if arrays_in(values):
            return True
        found = numpy.asarray(values)
        return is_numpys(found.dtype) and (found.dtype.kind in "biufc" or _has_long_integers(found))
    except (TypeError, ValueError):  # of other elements, or of rows of different lengths
        return False


def _has_long_integers(objects):
    """Whether they are numbers of Python's, of which NumPy makes objects: some have no type."""
    return all(isinstance(each, (int, float, complex)) for each in objects.flat)


def _copied(function, values, first):
    """A list or an array of NumPy's as an array beside `first`, or on the current queue.

    OverflowError for a list with integers that no type has, unless `first` has floats.
    """
    options = (
        {"usm_type": first.usm_type, "sycl_queue": first._own_queue} if first is not None else {}
    )
    try:
        return asarray(values, **options)
    except TypeError:
        long = _long_integers(values)
        if long is None:
            raise
    if first is not None and first.dtype.kind in "fc":
        return asarray(_as_floats(long), **options)
    largest = max((each for each in long.flat if isinstance(each, int)), key=abs)
    dtype = "int64" if first is None else first.dtype
    raise OverflowError(
        f"{function}: Python integer {short_repr(largest)} out of bounds for {dtype}"
    )


def _limits_of(dtype):
    limits = iinfo(dtype)
    return limits.min, limits.max


def _as_floats(long):
    """NumPy's objects as floating-point numbers: integers beyond those are infinite."""

    def number(each):
        try:
            return each if isinstance(each, complex) else float(each)
        except OverflowError:
            return inf if each > 0 else -inf

    return numpy.array([number(each) for each in long.flat]).reshape(long.shape)


def _long_integers(values):
    """The list as NumPy's objects, if it has integers that no type has; otherwise None."""
    if not isinstance(values, (list, tuple)) or arrays_in(values):
        return None
    found = numpy.asarray(values)
    return found if found.dtype.kind == "O" else None


def beyond_integers(operands: Sequence[Any]) -> tuple[int, Any, Any] | None:
    """Which operand is a list with integers that no type has, beside an array of integers.

    Also the list with 0 in the place of each integer that no element of the array can be, and the
    sign of each, 0 for other elements.
    """
    for k, each in enumerate(operands):
        long = _long_integers(each)
        other = operands[1 - k]
        if long is not None and isinstance(other, USMArray) and other.dtype.kind in "biu":
            least, most = (0, 1) if other.dtype.kind == "b" else _limits_of(other.dtype)
            signs = numpy.array(
                [
                    isinstance(number, int) and (number > most) - (number < least)
                    for number in long.flat
                ],
                "i1",
            ).reshape(long.shape)
            return k, numpy.where(signs, 0, long).tolist(), signs
    return None


def _compared_beyond(row, operands, beyond, out, functions):
    """The comparison with a list of which some integers are beyond all types, as infinity is."""
    k, inside, signs = beyond
    array = operands[1 - k]
    infinite = numpy.where(signs < 0, numpy.float32(-numpy.inf), numpy.float32(numpy.inf))
    found = [
        general(row, (each, array) if k == 0 else (array, each), None, functions)
        for each in (infinite, inside)
    ]
    is_beyond = asarray(signs, usm_type=array.usm_type, sycl_queue=array._own_queue) != 0
    return written(row.name, out, compute(ROWS["where"], (is_beyond, *found)))


def operands_of(
    function: str, names: Sequence[str], operands: Sequence[Any]
) -> tuple[USMArray | Any, ...]:
    """The operands as `compute` takes them: USMArrays, on which others may follow, and numbers.

    Arrays of NumPy's, lists and ranges are copied to where the first USMArray is; lists and ranges
    alone, to the current queue. TypeError for anything else.
    """
    views = [_operand(function, *each) for each in zip(names, operands, strict=True)]
    first = next((each for each in views if type(each) is USMArray), None)
    host = (numpy.ndarray, list, tuple, range)
    if first is None:
        for name, each in zip(names, views, strict=True):
            if isinstance(each, numpy.ndarray):
                raise no_producer(f"{function}: {name}", each)
        if any(isinstance(each, host) for each in views):
            return tuple(
                _copied(function, each, None) if isinstance(each, host) else each for each in views
            )
        return _numbers_on_a_queue(views)
    return tuple(
        _copied(function, each, first) if isinstance(each, host) else each for each in views
    )


def _numbers_on_a_queue(numbers):
    """Numbers as arrays on the current queue. Python's follow those of NumPy, if there are any."""
    strong = [isinstance(each, numpy.generic) for each in numbers]
    all_weak = not any(strong)
    return tuple(
        asarray(each) if is_strong or all_weak else each
        for each, is_strong in zip(numbers, strong, strict=True)
    )


def arrays_of(function: str, names: Sequence[str], operands: Sequence[Any]) -> list[USMArray]:
    """The operands, of which none is a number."""
    found = operands_of(function, names, operands)
    for name, each in zip(names, found, strict=True):
        if type(each) is not USMArray:
            raise TypeError(f"{function}: {name} must be an array, found {short_repr(each)}")
    return [*found]


def number_of(function: str, name: str, operand: Any) -> Any:
    """The operand, if it is a number; None for arrays and lists. TypeError for anything else."""
    found = _operand(function, name, operand)
    return found if is_number(found) else None


def _operand(function, name, operand):
    """A USMArray, a number, a list, a range, or an array of NumPy's with a dimension."""
    if isinstance(operand, Traced):
        raise TypeError(f"fuse: {function} is no function for each element, and cannot be traced")
    view = _as_array(operand)
    if view is not None:
        return view if type(view) is USMArray else view[...]
    if not is_operand(operand):
        raise TypeError(
            f"{function}: {name} must be a USMArray, a number or a list of numbers, found "
            f"{short_repr(operand)}; usmx.asarray makes arrays"
        )
    if isinstance(operand, (list, tuple, range)):
        return operand
    for weak in WEAK:
        if isinstance(operand, weak) and not isinstance(operand, numpy.generic):
            return weak(operand)
    return operand if operand.ndim else _scalar(function, name, operand)


def _scalar(function, name, operand):
    """A number of NumPy's, of a type that usmx has."""
    try:
        _dtype(operand.dtype)
    except ValueError:
        text = f"{function}: {name} is of type {operand.dtype}, which usmx lacks"
        raise TypeError(f"{text}, found {short_repr(operand)}") from None
    return numpy.asarray(operand)[()]  # of NumPy's own class, which the library knows


def output(function: str, out: Any) -> USMArray:
    """`out`, which is a USMArray."""
    if not isinstance(out, USMArray):
        text = f"{function}: out must be a USMArray, found {type(out).__name__}"
        if isinstance(out, numpy.ndarray):  # as in `host += a`
            text += "; into an array of NumPy's, as in `x += a`, goes x += usmx.asnumpy(a)"
        raise TypeError(text)
    return out


def written(function: str, out: USMArray | None, made: USMArray) -> USMArray:
    """A result of a function, copied to `out` if there is one."""
    if out is None:
        return made
    require_fitting(function, out, made)
    common_queue((made, out))
    copy_async(out, made)
    return out


def require_fitting(function: str, out: Any, made: USMArray) -> None:
    """Refuse an `out` into which a result like `made` does not go."""
    require_castable(function, made.dtype, output(function, out).dtype)
    if out.shape != made.shape:
        raise ValueError(f"{function}: out must have shape {made.shape}, found {out.shape}")


def in_type(
    row: Row, operands: tuple[Any, ...], dtype: DTypeLike, casting: Casting = "same_kind"
) -> tuple[Any, ...]:
    """The operands in the type that the argument `dtype` asks for."""
    if any(isinstance(each, Traced) for each in operands):
        raise TypeError(f"fuse: {row.name} takes no dtype=, convert the arguments")
    if row.result == "bool":
        raise TypeError(f"{row.name} takes no dtype=: its result is bool")
    return arrays_in_type(row.name, row.operands, operands, dtype, casting)


def arrays_in_type(
    function: str,
    names: tuple[str, ...],
    operands: tuple[Any, ...],
    dtype: DTypeLike,
    casting: Casting = "same_kind",
) -> tuple[Any, ...]:
    """The operands, with arrays converted to a type, as far as `casting` allows; numbers stay."""
    return tuple(
        USMArray.astype(each, dtype, casting=casting, copy=False)
        if isinstance(each, USMArray)
        else each
        for each in operands_of(function, names, operands)
    )


def converted_to(function: str, out: USMArray | None, made: USMArray, casting: Casting) -> USMArray:
    """A result of a function, converted to the type of `out` as far as `casting` allows."""
    if out is None:
        require_castable(function, made.dtype, made.dtype, casting)
        return made
    out = out[0] if _is_one_in_a_tuple(out) else out
    into = output(function, out).dtype
    require_castable(function, made.dtype, into, casting)
    return written(function, out, USMArray.astype(made, into, copy=False))


def require_castable(
    function: str, result: NumpyType, into: NumpyType, casting: Casting = "same_kind"
) -> None:
    """TypeError if the result cannot be in an array of the type."""
    if not numpy.can_cast(result, into, casting):
        raise TypeError(
            f"{function}: a result of type {result} cannot be written to an array of type {into}"
        )


def truth_of(operand: Any) -> Any:
    """The truth of a Python number, which every type has; anything else as it is."""
    return bool(operand) if type(operand) in WEAK else operand


def comparable(operand: Any) -> Any:
    """A Python integer as a number of a type that has it; infinity, where no type has."""
    if type(operand) is not int:
        return operand
    for cls in (numpy.int64, numpy.uint64):
        limits = numpy.iinfo(cls)
        if limits.min <= operand <= limits.max:
            return cls(operand)
    return numpy.float32(numpy.inf if operand > 0 else -numpy.inf)


class Types(NamedTuple):
    """The types of a kernel: of its parameters, in which it computes, and of the result."""

    parameters: list[Any]
    computed: Any
    result: Any

    def operation(self, row: Row, written: Any, out: str = "out") -> str:
        """The statements of the kernel, which write to `out`."""
        return _operation_of(row.name, self.parameters, self.computed, self.result, written, out)


def single(text: str, dtype: NumpyType) -> str:
    """A value of float16, or for one, as float: float16 has fewer conversions than the others."""
    return f"float({text})" if dtype.name == "float16" else text


def types_of(row: Row, kinds: tuple[Any, ...], device: SyclDevice) -> Types:
    """The types of the kernel for operands of these kinds. TypeError if there is none."""
    for kind in kinds:
        if not isinstance(kind, type):
            require_plain(row.name, kind)
    return Types(*_types_of(row.name, kinds, device.has_aspect_fp16, device.has_aspect_fp64))


# ---- kernels that are no expressions


def new_beside(x: USMArray, shape: tuple[int, ...], dtype: NumpyType) -> USMArray:
    """An array without values on the queue of another one, in memory of the same kind."""
    return empty(shape, dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)


_modules: dict[tuple[Any, ...], KernelModule] = new_cache()


def kernels(file: str, names: Sequence[str], queue: SyclQueue, **macros: str) -> KernelModule:
    """The kernels of one of the library's device texts, compiled once for these macros.

    The text may include others by their names.
    """
    key = (file, *macros.values())
    found = _modules.get(key)
    if found is None:
        lines = [f"#define {name} {text}\n" for name, text in macros.items()]
        head = f"#include <usmx/kernel.hpp>\nusing namespace usmx;\n{preamble()}\n"
        text = _device_text(file)
        headers = {name: _device_text(name) for name in re.findall(r'#include "(\w+\.hpp)"', text)}
        headers["preamble"] = head + "".join(lines)
        with using_queue(queue):
            found = KernelModule(text, names, headers=headers)
        _modules[key] = found
    return found
