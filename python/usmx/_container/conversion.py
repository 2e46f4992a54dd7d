"""Copies of arrays of another element type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import _numpy
from usmx._container.types import can_cast, default_types

if TYPE_CHECKING:
    from usmx._core import USMArray
    from usmx._typing import Casting, DeviceLike, DTypeLike, OrderCFAK, Producer, UsmType


def astype(
    usm_ary: Producer,
    newdtype: DTypeLike | None,
    /,
    *,
    order: OrderCFAK | None = "K",
    casting: Casting = "unsafe",
    copy: bool = True,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
) -> USMArray:
    """Convert the elements of an array to another type. Waits.

    Values in range become what NumPy makes of them. What NaN and floating-point values out of range
    become as integers is not specified.

    Args:
        usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        newdtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python
            type. None means the default floating-point type of the device.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `usm_ary` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `usm_ary` lie in memory.
        casting: which conversions are allowed, in NumPy's words: 'no', 'equiv', 'safe', 'same_kind'
            or 'unsafe'.
        copy: False: do not copy if type, device, kind and order are what they should be.
        device: where the result is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default on the queue of `usm_ary`.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `usm_ary`.

    Returns:
        A USMArray in new memory, or `usm_ary` itself if ``copy=False`` and nothing is to be done.

    Raises:
        TypeError: `casting` does not allow the conversion, or an argument has a wrong type.
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.astype(usmx.asarray([1.9, -1.9]), 'i4'))
        [ 1 -1]
    """
    if isinstance(copy, str):  # "no" would mean yes
        raise TypeError(f"copy must be True or False, found {copy!r}")
    view = as_view("usm_ary", usm_ary)
    if newdtype is None:
        newdtype = default_types(view._own_queue.sycl_device)["real floating"]
    if casting != "unsafe" and not can_cast(view.dtype, newdtype, casting=casting):
        raise TypeError(
            f"elements of type {view.dtype} cannot be cast to {_core._dtype(newdtype)} "
            f"with casting={casting!r}"
        )
    if view.dtype.names:
        view = _with_fields_of(view, _core._dtype(newdtype))
    return _core._as_asked(view, newdtype, usm_type, None, device, order, True if copy else None)


def innermost_fields(x: USMArray) -> list[USMArray]:
    """Views of the plain fields, in order; those of fields that are structures are among them."""
    found = list(_places_of(x.dtype, 0))
    names = [f"f{k}" for k in range(len(found))]
    formats, offsets = zip(*found, strict=True)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": x.dtype.itemsize}
    flat = x.view(_numpy().dtype(layout))
    return [flat[name] for name in names]


def _places_of(dtype, start):
    """Type and offset of each plain field."""
    for name in dtype.names:
        of_field, offset = dtype.fields[name][:2]
        if of_field.names:
            yield from _places_of(of_field, start + offset)
        else:
            yield of_field, start + offset


def _with_fields_of(x, dtype):
    """A copy with fields of other types and names, in the same order; `x` where it has them."""
    if x.dtype == dtype or not are_alike(x.dtype, dtype):
        return x
    result = _core.zeros(x.shape, dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
    for source, field in zip(innermost_fields(x), innermost_fields(result), strict=True):
        field[...] = source
    return result


def are_alike(first, second):
    """Whether both are plain, or have as many fields, which are alike."""
    old, new = first.names or (), second.names or ()
    return len(old) == len(new) and all(
        are_alike(first[a], second[b]) for a, b in zip(old, new, strict=True)
    )
