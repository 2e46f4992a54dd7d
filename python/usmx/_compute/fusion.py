"""`usmx.fuse`: one kernel for an expression of the table's functions.

The function is called with objects that stand for the elements of its arguments. Each function of
the table makes a line of C++ of its call, in the types that arrays would have, so that results are
those of the function without fusion.
"""

from __future__ import annotations

import atexit
import re
from functools import update_wrapper
from typing import TYPE_CHECKING
from weakref import WeakSet

from usmx._compute.call import (
    Traced,
    comparable,
    cpp,
    kind_of,
    operands_of,
    preamble,
    require_castable,
    types_of,
)
from usmx._compute.methods import METHODS, OPERATORS
from usmx._compute.promotion import WEAK, available, number_converter
from usmx._compute.reductions import make_kernel, result_type_of
from usmx._container.host import numpy
from usmx._core import ElementwiseKernel, USMArray, _dtype
from usmx._kernels import identity_text
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from usmx._compute.table import Reduction, Row
    from usmx._core import SyclDevice


def fuse(function: Callable[..., Any]) -> Fused:
    """Make one kernel of a function of arrays, as a decorator. Compiles nothing yet.

    The function may use operators, element-wise functions of usmx's and of NumPy's, and at its end
    one reduction. Its results are those of the function as it is, to the last bit but for
    reductions; nothing is stored in between.

    Args:
        function: a function that returns one result. It is called once for each combination of
            element types, with objects that stand for the elements. What it does must not depend on
            their values.

    Returns:
        A function of the same arguments. Those by position are arrays, which are broadcast
        together, and numbers; each other integer, and each other argument by keyword, makes another
        kernel. ``out=`` takes an array for the result.

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


_all: WeakSet[Fused] = WeakSet()


@atexit.register
def _forget_kernels():
    for each in _all:
        each._prepared.clear()


class Fused:
    """A function whose calls are one kernel each."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._prepared: dict[Any, Any] = {}
        _all.add(self)

    def __call__(self, *operands: Any, out: USMArray | None = None, **constants: Any) -> USMArray:
        """Call the function."""
        name = _identifier(self._function)
        operands = operands_of(name, [f"argument {k}" for k, _ in enumerate(operands, 1)], operands)
        device = next(each for each in operands if type(each) is USMArray)._own_queue.sycl_device
        key = (device, *map(_key_of, operands), *sorted(constants.items()))
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self._prepared[key] = self._trace(name, operands, device, constants)
        kernel, places, options = prepared
        return kernel(*(operands[place] for place in places), out=out, **options)

    def __reduce__(self) -> str:
        """By its name, as a function."""
        return self.__qualname__  # type: ignore[attr-defined, no-any-return]

    def _trace(self, name, operands, device, constants):
        lines: list[str] = []
        arguments = [
            Element(lines, device, kind_of(each), f"p{place}") if _is_parameter(each) else each
            for place, each in enumerate(operands)
        ]
        result = self._function(*arguments, **constants)
        element = result.of if isinstance(result, Reduced) else result
        if not isinstance(element, Element):
            raise TypeError(
                f"fuse: {name} must return one result of its arguments, found {short_repr(result)}"
            )
        body = "".join(lines)
        used = set(re.findall(r"\bp\d+\b", body + element.name))
        places = [place for place in range(len(operands)) if f"p{place}" in used]
        inputs = [(_type_of(operands[place], device), f"p{place}") for place in places]
        if isinstance(result, Reduced):
            value = f"fused_value({', '.join(parameter for _, parameter in inputs)})"
            parameters = ", ".join(f"{cpp(dtype)} {parameter}" for dtype, parameter in inputs)
            kernel = make_kernel(
                result.row,
                element.dtype,
                result.dtype,
                ", ".join(f"{dtype} {parameter}" for dtype, parameter in inputs),
                value,
                f"inline X fused_value({parameters}) {{\n{body}return X({element.name});\n}}\n",
            )
            return kernel, places, result.options
        kernel = ElementwiseKernel(
            ", ".join(f"{dtype} {parameter}" for dtype, parameter in inputs),
            f"{element.dtype} out",
            f"{body}out = {cpp(element.dtype)}({element.name})",
            name,
            preamble=preamble(),
        )
        return kernel, places, {}


