"""DLPack with JAX on the CPU.

test_dlpack_peers.py runs it in a process of its own: JAX brings threads, and where those are, no
other test can fork.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


@pytest.fixture(params=HOST_KINDS)
def reachable(request):
    return request.param


def mine(kind, typestr="<f8"):
    return usmx.asarray(np.arange(12).reshape(3, 4).astype(typestr), usm_type=kind)


def bytes_in_use(kind):
    return usmx.memory.memory_stats(kind)["used_bytes.current"]


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
