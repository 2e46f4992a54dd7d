"""Sizes that no memory has, in every parameter of every public function: an error or NumPy's answer, and no crash."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("hostile_sizes.py")


@pytest.mark.slow
def test_no_size_crashes_hangs_or_gives_another_answer_than_numpys(tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    calls, *faults = done.stdout.splitlines()
    assert int(calls.split()[0]) > 3000
    assert [fault for fault in faults if fault] == []
