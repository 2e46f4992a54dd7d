"""NumPy's functions for arrays: `USMArray.__array_function__`.

Those that usmx has are its own functions, and give USMArrays of every kind of memory. The others
work on the buffers of memory that the host reaches (docs/decisions.md, 111).
"""

from __future__ import annotations

from usmx import _core
from usmx._container import (
    coordinates,
    creation,
    indexing,
    insertion,
    joining,
    manipulation,
    numpy_names,
    patterns,
    strides,
    types,
)
from usmx._container.elsewhere import own_function
from usmx._container.host import numpy
from usmx._core import USMArray

# With `like=array`, they convert to an array beside that one.
_CONVERSIONS = {"asarray": {}, "asanyarray": {}, "array": {"copy": True}}
OF_ATTRIBUTES = ("shape", "ndim", "size", "iscomplexobj", "isrealobj")  # these read no element


def call_numpy_function(asked, function, classes, args, kwargs):
    """Answer ``asked.__array_function__``, where `asked` is one of the USMArrays."""
    name = name_of(function)
    if name in _CONVERSIONS and not hasattr(function, "_implementation"):
        given = {key: value for key, value in kwargs.items() if value is not None}
        place = {"usm_type": asked.usm_type, "sycl_queue": asked._own_queue}
        return _core.asarray(*args, **_CONVERSIONS[name] | given | place)
    if name in FUNCTIONS and _is_ours(name, args, classes):
        return FUNCTIONS[name](name, args, kwargs)
    arrays = _arrays_in((*args, *kwargs.values()))
    if name not in OF_ATTRIBUTES and not all(map(_core._host_may_view, arrays)):
        own = own_function(name, function)
        ways = f"{own} can; {_core._ways_to_host}" if own else _core._ways_to_host
        raise TypeError(f"numpy.{name} cannot read device memory: {ways}")
    if not hasattr(function, "_implementation"):  # np.arange(..., like=array)
        return NotImplemented
    if name in OF_ATTRIBUTES:
        return function._implementation(*args, **kwargs)
    return on_the_host(function, args, kwargs)


def name_of(function):
    """NumPy's name of a function: 'diagonal' or 'linalg.diagonal', which are not the same."""
    name = getattr(function, "__name__", str(function))
    module = getattr(function, "__module__", None)
    return f"{module[6:]}.{name}" if module in ("numpy.linalg", "numpy.fft") else name


def _is_ours(name, args, classes):
    """Whether NumPy's arrays are among the arguments at most as indices and values."""
    if name == "copyto" or all(issubclass(cls, USMArray) for cls in classes):
        return True
    return name in _TAKING_OTHERS and len(args) > 0 and isinstance(args[0], USMArray)


def on_the_host(function, args, kwargs):
    """Let NumPy compute in the same memory. An output that it wrote is the caller's own object."""
    found = function(*map(_host_views, args), **{key: _host_views(kwargs[key]) for key in kwargs})
    outs = kwargs.get("out")
    if isinstance(outs, USMArray):
        return outs
    if not isinstance(outs, tuple):
        return found
    results = found if isinstance(found, tuple) else (found,)  # of a ufunc
    chosen = tuple(
        result if out is None else out for out, result in zip(outs, results, strict=True)
    )
    return chosen if isinstance(found, tuple) else chosen[0]


def _host_views(given):
    """The argument with NumPy's arrays of the same memory in the place of USMArrays."""
    if isinstance(given, USMArray):
        return numpy.asarray(given)
    if isinstance(given, (list, tuple)) and any(True for _ in _arrays_in(given)):
        return (
            tuple(map(_host_views, given))
            if isinstance(given, tuple)
            else [*map(_host_views, given)]
        )
    return given


def _arrays_in(objects):
    """The USMArrays among the arguments, in lists and tuples too, as deep as NumPy nests them."""
    for candidate in objects:
        if isinstance(candidate, USMArray):
            yield candidate
        elif isinstance(candidate, (list, tuple)):
            yield from _arrays_in(candidate)


# ---- the functions that only move data


class By:
    """The function or method of usmx's that does what one of NumPy's does.

    `positional` and `keywords` are the names of NumPy's arguments, in NumPy's order: those that
    usmx takes by position, and those that it takes by the same name. NumPy takes those of
    `keywords_only` by keyword alone.
    """

    def __init__(self, function, positional, keywords="", keywords_only=""):
        self._function = function
        self._positional = positional.split()
        self._ordered = [*self._positional, *keywords.split()]
        self._names = [*self._ordered, *keywords_only.split()]

    def __call__(self, name, args, kwargs):
        given = dict(zip(self._ordered, args, strict=False))
        given |= {key: kwargs[key] for key in kwargs if self._names_or_asks(key, kwargs[key])}
        if len(args) > len(self._ordered) or not given.keys() <= set(self._names):
            raise TypeError(
                f"numpy.{name} of USMArrays takes {', '.join(self._names)}, found "
                f"{len(args)} by position and {', '.join(kwargs) or 'no keywords'}"
            )
        named = [key for key in self._positional if key in given]
        for key, expected in zip(named, self._positional, strict=False):
            if key != expected:
                raise TypeError(f"numpy.{name} of USMArrays needs {expected}, if {key} is given")
        first = [given.pop(key) for key in named]
        return self._function(*first, **given)

    def _names_or_asks(self, key, value):
        """Whether an argument counts. Results are plain arrays, whatever NumPy's `subok` is."""
        return key in self._names or (value is not None and key != "subok")


