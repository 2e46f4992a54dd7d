"""Kernels of one expression for each element: their parameters, and the source generated for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._kernels import compile_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from usmx._core import Kernel

C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "float16": "_Float16",
    "float32": "float",
    "float64": "double",
}
"""The types of elements that kernels compute with, by their names."""


class Parameter(NamedTuple):
    """A parameter as it is written: ``T x``."""

    type: str
    """A name of a type; one character stands for any type."""
    name: str

    @property
    def is_variable(self) -> bool:
        """Whether any type will do."""
        return len(self.type) == 1


def parse_parameters(what: str, text: str) -> list[Parameter]:
    """The parameters of a text such as ``'T x, float32 y'``.

    Raises:
        TypeError: `text` is no string.
        ValueError: a parameter is not written so, or its type is unknown.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, found {type(text).__name__}")
    parsed = [_parse_parameter(what, each) for each in text.split(",")] if text.strip() else []
    return parsed


def _parse_parameter(what, text):
    words = text.split()
    if len(words) != 2 or not words[1].isidentifier() or not words[1].isascii():
        raise ValueError(
            f"{what} must be pairs of type and name with commas between them, found {text.strip()!r}"
        )
    kind, name = words
    if name == "i" or name.startswith("usmx"):
        raise ValueError(f"{what} must not use the name {name!r}, which kernels have already")
    if len(kind) == 1:
        if not kind.isalpha() or not kind.isascii():
            raise ValueError(f"{what}: a type variable must be a letter, found {kind!r}")
        return Parameter(kind, name)
    return Parameter(_type_name(f"{what}: the type of {name!r}", kind), name)


def _type_name(what, kind):
    try:
        found = _core._dtype(kind).name
    except (TypeError, ValueError):
        found = None
    if found not in C_TYPES:
        raise ValueError(f"{what} must be one of {', '.join(C_TYPES)}, found {kind!r}")
    return found


def choose_types(
    name: str,
    parameters: Sequence[Parameter],
    found: Sequence[tuple[str, bool] | None],
    dtype: str | None,
) -> list[tuple[str, str]]:
    """The type of each parameter, by its name and as C++ spells it.

    Args:
        name: that of the kernel, for errors.
        parameters: all of them, outputs last.
        found: for each the type of the argument, and whether it is an array; None for an output
            that was not given.
        dtype: what stands for variables that no array names.

    Raises:
        TypeError: an array has another type, or a variable stands for two types, or none.
    """
    variables: dict[str, tuple[str, str]] = {}  # and who says so
    for parameter, argument in zip(parameters, found, strict=True):
        if argument is not None and argument[1]:
            _match(name, parameter, argument[0], variables)
    _name_rest(name, parameters, found, dtype, variables)
    names = [
        variables[each.type][0] if each.is_variable else each.type for each in parameters
    ]
    return [(each, C_TYPES[each]) for each in names]


def _match(name, parameter, found, variables):
    """An array's type is that of its parameter."""
    if found not in C_TYPES:
        raise TypeError(
            f"{name}: argument {parameter.name!r} must have elements of one of "
            f"{', '.join(C_TYPES)}, found {found}"
        )
    if not parameter.is_variable:
        if found != parameter.type:
            raise TypeError(
                f"{name}: argument {parameter.name!r} must have elements of {parameter.type}, "
                f"found {found}"
            )
        return
    known, by = variables.setdefault(parameter.type, (found, f"argument {parameter.name!r}"))
    if known != found:
        raise TypeError(
            f"{name}: argument {parameter.name!r} must have elements of {known}, which is "
            f"{parameter.type} by {by}, found {found}"
        )


def _name_rest(name, parameters, found, dtype, variables):
    """Variables of which there is no array: by `dtype`, or by the widest number."""
    if dtype is not None:
        if dtype not in C_TYPES:
            raise TypeError(f"{name}: dtype must be one of {', '.join(C_TYPES)}, found {dtype}")
        missing = [each.type for each in parameters if each.is_variable]
        for each in dict.fromkeys(missing):
            variables.setdefault(each, (dtype, "dtype"))
        outputs = [p for p, argument in zip(parameters, found, strict=True) if argument is None]
        for each in outputs:
            chosen = variables[each.type][0] if each.is_variable else each.type
            if chosen != dtype:
                raise TypeError(
                    f"{name}: dtype must be {chosen}, the type of output {each.name!r}, "
                    f"found {dtype}"
                )
    numbers = list(C_TYPES)
    for parameter, argument in zip(parameters, found, strict=True):
        if not parameter.is_variable or argument is None or argument[1]:
            continue
        known, by = variables.get(parameter.type, (argument[0], ""))
        if not by:
            widest = max(known, argument[0], key=numbers.index)
            variables[parameter.type] = (widest, "")
    for each in parameters:
        if each.is_variable and each.type not in variables:
            raise TypeError(
                f"{name}: the type {each.type} of {each.name!r} is not known, since no argument "
                "has it; dtype names it"
            )


