"""What the examples of dpctl and dpnp show, and what their own tests check."""

import numpy as np
import pytest
import usmx
from usmx_from_dpctl import (
    cython,
    external_usm_allocation,
    onemkl_gemv,
    use_dpctl_sycl_kernel,
    use_dpctl_sycl_queue,
    use_dpnp_array,
)

TYPES = ["f4", "f8", "c8", "c16"]


def random(shape, dtype):
    values = np.random.default_rng(3).normal(size=(2, *shape))
    return (values[0] + (1j * values[1] if dtype[0] == "c" else 0)).astype(dtype)


def close(found, expected):
    return np.allclose(usmx.asnumpy(found), expected, rtol=1e-4, atol=1e-5)


# ---- dpctl, pybind11/external_usm_allocation


def test_python_sees_and_changes_the_memory_of_a_cpp_object():
    matrix = external_usm_allocation.DMatrix(usmx.default_queue(), 5, 3)
    array = usmx.asarray(matrix)
    assert (array.shape, array.usm_type) == ((5, 3), "shared")
    array[1, 2] = 7
    assert matrix.tolist() == [[0, 0, 0], [0, 0, 7], *[[0, 0, 0]] * 3]
    del matrix
    assert array[1, 2] == 7  # the vector is gone, its memory is not


def test_zeroed_memory_is_an_array_of_bytes():
    memory = external_usm_allocation.make_zeroed_device_memory(64, usmx.default_queue())
    assert (memory.usm_type, memory.nbytes) == ("device", 64)
    assert not usmx.asnumpy(memory).any()


# ---- dpctl, pybind11/onemkl_gemv


@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_vectors_and_matrices(dtype):
    a, x, y = random((5, 3), dtype), random((3,), dtype), random((3,), dtype)
    here = [usmx.asarray(each) for each in (a, x, y)]
    assert close(onemkl_gemv.gemv(*here[:2]), a @ x)
    assert close(onemkl_gemv.sub(*here[1:]), x - y)
    assert np.isclose(onemkl_gemv.norm_squared(here[1]), np.linalg.norm(x) ** 2)
    assert np.isclose(onemkl_gemv.dot(*here[1:]), np.vdot(x, y), rtol=1e-4)
    onemkl_gemv.axpby_inplace(2, here[1], 3, here[2])
    assert close(here[2], 2 * x + 3 * y)


@pytest.mark.parametrize("dtype", TYPES[:2])
def test_solver_converges(dtype):
    a = random((8, 8), dtype)
    a = (a @ a.T + 8 * np.eye(8)).astype(dtype)
    b = random((8,), dtype)
    x = usmx.empty_like(usmx.asarray(b))
    threshold = 1e-10 if dtype == "f4" else 1e-20
    steps = onemkl_gemv.cg_solve(usmx.asarray(a), usmx.asarray(b), x, threshold)
    assert 0 < steps <= 8
    assert close(x, np.linalg.solve(a, b))


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not match"):
        onemkl_gemv.gemv(usmx.ones((2, 3)), usmx.ones(2))
    with pytest.raises(TypeError, match=r"no overload takes .*int64 with 1 dimension"):
        onemkl_gemv.dot(usmx.arange(3), usmx.arange(3))


# ---- dpctl, pybind11/use_dpctl_sycl_kernel


SOURCE = """
#include <usmx/kernel.hpp>

USMX_KERNEL(1) double_it(const int* x, int* y) {
  const auto i = usmx::global_id();
  y[i] = 2 * x[i];
}
"""


def test_kernel_that_python_gives_works_on_two_arrays():
    x, y = usmx.arange(200, dtype="i4"), usmx.empty(200, dtype="i4")
    use_dpctl_sycl_kernel.submit_custom_kernel(SOURCE, "double_it", x, dst=y)
    assert (usmx.asnumpy(y) == 2 * np.arange(200)).all()
    with pytest.raises(ValueError, match="as many elements"):
        use_dpctl_sycl_kernel.submit_custom_kernel(SOURCE, "double_it", x, y[:10])


# ---- dpctl, pybind11/use_dpctl_sycl_queue


def test_properties_of_queues_and_devices():
    queue = usmx.default_queue()
    device = queue.sycl_device
    assert use_dpctl_sycl_queue.get_max_compute_units(queue) == device.max_compute_units
    assert use_dpctl_sycl_queue.get_device_global_mem_size(device) == device.global_mem_size
    assert use_dpctl_sycl_queue.get_device_local_mem_size(device) == device.local_mem_size
    assert use_dpctl_sycl_queue.get_sub_group_sizes(device)
    assert use_dpctl_sycl_queue.get_partition_max_sub_devices(device) >= 0


def test_device_works_on_a_numpy_array():
    numbers = np.random.default_rng(3).integers(0, 1000, 100)
    found = use_dpctl_sycl_queue.offloaded_array_mod(usmx.default_queue(), numbers, 7)
    assert (found == numbers % 7).all()
    with pytest.raises(ValueError, match="positive"):
        use_dpctl_sycl_queue.offloaded_array_mod(usmx.default_queue(), numbers, 0)


# ---- dpctl, cython


def test_device_goes_to_cython_and_back():
    device = usmx.default_queue().sycl_device
    assert cython.device_name(device) == device.name
    assert cython.device_driver_version(device) == device.driver_version
    assert cython.device_copy(device) == device
    with pytest.raises(TypeError, match="expected a device, found str"):
        cython.device_name("cpu")


@pytest.mark.parametrize("dtype", TYPES[:2])
def test_sums_of_columns(dtype):
    matrix = random((100, 7), dtype)
    assert close(cython.columnwise_total(usmx.asarray(matrix)), matrix.sum(axis=0))
    assert close(cython.columnwise_total(usmx.asarray(matrix)[::2, ::-1]), matrix[::2, ::-1].sum(0))
    with pytest.raises(ValueError, match="expected a matrix"):
        cython.columnwise_total(usmx.ones(3))


# ---- dpnp, pybind11/use_dpnp_array


def test_what_an_array_is():
    array = usmx.zeros((3, 4), dtype="f4").T
    array.flags.writable = False
    assert use_dpnp_array.get_ndim(array) == 2
    assert use_dpnp_array.get_shape(array) == [4, 3]
    assert use_dpnp_array.get_size(array) == 12
    assert use_dpnp_array.get_type(array) == "float32"
    assert use_dpnp_array.get_elemsize(array) == 4
    assert not use_dpnp_array.is_c_contiguous(array)
    assert use_dpnp_array.is_f_contiguous(array)
    assert not use_dpnp_array.is_writable(array)
