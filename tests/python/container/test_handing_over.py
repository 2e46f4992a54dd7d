"""usmx.to_dpnp and usmx.to_dpctl."""

import subprocess
import sys

import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS

NUMBERS = np.arange(24).reshape(4, 6)
KEYS = {
    "all": np.s_[...],
    "rows": np.s_[1:],
    "columns": np.s_[:, 1:3],
    "steps": np.s_[::2, ::3],
    "element": np.s_[1, 2],
    "nothing": np.s_[:0],
    "reversed": np.s_[::-1],
    "backwards": np.s_[1:, ::-2],
    "both ways": np.s_[::-1, ::-1],
}


def address(array):
    interface = array.__sycl_usm_array_interface__
    return interface["data"][0] + interface["offset"] * array.itemsize


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("kind", KINDS)
def test_dpnp_has_the_elements_without_a_copy(kind, key):
    array = usmx.asarray(NUMBERS, usm_type=kind)[key]
    taken = usmx.to_dpnp(array)
    assert type(taken) is dpnp.ndarray
    assert np.array_equal(dpnp.asnumpy(taken), NUMBERS[key])
    assert taken.shape == array.shape
    assert taken.usm_type == kind
    assert taken.sycl_queue == array.sycl_queue
    if array.size > 0:
        assert address(taken) == array._pointer


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_dpnp_has_every_plain_type(typestr):
    array = usmx.ones(3, dtype=typestr)
    assert usmx.to_dpnp(array).dtype == array.dtype


def test_dpnps_writes_are_the_arrays():
    array = usmx.zeros((2, 3))
    usmx.to_dpnp(array[::-1])[0] = 7
    assert usmx.asnumpy(array).tolist() == [[0, 0, 0], [7, 7, 7]]


def test_transposed_and_repeated_arrays_are_handed_over():
    array = usmx.asarray(NUMBERS)
    for view, expected in (
        (array.T, NUMBERS.T),
        (usmx.broadcast_to(array[0], (3, 6)), np.broadcast_to(NUMBERS[0], (3, 6))),
        (array.T[::-1], NUMBERS.T[::-1]),
    ):
        assert np.array_equal(dpnp.asnumpy(usmx.to_dpnp(view)), expected)


def test_read_only_array_stays_read_only_in_dpnp():
    array = usmx.zeros(3).readonly()
    assert not usmx.to_dpnp(array).flags.writable
    assert not usmx.to_dpnp(array[::-1]).flags.writable


def test_memory_outlives_the_array_in_dpnp():
    taken = usmx.to_dpnp(usmx.full(1000, 7)[::-1])
    again = [usmx.zeros(1000, "i8") for _ in range(20)]
    assert (dpnp.asnumpy(taken) == 7).all()
    assert len(again) == 20


def test_structured_array_is_a_type_error_that_offers_a_field():
    array = usmx.zeros(3, dtype=[("x", "f8"), ("n", "i4")])
    with pytest.raises(TypeError, match=r"structured.*a\[name\]"):
        usmx.to_dpnp(array)


def test_reversed_arrays_compute_with_dpnp():
    x = usmx.to_dpnp(usmx.asarray(NUMBERS)[::-1])
    assert np.array_equal(dpnp.asnumpy(x + x), 2 * NUMBERS[::-1])


@pytest.mark.parametrize(
    "refused",
    [
        lambda a: a + 1,
        lambda a: 1 - a,
        lambda a: -a,
        lambda a: a**2,
        lambda a: a == a,
        lambda a: 1 in a,
        np.array_equal,
    ],
)
def test_hint_of_a_structured_array_does_not_send_it_to_dpnp(refused, strict_host):
    array = usmx.zeros(3, dtype=[("x", "f8"), ("n", "i4")])
    arguments = (array, array) if refused is np.array_equal else (array,)
    with pytest.raises(TypeError, match=r"usmx\.asnumpy\(a\)") as caught:
        refused(*arguments)
    assert "dpnp" not in str(caught.value)
    assert usmx.asnumpy(array).dtype.names == ("x", "n")


@pytest.mark.parametrize("key", [KEYS["all"], KEYS["rows"], KEYS["element"]])
@pytest.mark.parametrize("kind", KINDS)
def test_array_over_its_own_memory_begins_with_it(kind, key):
    array = usmx.asarray(NUMBERS, usm_type=kind)[key]
    again = usmx.USMArray(array.shape, array.dtype, usmx.memory.as_usm_memory(array))
    interface = again.__sycl_usm_array_interface__
    assert (interface["data"][0], interface["offset"]) == (array._pointer, 0)
    assert np.array_equal(usmx.asnumpy(again), NUMBERS[key])


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("kind", KINDS)
def test_dpctls_memory_begins_and_ends_with_the_elements(kind, key):
    array = usmx.asarray(NUMBERS, usm_type=kind)[key]
    memory = usmx.to_dpctl(array)
    expected = usmx.memory.as_usm_memory(array)
    assert type(memory) is getattr(dpctl.memory, f"MemoryUSM{kind.title()}")
    assert memory.get_usm_type() == kind
    assert memory.sycl_queue == array.sycl_queue
    if array.size > 0:
        assert (memory._pointer, memory.nbytes) == (expected._pointer, expected.nbytes)


def test_dpctls_memory_of_rows_begins_with_the_first_of_them():
    array = usmx.asarray(NUMBERS)[2:]
    assert usmx.to_dpctl(array).tobytes() == NUMBERS[2:].tobytes()


def test_dpctl_gets_no_read_only_memory():
    with pytest.raises(ValueError, match="read-only"):
        usmx.to_dpctl(usmx.zeros(3).readonly())


@pytest.mark.parametrize("function", ["to_dpnp", "to_dpctl"])
def test_other_objects_are_type_errors(function):
    with pytest.raises(TypeError, match="list"):
        getattr(usmx, function)([1, 2])


@pytest.mark.slow
@pytest.mark.parametrize(("function", "package"), [("to_dpnp", "dpnp"), ("to_dpctl", "dpctl")])
def test_missing_package_is_an_import_error_that_names_it(function, package):
    code = f"""
import sys, usmx
sys.modules[{package!r}] = None
try:
    usmx.{function}(usmx.zeros(3))
except ImportError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"usmx.{function} needs {package}" in ran.stdout
    assert f"pip install {package}" in ran.stdout
