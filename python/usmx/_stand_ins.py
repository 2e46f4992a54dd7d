"""Stand-ins for objects that unpickling cannot make: every use of one says why.

An error would come too early. A worker of Dask and a Pool lose what they cannot unpickle, and who
waits for the result waits for ever. What a task itself raises is delivered (docs/decisions.md, 104
and 112).
"""

import warnings
from functools import wraps
from typing import Any

from usmx._core import _is_forked_child, _Refusing, _require_usable_process

# Errors for which the machine is to blame, and not the stream: too little memory, no such device,
# no runtime in a forked child.
_LACKS = (MemoryError, RuntimeError)


def or_stand_in(restore):
    """Make `restore`, a function that pickles call, give a stand-in for what this machine lacks."""

    @wraps(restore)
    def restore_or_stand_in(cls, *arguments):
        try:
            _require_usable_process()
            return restore(cls, *arguments)
        except _LACKS as error:
            stand_in = StandIn.of(cls, error, (restore_or_stand_in, (cls, *arguments)))
        if not _is_forked_child():
            text = f"{StandIn._text(stand_in)}; every use of what stands for it raises this error"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return stand_in

    return restore_or_stand_in


def _of(stand_in, name):
    return object.__getattribute__(stand_in, name)


def _refuse(stand_in, *arguments, **keywords):
    raise _of(stand_in, "_error_class")(StandIn._text(stand_in))


# Methods that Python and NumPy ask the class for.
_ASKED = (
    "abs", "array_function", "array_ufunc", "bool", "call", "contains", "delattr", "delitem", "eq",
    "float", "format", "ge", "getitem", "gt", "index", "int", "invert", "iter", "le", "len", "lt",
    "ne", "neg", "next", "pos", "round", "setattr", "setitem", "str", "trunc",
)  # fmt: skip
_BINARY = (
    "add", "and", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow", "rshift",
    "sub", "truediv", "xor",
)  # fmt: skip
_NAMES = (*_ASKED, *(f"{form}{name}" for name in _BINARY for form in ("", "r", "i")))
_Operations: Any = type(
    "_Operations", (_Refusing,), {"_refuse": _refuse, **{f"__{name}__": _refuse for name in _NAMES}}
)


class StandIn(_Operations):
    """An object in place of one that could not be unpickled: every use raises.

    It is an instance of the class it stands for, so code that asks takes the way on which it meets
    the error. Pickled, as the result of a task, it is what was pickled first. It does not hold the
    error itself, whose traceback would keep alive what the functions on the way had.
    """

    @classmethod
    def of(cls, pickled_class, error, reduced):
        made = cls.__new__(cls)
        object.__setattr__(made, "_pickled_class", pickled_class)
        object.__setattr__(made, "_error_class", type(error))
        object.__setattr__(made, "_error_text", str(error))
        object.__setattr__(made, "_reduced", reduced)
        return made

    def _text(self):
        name = _of(self, "_pickled_class").__qualname__
        return f"{name} could not be unpickled: {_of(self, '_error_text')}"

    def __getattribute__(self, name):
        if name == "__class__":
            return _of(self, "_pickled_class")
        if name in ("__reduce_ex__", "__setstate__"):  # pickle asks the instance
            return _of(self, name)
        return StandIn._refuse(self)

    def __reduce_ex__(self, protocol):
        return _of(self, "_reduced")

    def __setstate__(self, state):
        object.__setattr__(self, "_reduced", (*_of(self, "_reduced"), state))

    def __repr__(self):  # tracebacks and debuggers call it
        return f"<stand-in: {StandIn._text(self)}>"

    __hash__ = object.__hash__  # dictionaries and sets are unpickled too
