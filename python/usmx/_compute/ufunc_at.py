"""What ``numpy.add.at(a, i, b)`` and the like do: an index that occurs twice counts twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import (
    cpp,
    kind_of,
    new_cache,
    operands_of,
    preamble,
    require_castable,
    types_of,
)
from usmx._compute.promotion import number_converter
from usmx._compute.sorting import argsort
from usmx._container.patterns import arange
from usmx._core import ElementwiseKernel, USMArray, asarray, broadcast_to, reshape

if TYPE_CHECKING:
    from typing import Any

    from usmx._compute.table import Row

_kernels: dict[tuple[Any, ...], ElementwiseKernel] = new_cache()

# One work item goes through the values of one element, in the order in which NumPy takes them.
_OPERATION = """\
if (i == 0 || places[i - 1] != places[i]) {{
  const int64_t place = places[i];
  {target} out = target[place];
  for (int64_t j = i; j < count && places[j] == place; ++j) {{
    const {target} {first} = out;
    {second}
    {operation};
  }}
  target[place] = out;
}}"""


def apply_at(row: Row, target: USMArray, indices: Any, *values: Any) -> None:
    """Call the row's function for each selected element and its value, and keep each result.

    Equal indices are beside each other once they are sorted, so that no two work items write to
    the same element. Waits.
    """
    if not target.flags.writable:
        raise ValueError(f"{row.name}.at: the array is read-only")
    options: dict[str, Any] = {"usm_type": target.usm_type, "sycl_queue": target._own_queue}
    places = arange(target.size, dtype="i8", **options).reshape(target.shape)[indices]
    shape, places = places.shape, reshape(places, (-1,), copy=True)
    order = argsort(places)
    operands = [target]
    for name, value in zip(row.operands[1:], values, strict=True):
        operands.append(operands_of(f"{row.name}.at", ("x1", name), (target, value))[1])
    kinds = tuple(map(kind_of, operands))
    types = types_of(row, kinds, target._own_queue.sycl_device)
    if types.result.kind == "c":  # NumPy converts results without regard to their kind
        require_castable(f"{row.name}.at", types.result, target.dtype)
    sorted_values = []
    for operand, parameter in zip(operands[1:], types.parameters[1:], strict=True):
        if not isinstance(operand, USMArray):
            number = number_converter(parameter)(operand)
            operand = asarray(number, dtype=parameter, **options)
        sorted_values.append(reshape(broadcast_to(operand, shape), (-1,))[order])
    if places.size == 0:
        return
    key = (row.name, kinds, target._own_queue.sycl_device)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _kernels[key] = _make_kernel(row, target, types)
    kernel(places[order], *sorted_values, places.size, target, size=places.size)


def _make_kernel(row, target, types):
    second = "".join(
        f"const {cpp(dtype)} {name} = values[j];"
        for dtype, name in zip(types.parameters[1:], row.operands[1:], strict=True)
    )
    values = "".join(f"raw {dtype} values, " for dtype in types.parameters[1:])
    return ElementwiseKernel(
        f"raw int64 places, {values}int64 count",
        f"raw {target.dtype} target",
        _OPERATION.format(
            target=cpp(target.dtype),
            first=row.operands[0],
            second=second,
            operation=types.operation(row, target.dtype),
        ),
        f"{row.name}_at",
        preamble=preamble(),
    )
