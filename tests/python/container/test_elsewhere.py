"""Names that usmx lacks say what to use instead, and are lacking all the same."""

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx._compute.numpy_protocol import FUNCTIONS
from usmx._container.elsewhere import _OF_ARRAYS, _OF_THE_PACKAGE


@pytest.mark.parametrize("name", ["median", "histogram", "linalg", "fft", "interp"])
def test_numpys_functions_that_usmx_lacks_name_dpnp(name):
    with pytest.raises(AttributeError, match="usmx.to_dpnp") as caught:
        getattr(usmx, name)
    assert caught.value.name == name
    assert caught.value.obj is usmx


@pytest.mark.parametrize("name", sorted(_OF_THE_PACKAGE))
def test_function_under_another_name_is_named(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': use "):
        getattr(usmx, name)


@pytest.mark.parametrize(("name", "own"), [("int_", "int64"), ("double", "float64")])
def test_numpys_other_name_of_an_element_type_is_answered_by_usmxs(name, own):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': use usmx.{own}$"):
        getattr(usmx, name)


X, Y = np.array([[1.5, np.nan, -2.0], [0.5, 7.0, -3.0]]), np.array([[2.0, 3.0, -2.0], [0.5, 1, 2]])
BINS = np.array([-1.0, 0.5, 2.0])
ADVICE = {  # what the advice gives is what NumPy's function gives
    "allclose": lambda a, b: np.allclose(a, b),
    "angle": lambda a, b: np.angle(a + 1j * b),
    "deg2rad": lambda a, b: np.deg2rad(a),
    "degrees": lambda a, b: np.degrees(a),
    "digitize": lambda a, b: np.digitize(a, BINS),
    "divmod": lambda a, b: np.divmod(a, b),
    "fabs": lambda a, b: np.fabs(a),
    "float_power": lambda a, b: np.float_power(a, b),
    "inner": lambda a, b: np.inner(a, b),
    "isclose": lambda a, b: np.isclose(a, b),
    "isneginf": lambda a, b: np.isneginf(a),
    "isposinf": lambda a, b: np.isposinf(a),
    "mod": lambda a, b: np.mod(a, b),
    "nan_to_num": lambda a, b: np.nan_to_num(a),
    "outer": lambda a, b: np.outer(a[0], b),
    "ptp": lambda a, b: np.ptp(a),
    "union1d": lambda a, b: np.union1d(a, b),
    "vdot": lambda a, b: np.vdot(a, b),
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice_computes_what_numpys_function_computes(name):
    with pytest.raises(AttributeError, match=": use ") as caught:
        getattr(usmx, name)
    advice = str(caught.value).partition(": use ")[2]
    hosts = (X, Y) if name == "nan_to_num" else (np.nan_to_num(X), Y)
    a, b = map(usmx.asarray, (hosts[0], hosts[1]))
    if name == "angle":
        a = a + b * 1j
    if name == "outer":
        a, b = a[0], b.ravel()
    values = {"usmx": usmx, "a": a, "b": b, "bins": usmx.asarray(BINS), "atol": 1e-8, "rtol": 1e-5}
    results, expected = eval(advice, values), ADVICE[name](*hosts)
    if name != "divmod":
        results, expected = (results,), (expected,)
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(usmx.asnumpy(usmx.asarray(one)), other)


def test_function_that_usmx_has_for_numpy_alone_is_answered_by_numpys():
    lacking = {name for name in FUNCTIONS if name in dir(np) and not hasattr(usmx, name)}
    assert "nansum" in lacking
    for name in lacking:
        with pytest.raises(AttributeError, match=f"no attribute '{name}': use "):
            getattr(usmx, name)


@pytest.mark.parametrize("name", ["ma", "True_", "little_endian"])
def test_what_does_not_compute_is_numpys(name):
    with pytest.raises(AttributeError, match=f"use numpy.{name}$"):
        getattr(usmx, name)


def test_checker_is_there_without_an_import_of_its_own():
    code = "import usmx; usmx.testing.assert_array_equal(usmx.ones(3), [1, 1, 1]); print(1)"
    assert output_of(code) == "1"


@pytest.mark.parametrize("name", ["shape", "ndim", "size"])
def test_function_for_a_property_is_answered_by_the_attribute(name):
    with pytest.raises(AttributeError, match=f"use a.{name}$"):
        getattr(usmx, name)


@pytest.mark.parametrize("name", ["loadtxt", "fromfile", "logspace"])
def test_numpys_reader_is_answered_by_itself_and_asarray(name):
    with pytest.raises(AttributeError, match=rf"use usmx.asarray\(numpy.{name}"):
        getattr(usmx, name)


def test_numpys_type_that_usmx_has_no_elements_of_gets_no_advice():
    with pytest.raises(AttributeError, match="no attribute 'datetime64'$"):
        usmx.datetime64  # noqa: B018


def test_other_names_get_no_advice():
    with pytest.raises(AttributeError, match="^module 'usmx' has no attribute 'nosuch'$"):
        usmx.nosuch  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nosuch'$"):
        usmx.zeros(3).nosuch  # noqa: B018


@pytest.mark.parametrize("name", sorted(_OF_ARRAYS))
def test_attribute_of_other_arrays_is_answered(name):
    a = usmx.zeros(3)
    with pytest.raises(AttributeError, match=f"no attribute '{name}': ") as caught:
        getattr(a, name)
    assert caught.value.obj is a
    assert not hasattr(a, name)
    assert not hasattr(usmx.USMArray, name)
    assert name not in dir(a)


def test_every_attribute_of_numpys_arrays_is_there_or_answered():
    a = usmx.zeros((2, 2))
    names = {name for name in dir(np.ndarray) if not name.startswith("_")}
    assert {name for name in names if not hasattr(a, name)} <= _OF_ARRAYS.keys()


@pytest.mark.parametrize(
    ("name", "use"), [("shape", "reshape"), ("strides", "slice"), ("dtype", "view")]
)
def test_what_cannot_be_set_says_what_to_use(name, use):
    with pytest.raises(AttributeError, match=use):
        setattr(usmx.zeros(3), name, 3)


def test_subclass_may_have_the_names():
    class Summing(usmx.USMArray):
        def sum(self):
            return 3

    assert Summing(3).sum() == 3


@pytest.mark.parametrize("module", [usmx, usmx.memory], ids=lambda m: m.__name__)
def test_dir_has_public_names_only(module):
    extra = {"dtype", "newaxis", *usmx._types.NAMES} if module is usmx else set()
    listed = {name for name in dir(module) if not name.startswith("__")}
    assert listed == {n for n in module.__all__ if not n.startswith("__")} | extra
