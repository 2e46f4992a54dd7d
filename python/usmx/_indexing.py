"""Elements by arrays of indices and masks, and setting them."""

from usmx._creation import _numpy

_NO_INDEX = (
    "an index must be an integer, a slice, Ellipsis, None, an array of integers or bools, "
    "or a tuple of them, found {}"
)


def host_index(item):
    """The NumPy array of integers or bools that an item of a key stands for."""
    numpy = _numpy()
    array = numpy.asarray(item)
    if array.size == 0 and not isinstance(item, numpy.ndarray):
        array = array.astype(numpy.int64)
    if array.dtype.kind not in "biu":
        found = type(item).__name__
        if array.ndim > 0:
            found += f" of {array.dtype}"
        raise IndexError(_NO_INDEX.format(found))
    return with_whole_strides(array)


def with_whole_strides(array):
    """The elements in this machine's byte order, a whole number of them apart."""
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array