# ---- the source

LOOP_HEADER = """
// The loop over the elements of several arrays, as src/user_kernels/elementwise.cpp packs it.
#pragma once

namespace usmx::detail {

/// The last two dimensions are rows and columns. Strides are in bytes.
template <int Operands>
struct loop {
  long dimensions;
  long extents[8];
  long strides[8 * Operands];

  long columns() const { return extents[dimensions - 1]; }
  long rows() const { return extents[dimensions - 2]; }
  long row_stride(int operand) const { return strides[(dimensions - 2) * Operands + operand]; }
  long column_stride(int operand) const { return strides[(dimensions - 1) * Operands + operand]; }
};

/// Where the operands are, in bytes.
template <int Operands>
struct places {
  long at[Operands] = {};

  /// Moves to an index that counts through the dimensions up to `last`. False if there are not so
  /// many.
  bool move(const loop<Operands>& over, long last, long index) {
    for (long k = last; k > 0; --k) {
      const long quotient = index / over.extents[k];
      step(over, k, index - quotient * over.extents[k]);
      index = quotient;
    }
    step(over, 0, index);
    return index < over.extents[0];
  }

 private:
  void step(const loop<Operands>& over, long dimension, long count) {
    for (int i = 0; i < Operands; ++i) {
      at[i] += count * over.strides[dimension * Operands + i];
    }
  }
};

template <class T>
inline T& element(T* first, long nbytes) {
  if constexpr (__is_const(T)) {
    return *reinterpret_cast<T*>(reinterpret_cast<const char*>(first) + nbytes);
  } else {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(first) + nbytes);
  }
}

}  // namespace usmx::detail
"""


def uses_name(name: str, *sources: str) -> bool:
    """Whether a source has that identifier."""
    return any(re.search(rf"\b{name}\b", source) for source in sources)


class Operand(NamedTuple):
    """An array in the source, and how its elements are found along a row."""

    pointer: str
    type: str
    name: str
    step: str
    is_written: bool


def elementwise_source(
    name: str,
    parameters: Sequence[Parameter],
    types: Sequence[tuple[str, bool]],
    input_count: int,
    form: str,
    *,
    uses_index: bool,
) -> str:
    """The source of a kernel. It includes what users wrote, so that errors name their lines.

    Args:
        name: the name of the kernel.
        parameters: all of them, outputs last.
        types: for each its type in C++, and whether the argument is an array.
        input_count: how many are inputs.
        form: of the loop, as src/user_kernels/operand_loop.hpp has it.
        uses_index: whether the operation may use ``i``.
    """
    kind, steps = form.split(":")
    remaining = iter(steps)
    operands = [
        Operand(f"usmx_{p.name}", c_type, p.name, next(remaining), k >= input_count)
        for k, (p, (c_type, is_array)) in enumerate(zip(parameters, types, strict=True))
        if is_array
    ]
    declared = [
        f"{'' if k >= input_count else 'const '}{c_type}* usmx_{p.name}" if is_array
        else f"const {c_type} {p.name}"
        for k, (p, (c_type, is_array)) in enumerate(zip(parameters, types, strict=True))
    ]
    if uses_index:
        operands.append(Operand("", "long", "i", next(remaining), is_written=False))
        declared.append("long usmx_i")
    declared.append(f"usmx::detail::loop<{len(operands)}> usmx_loop")
    body = _body(operands, tiled=kind.startswith("tiles"))
    loop = _tiles(operands, body, int(kind[5:])) if kind.startswith("tiles") else _rows(operands, body, kind)
    variables = {p.type: c for p, (c, _) in zip(parameters, types, strict=True) if p.is_variable}
    aliases = "".join(f"using {each} = {c};\n" for each, c in variables.items())
    return (
        "#include <usmx/kernel.hpp>\n"
        '#include "usmx_loop.hpp"\n'
        f"{aliases}"
        '#include "preamble"\n'
        f"USMX_KERNEL(2) {name}({', '.join(declared)}) {{\n"
        "using namespace usmx;\n"
        f"{loop}}}\n"
    )


