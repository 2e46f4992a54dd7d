"""Names that usmx lacks say what to use instead, and are lacking all the same."""

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx._container.elsewhere import _OF_ARRAYS, _OF_THE_PACKAGE
from usmx._numpy import names


@pytest.mark.parametrize("name", sorted(_OF_THE_PACKAGE))
def test_function_under_another_name_is_named(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': use "):
        getattr(usmx, name)


def test_checker_is_there_without_an_import_of_its_own():
    code = "import usmx; usmx.testing.assert_array_equal(usmx.ones(3), [1, 1, 1]); print(1)"
    assert output_of(code) == "1"


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
    extra = (
        {"dtype", "fft", "linalg", "newaxis", "special", *usmx._types.NAMES, *names.NAMES}
        if module is usmx
        else set()
    )
    listed = {name for name in dir(module) if not name.startswith("__")}
    assert listed == {n for n in module.__all__ if not n.startswith("__")} | extra
