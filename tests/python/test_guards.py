"""Functions of an extension that a call guard runs without the interpreter lock, and Python objects that own memory.

A fault here ends the process, so cases have processes of their own: many cases one after the other, where none is
expected to end it. tests/python/extensions/guarded.hpp has the functions.
"""

import textwrap

import pytest
from helpers import SUB_INTERPRETERS, beginning_in, output_of, run_python

pytestmark = pytest.mark.slow  # an extension is compiled


@pytest.fixture(params=["nanobind", "pybind11"])
def library(request):
    return request.param


@pytest.fixture
def said_by(library, folder_of):
    """What a program prints that has the extension as m."""
    begin = f"{beginning_in(folder_of(library))}import {library}_guarded as m\nimport usmx\n"

    def run(code, run=output_of):
        return run(begin + textwrap.dedent(code))

    return run


@pytest.fixture
def each_said_by(said_by):
    """What the programs print, by their names: one process runs one after the other, each with names of its own.

    A process that ends early is told of with the program that it was at.
    """

    def run(programs, first=""):
        code = f"""{first}
import traceback
for name, program in {programs!r}.items():
    print("===", name, flush=True)
    try:
        exec(program, {{"m": m, "usmx": usmx, "__name__": name}})
    except Exception:
        traceback.print_exc(limit=1, file=sys.stdout)
"""
        done = said_by(code, run_python)
        said = dict(part.split("\n", 1) for part in done.stdout.split("=== ")[1:])
        assert done.returncode == 0, f"ended in {list(said)[-1]}: {done.stderr}"
        assert done.stderr == ""
        return {name: text.strip() for name, text in said.items()}

    return run


def test_process_that_ends_is_told_of_with_the_program_it_was_at(each_said_by):
    programs = {"good": "print(3)", "bad": "import os; os._exit(7)", "never": "print(4)"}
    with pytest.raises(AssertionError, match="ended in bad"):
        each_said_by(programs)


# ---- arguments

# How an array comes to a function: x is the argument, and it may have to be let go on while the function waits.
ARRAYS = {
    "idle": "x = usmx.asarray([1.0, 2.0, 3.0], usm_type='shared')",
    "pending": """
        import threading, time
        import {library}_chained as chained
        x = usmx.asarray([1.0, 2.0, 3.0], usm_type='shared')
        gate = chained.Gate(x)
        x.record_write(gate.event())
        def open_soon():
            time.sleep(0.1)  # so that whoever waits has begun to, mostly
            gate.open()
        threading.Thread(target=open_soon).start()
        """,
    "known to dpctl": """
        import dpctl.memory
        x = usmx.asarray([1.0, 2.0, 3.0], usm_type='shared')
        others = dpctl.memory.as_usm_memory(x)
        """,
    "dpnp's": """
        import dpnp
        x = dpnp.asarray([1.0, 2.0, 3.0], usm_type='shared')
        """,
}
# How functions are called with it, and the expression of what they give back.
CALLS = {
    **dict.fromkeys(
        [
            "array",
            "array_by_reference",
            "array_by_pointer",
            "view",
            "view_by_value",
            "in",
            "host",
            "read",
            "write",
            "convert",
            "checked_view",
            "checked_in",
            "checked_read",
            "optional_view",
        ],
        "given(x)",
    ),
    "views": "given([x])",
    "array_by_value": "given(x).size",
    "optional_array": "given(x).size",
    "number_or_array": "given(x).size",
    "checked_array": "given(x).size",
    "through_the_table": "given(x).size",
    "arrays": "given([x])[0].size",
    "checked_arrays": "given([x])[0].size",
    "array_and_number": "given((x, 7))[0].size",
    "arrays_by_name": "given({'x': x})['x'].size",
    "submitted": "int(usmx.asnumpy(given(x))[2])",
}


@pytest.mark.parametrize("state", ARRAYS)
def test_functions_without_the_lock_take_an_array(each_said_by, library, state):
    arrays = textwrap.dedent(ARRAYS[state]).format(library=library)
    programs = {
        function: f"{arrays}\ngiven = getattr(m, {function!r})\nprint({call})\n"
        for function, call in CALLS.items()
    }
    assert each_said_by(programs) == dict.fromkeys(CALLS, "3")


