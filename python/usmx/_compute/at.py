"""NumPy's `add.at(a, i, b)` and the like: an index that occurs twice counts twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import (
    cpp,
    kind_of,
    new_cache,
    operands_of,
    preamble,
    require_castable,
    truth_of,
    types_of,
)
from usmx._compute.promotion import number_converter
from usmx._compute.sorting import argsort
from usmx._container.host import numpy
from usmx._container.patterns import arange
from usmx._core import (
    ElementwiseKernel,
    USMArray,
    _host_may_view,
    asarray,
    broadcast_to,
    reshape,
)

if TYPE_CHECKING:
    from typing import Any

    from usmx._compute.table import Row

_kernels: dict[tuple[Any, ...], ElementwiseKernel] = new_cache()

# One work item goes through the values of one element, in the order in which NumPy takes them.
_OPERATION = """\
if (i == 0 || indices[i - 1] != indices[i]) {{
  const int64_t index = indices[i];
  {target} out = target[index];
  for (int64_t j = i; j < count && indices[j] == index; ++j) {{
    const {target} {first} = out;
    {second}
    {operation};
  }}
  target[index] = out;
}}"""


def apply_at(row: Row, target: USMArray, indices: Any, *values: Any) -> None:
    """Call the row's function for each selected element and its value, and keep each result.

    Equal indices are beside each other once they are sorted, so that no two work items write to
    the same element. In memory that the host reaches NumPy adds in the same order. Waits.
    """
    if not target.flags.writable:
        raise ValueError(f"{row.name}.at: the array is read-only")
    options: dict[str, Any] = {"usm_type": target.usm_type, "sycl_queue": target._own_queue}
    indices = arange(target.size, dtype="i8", **options).reshape(target.shape)[indices]
    shape, indices = indices.shape, reshape(indices, (-1,), copy=True)
    operands = [target]
    for name, value in zip(row.operands[1:], values, strict=True):
        value = truth_of(value) if row.is_logical else value
        operands.append(operands_of(f"{row.name}.at", ("x1", name), (target, value))[1])
    kinds = tuple(map(kind_of, operands))
    types = types_of(row, kinds, target._own_queue.sycl_device)
    if types.result.kind == "c":  # NumPy converts results without regard to their kind
        require_castable(f"{row.name}.at", types.result, target.dtype)
    if _has_numpys_bits(row, types, operands):
        given = (
            numpy.asarray(broadcast_to(each, shape)).reshape(-1)
            if isinstance(each, USMArray)
            else number_converter(target.dtype)(each)
            for each in operands[1:]
        )
        flat = numpy.asarray(target).reshape(-1)
        getattr(numpy, row.numpy).at(flat, numpy.asarray(indices), *given)
        return
    order = argsort(indices)
    sorted_values = []
    for operand, parameter in zip(operands[1:], types.parameters[1:], strict=True):
        if not isinstance(operand, USMArray):
            number = number_converter(parameter)(operand)
            operand = asarray(number, dtype=parameter, **options)
        sorted_values.append(reshape(broadcast_to(operand, shape), (-1,))[order])
    if indices.size == 0:
        return
    key = (row.name, kinds, target._own_queue.sycl_device)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _kernels[key] = _make_kernel(row, target, types)
    kernel(indices[order], *sorted_values, indices.size, target, size=indices.size)


def _has_numpys_bits(row, types, operands):
    """Whether NumPy may do it in the same memory: with one type, rounded as on every device."""
    target = operands[0]
    dtype = target.dtype
    arrays = [each for each in operands if isinstance(each, USMArray)]
    return (
        row.name in ("add", "subtract", "multiply")
        and dtype.kind in "iuf"
        and dtype != "f2"
        and all(each == dtype for each in (types.result, *types.parameters))
        and target.flags.c_contiguous
        and all(_host_may_view(each) and each._own_queue == target._own_queue for each in arrays)
    )


def _make_kernel(row, target, types):
    second = "".join(
        f"const {cpp(dtype)} {name} = values[j];"
        for dtype, name in zip(types.parameters[1:], row.operands[1:], strict=True)
    )
    values = "".join(f"raw {dtype} values, " for dtype in types.parameters[1:])
    return ElementwiseKernel(
        f"raw int64 indices, {values}int64 count",
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
