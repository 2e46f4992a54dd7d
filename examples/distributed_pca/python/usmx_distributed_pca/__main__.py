"""The command: run on an engine, compare with one process, draw the timeline."""

import argparse
import os
import shutil
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from usmx_distributed_pca.analysis import COLUMNS, COMPONENTS, ROWS, analyse, split
from usmx_distributed_pca.one_process import OneProcess
from usmx_distributed_pca.progress import ProgressBar
from usmx_distributed_pca.timeline import draw, print_steps

LIMIT = 1e-10
BLOCKS_OF_WORKER = 4
STEPS_ON_BLOCKS = 4


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m usmx_distributed_pca",
        description="Principal components of the handwritten digits, repeated, on several "
        "processes. The result is compared with that of one process.",
        epilog="exit code: 0 good, 1 a number differs from that of one process by more than 1e-10",
    )
    parser.add_argument("--engine", choices=("dask", "mpi"), required=True)
    parser.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes to start here (default: with dask the cluster that DASK_SCHEDULER_ADDRESS "
        "names, with mpi the ranks that mpiexec has started)",
    )
    parser.add_argument(
        "--repeat",
        type=positive,
        default=100,
        metavar="N",
        help="how often the 1797 rows are repeated (default: %(default)s, 92 MB)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("timeline.png"),
        metavar="FILE.png",
        help="the picture of who did what when (default: %(default)s)",
    )
    return parser


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def main():
    options = make_parser().parse_args()
    if options.engine == "dask":
        return run_on_dask(options)
    if options.workers is not None:
        return start_ranks(options)
    return run_on_mpi(options)


def start_ranks(options):
    """Start this command again, on ranks, each with one thread for its linear algebra."""
    folder = str(Path(sys.executable).parent)
    mpiexec = shutil.which("mpiexec", path=os.pathsep.join([folder, os.environ.get("PATH", "")]))
    if mpiexec is None:
        sys.exit("there is no mpiexec: pip install mpich")
    command = [mpiexec, "-n", str(options.workers), sys.executable, "-m", "usmx_distributed_pca"]
    command += ["--engine=mpi", f"--repeat={options.repeat}", f"--output={options.output}"]
    return subprocess.call(command, env={"OMP_NUM_THREADS": "1", **os.environ})


def run_on_mpi(options):
    from mpi4py import MPI

    from usmx_distributed_pca.on_mpi import OnMPI

    ranks = MPI.COMM_WORLD.size
    blocks = blocks_for(options, ranks)
    bar = ProgressBar(STEPS_ON_BLOCKS * BLOCKS_OF_WORKER)  # of this rank: all have as many blocks
    engine = OnMPI(bar if MPI.COMM_WORLD.rank == 0 else lambda step: None)
    begin = time.perf_counter()
    model, scores = analyse(engine, blocks)
    seconds = time.perf_counter() - begin
    events = engine.events()
    return 0 if events is None else report(options, ranks, model, scores, events, seconds)


def run_on_dask(options):
    from distributed import Client, LocalCluster

    from usmx_distributed_pca.on_dask import OnDask

    cluster: Any = nullcontext()
    if options.workers is not None:
        cluster = LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=None
        )
    with cluster as where, Client(where) as client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        blocks = blocks_for(options, workers)
        engine = OnDask(client, ProgressBar(STEPS_ON_BLOCKS * len(blocks)))
        begin = time.perf_counter()
        model, scores = analyse(engine, blocks)
        seconds = time.perf_counter() - begin
        return report(options, workers, model, scores, engine.events(), seconds)


def blocks_for(options, workers):
    return split(ROWS * options.repeat, BLOCKS_OF_WORKER * workers)


def report(options, workers, model, scores, events, seconds):
    """Print times, bytes and differences; draw the timeline; the exit code."""
    rows = ROWS * options.repeat
    title = f"{rows:,} x {COLUMNS} on {workers} processes by {options.engine}"
    computing = seconds_without_load(events)
    print(f"{title}: {seconds:.3f} s, {computing:.3f} s of which with all rows there")
    print_steps(events)
    print(f"Bytes of a process: {8 * rows * COLUMNS // workers:,} of rows, which stay there,")
    print(f"  {8 * (1 + COLUMNS)} + {8 * COLUMNS**2:,} of sums to all, ", end="")
    print(f"{8 * rows * COMPONENTS // workers:,} of scores to one")
    draw(events, title, options.output)
    print(f"Timeline: {options.output}")
    error = difference(model, scores, *analyse(OneProcess(), split(rows, 1)))
    print(f"Largest relative difference from one process: {error:.2g} (limit {LIMIT:g})")
    return int(not error <= LIMIT)


def seconds_without_load(events):
    loaded = max(event.end for event in events if event.step == "load")
    return max(event.end for event in events) - loaded


def difference(model, scores, expected, expected_scores):
    """Return the largest difference, relative to the largest number of its array."""
    pairs = [
        (model.variance, expected.variance),
        (model.components, expected.components),
        (np.asarray(scores), np.asarray(expected_scores)),
    ]
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


if __name__ == "__main__":
    sys.exit(main())
