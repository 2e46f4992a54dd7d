"""einops's calls of its backend, for USM arrays; einops itself is a stand-in, which has no backends."""

import sys
import types

import numpy as np
import pytest
import usmx


@pytest.fixture
def backend(monkeypatch):
    backends = types.ModuleType("einops._backends")
    backends.AbstractBackend = type("AbstractBackend", (), {})
    monkeypatch.setitem(sys.modules, "einops", types.ModuleType("einops"))
    monkeypatch.setitem(sys.modules, "einops._backends", backends)
    monkeypatch.delitem(sys.modules, "usmx_einops", raising=False)
    import usmx_einops

    monkeypatch.delitem(sys.modules, "usmx_einops")
    return usmx_einops.UsmxBackend()


def test_backend_is_for_arrays_of_usm_alone(backend):
    assert backend.framework_name in sys.modules
    assert backend.is_appropriate_type(usmx.zeros(3))
    assert not backend.is_appropriate_type(np.zeros(3))


def test_calls_give_what_numpys_give(backend):
    host = np.arange(6.0).reshape(2, 3)
    array = backend.from_numpy(host)
    found = {
        "stack": backend.stack_on_zeroth_dimension([array, array]),
        "axis": backend.add_axis(array, 1),
        "tile": backend.tile(array, (2, 1)),
        "concat": backend.concat([array, array], 1),
        "einsum": backend.einsum("ij,kj->ik", array, array),
        "arange": backend.arange(1, 4),
    }
    expected = {
        "stack": np.stack([host, host]),
        "axis": host[:, None],
        "tile": np.tile(host, (2, 1)),
        "concat": np.concat([host, host], 1),
        "einsum": host @ host.T,
        "arange": np.arange(1, 4),
    }
    for name, each in found.items():
        assert isinstance(each, usmx.USMArray)
        assert np.array_equal(backend.to_numpy(each), expected[name]), name


def test_means_are_of_floats(backend):
    types_of_elements = ("f2", "f4", "f8", "c8", "i4", "?")
    found = [backend.is_float_type(usmx.zeros(1, each)) for each in types_of_elements]
    assert found == [True, True, True, True, False, False]
