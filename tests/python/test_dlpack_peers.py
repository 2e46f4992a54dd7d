"""DLPack with packages that know no SYCL: JAX, and an extension with nanobind's nb::ndarray."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import usmx
from extension_builds import built, loaded, quick
from helpers import HOST_KINDS, KINDS


@pytest.fixture(params=HOST_KINDS)
def reachable(request):
    return request.param


def mine(kind, typestr="<f8"):
    return usmx.asarray(np.arange(12).reshape(3, 4).astype(typestr), usm_type=kind)


def bytes_in_use(kind):
    return usmx.memory.memory_stats(kind)["used_bytes.current"]


# ---- JAX on the CPU


@pytest.mark.slow
def test_jax_takes_arrays_and_gives_them():
    tests = Path(__file__).with_name("dlpack_with_jax.py")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        cwd=tests.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# ---- an extension with nb::ndarray


class OnHost:
    """An array for those who ask for no device: on the host."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments | {"dl_device": (1, 0)})


@pytest.fixture(scope="session")
def stranger(tmp_path_factory):
    build = tmp_path_factory.mktemp("stranger")
    built(Path(__file__).parent / "stranger", build, ["nanobind"], quick(tmp_path_factory))
    return loaded("stranger", build)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_extension_sees_the_array_as_it_lies(stranger, kind):
    array = mine(kind, "<i2")[::-1, 1:]
    device, address, shape, strides, dtype = stranger.described(array)
    assert (device, address) == (array.__dlpack_device__(), array._pointer)
    assert (shape, strides, dtype) == (array.shape, array.strides, (0, 16))
    assert stranger.described(array.readonly())[1] == array._pointer


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_array_comes_back_from_an_extension(stranger, kind):
    before = bytes_in_use(kind)
    array = mine(kind)
    again = usmx.from_dlpack(stranger.same(array))
    assert again._pointer == array._pointer
    del array
    assert np.array_equal(usmx.asnumpy(again), np.arange(12.0).reshape(3, 4))
    del again
    usmx.synchronize()
    assert bytes_in_use(kind) == before


@pytest.mark.slow
def test_extension_for_the_host_works_on_shared_and_host_memory(stranger, reachable):
    array = mine(reachable)[1]
    stranger.double_all(OnHost(array))
    assert array.tolist() == [8, 10, 12, 14]
    with pytest.raises(TypeError):
        stranger.double_all(array)  # which is oneAPI's


@pytest.mark.slow
def test_host_array_of_an_extension_is_copied(stranger):
    copied = usmx.from_dlpack(stranger.counted(5))
    assert (copied.usm_type, copied.tolist()) == ("device", [0, 1, 2, 3, 4])
