"""`einsum`: sums of products of elements, by products of matrices where there are two arrays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from usmx._compute.call import arrays_of, compute, written
from usmx._compute.products import matmul
from usmx._compute.promotion import common_type
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.compute_follows_data import common_queue
from usmx._container.host import numpy
from usmx._container.little import by_numpy
from usmx._container.numpy_names import diagonal
from usmx._core import permute_dims, reshape, squeeze

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import DTypeLike


@by_numpy(64)
def einsum(
    *operands: Any,
    out: USMArray | None = None,
    dtype: DTypeLike | None = None,
    optimize: Any = True,
) -> USMArray:
    """Sum products of arrays' elements by Einstein's convention. Does not wait.

    Args:
        operands: the subscripts, such as "ij,jk->ik", and the arrays; or each array, followed by a
            list of integers that stand for its axes, and such a list for the result. An ellipsis
            stands for axes that are broadcast.
        out: an array of the result's shape, to which it is copied.
        dtype: the type in which it is computed. By default that to which the arrays are promoted.
        optimize: the order of the products of more than two arrays: True or NumPy's words for
            `numpy.einsum_path`, or a path that this has returned. False: from left to right.

    Returns:
        A new USMArray on the queue of the operands, or `out`.

    Raises:
        ValueError: the subscripts do not fit the arrays.
        TypeError: an operand is no array, or its elements are structures.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> a = usmx.asarray([[1, 2], [3, 4]])
        >>> print(usmx.einsum("ij,jk->ik", a, a))
        [[ 7 10]
         [15 22]]
        >>> print(usmx.einsum("ii", a))
        5
    """
    text, given = _text_and_arrays(operands)
    arrays = arrays_of("einsum", [f"operands[{k}]" for k in range(len(given))], given)
    queue = common_queue(arrays)
    labels, kept = _labels(text, [x.ndim for x in arrays])
    common = dtype or common_type([x.dtype for x in arrays], queue.sycl_device)
    extents = _extents(text, arrays, labels)
    terms = [
        _prepared(x.astype(common, copy=False), of_one, extents, labels)
        for x, of_one in zip(arrays, labels, strict=True)
    ]
    for positions in _path(text, arrays, optimize):
        chosen = [terms[k] for k in positions]
        terms = [term for k, term in enumerate(terms) if k not in positions]
        wanted = {*kept}.union(*(of_one for _, of_one in terms))
        terms.append(_product_of(chosen, wanted))
    ((made, found),) = terms
    return written("einsum", out, permute_dims(made, tuple(map(found.index, kept))))


# ---- subscripts


def _text_and_arrays(operands):
    """The subscripts as a text."""
    if operands and isinstance(operands[0], str):
        return operands[0].replace(" ", ""), operands[1:]
    arrays, lists = operands[0 : len(operands) // 2 * 2 : 2], operands[1::2]
    last = operands[-1] if len(operands) % 2 else None
    text = ",".join(map(_as_text, lists))
    return (text if last is None else f"{text}->{_as_text(last)}"), arrays


def _as_text(numbers):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    try:
        return "".join("..." if each is Ellipsis else letters[each] for each in numbers)
    except (TypeError, IndexError):
        raise ValueError(
            f"einsum: subscripts must be lists of integers from 0 to 51, found {numbers!r}"
        ) from None


def _labels(text, dimensions):
    """The labels of the arrays' axes, and those of the result's.

    They are letters, and negative numbers for the axes of an ellipsis, counted from its end.
    """
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(dimensions):
        raise ValueError(
            f"einsum: the subscripts {text!r} are those of {len(parts)} arrays, found "
            f"{len(dimensions)}"
        )
    labels = [_expanded(text, part, ndim) for part, ndim in zip(parts, dimensions, strict=True)]
    broadcast = sorted({each for of_one in labels for each in of_one if isinstance(each, int)})
    if arrow:
        before, dots, after = output.partition("...")
        kept = [*before, *(broadcast if dots else []), *after]
    else:
        letters = [each for of_one in labels for each in of_one if isinstance(each, str)]
        kept = [*broadcast, *(each for each in sorted({*letters}) if letters.count(each) == 1)]
    known = {each for of_one in labels for each in of_one}
    if len({*kept}) < len(kept) or not known.issuperset(kept):
        raise ValueError(f"einsum: each label of the result must be one of an array's: {text!r}")
    return labels, kept


def _expanded(text, part, ndim):
    before, dots, after = part.partition("...")
    count = ndim - len(before) - len(after)
    letters = before + after
    if (
        (letters and not (letters.isalpha() and letters.isascii()))
        or (count and not dots)
        or count < 0
    ):
        raise ValueError(
            f"einsum: the subscripts {text!r} do not fit an array of {ndim} dimensions"
        )
    return [*before, *range(-count, 0), *after]


def _extents(text, arrays, labels):
    """The extent of each label. Axes with 1 element are broadcast."""
    extents: dict[Any, int] = {}
    for x, of_one in zip(arrays, labels, strict=True):
        for extent, label in zip(x.shape, of_one, strict=True):
            if extents.setdefault(label, extent) not in (extent, 1) and extent != 1:
                raise ValueError(
                    f"einsum: axes of one label must have the same extent, found {extents[label]} "
                    f"and {extent} in {text!r}"
                )
            extents[label] = extent if extents[label] == 1 else extents[label]
    return extents


def _prepared(x, labels, extents, of_all):
    """An array in which each label occurs once, and what is broadcast has no axis."""
    labels = [*labels]
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x.shape[first] != x.shape[second]:
                raise ValueError(
                    f"einsum: axes of one label must have the same extent, found shape {x.shape}"
                )
            x = diagonal(x, 0, first, second)
            labels = [each for k, each in enumerate(labels) if k not in (first, second)] + [label]
    lost = [k for k, label in enumerate(labels) if x.shape[k] == 1 < extents[label]]
    if lost:
        x = squeeze(x, axis=tuple(lost))
    return x, [label for k, label in enumerate(labels) if k not in lost]


def _path(text, arrays, optimize):
    """Which terms are multiplied in each step; the product comes behind the others."""
    if len(arrays) <= 2:
        return [tuple(range(len(arrays)))]
    if optimize is False:
        return [(0, 1)] + [(0, len(arrays) - 2 - k) for k in range(len(arrays) - 2)]
    shapes = [numpy.broadcast_to(numpy.float64(0), x.shape) for x in arrays]
    return numpy.einsum_path(text, *shapes, optimize=optimize)[0][1:]


# ---- products


def _product_of(terms, wanted):
    """The product of some terms, in which only the wanted labels are left."""
    first = terms[0]
    for k, second in enumerate(terms[1:], 1):
        later = wanted.union(*(labels for _, labels in terms[k + 1 :]))
        first = _product_of_two(
            _summed(*first, later | {*second[1]}), _summed(*second, later | {*first[1]}), later
        )
    return _summed(*first, wanted)


def _summed(x, labels, wanted):
    """The sums over all other axes."""
    axes = tuple(k for k, label in enumerate(labels) if label not in wanted)
    if not axes:
        return x, labels
    row = REDUCTIONS["any" if x.dtype.kind == "b" else "sum"]
    options = {} if x.dtype.kind == "b" else {"dtype": x.dtype}
    return reduce(row, x, axes, **options), [label for label in labels if label in wanted]


def _product_of_two(first, second, wanted):
    (x, x_labels), (y, y_labels) = first, second
    both = [label for label in x_labels if label in y_labels]
    summed = [label for label in both if label not in wanted]
    batch = [label for label in both if label in wanted]
    left = [label for label in x_labels if label not in both]
    right = [label for label in y_labels if label not in both]
    if not summed:
        made = compute(
            ROWS["multiply"],
            (
                _ordered(x, x_labels, [*batch, *left])[(..., *(None,) * len(right))],
                _ordered(y, y_labels, [*batch, *right])[
                    (*(slice(None),) * len(batch), *(None,) * len(left), ...)
                ],
            ),
        )
        return made, [*batch, *left, *right]
    extents = dict(zip((*x_labels, *y_labels), (*x.shape, *y.shape), strict=True))
    shape = lambda labels: [extents[label] for label in labels]  # noqa: E731
    rows = reshape(
        _ordered(x, x_labels, [*batch, *left, *summed]),
        (*shape(batch), prod(shape(left)), prod(shape(summed))),
    )
    columns = reshape(
        _ordered(y, y_labels, [*batch, *summed, *right]),
        (*shape(batch), prod(shape(summed)), prod(shape(right))),
    )
    made = reshape(matmul(rows, columns), tuple(shape([*batch, *left, *right])))
    return made, [*batch, *left, *right]


def _ordered(x, labels, wanted):
    return permute_dims(x, tuple(map(labels.index, wanted)))
