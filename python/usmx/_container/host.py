"""Objects of the host, by NumPy, which is imported when it is first needed."""

from usmx._text import short_repr

PLAIN = "?bBhHiIlLqQefdFD"  # NumPy's letters of the element types
_MISSING_NUMPY = "usmx: NumPy is needed to convert objects of the host"


def _numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError(_MISSING_NUMPY) from error
    return numpy


def require_plain(source, obj):
    """`source`, the NumPy array of `obj`, in this machine's byte order.

    TypeError if usmx does not have its element type.
    """
    if source.dtype.char not in PLAIN and source.dtype.names is None:
        raise TypeError(
            "elements must be bool, integers, floating-point or complex numbers of at most 64 bits "
            f"a component, or structures of them, found {_found(source, obj)}"
        )
    return in_native_order(source)


def in_native_order(array):
    """The array, or a copy of it in this machine's byte order."""
    if array.dtype.isnative:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def _found(source, obj):
    """What keeps an object from becoming an array: a large number, a column, or the type."""
    if isinstance(obj, int):
        return short_repr(obj)
    columns = _columns_without_numbers(obj)
    if columns:
        return f"{', '.join(columns)} of a {type(obj).__name__}"
    return f"{source.dtype}, from an object of type {type(obj).__name__}"


def _columns_without_numbers(obj):
    """The columns of a data frame that no element type fits, as text."""
    types = getattr(obj, "dtypes", None)
    if not hasattr(types, "items"):
        return []
    return [
        f"{dtype} in column {short_repr(name)}"
        for name, dtype in types.items()
        if getattr(dtype, "char", "O") not in PLAIN
    ]
