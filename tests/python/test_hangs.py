"""No public function hangs, fails, or waits with the interpreter lock while dpnp's work runs."""

import pathlib
import subprocess
import sys

import pytest

MODES = ("plain", "pending", "pool", "private")
HANGS = pathlib.Path(__file__).with_name("hangs.py")
pytest.importorskip("dpnp")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        *((mode, "--share", "0.1") for mode in MODES),
        *(pytest.param((mode,), marks=pytest.mark.nightly) for mode in MODES),
    ],
    ids=" ".join,
)
def test_no_public_function_hangs_while_dpnps_work_runs_on_its_arrays(options):
    done = run(sys.executable, "-P", HANGS, *options)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
    assert " calls, 0 problems" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("hang", ["time.sleep(60)", "ctypes.PyDLL(None).sleep(60)"])
def test_a_call_that_hangs_with_or_without_the_interpreter_lock_is_named(hang):
    code = f"""
import ctypes, sys, time
sys.path.insert(0, {str(HANGS.parent)!r})
import hangs
hangs.PATIENCE = 3
hangs.FUNCTIONS["synchronize"] = [lambda x: {hang}]
sys.argv = ["hangs", "plain", "--only", "usmx.synchronize"]
hangs.main()
"""
    done = run(sys.executable, "-P", "-c", code)
    assert done.returncode == 1
    assert done.stdout.strip().endswith("usmx.synchronize")


@pytest.mark.slow
def test_an_allocation_at_the_limit_waits_for_arrays_that_only_dpnps_unfinished_work_holds():
    import dpnp
    import usmx
    from usmx import memory

    big = dpnp.ones(1 << 21)  # about 0.1 s of work
    limited = memory.LimitingResource(memory.PlainResource("host"), 1 << 20)
    with memory.using_memory_resource(limited):
        for _ in range(20):
            array = usmx.empty(80_000, usm_type="host")
            there = usmx.to_dpnp(array)
            there[:1] += dpnp.logaddexp(big, big)[:1]
            del array, there  # dpnp's host task has the last reference