def _offset(k, operand, row, column):
    """Of an element from the operand's first one, in bytes."""
    along = {
        "a": f" + {column} * {1 if operand.name == 'i' else f'long(sizeof({operand.type}))'}",
        "r": "",
        "s": f" + {column} * usmx_loop.column_stride({k})",
    }[operand.step]
    down = f" + {row} * usmx_loop.row_stride({k})" if row else ""
    return f"usmx_at.at[{k}]{down}{along}"


def _body(operands, *, tiled):
    """What is done for one element: outputs are read first, since they may be written in part."""
    row = "usmx_row" if tiled else ""
    lines = []
    for k, each in enumerate(operands):
        if each.step == "t":
            value = f"usmx_tile{k}[usmx_lane][usmx_row]"
        elif each.name == "i":
            lines.append(f"const long i = usmx_i + {_offset(k, each, row, 'usmx_column')};\n")
            continue
        else:
            offset = _offset(k, each, row, "usmx_column")
            value = f"usmx::detail::element({each.pointer}, {offset})"
        const = "" if each.is_written else "const "
        lines.append(f"{const}{each.type} {each.name} = {value};\n")
    lines.append('#include "operation"\n;\n')
    for k, each in enumerate(operands):
        if each.is_written:
            offset = _offset(k, each, row, "usmx_column")
            lines.append(f"usmx::detail::element({each.pointer}, {offset}) = {each.name};\n")
    return "".join(lines)


def _rows(operands, body, kind):
    """A work item for each element."""
    count = len(operands)
    move = (
        ""
        if kind == "flat"
        else f"if (!usmx_at.move(usmx_loop, usmx_loop.dimensions - 2, usmx_place.i)) return;\n"
    )
    return (
        "const auto usmx_place = usmx::global_id<2>();\n"
        "const long usmx_column = usmx_place.j;\n"
        "if (usmx_column >= usmx_loop.columns()) return;\n"
        f"usmx::detail::places<{count}> usmx_at;\n"
        f"{move}{body}"
    )


def _tiles(operands, body, edge):
    """A work group for each tile. Operands whose rows are adjacent go through local memory; the
    padding keeps the items of a column apart in it."""
    tiles = {k: each for k, each in enumerate(operands) if each.step == "t"}
    arrays = "".join(
        f"usmx::local_array<{each.type}, {edge}, {edge + 1}> usmx_tile{k};\n"
        for k, each in tiles.items()
    )
    reads = "".join(
        f"usmx_tile{k}[usmx_line][usmx_lane] = usmx::detail::element({each.pointer}, "
        f"usmx_at.at[{k}] + (usmx_first_row + usmx_lane) * usmx_loop.row_stride({k}) + "
        f"(usmx_first_column + usmx_line) * usmx_loop.column_stride({k}));\n"
        for k, each in tiles.items()
    )
    return (
        f"{arrays}"
        "const auto usmx_group = usmx::group_id<2>();\n"
        "const long usmx_lane = usmx::local_id<2>().j;\n"
        f"const long usmx_blocks = (usmx_loop.rows() + {edge - 1}) / {edge};\n"
        "const long usmx_outer = usmx_group.i / usmx_blocks;\n"
        f"const long usmx_first_row = (usmx_group.i - usmx_outer * usmx_blocks) * {edge};\n"
        f"const long usmx_first_column = usmx_group.j * {edge};\n"
        f"const long usmx_rows = usmx_loop.rows() - usmx_first_row;\n"
        f"const long usmx_columns = usmx_loop.columns() - usmx_first_column;\n"
        f"usmx::detail::places<{len(operands)}> usmx_at;\n"
        "if (usmx_loop.dimensions > 2) usmx_at.move(usmx_loop, usmx_loop.dimensions - 3, usmx_outer);\n"
        f"for (long usmx_line = 0; usmx_line < {edge} && usmx_line < usmx_columns; ++usmx_line) {{\n"
        f"if (usmx_lane < usmx_rows) {{\n{reads}}}\n}}\n"
        "usmx::barrier();\n"
        "if (usmx_lane >= usmx_columns) return;\n"
        "const long usmx_column = usmx_first_column + usmx_lane;\n"
        f"for (long usmx_line = 0; usmx_line < {edge} && usmx_line < usmx_rows; ++usmx_line) {{\n"
        "const long usmx_row = usmx_first_row + usmx_line;\n"
        f"{body.replace('[usmx_lane][usmx_row]', '[usmx_lane][usmx_line]')}}}\n"
    )


