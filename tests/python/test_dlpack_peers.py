"""DLPack with packages that know no SYCL: JAX, and an extension with nanobind's nb::ndarray."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import usmx
from helpers import KINDS

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


@pytest.fixture(params=["shared", "host"])
def reachable(request):
    return request.param


def mine(kind, typestr="<f8"):
    return usmx.asarray(np.arange(12).reshape(3, 4).astype(typestr), usm_type=kind)


def bytes_in_use(kind):
    return usmx.memory.memory_stats(kind)["used_bytes.current"]


# ---- JAX on the CPU


class OnHost:
    """An array for those who ask for no device: on the host."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments | {"dl_device": (1, 0)})


@pytest.mark.parametrize("typestr", ["|b1", "<i4", "<u8", "<f2", "<f4", "<f8", "<c16"])
def test_jax_views_memory_that_the_host_reaches(reachable, typestr):
    array = mine(reachable, typestr)
    for view in (
        jnp.from_dlpack(OnHost(array)),
        jnp.from_dlpack(np.from_dlpack(array, device="cpu")),
    ):
        assert view.unsafe_buffer_pointer() == array._pointer
        assert view.dtype == np.dtype(typestr)
        assert np.array_equal(view, usmx.asnumpy(array))


def test_jax_keeps_the_memory_alive(reachable):
    before = bytes_in_use(reachable)
    view = jnp.from_dlpack(OnHost(mine(reachable)))
    others = [usmx.zeros((3, 4), usm_type=reachable) for _ in range(50)]
    assert np.array_equal(view, np.arange(12.0).reshape(3, 4))
    del others
    assert bytes_in_use(reachable) > before
    del view
    assert bytes_in_use(reachable) == before


def test_jax_is_given_a_copy_of_device_memory():
    view = jnp.from_dlpack(OnHost(mine("device")))
    assert np.array_equal(view, np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize("kind", KINDS)
def test_jax_says_that_it_has_no_device_of_oneapi(kind):
    with pytest.raises(TypeError, match="DLDeviceType: 14"):
        jnp.from_dlpack(mine(kind))


@pytest.mark.parametrize("typestr", ["|b1", "<i4", "<u8", "<f2", "<f4", "<f8", "<c16"])
def test_jax_array_is_copied(typestr):
    values = np.arange(12).reshape(3, 4).astype(typestr)
    copied = usmx.from_dlpack(jnp.asarray(values))
    assert (copied.usm_type, copied.dtype) == ("device", typestr)
    assert np.array_equal(usmx.asnumpy(copied), values)


def test_bfloat16_of_jax_is_refused():
    with pytest.raises(BufferError, match="type code 4"):
        usmx.from_dlpack(jnp.ones(3, "bfloat16"))


# ---- an extension with nb::ndarray


@pytest.fixture(scope="session")
def stranger(tmp_path_factory):
    build = tmp_path_factory.mktemp("stranger")
    source = Path(__file__).parent / "stranger"
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True)
    configure = ["-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Debug"]
    configure += [f"-Dnanobind_DIR={nanobind.strip()}", f"-DPython_EXECUTABLE={sys.executable}"]
    for arguments in (configure, ["--build", build]):
        done = subprocess.run(["cmake", *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    (path,) = build.glob("stranger*.so")
    spec = importlib.util.spec_from_file_location("stranger", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
