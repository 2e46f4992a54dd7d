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


def host_value(value, dtype):
    """The NumPy array that stands for a value to be assigned to elements of a type.

    Arrays of types that usmx has keep theirs: the copy converts them.
    """
    numpy = _numpy()
    if dtype.names is not None:
        return _structured_value(value, dtype)
    array = value if isinstance(value, numpy.ndarray) else numpy.asarray(value, dtype=dtype)
    if array.dtype.names is not None:
        raise _structured_cast(dtype, array.dtype)
    if array.dtype.kind not in "biufc" or array.dtype.char in "gG":
        array = array.astype(dtype)
    return with_whole_strides(array)


def _structured_value(value, dtype):
    """Equally structured elements, or tuples, one for each element, in nested lists."""
    numpy = _numpy()
    if isinstance(value, numpy.ndarray | numpy.void):
        array = numpy.asarray(value)
        if array.dtype != dtype:
            raise _structured_cast(dtype, array.dtype)
        return with_whole_strides(array)
    element = value
    while isinstance(element, list) and element:
        element = element[0]
    if not isinstance(element, tuple | numpy.void):
        raise _structured_cast(dtype, type(element).__name__)
    return numpy.asarray(value, dtype=dtype)


def _structured_cast(expected, found):
    return TypeError(f"structured elements are not converted: expected {expected}, found {found}")


def with_whole_strides(array):
    """The elements in this machine's byte order, a whole number of them apart."""
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array
