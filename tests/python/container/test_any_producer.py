"""Every function that takes an array takes any producer of __sycl_usm_array_interface__."""

import inspect
import io

import dpctl.memory
import dpnp
import numpy as np
import pytest
import usmx
from helpers import Producer
from usmx._compute import elementwise, reductions

NUMBERS = np.arange(12.0).reshape(3, 4)


def saved(a, save=usmx.save):
    file = io.BytesIO()
    save(file, a)
    file.seek(0)
    return usmx.load(file)


CALLS = {
    "add": lambda a: usmx.add(a, a),
    "append": lambda a: usmx.append(a, [7.0]),
    "argpartition": lambda a: usmx.argpartition(a, 1),
    "argsort": usmx.argsort,
    "array_equal": lambda a: usmx.array_equal(a, NUMBERS),
    "array_split": lambda a: usmx.array_split(a, 2)[1],
    "asarray": usmx.asarray,
    "ascontiguousarray": usmx.ascontiguousarray,
    "asfortranarray": usmx.asfortranarray,
    "asnumpy": usmx.asnumpy,
    "astype": lambda a: usmx.astype(a, "f4"),
    "atleast_1d": usmx.atleast_1d,
    "atleast_2d": usmx.atleast_2d,
    "atleast_3d": usmx.atleast_3d,
    "block": lambda a: usmx.block([[a, a]]),
    "broadcast_arrays": lambda a: usmx.broadcast_arrays(a, beside(a, np.zeros((2, 3, 4))))[0],
    "broadcast_to": lambda a: usmx.broadcast_to(a, (2, 3, 4)),
    "clip": lambda a: usmx.clip(a, 3, 5),
    "cumulative_prod": lambda a: usmx.cumulative_prod(a, axis=1),
    "cumulative_sum": lambda a: usmx.cumulative_sum(a, axis=1),
    "diff": usmx.diff,
    "isin": lambda a: usmx.isin(a, a),
    "matmul": lambda a: usmx.matmul(a, beside(a, np.ones(4))),
    "mean": usmx.mean,
    "partition": lambda a: usmx.partition(a, 1),
    "searchsorted": lambda a: usmx.searchsorted(beside(a, np.arange(4.0)), a),
    "sin": usmx.sin,
    "sort": usmx.sort,
    "std": usmx.std,
    "sum": usmx.sum,
    "tensordot": lambda a: usmx.tensordot(a, a),
    "einsum": lambda a: usmx.einsum("ij,ij->i", a, a),
    "kron": lambda a: usmx.kron(a, a),
    "unique_all": lambda a: usmx.unique_all(a).inverse_indices,
    "unique_counts": lambda a: usmx.unique_counts(a).counts,
    "unique_inverse": lambda a: usmx.unique_inverse(a).values,
    "unique_values": usmx.unique_values,
    "vecdot": lambda a: usmx.vecdot(a, a),
    "can_cast": lambda a: usmx.can_cast(a, "f4", casting="same_kind"),
    "choose": lambda a: usmx.choose(usmx.zeros_like(usmx.asarray(a), dtype="i4"), [a]),
    "column_stack": lambda a: usmx.column_stack([a, a]),
    "compress": lambda a: usmx.compress([True, False, True], a, 0),
    "concat": lambda a: usmx.concat([a, beside(a, np.ones((1, 4))), a]),
    "concatenate": lambda a: usmx.concatenate([a, a], 1),
    "copy": usmx.copy,
    "copy_async": lambda a: usmx.copy_async(a, a).wait(),
    "copyto": lambda a: usmx.copyto(a, beside(a, np.arange(4.0))),
    "delete": lambda a: usmx.delete(a, 1, 0),
    "diag": lambda a: usmx.diag(a, 1),
    "diag_indices_from": lambda a: usmx.diag_indices_from(usmx.take(a, [0, 1, 2], 1))[0],
    "diagonal": usmx.diagonal,
    "dsplit": lambda a: usmx.dsplit(usmx.expand_dims(a, 0), 2)[0],
    "dstack": lambda a: usmx.dstack([a, a]),
    "empty_like": lambda a: usmx.empty_like(a).shape,
    "expand_dims": lambda a: usmx.expand_dims(a, axis=1),
    "extract": lambda a: usmx.extract(usmx.ones((3, 4), bool), a),
    "fill_async": lambda a: usmx.fill_async(a, 3).wait(),
    "fill_diagonal": lambda a: usmx.fill_diagonal(a, 7),
    "flip": usmx.flip,
    "fliplr": usmx.fliplr,
    "flipud": usmx.flipud,
    "from_usm_array_interface": usmx.from_usm_array_interface,
    "full_like": lambda a: usmx.full_like(a, 3),
    "hsplit": lambda a: usmx.hsplit(a, 2)[1],
    "hstack": lambda a: usmx.hstack([a, a]),
    "imag": usmx.imag,
    "insert": lambda a: usmx.insert(a, 1, 7, 0),
    "ix_": lambda a: usmx.ix_(usmx.reshape(a, -1), [1, 2])[0],
    "matrix_transpose": usmx.matrix_transpose,
    "may_share_memory": lambda a: usmx.may_share_memory(a, a),
    "meshgrid": lambda a: usmx.meshgrid(usmx.reshape(a, -1), beside(a, np.arange(2.0)))[0],
    "moveaxis": lambda a: usmx.moveaxis(a, 0, 1),
    "nonzero": lambda a: usmx.nonzero(a)[0],
    "ones_like": usmx.ones_like,
    "pad": lambda a: usmx.pad(a, 1),
    "pending_events": lambda a: usmx.pending_events([a], a),
    "permute_dims": lambda a: usmx.permute_dims(a, (1, 0)),
    "place": lambda a: usmx.place(a, usmx.ones((3, 4), bool), usmx.zeros(1)),
    "put": lambda a: usmx.put(a, [0, 2], [5.0], axis=0),
    "put_along_axis": lambda a: usmx.put_along_axis(a, usmx.arange(3)[:, None], 5.0, axis=1),
    "ravel_multi_index": lambda a: usmx.ravel_multi_index((usmx.astype(a, "i8"), 0), (12, 1)),
    "real": usmx.real,
    "repeat": lambda a: usmx.repeat(a, 2, axis=0),
    "require": lambda a: usmx.require(a, requirements="F"),
    "reshape": lambda a: usmx.reshape(a, (2, 6)),
    "resize": lambda a: usmx.resize(a, (5, 3)),
    "result_type": lambda a: usmx.result_type(a, "f4"),
    "roll": lambda a: usmx.roll(a, 1, axis=0),
    "rollaxis": lambda a: usmx.rollaxis(a, 1),
    "rot90": usmx.rot90,
    "save": saved,
    "savez": lambda a: saved(a, usmx.savez)["arr_0"],
    "select": lambda a: usmx.select([usmx.ones_like(usmx.asarray(a), dtype=bool)], [a]),
    "shares_memory": lambda a: usmx.shares_memory(a, a),
    "split": lambda a: usmx.split(a, 2, 1)[1],
    "squeeze": usmx.squeeze,
    "stack": lambda a: usmx.stack([a, a], axis=1),
    "swapaxes": lambda a: usmx.swapaxes(a, 0, 1),
    "take": lambda a: usmx.take(a, usmx.arange(2), axis=0),
    "take_along_axis": lambda a: usmx.take_along_axis(a, usmx.arange(3)[:, None], axis=1),
    "tile": lambda a: usmx.tile(a, (2, 1)),
    "to_dpctl": lambda a: usmx.to_dpctl(a).tobytes(),
    "to_dpnp": lambda a: dpnp.asnumpy(usmx.to_dpnp(a)),
    "to_numpy": usmx.to_numpy,
    "transpose": usmx.transpose,
    "tril": usmx.tril,
    "tril_indices_from": lambda a: usmx.tril_indices_from(a)[0],
    "trim_zeros": usmx.trim_zeros,
    "triu": usmx.triu,
    "triu_indices_from": lambda a: usmx.triu_indices_from(a)[0],
    "unravel_index": lambda a: usmx.unravel_index(usmx.astype(a, "i8"), (3, 4))[0],
    "unstack": lambda a: usmx.unstack(a)[1],
    "vsplit": lambda a: usmx.vsplit(a, 3)[1],
    "vstack": lambda a: usmx.vstack([a, a]),
    "where": lambda a: usmx.where(a, a, 1),
    "zeros_like": usmx.zeros_like,
}
WITHOUT_ARRAYS = {
    "arange", "benchmark", "broadcast_shapes", "default_queue", "default_usm_type", "diag_indices", "empty", "eye", "finfo", "frombuffer", "from_arrow", "from_dlpack", "from_numpy", "from_shared_memory", "full", "fuse", "get_coerced_usm_type",
    "get_execution_queue", "get_devices", "get_include", "importing_extension", "get_print_options",
    "iinfo", "indices", "isdtype", "linspace", "load", "ones", "print_options", "host_access", "set_default_queue", "set_default_usm_type", "set_print_options",
    "synchronize", "tril_indices", "triu_indices", "using_queue", "using_usm_type", "zeros",
    "dldevice_to_sycl_device", "get_composite_devices", "get_device_cached_queue", "get_num_devices", "get_platforms",
    "has_accelerator_devices", "has_cpu_devices", "has_gpu_devices", "lsplatform", "select_accelerator_device",
    "select_cpu_device", "select_default_device", "select_device_with_aspects", "select_gpu_device",
    "sycl_device_to_dldevice",
}  # fmt: skip


