"""What objects and errors show of themselves: what they are, under public names."""

import re

import pytest
import usmx
from usmx import memory

SOURCE = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) one(int* x) { *x = 1; }
USMX_KERNEL(1) two(int* x, float y) { *x = y; }
"""


WRAPPERS = {
    "PoolResource": (),
    "StatisticsResource": (),
    "TrackingResource": (),
    "LimitingResource": (100,),
    "FailingResource": (),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_resources_show_their_kind(name):
    plain = memory.PlainResource("shared")
    assert repr(plain) == "<usmx.memory.PlainResource of kind 'shared'>"
    wrapper = getattr(memory, name)(plain, *WRAPPERS[name])
    assert re.match(rf"<usmx\.memory\.{name} of kind 'shared'", repr(wrapper))


def test_pools_show_what_is_used():
    pool = memory.PoolResource(memory.PlainResource("host"))
    with memory.using_memory_resource(pool):
        a = usmx.empty(1 << 18, "u1", usm_type="host")
    assert "kind 'host', 256 KiB used" in repr(pool)
    del a


def test_local_memory_shows_its_elements():
    assert repr(usmx.local_memory("f4", 10)) == "<usmx.local_memory of 10 float32>"


def test_modules_show_their_kernels():
    module = usmx.KernelModule(SOURCE, ["one", "two"])
    assert repr(module) == "<usmx.KernelModule of one(int*), two(int*, float)>"


def test_timers_show_their_queue_and_do_not_wait():
    assert repr(usmx.SyclTimer()) == "<usmx.SyclTimer, no queue>"
    queue = usmx.SyclQueue(property="enable_profiling")
    assert repr(queue) in repr(usmx.SyclTimer()(queue))


KERNELS = {
    "Kernel": lambda: usmx.Kernel(SOURCE, "one"),
    "ElementwiseKernel": lambda: usmx.ElementwiseKernel("T x", "T y", "y = x < 2", "small"),
    "ReductionKernel": lambda: usmx.ReductionKernel(
        "T x", "T y", "x", "a + b", "y = a", "0", "total"
    ),
}


@pytest.mark.parametrize("kind", KERNELS)
def test_notebooks_show_what_a_kernel_was_made_of(kind):
    kernel = KERNELS[kind]()
    shown = kernel._repr_html_()
    assert repr(kernel).replace("<", "&lt;").replace(">", "&gt;") in shown
    assert ("int* x" in shown) or ("T x" in shown)


def test_notebooks_show_queues_and_memory():
    device = usmx.SyclDevice()
    queue = usmx.SyclQueue(property="in_order")
    assert "in order" in queue._repr_html_()
    assert device.name in queue._repr_html_()
    owned = memory.MemoryUSMShared(1 << 20)
    assert "1 MiB of kind shared" in owned._repr_html_()
    assert ">usmx<" in owned._repr_html_()
    borrowed = memory.as_usm_memory(usmx.zeros(4))
    assert device.name in borrowed._repr_html_()


def test_errors_have_public_names():
    public = {name: getattr(usmx, name) for name in usmx.__all__}
    errors = {
        name: value
        for name, value in public.items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    assert len(errors) > 5
    assert {name: value.__module__ for name, value in errors.items()} == dict.fromkeys(
        errors, "usmx"
    )


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("RawKernel", "usmx.Kernel"),
        ("RawModule", "usmx.KernelModule"),
        ("Stream", "usmx.SyclQueue"),
        ("get_default_memory_pool", "usmx.memory.get_memory_pool"),
        ("program", "usmx.Kernel"),
        ("tensor", "usmx itself"),
    ],
)
def test_names_of_other_libraries_say_what_to_use(name, instead):
    with pytest.raises(AttributeError, match=re.escape(instead)):
        getattr(usmx, name)


@pytest.mark.parametrize("statement", ["import usmx.tensor", "from usmx import tensor"])
def test_import_of_usmx_tensor_says_what_to_import(statement):
    with pytest.raises(ModuleNotFoundError, match="usmx itself has the functions"):
        exec(statement, {})
