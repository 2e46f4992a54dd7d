"""docs/peers.md says what usmx.testing finds."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.nightly
def test_tables_of_the_peers_are_what_is_measured():
    command = [sys.executable, ROOT / "tools/measure_peers.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, "run tools/measure_peers.py:\n" + done.stderr
