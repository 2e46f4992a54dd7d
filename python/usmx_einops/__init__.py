# ruff: noqa: D102 -- einops says what its methods are
"""After ``import usmx_einops``, the functions of einops take USM arrays.

einops knows the libraries for which a class derives from its `AbstractBackend`. The functions of
``einops.array_api`` need no such class, and take USM arrays without this import.
"""

import usmx
from einops._backends import AbstractBackend

__all__ = ["UsmxBackend"]


class UsmxBackend(AbstractBackend):
    """einops's calls as usmx has them; those that are methods of arrays are einops's own."""

    framework_name = "usmx"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, usmx.USMArray)

    def from_numpy(self, x):
        return usmx.asarray(x)

    def to_numpy(self, x):
        return usmx.asnumpy(x)

    def arange(self, start, stop):
        return usmx.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        return usmx.stack(tensors)

    def add_axis(self, x, new_position):
        return usmx.expand_dims(x, axis=new_position)

    def tile(self, x, repeats):
        return usmx.tile(x, repeats)

    def concat(self, tensors, axis):
        return usmx.concat(tensors, axis=axis)

    def is_float_type(self, x):
        return x.dtype.kind in "fc"

    def einsum(self, pattern, *x):
        return usmx.einsum(pattern, *x)
