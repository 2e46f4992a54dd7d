"""How arrays are shown: NumPy's text of the elements, and what the memory is."""

from usmx._creation import _numpy, asnumpy


def array_repr(array):
    """``USMArray([...], dtype=..., usm_type=..., device=...)``; fetches only what is shown."""
    prefix = "USMArray("
    text = _elements(array, prefix)
    facts = [
        f"shape={array.shape}" if array.size == 0 else "",
        f"dtype={array.dtype}",
        f"usm_type='{array.usm_type}'",
        f"device={_device_text(array)}",
        "" if array.flags.writable else "readonly=True",
    ]
    tail = ", ".join(fact for fact in facts if fact)
    last_line = text.rsplit("\n", 1)[-1]
    room = _numpy().get_printoptions()["linewidth"] - len(last_line) - len(tail) - 3
    separator = ", " if "\n" not in text and room >= len(prefix) else ",\n" + " " * len(prefix)
    return f"{prefix}{text}{separator}{tail})"


def array_str(array):
    """NumPy's text of the elements; a 0-d array reads as its element does."""
    if array.ndim == 0:
        return str(asnumpy(array))
    return _elements(array, "", separator=" ")


def _elements(array, prefix, separator=", "):
    numpy = _numpy()
    options = numpy.get_printoptions()
    threshold = options["threshold"]
    if array.size > threshold:
        array = _corners(array, options["edgeitems"])
        threshold = 0
    return numpy.array2string(
        asnumpy(array) if not isinstance(array, numpy.ndarray) else array,
        separator=separator,
        prefix=prefix,
        threshold=threshold,
    )


def _corners(array, edge, axis=0):
    """A small host array that NumPy, told to summarise it, prints as it would print `array`.

    Along each axis longer than that it keeps `edge` elements of either end, and one between them
    for which NumPy writes the dots.
    """
    if axis == array.ndim:
        return asnumpy(array)
    whole = (slice(None),) * axis
    if array.shape[axis] <= 2 * edge + 1:
        return _corners(array, edge, axis + 1)
    last = array.shape[axis] - edge
    ends = (array[(*whole, slice(None, edge + 1))], array[(*whole, slice(last, None))])
    return _numpy().concatenate([_corners(end, edge, axis + 1) for end in ends], axis=axis)


def _device_text(array):
    try:
        return repr(array.sycl_device.filter_string)
    except ValueError:
        return repr(array.sycl_device)