def _of_any_arguments(function):
    return lambda name, args, kwargs: function(*args, **kwargs)


def _like(make_like):
    """A function like `empty_like`, whose results are plain arrays, whatever `subok` is."""

    def new_like(a, *value, subok=True, **options):
        return make_like(a, *value, **options)

    return new_like


_LIKE = "dtype order subok shape device"
# Functions by NumPy's names; usmx/_compute adds those that compute.
FUNCTIONS = {
    "array_split": By(joining.array_split, "ary indices_or_sections", "axis"),
    "astype": By(types.astype, "x dtype", "copy device"),
    "broadcast_to": By(_core.broadcast_to, "array shape"),
    "can_cast": By(types.can_cast, "from_ to", "casting"),
    "concatenate": By(manipulation.concat, "arrays", "axis out", "dtype casting"),
    "copy": By(_core.copy, "a", "order"),
    "diag": By(numpy_names.diag, "v", "k"),
    "diagonal": By(numpy_names.diagonal, "a", "offset axis1 axis2"),
    "dstack": By(joining.dstack, "tup"),
    "empty_like": By(_like(_core.empty_like), "prototype", _LIKE),
    "expand_dims": By(_core.expand_dims, "a", "axis"),
    "flip": By(_core.flip, "m", "axis"),
    "full_like": By(_like(creation.full_like), "a fill_value", _LIKE),
    "hstack": By(joining.hstack, "tup", keywords_only="dtype casting"),
    "imag": By(numpy_names.imag, "val"),
    "matrix_transpose": By(_core.matrix_transpose, "x"),
    "moveaxis": By(_core.moveaxis, "a source destination"),
    "nonzero": By(indexing.nonzero, "a"),
    "ones_like": By(_like(creation.ones_like), "a", _LIKE),
    "permute_dims": By(USMArray.transpose, "a axes"),
    "ravel": By(USMArray.ravel, "a", "order"),
    "real": By(numpy_names.real, "val"),
    "repeat": By(manipulation.repeat, "a repeats", "axis"),
    "reshape": By(_core.reshape, "a shape", "order copy"),
    "result_type": _of_any_arguments(types.result_type),
    "roll": By(manipulation.roll, "a shift", "axis"),
    "rot90": By(numpy_names.rot90, "m", "k axes"),
    "split": By(joining.split, "ary indices_or_sections", "axis"),
    "squeeze": By(_core.squeeze, "a", "axis"),
    "stack": By(manipulation.stack, "arrays", "axis out", "dtype casting"),
    "swapaxes": By(_core.swapaxes, "a axis1 axis2"),
    "take": By(indexing.take, "a indices", "axis out mode"),
    "take_along_axis": By(indexing.take_along_axis, "arr indices", "axis"),
    "tile": By(manipulation.tile, "A reps"),
    "transpose": By(USMArray.transpose, "a axes"),
    "tril": By(patterns.tril, "m", "k"),
    "triu": By(patterns.triu, "m", "k"),
    "unstack": By(manipulation.unstack, "x", "axis"),
    "vstack": By(joining.vstack, "tup", keywords_only="dtype casting"),
    "zeros_like": By(_like(_core.zeros_like), "a", _LIKE),
    **{
        name: _of_any_arguments(getattr(module, name))
        for module, names in (
            (
                coordinates,
                "diag_indices_from fill_diagonal ix_ ravel_multi_index "
                "tril_indices_from triu_indices_from unravel_index",
            ),
            (indexing, "choose compress extract place put put_along_axis select"),
            (insertion, "append delete insert pad resize trim_zeros"),
            (joining, "block column_stack dsplit hsplit vsplit"),
            (numpy_names, "atleast_1d atleast_2d atleast_3d copyto fliplr flipud rollaxis"),
            (strides, "may_share_memory shares_memory sliding_window_view"),
        )
        for name in names.split()
    },
}
# The first array of these is usmx's; others, such as indices and masks, may be NumPy's.
_TAKING_OTHERS = frozenset((
    "all", "amax", "amin", "any", "append", "array_split", "delete", "dsplit", "hsplit", "insert",
    "max", "mean", "min", "place", "prod", "put", "put_along_axis", "split", "std", "sum", "take",
    "take_along_axis", "var", "vsplit",
))  # fmt: skip
