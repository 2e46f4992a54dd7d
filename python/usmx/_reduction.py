"""Kernels that reduce arrays along axes: the source that is generated for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._generated_kernels import (
    C_TYPES,
    check_parameters,
    check_texts,
    choose_types,
    compile_generated,
    element_at,
    parse_parameters,
    type_aliases,
)
from usmx._kernels import compile_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usmx._generated_kernels import Parameter

_SIZES = """
struct usmx_part_sizes { long lines_per_part; long columns_per_part; long column_parts; };
struct usmx_result_sizes { long results; long parts; };
"""

# Which elements a part has. `usmx_part` is given.
_PART = """
const long usmx_lines = usmx::detail::count_of<{outer}>(usmx_reduced);
const long usmx_first_line = usmx_part / usmx_sizes.column_parts * usmx_sizes.lines_per_part;
const long usmx_last_line = usmx_first_line + usmx_sizes.lines_per_part < usmx_lines
    ? usmx_first_line + usmx_sizes.lines_per_part : usmx_lines;
const long usmx_first = usmx_part % usmx_sizes.column_parts * usmx_sizes.columns_per_part;
const long usmx_rest = usmx_reduced.columns() - usmx_first;
const long usmx_count = usmx_rest < usmx_sizes.columns_per_part
    ? usmx_rest : usmx_sizes.columns_per_part;
