"""NumPy's functions on arrays: refused for device memory, else left to NumPy and the buffer."""

from usmx import _core

_OF_ATTRIBUTES = ("shape", "ndim", "size", "iscomplexobj", "isrealobj")  # these read no element


def call_numpy_function(function, types, args, kwargs):
    """What ``USMArray.__array_function__`` does."""
    name = getattr(function, "__name__", str(function))
    arrays = list(_arrays_in((*args, *kwargs.values())))
    if name not in _OF_ATTRIBUTES and any(array.usm_type == "device" for array in arrays):
        structured = any(array.dtype.names for array in arrays)  # dpnp has no such types
        dpnp = "" if structured else "hand the array to dpnp (usmx.to_dpnp(a), no copy) or "
        raise TypeError(
            f"numpy.{name} cannot read device memory: {dpnp}copy it to the host (usmx.asnumpy(a))"
        )
    implementation = getattr(function, "_implementation", None)
    if implementation is None:  # np.asarray(..., like=array)
        return NotImplemented
    return implementation(*args, **kwargs)


def _arrays_in(objects):
    """The USMArrays among the arguments, in lists and tuples too, as deep as NumPy nests them."""
    for candidate in objects:
        if isinstance(candidate, _core.USMArray):
            yield candidate
        elif isinstance(candidate, (list, tuple)):
            yield from _arrays_in(candidate)
