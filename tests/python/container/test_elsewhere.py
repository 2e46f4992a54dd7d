"""Names that usmx lacks say what to use instead, and are lacking all the same."""

import io
import operator
import re

import numpy as np
import pytest
import usmx
from helpers import output_of
from usmx._container.elsewhere import _OF_ARRAYS, _OF_MODULES, _OF_THE_PACKAGE
from usmx._numpy import names


@pytest.mark.parametrize("name", sorted(_OF_THE_PACKAGE))
def test_function_under_another_name_is_named(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': use "):
        getattr(usmx, name)


@pytest.mark.parametrize("name", sorted({*_OF_THE_PACKAGE, *names.ABSENT} - {"tensor", "testing"}))
def test_import_of_a_name_says_the_same_as_its_use(name):
    with pytest.raises(AttributeError) as used:
        getattr(usmx, name)
    advice = str(used.value).partition(f"{name!r}: ")[2]
    assert advice
    for program in (f"from usmx import {name}", f"from usmx import ones, {name} as other"):
        with pytest.raises(ImportError) as caught:
            exec(program)
        assert type(caught.value) is ImportError
        assert str(caught.value) == f"cannot import name {name!r} from 'usmx': {advice}"
        assert caught.value.name == "usmx"


def test_import_of_a_name_without_advice_has_pythons_text():
    with pytest.raises(ImportError, match=r"^cannot import name 'nosuch' from 'usmx' \("):
        from usmx import nosuch  # noqa: F401


def test_names_of_the_package_that_are_in_modules_are_found_there():
    for module in (usmx.linalg, usmx.fft):
        place = module.__name__
        absent = {name for name in module.__all__ if not hasattr(usmx, name)} - {"LinAlgError"}
        assert {name: _OF_THE_PACKAGE.get(name) for name in absent} == {
            name: f"{place}.{name}" for name in absent
        }


OF_MODULES = [
    (module, name, use.format(name))
    for module, uses in _OF_MODULES.items()
    for name, use in uses.items()
]


@pytest.mark.parametrize(("module", "name", "use"), OF_MODULES)
def test_name_that_a_module_lacks_is_answered(module, name, use):
    found = getattr(usmx, module)
    with pytest.raises(AttributeError, match=re.escape(f"no attribute '{name}': use {use}")):
        getattr(found, name)
    assert not hasattr(found, name)
    with pytest.raises(ImportError, match=re.escape(f"'{name}' from 'usmx.{module}': use {use}")):
        exec(f"from usmx.{module} import {name}")


def test_name_of_the_package_is_found_from_its_modules():
    with pytest.raises(AttributeError, match=r"no attribute 'cumsum': use usmx\.cumsum$"):
        usmx.linalg.cumsum  # noqa: B018
    with pytest.raises(ImportError, match=r"'sin' from 'usmx\.fft': use usmx\.sin$"):
        exec("from usmx.fft import sin")
    for module in (usmx.linalg, usmx.fft, usmx.testing):
        with pytest.raises(AttributeError, match=r"^module '[\w.]*' has no attribute 'nosuch'$"):
            module.nosuch  # noqa: B018
    with pytest.raises(ImportError, match=r"^cannot import name 'nosuch' from 'usmx\.linalg' \("):
        from usmx.linalg import nosuch  # noqa: F401


@pytest.mark.parametrize("use", sorted({
    *_OF_THE_PACKAGE.values(), *_OF_ARRAYS.values(), *(use for *_, use in OF_MODULES),
}))  # fmt: skip
def test_advice_names_what_is_there(use):
    a = usmx.zeros(3)
    for path in re.findall(r"\busmx\.([\w.]*\w)", use):
        assert operator.attrgetter(path)(usmx) is not None
    for path in re.findall(r"(?<![\w.])a\.([\w.]*\w)", use):
        operator.attrgetter(path)(a)


def test_no_attribute_of_arrays_is_both_there_and_elsewhere():
    own = {name for cls in usmx.USMArray.__mro__ for name in vars(cls)}
    stands_for = {
        name for name in own if type(vars(usmx.USMArray).get(name)).__name__ == "_Elsewhere"
    }
    assert stands_for == _OF_ARRAYS.keys()


def test_advice_for_lists_of_scores_is_right():
    a = usmx.asarray([[1.0, 2.0], [3.0, 5.0]])
    e = usmx.exp(a - a.max(axis=-1, keepdims=True))
    scores = np.exp(usmx.asnumpy(a))
    np.testing.assert_allclose(
        usmx.asnumpy(e / e.sum(axis=-1, keepdims=True)), scores / scores.sum(1, keepdims=True)
    )


def test_advice_that_computes_gives_the_numbers_of_the_name():
    special = pytest.importorskip("scipy.special")
    distances = pytest.importorskip("scipy.spatial.distance")
    host = np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 0.5]])
    places = np.array([[2, 0], [1, 1]])
    a, indices = usmx.asarray(host), usmx.asarray(places)
    b, weight, k, seed = a + 1, 0.25, 2, 7
    scope = {"a": a, "b": b, "weight": weight, "axis": 1, "usmx": usmx, "indices": indices, "k": k}

    def answer(uses, name):
        return usmx.asnumpy(eval(uses[name].partition(", and")[0], scope))

    np.testing.assert_allclose(answer(_OF_THE_PACKAGE, "cdist"), distances.cdist(host, host + 1))
    np.testing.assert_allclose(answer(_OF_THE_PACKAGE, "lerp"), host + 0.25)
    np.testing.assert_allclose(
        answer(_OF_THE_PACKAGE, "logsumexp"), special.logsumexp(host, axis=1)
    )
    np.testing.assert_array_equal(answer(_OF_ARRAYS, "topk"), -np.sort(-host)[:, :2])
    np.testing.assert_array_equal(answer(_OF_ARRAYS, "gather"), np.take_along_axis(host, places, 1))
    for name in ("softmax", "log_softmax"):
        np.testing.assert_allclose(
            answer(_OF_MODULES["special"], name), getattr(special, name)(host, axis=1)
        )
    drawn = usmx.random.default_rng(seed).choice(2, 5, p=[0.0, 1.0])
    assert drawn.tolist() == [1] * 5


