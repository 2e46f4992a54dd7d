"""New arrays of nested lists and tuples that hold USM arrays beside numbers and NumPy arrays."""

from functools import reduce

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.host import _numpy, require_plain

_NUMBERS = frozenset((bool, int, float, complex))


def arrays_in(sequence, depth=1):
    """Views of all producers in a list or tuple, at any depth.

    Raises:
        ValueError: it is nested deeper than an array can be, or contains itself.
    """
    if depth > _core._max_ndim:
        raise ValueError(f"lists can be nested at most {_core._max_ndim} deep, found more")
    if set(map(type, sequence)) <= _NUMBERS:  # most often all: no need to look at each
        return []
    found = []
    for item in sequence:
        if isinstance(item, (list, tuple)):
            found += arrays_in(item, depth + 1)
        elif type(item) not in _NUMBERS:
            view = _core._as_array(item)
            if view is not None:
                found.append(view)
    return found


def stacked(sequence, arrays, dtype, device, usm_type, sycl_queue, order):
    """A new array of a sequence in which these arrays were found; arguments as in `asarray`."""
    order = _core._order_letter(order)
    if sycl_queue is None and device is None:
        sycl_queue = common_queue(arrays)
    if usm_type is None:
        usm_type = common_usm_type(arrays)
    tree = _resolved(sequence, dtype)
    result = _core._new_array(
        _shape_of(tree),
        dtype,
        usm_type,
        sycl_queue,
        device,
        "F" if order == "F" else "C",
        False,
        reduce(_numpy().promote_types, _types_in(tree, sequence)) if dtype is None else dtype,
    )
    _assign(tree, result)
    return result


def _resolved(item, dtype):
    """A list of lists with producers as USMArrays and all else as NumPy arrays."""
    if isinstance(item, (list, tuple)) and arrays_in(item):
        return [_resolved(part, dtype) for part in item]
    view = _core._as_array(item)
    return require_plain(_numpy().asarray(item, dtype), item) if view is None else view


def _shape_of(tree):
    """The shape of what the tree is stacked to. ValueError where parts have different shapes."""
    if not isinstance(tree, list):
        return tree.shape
    shapes = [_shape_of(part) for part in tree]
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                "items of a list must have the same shape, found item 0 of shape "
                f"{shapes[0]} and item {k} of shape {shape}"
            )
    return (len(tree), *shapes[0])


def _types_in(tree, item):
    """The type of each element and array in what the tree was made of, in their order.

    The common type depends on it: float16, int8, uint8 make float16, int8, uint8, float16 float32.
    """
    if isinstance(tree, list):
        for part, original in zip(tree, item, strict=True):
            yield from _types_in(part, original)
    elif isinstance(item, (list, tuple)):
        yield from _types_in_list(item)
    else:
        yield tree.dtype


def _types_in_list(sequence):
    """The same for a list without USM arrays. An empty one has no type."""
    if sequence and set(map(type, sequence)) <= _NUMBERS:
        yield _numpy().asarray(sequence).dtype
        return
    for item in sequence:
        if isinstance(item, (list, tuple)):
            yield from _types_in_list(item)
        else:
            yield _numpy().asarray(item).dtype


def _assign(tree, target):
    if isinstance(tree, list):
        for k, part in enumerate(tree):
            _assign(part, target[k])
    elif isinstance(tree, _core.USMArray):
        _core._copy(tree, target)
    else:
        _core._copy_from_host(target, tree)
