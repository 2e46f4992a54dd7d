"""Views of an array's own memory."""

import dpnp.tensor
import numpy
import usmx
from pairing import Aim, Case, Peer, Statement

SLICE_AIM = Aim(ratio=1 / 5)


def view(title: str, code: str, aim: Aim | None = None) -> Case:
    """Run the same code on three arrays of 20 x 20 float64."""
    shape = (20, 20)
    return Case(
        title,
        Statement(code, x=usmx.zeros(shape)),
        [
            Peer("dpnp.tensor", Statement(code, x=dpnp.tensor.zeros(shape)), aim),
            Peer("NumPy", Statement(code, x=numpy.zeros(shape))),
        ],
    )


def basic_slice() -> Case:
    return view("slice x[1:3, 2:5]", "x[1:3, 2:5]", SLICE_AIM)


def integer_row() -> Case:
    return view("row x[3]", "x[3]")


def transpose() -> Case:
    return view("transpose x.T", "x.T")


CASES = (basic_slice, integer_row, transpose)
