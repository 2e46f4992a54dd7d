"""For all tests, and those of the examples beside them."""

import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

import absent
import draws
import pytest
from cpu_seconds import CpuSeconds

# Where the environment forbids to write what imports compile, each of a thousand processes would compile all modules that
# it imports: the tests keep it beside what is built.
BYTECODE = Path(__file__).parents[1] / "build/bytecode" if sys.dont_write_bytecode else None
if BYTECODE:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(BYTECODE)
    sys.dont_write_bytecode = False


def pytest_configure(config):
    if absent.ABSENT:
        config.pluginmanager.register(absent)
    config.pluginmanager.register(CpuSeconds(config))
    config.pluginmanager.register(draws)


def pytest_unconfigure(config):
    # In the process that has begun the run alone: that of the modules which tests have written serves no other run.
    if BYTECODE:
        shutil.rmtree(f"{BYTECODE}{tempfile.gettempdir()}", ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """20,000 tests are made, and none is garbage: to look for some would take a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
