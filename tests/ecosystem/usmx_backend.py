"""A pytest plug-in: SciPy's and scikit-learn's own tests of array-API backends get usmx as the only one.

SCIPY_ARRAY_API=1 python -P -m pytest -p usmx_backend --pyargs scipy.special -m array_api_backends

with this folder in PYTHONPATH. Nothing of SciPy is changed: its fixture `xp` is defined anew, with
its own function and another parameter, when pytest registers SciPy's conftest.
"""

import importlib.util

import pytest
import usmx


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin):
    if getattr(plugin, "__name__", None) == "scipy.conftest" and hasattr(
        plugin, "xp_known_backends"
    ):
        give_scipy_usmx(plugin)


def give_scipy_usmx(conftest):
    backend = pytest.param(usmx, id="usmx", marks=pytest.mark.array_api_backends)
    conftest.xp_known_backends.add("usmx")
    conftest.xp = pytest.fixture(params=[backend])(conftest.xp._get_wrapped_function())


def pytest_configure(config):
    """scikit-learn's tests ask one function which namespaces there are."""
    if importlib.util.find_spec("sklearn") is not None:
        from sklearn.utils import _array_api

        _array_api.yield_namespaces = lambda include_numpy_namespaces=True: iter(["usmx"])
