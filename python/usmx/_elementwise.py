"""Kernels of one expression for each element: the source that is generated for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._generated_kernels import (
    check_parameters,
    check_texts,
    choose_types,
    compile_generated,
    element_at,
    parse_parameters,
    type_aliases,
    uses_name,
)
from usmx._kernels import compile_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usmx._generated_kernels import Parameter


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
    kind, dimensions, edge, steps = form.split()
    remaining = iter(steps)
    operands = [
        Operand(f"usmx_array_{p.name}", c_type, p.name, next(remaining), k >= input_count)
        for k, (p, (c_type, is_array)) in enumerate(zip(parameters, types, strict=True))
        if is_array
    ]
    declared = [
        f"{'' if k >= input_count else 'const '}{c_type}* usmx_array_{p.name}"
        if is_array
        else f"const {c_type} {p.name}"
        for k, (p, (c_type, is_array)) in enumerate(zip(parameters, types, strict=True))
    ]
    if uses_index:
        operands.append(Operand("", "long", "i", next(remaining), is_written=False))
        declared.append("long usmx_i")
    declared.append(f"const usmx::detail::loop<{len(operands)}, {dimensions}> usmx_loop")
    body = _body(operands, tiled=kind == "tiles")
    if kind == "tiles":
        loop = _tiles(operands, body, int(dimensions), int(edge))
    else:
        loop = _rows(operands, body, int(dimensions))
    return (
        "#include <usmx/kernel.hpp>\n"
        '#include "usmx_loop.hpp"\n'
        f"{type_aliases(parameters, types)}"
        '#include "preamble"\n'
        f"USMX_KERNEL(2) {name}({', '.join(declared)}) {{\n"
        "using namespace usmx;\n"
        f"{loop}}}\n"
    )


def _row(k, row):
    """Where a row begins, in bytes from an operand's first element."""
    return f"usmx_at.at[{k}]" + (f" + {row} * usmx_loop.row_stride({k})" if row else "")


def _element(k, operand, row):
    stride = f"usmx_loop.column_stride({k})"
    return element_at(operand.pointer, _row(k, row), operand.step, "usmx_column", stride)


def _body(operands, *, tiled):
    """What is done for one element: outputs are read first, since they may be written in part."""
    row = "usmx_row" if tiled else ""
    lines = []
    for k, each in enumerate(operands):
        if each.name == "i":
            lines.append(
                f"const long i = usmx_i + {_row(k, row)} + "
                f"usmx_column * usmx_loop.column_stride({k});\n"
            )
            continue
        is_tile = each.step == "t"
        value = f"usmx_tile{k}[usmx_lane][usmx_line]" if is_tile else _element(k, each, row)
        const = "" if each.is_written else "const "
        lines.append(f"{const}{each.type} {each.name} = {value};\n")
    lines.append('#include "operation"\n;\n')
    lines += [
        f"{_element(k, each, row)} = {each.name};\n"
        for k, each in enumerate(operands)
        if each.is_written
    ]
    return "".join(lines)


def _rows(operands, body, dimensions):
    """A work item for each element."""
    return (
        "const auto usmx_place = usmx::global_id<2>();\n"
        "const long usmx_column = usmx_place.j;\n"
        f"usmx::detail::places<{len(operands)}> usmx_at;\n"
        f"if (!usmx_at.move<{dimensions - 1}>(usmx_loop, usmx_place.i) || "
        "usmx_column >= usmx_loop.columns()) return;\n"
        f"{body}"
    )


def _tiles(operands, body, dimensions, edge):
    """A work group for each tile; whole ones have as many steps as the compiler knows.

    Operands whose rows are adjacent go through local memory; the padding keeps the items of a
    column apart in it.
    """
    tiles = {k: each for k, each in enumerate(operands) if each.step == "t"}
    arrays = "".join(
        f"usmx::local_array<{each.type}, {edge}, {edge + 1}> usmx_tile{k};\n"
        for k, each in tiles.items()
    )
    reads = "".join(
        f"usmx_tile{k}[usmx_line][usmx_lane] = usmx::detail::element({each.pointer}, "
        f"usmx_at.at[{k}] + (usmx_first_column + usmx_line) * usmx_loop.column_stride({k}) + "
        f"(usmx_first_row + usmx_lane) * usmx_loop.row_stride({k}));\n"
        for k, each in tiles.items()
    )

    def steps(rows, columns):
        return (
            f"for (long usmx_line = 0; usmx_line < {columns}; ++usmx_line) {{\n"
            f"if (usmx_lane < {rows}) {{\n{reads}}}\n}}\n"
            "usmx::barrier();\n"
            f"if (usmx_lane < {columns}) {{\n"
            "const long usmx_column = usmx_first_column + usmx_lane;\n"
            f"for (long usmx_line = 0; usmx_line < {rows}; ++usmx_line) {{\n"
            "const long usmx_row = usmx_first_row + usmx_line;\n"
            f"{body}}}\n}}\n"
        )

    return (
        f"{arrays}"
        f"constexpr long usmx_edge = {edge};\n"
        "const auto usmx_group = usmx::group_id<2>();\n"
        "const long usmx_lane = usmx::local_id<2>().j;\n"
        "const long usmx_blocks = (usmx_loop.rows() + usmx_edge - 1) / usmx_edge;\n"
        "const long usmx_outer = usmx_group.i / usmx_blocks;\n"
        "const long usmx_first_row = (usmx_group.i - usmx_outer * usmx_blocks) * usmx_edge;\n"
        "const long usmx_first_column = usmx_group.j * usmx_edge;\n"
        "const long usmx_rows = usmx_loop.rows() - usmx_first_row;\n"
        "const long usmx_columns = usmx_loop.columns() - usmx_first_column;\n"
        f"usmx::detail::places<{len(operands)}> usmx_at;\n"
        f"usmx_at.move<{dimensions - 2}>(usmx_loop, usmx_outer);\n"
        "if (usmx_rows >= usmx_edge && usmx_columns >= usmx_edge) {\n"
        f"{steps('usmx_edge', 'usmx_edge')}"
        "} else {\n"
        "const long usmx_high = usmx_rows < usmx_edge ? usmx_rows : usmx_edge;\n"
        "const long usmx_wide = usmx_columns < usmx_edge ? usmx_columns : usmx_edge;\n"
        f"{steps('usmx_high', 'usmx_wide')}"
        "}\n"
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
        options: for the compiler: of the SYCL runtime, such as '-ffast-math', or for CUDA devices
            of NVIDIA, such as '--use_fast_math'.

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
        check_texts(name, operation=operation, preamble=preamble)
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
            f"usmx_named_{self._name}",
            self._parameters,
            types,
            self._input_count,
            form,
            uses_index=self._uses_index,
        )
        written = {"preamble": self._preamble, "operation": self._operation}
        return compile_generated(source, [f"usmx_named_{self._name}"], written, self._options)