@pytest.mark.parametrize(
    ("numpys", "own"),
    [
        (lambda a: np.save(io.BytesIO(), a), "usmx.save"),
        (lambda a: np.savez(io.BytesIO(), a), "usmx.savez"),
        (lambda a: np.concatenate([np.ones(2), a]), "usmx.concatenate"),
        (lambda a: np.array_equal(a, a), "usmx.array_equal"),
        (lambda a: np.fmod(a, 2, where=a > 0), "usmx.fmod"),
    ],
)
def test_function_of_numpy_that_gets_no_view_names_the_own_one_and_no_other_library(
    numpys, own, strict_host
):
    with pytest.raises(TypeError, match=re.escape(own)) as caught:
        numpys(usmx.ones(3))
    assert "dpnp" not in str(caught.value)
    assert "usm_type='shared'" in str(caught.value)


def test_numpys_own_place_for_a_result_is_named_by_what_was_written():
    host = np.ones(3)
    with pytest.raises(TypeError, match=r"as in `x \+= a`, goes x \+= usmx\.asnumpy\(a\)$"):
        host += usmx.ones(3)


@pytest.mark.parametrize("function", [usmx.sum, usmx.sort, usmx.concat, usmx.cumsum, usmx.fft.fft])
def test_dim_of_pytorch_is_axis(function):
    with pytest.raises(TypeError, match=r"argument 'dim', it takes .*: axis is PyTorch's dim$"):
        function(usmx.ones(3), dim=0)


@pytest.mark.parametrize("function", [usmx.squeeze, usmx.expand_dims])
def test_dim_of_pytorch_is_axis_in_native_functions_too(function):
    with pytest.raises(TypeError, match=r"dim=int\): axis is PyTorch's dim$"):
        function(usmx.ones((1, 3)), dim=0)


def test_keepdim_of_pytorch_is_keepdims():
    with pytest.raises(TypeError, match=r": keepdims is PyTorch's keepdim$"):
        usmx.sum(usmx.ones(3), keepdim=True)
    with pytest.raises(TypeError, match=r"argument 'keepdim', it takes axis, kind[^:]*$"):
        usmx.sort(usmx.ones(3), keepdim=True)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda a: usmx.linspace(0, 1, steps=5), "num is PyTorch's steps"),
        (lambda a: usmx.std(a, unbiased=False), "correction is PyTorch's unbiased"),
        (lambda a: usmx.zeros(size=(2, 3)), "shape is PyTorch's size"),
    ],
)
def test_other_keywords_of_pytorch_are_answered(call, hint):
    with pytest.raises(TypeError, match=f"{hint}$"):
        call(usmx.ones(3))


def test_view_of_pytorch_is_reshape():
    with pytest.raises(TypeError, match=r"found view\(int, int\): reshape is PyTorch's view$"):
        usmx.ones(6).view(3, 2)
    with pytest.raises(TypeError, match=r"found view\(dtype=str, typ=int\)$"):
        usmx.ones(6).view(dtype="f4", typ=3)


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