usmx_result usmx_value{{}};
for (long usmx_line = usmx_first_line; usmx_line < usmx_last_line; ++usmx_line) {{
usmx::detail::places<{inputs}> usmx_at;
usmx_at.move<{outer}>(usmx_reduced, usmx_line);
const auto usmx_map = [&](long usmx_column) -> usmx_result {{
{loads}return (
#include "map_expr"
);
}};
"""

# A group for each result and part. All work items take as many steps, but for the last one, and
# the compiler knows how many they are: else processors do not do them at once.
_INNER = """
usmx::local_array<usmx_result, {lanes}> usmx_shared;
const auto usmx_group = usmx::group_id<2>();
const long usmx_lane = usmx::local_id<2>().j;
constexpr long usmx_lanes = {lanes};
const long usmx_part = usmx_group.j;
usmx::detail::places<{operands}> usmx_from;
usmx_from.move<{kept}>(usmx_kept, usmx_group.i);
{part}
const long usmx_full = usmx_first + usmx_count / usmx_lanes * usmx_lanes;
const bool usmx_is_first = usmx_line == usmx_first_line;
if (usmx_is_first && usmx_lane < usmx_count) usmx_value = usmx_map(usmx_first + usmx_lane);
long usmx_column = usmx_first + (usmx_is_first ? usmx_lanes : 0);
for (; usmx_column < usmx_full; usmx_column += usmx_lanes) {{
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_column + usmx_lane));
}}
if (usmx_column + usmx_lane < usmx_first + usmx_count) {{
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_column + usmx_lane));
}}
}}
usmx_shared[usmx_lane] = usmx_value;
for (long usmx_half = usmx_lanes / 2; usmx_half > 0; usmx_half /= 2) {{
usmx::barrier();
if (usmx_lane < usmx_half && usmx_lane + usmx_half < usmx_count) {{
usmx_shared[usmx_lane] = usmx_reduce(usmx_shared[usmx_lane], usmx_shared[usmx_lane + usmx_half]);
}}
}}
if (usmx_lane == 0) {{
usmx_parts[usmx_group.i * usmx::group_count<2>().j + usmx_part] = usmx_shared[0];
}}
"""

# A work item for each result and part.
_OUTER = """
const auto usmx_group = usmx::group_id<2>();
const long usmx_kept_column = usmx::global_id<2>().j;
if (usmx_kept_column >= usmx_kept.columns()) return;
const long usmx_rows = usmx::detail::count_of<{kept} - 1>(usmx_kept);
const long usmx_part = usmx_group.i / usmx_rows;
const long usmx_row = usmx_group.i - usmx_part * usmx_rows;
usmx::detail::places<{operands}> usmx_from;
usmx_from.move<{kept} - 1>(usmx_kept, usmx_row);
{part}
long usmx_column = 0;
if (usmx_line == usmx_first_line) {{
usmx_value = usmx_map(usmx_first);
usmx_column = 1;
}}
for (; usmx_column < usmx_count; ++usmx_column) {{
usmx_value = usmx_reduce(usmx_value, usmx_map(usmx_first + usmx_column));
}}
}}
usmx_parts[usmx_group.i * usmx_kept.columns() + usmx_kept_column] = usmx_value;
"""

# A work item for each result. Adjacent ones read adjacent parts, or all parts of a result are.
_END = """
const long usmx_place = usmx::global_id();
if (usmx_place >= usmx_sizes.results) return;
usmx::detail::places<{operands}> usmx_at;
usmx_at.move<{kept}>(usmx_kept, usmx_place);
const usmx_result* usmx_part = usmx_parts + {first_part};
usmx_result a = usmx_sizes.parts == 0 ? usmx_result(
#include "identity"
) : *usmx_part;
for (long usmx_index = 1; usmx_index < usmx_sizes.parts; ++usmx_index) {{
usmx_part += {part_step};
a = usmx_reduce(a, *usmx_part);
}}
{outputs}
#include "post_map_expr"
;
{stores}
"""

_REDUCE = """
inline usmx_result usmx_reduce(usmx_result a, usmx_result b) {
using namespace usmx;
return (
#include "reduce_expr"
);
}
"""


def reduction_source(
    name: str,
    parameters: Sequence[Parameter],
    types: Sequence[tuple[str, bool]],
    input_count: int,
    result: str,
    form: str,
) -> str:
    """The source of the two kernels, which includes what users wrote.

    Args:
        name: the name of the first kernel; that of the second one has ``_end`` after it.
        parameters: all of them, outputs last.
        types: for each its type in C++, and whether the argument is an array.
        input_count: how many are inputs.
        result: the type in C++ of what is reduced.
        form: of the loops, as src/user_kernels/reduction_internal.hpp has it.
    """
    kind, kept, reduced, lanes, steps = form.split()
    every = list(zip(parameters, types, strict=True))
    inputs, outputs = every[:input_count], every[input_count:]
    arrays = [(p.name, c_type) for p, (c_type, is_array) in inputs if is_array]
    operands = len(arrays) + len(outputs)
    kept_loop = f"const usmx::detail::loop<{operands}, {kept}> usmx_kept"
    first = [
        f"const {c_type}* usmx_array_{p.name}" if is_array else f"const {c_type} {p.name}"
        for p, (c_type, is_array) in inputs
    ]
    first += ["usmx_result* usmx_parts", kept_loop]
    first += [f"const usmx::detail::loop<{len(arrays)}, {reduced}> usmx_reduced"]
    first += ["const usmx_part_sizes usmx_sizes"]
    second = [f"{c_type}* usmx_array_{p.name}" for p, (c_type, _) in outputs]
    second += ["const usmx_result* usmx_parts", kept_loop, "const usmx_result_sizes usmx_sizes"]
    part = _PART.format(
        outer=int(reduced) - 1, inputs=len(arrays), loads=_loads(arrays, kind, steps)
    )
    body = (_INNER if kind == "inner" else _OUTER).format(
        lanes=lanes, operands=operands, kept=kept, part=part
    )
    return (
        "#include <usmx/kernel.hpp>\n"
        '#include "usmx_loop.hpp"\n'
        f"{type_aliases(parameters, types)}"
        f"using usmx_result = {result};\n"
        '#include "preamble"\n'
        f"{_SIZES}{_REDUCE}"
        f"USMX_KERNEL(2) {name}({', '.join(first)}) {{\nusing namespace usmx;\n{body}}}\n"
        f"USMX_KERNEL(1) {name}_end({', '.join(second)}) {{\nusing namespace usmx;\n"
        f"{_end(outputs, len(arrays), operands, kind, kept)}}}\n"
    )


def _loads(arrays, kind, steps):
    """The elements of the inputs at `usmx_column`."""
    lines = []
    for k, ((name, c_type), step) in enumerate(zip(arrays, steps, strict=True)):
        row = f"usmx_from.at[{k}] + usmx_at.at[{k}]"
        if kind == "outer":
            row += f" + usmx_column * usmx_reduced.column_stride({k})"
            column, loop = "usmx_kept_column", "usmx_kept"
        else:
            column, loop = "usmx_column", "usmx_reduced"
        element = element_at(f"usmx_array_{name}", row, step, column, f"{loop}.column_stride({k})")
        lines.append(f"const {c_type} {name} = {element};\n")
    return "".join(lines)


def _end(outputs, input_array_count, operands, kind, kept):
    elements = [
        (p.name, c_type, f"usmx::detail::element(usmx_array_{p.name}, usmx_at.at[{k}])")
        for k, (p, (c_type, _)) in enumerate(outputs, input_array_count)
    ]
    first_part, part_step = (
        ("usmx_place", "usmx_sizes.results")
        if kind == "outer"
        else ("usmx_place * usmx_sizes.parts", "1")
    )
    return _END.format(
        first_part=first_part,
        part_step=part_step,
        operands=operands,
        kept=kept,
        outputs="".join(f"{c_type} {name} = {at};\n" for name, c_type, at in elements),
        stores="".join(f"{at} = {name};\n" for name, _, at in elements),
    )


class ReductionKernel(_core._ReductionKernel):
    """A kernel that puts the elements of arrays together, along some axes or all.

    For each result, the expression `map_expr` of the inputs' elements is reduced by `reduce_expr`.
    The source is generated and compiled for the types and the kind of layout of the arguments, at
    the first call with such ones. Arrays may have any layout: operands are not copied.

    Args:
        in_params: the inputs, as ``'T x, float32 y'``: types and names. A type is a name such as
            'float32', or one letter that stands for any type, the same one wherever it is used.
        out_params: the outputs, in the same form.
        map_expr: an expression of C++ of the inputs.
        reduce_expr: an expression of ``a`` and ``b`` that puts two values together. The order of
            the values must not matter.
        post_map_expr: statements that set the outputs from ``a``.
        identity: an expression for the result of no elements. Empty or None: there is none.
        name: for messages.
        reduce_type: the type of ``a`` and ``b``: a name of a type, or a letter of the parameters.
            None: that of the first output.
        preamble: C++ that comes before the kernels, such as functions that they use.
        options: for the compiler: of the SYCL runtime, such as '-ffast-math', or for CUDA devices
            of NVIDIA, such as '--use_fast_math'.

    Raises:
        TypeError: a parameter is no string.
        ValueError: parameters are not written so, two have one name, or there is no output.

    Example:
        >>> norm = usmx.ReductionKernel(
        ...     'T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm')
        >>> x = usmx.asarray([[3.0, 4.0], [6.0, 8.0]])
        >>> print(norm(x, axis=1))
        [ 5. 10.]
        >>> norm(x[:, 0], keepdims=True).shape
        (1,)
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: str | None,
        name: str = "reduce",
        *,
        reduce_type: str | None = None,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        inputs = parse_parameters("in_params", in_params)
        outputs = parse_parameters("out_params", out_params)
        self._parameters = check_parameters(inputs + outputs, len(outputs))
        identity = "" if identity is None else identity
        self._written = {
            "map_expr": map_expr,
            "reduce_expr": reduce_expr,
            "post_map_expr": post_map_expr,
            "identity": identity,
            "preamble": preamble,
        }
        check_texts(name, **self._written)
        for each in self._parameters:
            if each.name in ("a", "b"):
                raise ValueError(
                    f"parameters must not use the name {each.name!r}, which is that of values "
                    "to reduce"
                )
        self._name = name
        self._reduce_type = (
            outputs[0].type
            if reduce_type is None
            else parse_parameters("reduce_type", f"{reduce_type} value")[0].type
        )
        if len(self._reduce_type) == 1 and self._reduce_type not in {
            p.type for p in self._parameters
        }:
            raise ValueError(f"reduce_type must be the type of a parameter, found {reduce_type!r}")
        self._options = compile_arguments(None, None, options)[2]
        self._input_count = len(inputs)
        super().__init__(
            name,
            [each.name for each in self._parameters],
            self._input_count,
            bool(identity.strip()),
        )

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def __repr__(self) -> str:
        return f"<usmx.ReductionKernel {self._name}>"

    # What the native class asks for.

    def _choose_types(self, found, dtype):
        chosen = choose_types(self._name, self._parameters, found, dtype)
        return [*chosen, self._of_result(chosen)]

    def _generate(self, types, form):
        name = f"usmx_named_{self._name}"
        source = reduction_source(
            name,
            self._parameters,
            types,
            self._input_count,
            self._of_result([(None, c_type) for c_type, _ in types])[1],
            form,
        )
        return compile_generated(source, [name, f"{name}_end"], self._written, self._options)

    def _of_result(self, types):
        """The type of `reduce_type`, by the types of the parameters."""
        if len(self._reduce_type) > 1:
            return self._reduce_type, C_TYPES[self._reduce_type]
        letters = [each.type for each in self._parameters]
        return types[letters.index(self._reduce_type)]
