"""Objects of the host, by NumPy, which is imported when it is first needed."""

PLAIN = "?bBhHiIlLqQefdFD"  # NumPy's letters of the element types
_MISSING_NUMPY = "usmx: NumPy is needed to convert objects of the host"


def _numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError(_MISSING_NUMPY) from error
    return numpy


def require_plain(source, obj):
    """`source`, the NumPy array of `obj`, if usmx has its element type. TypeError if not."""
    if source.dtype.char not in PLAIN and source.dtype.names is None:
        raise TypeError(
            "elements must be bool, integers, floating-point or complex numbers of at most 64 bits "
            f"a component, or structures of them, found {source.dtype} of a {type(obj).__name__}"
        )
    return source
