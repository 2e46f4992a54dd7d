"""Chains of owners, each kept alive by the next: however long, they are let go, each owner once.

Each in a process of its own: one that overflows the stack ends.
"""

import pytest
from helpers import DENSITY, output_of

# A stack that has some 80 bytes for each stage: a stage that calls the next one takes more. At night the usual stack.
STAGES = 100_000 if DENSITY == 1 else 20_000
SMALL_STACK = f"""
import resource
resource.setrlimit(resource.RLIMIT_STACK, ({80 * STAGES}, resource.getrlimit(resource.RLIMIT_STACK)[1]))
"""

BEGINNING = """
import _thread, sys, threading, time
import dpctl.memory, numpy as np, usmx
from usmx.memory import MemoryUSMShared, as_usm_memory, from_pointer

first = MemoryUSMShared(64)
queue = first.sycl_queue
pointer = first._pointer
gone = 0

class Producer:
    def __init__(self, of):
        self.of = of
    @property
    def __sycl_usm_array_interface__(self):
        return self.of.__sycl_usm_array_interface__
    def __del__(self):
        global gone
        gone += 1

class WithoutData(np.ndarray):  # its buffer takes the place of the pointer
    pass

def without_data(of):
    made = np.asarray(of).view(WithoutData)
    made.__sycl_usm_array_interface__ = of.__sycl_usm_array_interface__ | {"data": None}
    return made

class Memory(MemoryUSMShared):
    def __del__(self):
        global gone
        gone += 1

class Array(usmx.USMArray):
    def __del__(self):
        global gone
        gone += 1

def deleter(keep):
    def delete(_):
        global gone
        gone += 1
    delete.keep = keep
    return delete

queues = usmx.SyclQueue(queue.sycl_context, queue.sycl_device), queue
"""

# One stage after another, from `m`, a memory object or array; and whether each stage is counted
ROUTES = {
    "dpnp": ("m = usmx.asarray(dpnp.tensor.asarray(usmx.asarray(m)))", False),
    "dpctl": ("m = as_usm_memory(dpctl.memory.as_usm_memory(m))", False),
    "as_usm_memory": ("m = as_usm_memory(m)", False),
    "class": ("m = MemoryUSMShared(m)", False),
    "array of memory": ("m = as_usm_memory(usmx.USMArray(64, 'u1', m))", False),
    "array on memory": ("m = usmx.USMArray(64, 'u1', MemoryUSMShared(m))", False),
    "view of memory": ("m = as_usm_memory(usmx.asarray(m)[::2])", False),
    "to_device": ("m = usmx.asarray(m).to_device(queues[k % 2])", False),
    "owner": ("m = from_pointer(pointer, 64, queue, owner=m)", False),
    "slices of an owner's": (
        "m = usmx.asarray(from_pointer(pointer, 64, queue, owner=m))[1:]",
        False,
    ),
    "deleter": ("m = from_pointer(pointer, 64, queue, deleter=deleter(m))", True),
    "owner and deleter": (
        "m = from_pointer(pointer, 64, queue, owner=m, deleter=deleter(None))",
        True,
    ),
    "producer": ("m = usmx.asarray(Producer(m))", True),
    "memory of a producer": ("m = as_usm_memory(Producer(m))", True),
    "constructor": ("m = usmx.USMArray(64, 'u1', Producer(m))", True),
    "buffer": ("m = usmx.asarray(without_data(m))", False),
    "subclass of memory": ("m = Memory(m)", True),
    "subclass of array": ("m = as_usm_memory(Array(64, 'u1', MemoryUSMShared(m)))", True),
    "all": (
        "m = Memory(usmx.asarray(dpnp.tensor.asarray(usmx.asarray(Producer(m)))))"
        " if k % 2 else from_pointer(pointer, 64, queue, owner=as_usm_memory(m))",
        True,
    ),
}

LETTING_GO = {
    "here": "del m",
    "thread": """
held = [m]
del m
threading.stack_size(1 << 18)
thread = threading.Thread(target=held.clear); thread.start(); thread.join()
""",
    "unknown thread": """
held = [m]
del m
def clear():
    held.clear()
    done.release()
done = _thread.allocate_lock(); done.acquire()
_thread.start_new_thread(clear, ()); done.acquire()
""",
}


def run_chain(stage, stages, let_go, limited=""):
    imported = "import dpnp" if "dpnp" in stage else ""  # half a second
    return output_of(
        f"""{imported}{BEGINNING}{limited}
m = first
for k in range({stages}):
    {stage}
{let_go}
usmx.synchronize()
# What is let go at once is let go before `del` returns, deep chains too; nothing is held any more
print(gone, sys.getrefcount(first))
""",
        timeout=300,
    )


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(("stage", "counted"), ROUTES.values(), ids=ROUTES)
def test_long_chain_of_owners_is_let_go(stage, counted):
    assert run_chain(stage, STAGES, "del m", SMALL_STACK) == f"{STAGES if counted else 0} 2"


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("let_go", LETTING_GO.values(), ids=LETTING_GO)
@pytest.mark.parametrize("route", ["dpnp", "deleter", "subclass of memory", "to_device"])
def test_long_chain_of_owners_is_let_go_on_any_thread(route, let_go):
    stage, counted = ROUTES[route]
    stages = 20_000
    assert run_chain(stage, stages, let_go) == f"{stages if counted else 0} 2"


def test_chain_is_let_go_from_its_end_and_before_the_statement_ends():
    code = (
        BEGINNING
        + """
order = []
m = first
for k in range(100):
    m = from_pointer(pointer, 64, queue, owner=m, deleter=lambda _, k=k: order.append(k))
del m
print(order == list(range(100))[::-1], sys.getrefcount(first))
"""
    )
    assert output_of(code) == "True 2"


def test_chain_may_be_let_go_while_an_exception_is_on_its_way():
    code = (
        BEGINNING
        + """
def fail():
    m = first
    for k in range(100):
        m = from_pointer(pointer, 64, queue, deleter=deleter(m))
    raise KeyError("kept")
try:
    fail()
except KeyError as error:
    print(error)
print(gone, sys.getrefcount(first))
"""
    )
    assert output_of(code).splitlines() == ["'kept'", "100 2"]


def test_deleter_of_a_deep_stage_may_make_and_drop_chains():
    code = (
        BEGINNING
        + """
def chain(length, last=None):
    m = first
    for k in range(length):
        m = from_pointer(pointer, 64, queue, owner=m, deleter=last or deleter(None))
    return m
def busy(_):
    chain(40)
m = chain(40, busy)
del m
print(gone, sys.getrefcount(first))
"""
    )
    assert output_of(code) == "1600 2"
