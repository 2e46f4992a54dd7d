"""usmx.einsum: the results are NumPy's, and so are its types."""

import re

import numpy as np
import pytest
import usmx
from helpers import examples
from hypothesis import given, settings
from hypothesis import strategies as st

SHAPES = {"i": 2, "j": 3, "k": 4, "l": 5}
SUBSCRIPTS = (
    "i->i", "i->", "ij", "ji", "ij->ji", "ij->i", "ij->", "ii", "ii->i", "iij->ij", "iji->j",
    "i,i", "i,j", "ij,jk", "ij,jk->ki", "ij,ij->ij", "ij,ij->j", "ij,j,i", "ij,jk,kl", "ij,jk,ki",
    "ij,jk,kl,li", "ij,kj,lj->ikl", "ijk,ijk->k", "ij,k", "ij,jj->i", "ii,jj", "ijk,jil->kl",
    "ij, jk -> ik",
)  # fmt: skip
ELLIPSES = (
    ("...", [(2, 3)]), ("...i->...", [(2, 3)]), ("i...->...i", [(2, 3, 4)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]), ("...i,...i", [(2, 3), (3,)]),
    ("...,...", [(3,), (2, 3)]), ("i...,...j->ij...", [(2, 3), (3, 4)]), ("...ii->...", [(2, 3, 3)]),
)  # fmt: skip


def numbers(shape, dtype, seed):
    made = np.random.default_rng(seed).standard_normal(shape) * 3
    return (made + 1j if np.dtype(dtype).kind == "c" else made).astype(dtype)


def check(text, hosts, **options):
    found = usmx.einsum(text, *map(usmx.asarray, hosts), **options)
    expected = np.einsum(text, *hosts)
    assert type(found) is usmx.USMArray
    assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    tolerance = 1e-3 if found.dtype.char in "fF" else 1e-9
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=tolerance, atol=tolerance)


def arrays_for(text, dtype):
    parts = text.replace(" ", "").split("->")[0].split(",")
    return [numbers([SHAPES[each] for each in part], dtype, k) for k, part in enumerate(parts)]


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("text", SUBSCRIPTS)
def test_sums_of_products_are_numpys(text, dtype):
    check(text, arrays_for(text, dtype))


@pytest.mark.parametrize(("text", "shapes"), ELLIPSES)
def test_ellipsis_stands_for_axes_that_are_broadcast(text, shapes):
    check(text, [numbers(shape, "f8", k) for k, shape in enumerate(shapes)])


@pytest.mark.parametrize(
    "optimize", [True, False, "greedy", "optimal", ["einsum_path", (1, 2), (0, 1)]], ids=str
)
def test_order_of_products_changes_nothing(optimize):
    check("ij,jk,kl->il", arrays_for("ij,jk,kl", "f8"), optimize=optimize)


@settings(max_examples=examples(60))
@given(st.data())
def test_random_subscripts_are_numpys(data):
    count = data.draw(st.integers(1, 3))
    parts = ["".join(data.draw(st.lists(st.sampled_from("ijk"), max_size=3))) for _ in range(count)]
    used = sorted({*"".join(parts)})
    kept = "".join(data.draw(st.lists(st.sampled_from(used), unique=True))) if used else ""
    text = ",".join(parts) + "->" + kept
    check(text, arrays_for(text, "f8"))


def test_axes_of_one_element_are_broadcast():
    check("ij,ij->ij", [numbers((1, 3), "f8", 0), numbers((2, 3), "f8", 1)])
    check("ij,jk", [numbers((2, 1), "f8", 0), numbers((3, 4), "f8", 1)])


def test_types_are_promoted():
    check("ij,jk", [numbers((2, 3), "i4", 0), numbers((3, 4), "f4", 1)])
    check("i,i,i", [numbers(3, "i8", 0), numbers(3, "f4", 1), numbers(3, "c8", 2)])


def test_type_can_be_asked_for():
    x = usmx.asarray(numbers((2, 3), "i4", 0))
    found = usmx.einsum("ij,ij->i", x, x, dtype="f4")
    assert found.dtype == "f4"
    assert np.allclose(usmx.asnumpy(found), (usmx.asnumpy(x) ** 2.0).sum(1))


def test_lists_of_integers_are_subscripts():
    x, y = numbers((2, 3), "f8", 0), numbers((3, 4), "f8", 1)
    a, b = usmx.asarray(x), usmx.asarray(y)
    found = usmx.einsum(a, [0, 1], b, [1, 2], [2, 0])
    assert np.allclose(usmx.asnumpy(found), np.einsum(x, [0, 1], y, [1, 2], [2, 0]))
    found = usmx.einsum(a, [..., 1], b, [1, 30])
    assert np.allclose(usmx.asnumpy(found), x @ y)


def test_result_is_written_to_out_and_numpys_function_is_this_one():
    x = usmx.asarray([[1, 2], [3, 4]])
    out = usmx.zeros((2, 2), dtype=x.dtype)
    assert usmx.einsum("ij,jk", x, x, out=out) is out
    assert out.tolist() == [[7, 10], [15, 22]]
    found = np.einsum("ij,jk", x, np.ones((2, 2), "i8"))
    assert type(found) is usmx.USMArray
    assert found.tolist() == [[3, 3], [7, 7]]


@pytest.mark.parametrize(
    ("operands", "text"),
    [
        (("ij,jk", 1), "are those of 2 arrays, found 1"),
        (("i", 1), "do not fit an array of 2 dimensions"),
        (("ijk", 1), "do not fit an array of 2 dimensions"),
        (("i1", 1), "do not fit an array of 2 dimensions"),
        (("ij->k", 1), "each label of the result must be one of an array's"),
        (("ij->ii", 1), "each label of the result must be one of an array's"),
        (("ij,jk", 2), "must have the same extent, found 3 and 2"),
        (("ii", 1), "must have the same extent"),
    ],
)
def test_subscripts_that_do_not_fit_are_refused(operands, text):
    subscripts, count = operands
    with pytest.raises(ValueError, match=re.escape(text)):
        usmx.einsum(subscripts, *(usmx.ones((2, 3)) for _ in range(count)))


def test_what_is_no_array_is_refused():
    with pytest.raises(TypeError):
        usmx.einsum("i", "x")
    with pytest.raises(ValueError, match="lists of integers"):
        usmx.einsum(usmx.ones(2), [99])