_METHODS = (
    "all", "any", "argmax", "argmin", "clip", "conj", "conjugate", "max", "mean", "min", "prod",
    "round", "sum",
)  # fmt: skip
_OfArrays = type(
    "_OfArrays",
    (Traced,),
    {name: vars(USMArray)[name] for name in OPERATORS} | {name: METHODS[name] for name in _METHODS},
)


class Element(_OfArrays):  # type: ignore[misc, valid-type]
    """Stands for an element, or for a number that is given to each call.

    The kind is a type, or the class of a number of Python's and of what only such numbers make.
    """

    def __init__(self, lines: list[str], device: SyclDevice, kind: Any, name: str) -> None:
        self.lines = lines
        self.device = device
        self.kind = kind
        self.name = name

    @property
    def dtype(self) -> Any:
        """The type."""
        return available(numpy.dtype(self.kind), self.device)

    def apply(self, row: Row, operands: tuple[Any, ...], out: Any) -> Element:
        """The result of a function of the table, of which this is an operand."""
        if out is not None and out is not operands[0]:
            raise TypeError(f"fuse: {row.name} of elements takes no out=")
        if any(isinstance(each, (USMArray, list, tuple)) for each in operands):
            raise TypeError(
                f"fuse: {row.name} takes an array from outside of the function: make it an argument"
            )
        kinds = tuple(
            each.kind if isinstance(each, Element) else kind_of(each) for each in operands
        )
        types = types_of(row, kinds, self.device)
        try:
            values = [
                each.name if isinstance(each, Element) else _literal(each, dtype)
                for each, dtype in zip(operands, types.parameters, strict=True)
            ]
        except OverflowError:
            if not row.compares:
                raise
            return self.apply(row, tuple(map(comparable, operands)), out)
        given = "".join(
            f"const {cpp(dtype)} {name} = {cpp(dtype)}({value});\n"
            for dtype, name, value in zip(types.parameters, row.operands, values, strict=True)
        )
        found = self._new(types.result, given + types.operation(row, types.result, "@"))
        if all(kind in WEAK for kind in kinds):
            found.kind = type(types.result.type(0).item())
        elif out is not None and out.kind not in WEAK:  # in place, where the type stays
            require_castable(row.name, types.result, out.dtype)
            return found.astype(out.dtype)
        return found

    def reduced(self, row: Reduction, axis: Any, keepdims: bool, dtype: Any, out: Any) -> Reduced:
        """The end of a function."""
        if out is not None or row.types == "real":
            raise TypeError(f"fuse: {row.name} cannot be the end of a function, or writes to out=")
        found = result_type_of(row, self.dtype, self.device, dtype)
        return Reduced(self, row, {"axis": axis, "keepdims": keepdims}, found)

    def astype(self, dtype: Any) -> Element:
        """The element, converted."""
        wanted = _dtype(dtype)
        return self._new(wanted, f"@ = {cpp(wanted)}({self.name})")

    def _new(self, dtype, text):
        name = f"v{len(self.lines)}"
        self.lines.append(f"{cpp(dtype)} {name};\n{{\n{text.replace('@', name)};\n}}\n")
        return Element(self.lines, self.device, dtype, name)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "fuse: the function must not depend on values, which are not known while it is traced: "
            "usmx.where chooses"
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"fuse: {name!r} is no operator or element-wise function, nor a reduction at the end",
            name=name,
            obj=self,
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's ufuncs, as of arrays."""
        from usmx._compute.numpy_protocol import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)


class Reduced:
    """A reduction, which nothing may follow."""

    def __init__(self, of: Element, row: Reduction, options: dict[str, Any], dtype: Any) -> None:
        self.of = of
        self.row = row
        self.options = options
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"fuse's {self.row.name}, which must be the end of the function"


def _literal(number, dtype):
    return identity_text(number_converter(dtype)(number))


def _identifier(function):
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() and name.isascii() else "fused"


def _is_parameter(operand):
    """Integers and bool are constants of a kernel."""
    return isinstance(operand, (USMArray, float, complex, numpy.inexact))


def _key_of(operand):
    return kind_of(operand) if _is_parameter(operand) else (type(operand), operand)


def _type_of(operand, device):
    """The type of a kernel's parameter."""
    kind = kind_of(operand)
    dtype = numpy.dtype(kind)
    return available(dtype, device) if kind in (float, complex) else dtype
