"""Functions of several arrays, when these are on different queues: one rule for all.

What computes of several arrays raises an ExecutionPlacementError. What copies goes from queue to queue.
"""

import inspect
import itertools

import numpy as np
import pytest
import usmx

# How a function of several arrays is called: with `a` on one queue, and `b` on another.
CALLS = {
    "append": lambda a, b: usmx.append(a, b),
    "block": lambda a, b: usmx.block([[a, b]]),
    "choose": lambda a, b: usmx.choose(a, [b, b, b, b]),
    "clip": lambda a, b: usmx.clip(a, b, None),
    "column_stack": lambda a, b: usmx.column_stack([a, b]),
    "compress": lambda a, b: usmx.compress(a > 1, b),
    "concat": lambda a, b: usmx.concat([a, b]),
    "concatenate": lambda a, b: usmx.concatenate([a, b]),
    "delete": lambda a, b: usmx.delete(a, b),
    "diff": lambda a, b: usmx.diff(a, prepend=b),
    "dstack": lambda a, b: usmx.dstack([a, b]),
    "extract": lambda a, b: usmx.extract(a > 1, b),
    "hstack": lambda a, b: usmx.hstack([a, b]),
    "insert": lambda a, b: usmx.insert(a, 1, b),
    "isin": lambda a, b: usmx.isin(a, b),
    "ix_": lambda a, b: usmx.ix_(a, b),
    "linspace": lambda a, b: usmx.linspace(a, b, 3),
    "matmul": lambda a, b: usmx.matmul(a, b),
    "meshgrid": lambda a, b: usmx.meshgrid(a, b),
    "place": lambda a, b: usmx.place(a, b > 1, [1]),
    "put": lambda a, b: usmx.put(a, b, 1),
    "put_along_axis": lambda a, b: usmx.put_along_axis(a, b, 1, axis=0),
    "ravel_multi_index": lambda a, b: usmx.ravel_multi_index((a, b), (9, 9)),
    "repeat": lambda a, b: usmx.repeat(a, b),
    "searchsorted": lambda a, b: usmx.searchsorted(a, b),
    "select": lambda a, b: usmx.select([a > 1], [b]),
    "stack": lambda a, b: usmx.stack([a, b]),
    "take": lambda a, b: usmx.take(a, b),
    "take_along_axis": lambda a, b: usmx.take_along_axis(a, b, axis=0),
    "tensordot": lambda a, b: usmx.tensordot(a, b, axes=1),
    "einsum": lambda a, b: usmx.einsum("...i,...i->...i", a, b),
    "kron": lambda a, b: usmx.kron(a, b),
    "vecdot": lambda a, b: usmx.vecdot(a, b),
    "vstack": lambda a, b: usmx.vstack([a, b]),
    "where": lambda a, b: usmx.where(a > 1, b, b),
    "a[indices]": lambda a, b: a[b],
    "a[mask]": lambda a, b: a[b > 1],
    "a[indices] = 1": lambda a, b: a.__setitem__(b, 1),
    "a @ b": lambda a, b: a @ b,
    "a += b": lambda a, b: a.__iadd__(b),
    "kernel": lambda a, b: usmx.ElementwiseKernel("T x, T y", "T z", "z = x + y")(a, b),
    "reduction": lambda a, b: usmx.ReductionKernel(
        "T x, T y", "T z", "x * y", "a + b", "z = a", "0"
    )(a, b),
}


# Those that take arrays of several queues, and why.
OTHERS = {
    "array_equal": "compares on the host",
    "broadcast_arrays": "makes views",
    "copyto": "copies",
    "copy_async": "copies",
    "asnumpy": "copies to the host",
    "to_numpy": "copies to the host",
    "fill_diagonal": "is an assignment, which copies",
    "full": "takes a number",
    "full_like": "takes a number",
    "fill_async": "takes a number",
    "pad": "takes numbers",
    "roll": "takes a number",
    "arange": "takes numbers",
    "rollaxis": "takes numbers",
    "print_options": "takes options",
    "atleast_1d": "makes views",
    "atleast_2d": "makes views",
    "atleast_3d": "makes views",
    "may_share_memory": "compares addresses",
    "shares_memory": "compares addresses",
    "result_type": "reads types",
    "pending_events": "knows no queues",
    "savez": "writes to a file",
    "benchmark": "hands them to a function",
}
# Parameters that take an array, or several.
TAKE_ARRAYS = set(
    "X a a1 a2 append arg args arr array arrays arrays_and_dtypes ary arys b choices choicelist condition "  # noqa: SIM905
    "condlist default dst fill_value filt ind indices m mask max min multi_index obj out prepend prototype "
    "repeats shift sorter src start stop tup usm_ary v val vals value values where x x1 x2 y".split()
)
TAKE_SEVERAL = {"args", "arrays", "arrays_and_dtypes", "arys", "choicelist", "multi_index", "tup"}


def parameters(name):
    function = getattr(usmx, name)
    if isinstance(function, type) or not callable(function):
        return []
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # a builtin without one
        return []


def with_out():
    """Functions of the table that have one input and an output."""
    for name in usmx.__all__:
        if parameters(name)[:1] == ["x"] and "out" in parameters(name) and name not in CALLS:
            yield name


def of_two():
    for name in usmx.__all__:
        if parameters(name)[:2] == ["x1", "x2"] and name not in CALLS:
            yield name


def queues():
    """Two of one context, two of different ones, and two of different devices where there are such."""
    device, *others = usmx.get_devices()
    one = usmx.SyclQueue(device)
    yield one, usmx.SyclQueue(device)
    yield one, usmx.SyclQueue(usmx.SyclContext(device), device)
    for other in others:
        yield one, usmx.SyclQueue(other)


def refuse(call, types=("i8", "i8")):
    for one, other in itertools.chain(queues(), (pair[::-1] for pair in queues())):
        a = usmx.asarray(np.arange(4), dtype=types[0], sycl_queue=one)
        b = usmx.asarray(np.arange(4), dtype=types[1], sycl_queue=other)
        with pytest.raises(usmx.ExecutionPlacementError):
            call(a, b)
        np.testing.assert_array_equal(usmx.asnumpy(a), np.arange(4).astype(types[0]))


@pytest.mark.parametrize("name", CALLS)
def test_arrays_of_two_queues_are_refused(name):
    refuse(CALLS[name])


@pytest.mark.parametrize("name", list(of_two()))
def test_functions_of_two_arrays_refuse_two_queues(name):
    refuse(getattr(usmx, name))


@pytest.mark.parametrize("name", list(with_out()))
def test_outputs_on_another_queue_are_refused(name):
    given = "?" if name == "bitwise_invert" else "f8"
    result = getattr(usmx, name)(usmx.ones(4, dtype=given)).dtype
    refuse(lambda a, b: getattr(usmx, name)(a, out=b), (given, result))


def test_every_function_of_several_arrays_is_tried_or_listed():
    tried = {*CALLS, *OTHERS, *of_two(), *with_out()}
    of_several = {
        name
        for name in usmx.__all__
        if not name.startswith("_")
        and (
            len(TAKE_ARRAYS.intersection(parameters(name))) > 1
            or TAKE_SEVERAL.intersection(parameters(name))
        )
    }
    assert of_several - tried == set()
    assert len(of_several) > 100
