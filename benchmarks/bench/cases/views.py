"""Views of an array's own memory."""

import numpy
import usmx

from bench.libraries import dpnp_tensor, installed_peer
from bench.pairing import Aim, Case, Peer, Statement

NUMPY_AIM = Aim(ratio=1)


def view(title: str, code: str) -> Case:
    """Run the same code on three arrays of 20 x 20 float64."""
    shape = (20, 20)
    return Case(
        title,
        Statement(code, x=usmx.zeros(shape)),
        [
            *installed_peer("dpnp.tensor", lambda: Statement(code, x=dpnp_tensor.zeros(shape))),
            Peer("NumPy", Statement(code, x=numpy.zeros(shape)), NUMPY_AIM),
        ],
    )


def basic_slice() -> Case:
    return view("slice x[1:3, 2:5]", "x[1:3, 2:5]")


def integer_row() -> Case:
    return view("row x[3]", "x[3]")


def whole() -> Case:
    return view("whole x[...]", "x[...]")


def transpose() -> Case:
    return view("transpose x.T", "x.T")


def by_function(title: str, call: str) -> Case:
    """Run the same function of three libraries on three arrays of 4 x 6 x 8 float64."""
    shape = (4, 6, 8)
    code = f"lib.{call}"
    return Case(
        title,
        Statement(code, lib=usmx, x=usmx.zeros(shape)),
        [
            *installed_peer(
                "dpnp.tensor",
                lambda: Statement(code, lib=dpnp_tensor, x=dpnp_tensor.zeros(shape)),
            ),
            Peer("NumPy", Statement(code, lib=numpy, x=numpy.zeros(shape))),
        ],
    )


def reshape() -> Case:
    return by_function("reshape to (24, 8)", "reshape(x, (24, 8))")


def permute_dims() -> Case:
    return by_function("permute_dims to (2, 0, 1)", "permute_dims(x, (2, 0, 1))")


def flip() -> Case:
    return by_function("flip of all axes", "flip(x)")


CASES = (basic_slice, integer_row, whole, transpose, reshape, permute_dims, flip)