OBJECTS = {
    "queue": "usmx.SyclQueue()",
    "checked_queue": "usmx.SyclQueue()",
    "context": "usmx.SyclQueue().sycl_context",
    "device": "usmx.SyclDevice()",
    "event": "usmx.SyclEvent()",
    "events": "[usmx.SyclEvent()]",
}


@pytest.mark.parametrize("first", ["", "import dpctl"])
def test_functions_without_the_lock_take_sycls_objects(each_said_by, first):
    programs = {
        function: f"x = {made}\nprint(m.{function}(x) == x)" for function, made in OBJECTS.items()
    }
    assert each_said_by(programs, first) == dict.fromkeys(OBJECTS, "True")


def test_exception_leaves_a_function_without_the_lock(said_by):
    code = """
        for wrong, error in (("text", TypeError), (usmx.zeros(3), ValueError)):
            try:
                m.fail(wrong)
            except error as e:
                print(type(e).__name__)
    """
    assert said_by(code).split() == ["TypeError", "ValueError"]


def test_error_of_a_wait_without_the_lock_arrives(said_by, library):
    """A signal ends the wait of the main thread: its handler's exception is what the call raises."""
    code = """
        import signal
        import LIBRARY_chained as chained
        class Stopped(Exception):
            pass
        def stop(*_):
            raise Stopped
        signal.signal(signal.SIGALRM, stop)
        x = usmx.asarray([1.0, 2.0, 3.0], usm_type="shared")
        gate = chained.Gate(x)
        x.record_write(gate.event())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            m.array(x)
        except Stopped:
            print("stopped")
        gate.open()
    """
    assert said_by(code.replace("LIBRARY", library)) == "stopped"


def test_lock_is_known_after_a_sub_interpreter(said_by):
    """From then on PyGILState_Check() says of every thread that it has the lock."""
    code = """
        other = interpreters.create()
        print(m.through_the_table(usmx.ones(3)).size)
        interpreters.destroy(other)
    """
    assert said_by(SUB_INTERPRETERS + textwrap.dedent(code)) == "3"


# ---- Python objects that own memory

OWNER = """
import threading
class Owner:
    gone = []
    def __del__(self):
        self.gone.append("gone")
"""
LET_GO = ("let_go", "let_go_without_lock", "let_go_on_a_thread")


@pytest.mark.parametrize("let_go", LET_GO)
@pytest.mark.parametrize("make", ["owned_by", "freed_beside"])
def test_owner_lives_as_long_as_its_array(said_by, make, let_go):
    code = f"""
        m.hold(m.{make}(Owner()))
        usmx.synchronize()
        print(Owner.gone)
        m.{let_go}()
        usmx.synchronize()
        print(Owner.gone)
    """
    assert said_by(OWNER + textwrap.dedent(code)).splitlines() == ["[]", "['gone']"]


@pytest.mark.parametrize("let_go", LET_GO)
def test_owner_is_let_go_with_the_lock_or_without(said_by, let_go):
    code = f"""
        m.hold_object(Owner())
        print(Owner.gone)
        m.{let_go}()
        print(Owner.gone)
    """
    assert said_by(OWNER + textwrap.dedent(code)).splitlines() == ["[]", "['gone']"]


def test_owner_of_refused_memory_is_let_go(said_by):
    code = """
        try:
            m.refused_with(Owner())
        except ValueError:
            print(Owner.gone)
    """
    assert said_by(OWNER + textwrap.dedent(code)) == "['gone']"


@pytest.mark.parametrize("make", ["owned_by", "freed_beside"])
def test_owner_stays_when_the_interpreter_is_gone(said_by, make):
    code = f"""
        class Owner:
            pass
        m.hold(m.{make}(Owner()))
        m.hold_object(Owner())
        print("ended")
    """
    assert said_by(code) == "ended"


def test_owners_are_let_go_by_many_threads(said_by):
    code = """
        def work():
            for _ in range(50):
                arrays = [m.freed_beside(Owner()) for _ in range(3)]
                m.arrays(arrays)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads: each.start()
        for each in threads: each.join()
        usmx.synchronize()
        print(len(Owner.gone))
    """
    assert said_by(OWNER + textwrap.dedent(code)) == "600"
