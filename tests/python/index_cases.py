"""Arrays, keys and values for tests of indexing, drawn by hypothesis, beside NumPy's."""

import numpy as np
import usmx
from helpers import KINDS
from hypothesis import strategies as st

DTYPES = ("?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c16")
RECORD = np.dtype([("a", "i4"), ("b", "f8"), ("c", "u1", (3,))])
_INTEGER_TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def numbered(shape, dtype, first=0):
    """Different values, as far as the type has so many."""
    values = (np.arange(first, first + int(np.prod(shape))) % 120).reshape(shape)
    if np.dtype(dtype) != RECORD:
        return values.astype(dtype)
    result = np.zeros(shape, RECORD)
    for name in RECORD.names[:2]:
        result[name] = values
    result["c"] = values[..., None]
    return result


@st.composite
def arrays(draw, dtypes=(*DTYPES, RECORD), max_ndim=6):
    """The same elements as a USMArray and a NumPy array, of any kind and layout."""
    shape = draw(st.lists(st.integers(0, 3), max_size=max_ndim).map(tuple))
    numpys = numbered(shape, draw(st.sampled_from(dtypes)))
    mine = usmx.asarray(
        numpys, usm_type=draw(st.sampled_from(KINDS)), order=draw(st.sampled_from("CF"))
    )
    numpys = numpys.copy()
    if shape and draw(st.booleans()):
        view = tuple(
            slice(None, None, draw(st.sampled_from((1, -1, 2)))) for _ in range(len(shape))
        )
        mine, numpys = mine[view], numpys[view]
    if len(shape) > 1 and draw(st.booleans()):
        axes = draw(st.permutations(range(len(shape))))
        mine, numpys = usmx.permute_dims(mine, tuple(axes)), numpys.transpose(axes)
    return mine, numpys


def _dressed(draw, values):
    """A NumPy array as any other object that means the same."""
    how = draw(st.sampled_from(("numpy", "F", "strided", "list", "usm")))
    if how == "list":
        return values.tolist()
    if how == "F":
        return np.asfortranarray(values)
    if how == "strided" and values.ndim > 0:
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if how == "usm":
        return usmx.asarray(values, usm_type=draw(st.sampled_from(KINDS)))
    return values


def _integers(draw, extent, common):
    shape = list(common[draw(st.integers(0, len(common))) :])
    for k in range(len(shape)):
        if draw(st.integers(0, 4)) == 0:
            shape[k] = 1
    dtype = np.dtype(draw(st.sampled_from(_INTEGER_TYPES)))
    if extent == 0 and 0 not in shape:
        shape = [0, *shape]
    lowest = -extent if dtype.kind == "i" else 0
    highest = extent - (draw(st.integers(0, 40)) > 0)  # now and then one too many
    size = int(np.prod(shape))
    values = draw(st.lists(st.integers(lowest, max(highest, lowest)), min_size=size, max_size=size))
    return _dressed(draw, np.array(values, dtype).reshape(shape))


def _mask(draw, extents):
    size = int(np.prod(extents))
    values = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    mask = np.array(values, bool).reshape(extents)
    if draw(st.integers(0, 30)) == 0:
        mask = np.concatenate([mask, mask[:1]])
    return _dressed(draw, mask)


_slices = st.builds(
    slice,
    st.sampled_from((None, -9, -2, 0, 1, 3)),
    st.sampled_from((None, -1, 1, 2, 9)),
    st.sampled_from((None, 1, 2, -1, -2)),
)


@st.composite
def keys(draw, shape):
    """Keys of all kinds for an array of that shape; a few do not fit it."""
    common = draw(st.sampled_from(((), (3,), (2, 3), (1,), (0,), (2, 1), (4,))))
    items = []
    axis = 0
    while axis < len(shape) and (not items or draw(st.integers(0, 9)) > 0):
        kind = draw(
            st.sampled_from(
                "integer slice slice array array array mask newaxis bool ellipsis".split()  # noqa: SIM905
            )
        )
        if kind == "ellipsis" and Ellipsis not in [i for i in items if i is Ellipsis]:
            items.append(Ellipsis)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "newaxis":
            items.append(None)
        elif kind == "bool":
            items.append(draw(st.sampled_from((True, False, np.True_, np.array(True)))))
        elif kind == "integer":
            items.append(draw(st.integers(-shape[axis], max(shape[axis] - 1, 0))))
            axis += 1
        elif kind == "mask":
            n = draw(st.integers(1, min(3, len(shape) - axis)))
            items.append(_mask(draw, shape[axis : axis + n]))
            axis += n
        elif kind == "array":
            items.append(_integers(draw, shape[axis], common))
            axis += 1
        else:
            items.append(draw(_slices))
            axis += 1
    if len(items) == 1 and draw(st.booleans()):
        return items[0]
    return tuple(items)


def on_host(key):
    """A key or value with NumPy arrays in the place of USMArrays."""
    if isinstance(key, tuple):
        return tuple(on_host(item) for item in key)
    return usmx.asnumpy(key) if isinstance(key, usmx.USMArray) else key


def outcome(action):
    """What an action returns, or the class of IndexError, TypeError or ValueError it raises."""
    try:
        return action(), None
    except (IndexError, TypeError, ValueError) as error:
        return None, type(error)