def beside(a, numbers):
    """An array on the same queue."""
    return usmx.asarray(numbers, sycl_queue=usmx.asarray(a).sycl_queue)


def of_dpnp(numbers):
    return dpnp.asarray(numbers)


def of_dpctl(numbers):
    memory = dpctl.memory.MemoryUSMShared(numbers.nbytes)
    memory.copy_from_host(numbers.reshape(-1).view("u1"))
    return Producer(
        {
            "shape": numbers.shape,
            "typestr": "<f8",
            "data": (memory._pointer, False),
            "syclobj": memory._queue,
            "version": 1,
        },
        memory,
    )


def seen(result):
    if isinstance(result, usmx.USMArray):
        return usmx.asnumpy(result)
    return result


@pytest.mark.parametrize("make", [of_dpnp, of_dpctl])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_function_does_with_a_producer_what_it_does_with_an_array(call, make):
    own, other = usmx.asarray(NUMBERS, usm_type="shared"), make(NUMBERS)
    np.testing.assert_equal(seen(call(other)), seen(call(own)))
    np.testing.assert_equal(usmx.asnumpy(other), usmx.asnumpy(own))  # what was written


def test_all_public_functions_are_among_these():
    functions = {
        name
        for name in usmx.__all__
        if callable(getattr(usmx, name)) and not inspect.isclass(getattr(usmx, name))
    }
    made_of_rows = {*elementwise.__all__, *reductions.__all__} - CALLS.keys()  # by the same call
    found = {name for name in functions if name[0] != "_"} - made_of_rows
    assert found == CALLS.keys() | WITHOUT_ARRAYS


@pytest.mark.parametrize(
    "name",
    sorted(
        CALLS.keys()
        - {"array_equal", "asarray", "can_cast", "may_share_memory", "result_type", "shares_memory"}
    ),
)
def test_what_is_no_producer_is_a_type_error(name):
    with pytest.raises(
        (TypeError, ValueError), match="__sycl_usm_array_interface__|found|copy_async"
    ):
        CALLS[name](object())
