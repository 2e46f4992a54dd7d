"""The soaks, for a while: as long as it takes to hang, where several threads wait in the driver at once."""

import pathlib
import subprocess
import sys

import pytest
from helpers import examples

SOAK = pathlib.Path(__file__).with_name("soak.py")
MEMORY_SOAK = pathlib.Path(__file__).with_name("soak_memory.py")


@pytest.mark.slow
def test_mixed_operations_of_many_threads_end_with_right_numbers():
    command = [sys.executable, "-P", SOAK, "--operations", str(examples(100_000))]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all numbers right" in run.stdout


@pytest.mark.slow
def test_memory_stays_flat_while_many_threads_allocate_exchange_and_free():
    command = [sys.executable, "-P", MEMORY_SOAK, "--operations", "100000"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "memory is flat" in run.stdout