class ElementwiseKernel(_core._ElementwiseKernel):
    """A kernel of one expression for each element of arrays, which are broadcast together.

    The source is generated and compiled for the types and the kind of layout of the arguments, at
    the first call with such ones. Arrays may have any layout: operands are not copied.

    Args:
        in_params: the inputs, as ``'T x, float32 y'``: types and names. A type is a name such as
            'float32', or one letter that stands for any type, the same one wherever it is used.
        out_params: the outputs, in the same form.
        operation: statements of C++ that set the outputs. They may use the letters as types, ``i``,
            the place of the element in C order, and the functions of <usmx/kernel.hpp>.
        name: for messages.
        preamble: C++ that comes before the kernel, such as functions that it uses.
        options: for the compiler of the SYCL runtime, such as '-ffast-math'.

    Raises:
        TypeError: a parameter is no string.
        ValueError: parameters are not written so, two have one name, or there is no output.

    Example:
        >>> scale = usmx.ElementwiseKernel('T x, T a', 'T out', 'out = a * x', 'scale')
        >>> x = usmx.arange(4, dtype='f4')
        >>> print(scale(x, 2))
        [0. 2. 4. 6.]
        >>> print(scale(x[::-1], x, out=x))
        [0. 2. 2. 0.]
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        *,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        inputs = parse_parameters("in_params", in_params)
        outputs = parse_parameters("out_params", out_params)
        self._parameters = check_parameters(inputs + outputs, len(outputs))
        for what, text in (("operation", operation), ("name", name), ("preamble", preamble)):
            _require_text(what, text)
        if not name.isidentifier() or not name.isascii():
            raise ValueError(f"name must be an identifier of C++, found {name!r}")
        self._name = name
        self._operation = operation
        self._preamble = preamble
        self._options = compile_arguments(None, None, options)[2]
        self._input_count = len(inputs)
        self._uses_index = uses_name("i", operation)
        super().__init__(
            name, [each.name for each in self._parameters], self._input_count, self._uses_index
        )

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def __repr__(self) -> str:
        return f"<usmx.ElementwiseKernel {self._name}>"

    # What the native class asks for.

    def _choose_types(self, found, dtype):
        return choose_types(self._name, self._parameters, found, dtype)

    def _generate(self, types, form):
        source = elementwise_source(
            f"usmx_{self._name}",
            self._parameters,
            types,
            self._input_count,
            form,
            uses_index=self._uses_index,
        )
        written = {"preamble": self._preamble, "operation": self._operation}
        return compile_generated(source, [f"usmx_{self._name}"], written, self._options)[0]


def compile_generated(
    source: str, names: list[str], written: Mapping[str, str], options: list[str]
) -> list[Kernel]:
    """The kernels of a source that includes usmx_loop.hpp, and what users wrote by its names."""
    headers = [("usmx_loop.hpp", LOOP_HEADER), *written.items()]
    return _core._compile_kernels(source, names, [], headers, options)


def check_parameters(parameters: list[Parameter], output_count: int) -> list[Parameter]:
    """The parameters themselves.

    Raises:
        ValueError: there is no output, two have one name, or there are too many.
    """
    if output_count == 0:
        raise ValueError("out_params must name at least one output")
    names = [each.name for each in parameters]
    for each in names:
        if names.count(each) > 1:
            raise ValueError(f"parameters must have different names, found {each!r} twice")
    if len(names) > _MOST_PARAMETERS:
        raise ValueError(
            f"there must be at most {_MOST_PARAMETERS} parameters, found {len(names)}"
        )
    return parameters


def _require_text(what, text):
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, found {type(text).__name__}")


_MOST_PARAMETERS = 23  # max_generated_parameters in C++
