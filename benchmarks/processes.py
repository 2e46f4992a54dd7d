"""Measure arrays between processes beside NumPy, in turns: MPI, Dask, what Dask spills.

mpiexec -n 2 python benchmarks/processes.py mpi [--rounds N]
python benchmarks/processes.py dask [--rounds N]
python benchmarks/processes.py spilling [--rounds N]

"mpi" and "dask" print the shortest time in which 64 MiB come to the other process. The arrays are
made once in a run, and where they lie changes the times: take several runs. "spilling" prints how
many of 40 blocks of 16 MiB a worker with a limit of 800 MiB has in memory: the mean over the time
in which the blocks are made and read twice, from the first that is on disk.
"""

import argparse
import contextlib
import os
import statistics
import threading
import time

import numpy as np
import usmx
from bench.report import time_text

KINDS = ("numpy", "shared", "host", "device")
SENT, BLOCK, BLOCKS = 64 << 20, 16 << 20, 40


def make(kind, number, nbytes):
    if kind == "numpy":
        return np.full(nbytes, number, "u1")
    return usmx.full(nbytes, number, dtype="u1", usm_type=kind)


def print_times(shortest):
    for kind, seconds in shortest.items():
        ratio = seconds / shortest["numpy"]
        print(f"{kind:8}{time_text(seconds):>12}  {ratio:.2f} of NumPy's", flush=True)


# ---- by MPI


def measure_mpi(rounds):
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    arrays = {kind: make(kind, 1, SENT) for kind in KINDS}
    times = {kind: [] for kind in KINDS}
    for kind in KINDS * rounds:
        world.Barrier()
        start = time.perf_counter()
        if world.rank == 0:
            world.Send(arrays[kind], 1)
            world.Recv(arrays[kind], 1)
        else:
            world.Recv(arrays[kind], 0)
            world.Send(arrays[kind], 0)
        times[kind].append((time.perf_counter() - start) / 2)
    if world.rank == 0:
        print(MPI.Get_library_version().partition("\n")[0])
        print_times({kind: min(times[kind]) for kind in KINDS})


# ---- by Dask


async def seconds_to_fetch(key, worker, dask_worker):
    """What Dask's worker does to get data of another one."""
    from distributed.worker import get_data_from_worker

    start = time.perf_counter()
    await get_data_from_worker(dask_worker.rpc, [key], worker, who=dask_worker.address)
    return time.perf_counter() - start


def measure_dask(rounds):
    with cluster(2) as client:
        one, other = client.scheduler_info(n_workers=-1)["workers"]
        made = {kind: client.submit(make, kind, 1, SENT, workers=[one]) for kind in KINDS}
        times = {kind: [] for kind in KINDS}
        for kind in KINDS * rounds:
            made[kind].result()
            fetched = client.run(seconds_to_fetch, made[kind].key, one, workers=[other])
            times[kind].append(fetched[other])
        print_times({kind: min(times[kind]) for kind in KINDS})


@contextlib.contextmanager
def cluster(workers, **options):
    """Workers in processes of their own; their client."""
    from dask.distributed import Client, LocalCluster

    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None, **options}
    with LocalCluster(**options) as made, Client(made) as client:
        yield client


# ---- what Dask spills


def first(block):
    return int(usmx.asnumpy(block[:1])[0]) if isinstance(block, usmx.USMArray) else int(block[0])


def begin_to_count(dask_worker):
    """Note the blocks in memory every 10 ms, as soon as there are some on disk."""
    usmx.zeros(1)  # the runtime is part of an idle worker
    dask_worker.counts, dask_worker.is_counted = [], threading.Event()
    data = dask_worker.data

    def count():
        while not dask_worker.is_counted.wait(0.01):
            if data.slow:
                dask_worker.counts.append(len(data.fast))

    threading.Thread(target=count, daemon=True).start()


def end_of_count(dask_worker):
    dask_worker.is_counted.set()
    return statistics.mean(dask_worker.counts)


def blocks_in_memory(kind):
    with cluster(1, memory_limit="800MiB") as client:
        client.run(begin_to_count)
        made = []
        for number in range(BLOCKS):
            made.append(client.submit(make, kind, number, BLOCK))
            made[-1].result()
        for _ in range(2):
            for number, block in enumerate(made):
                assert client.submit(first, block, pure=False).result() == number
        (mean,) = client.run(end_of_count).values()
        return mean


def measure_spilling(rounds):
    os.environ["USMX_POOL_KEEP"] = "0"  # the workers inherit it
    means = {kind: [] for kind in KINDS}
    for kind in KINDS * rounds:
        means[kind].append(blocks_in_memory(kind))
    for kind, of_rounds in means.items():
        print(f"{kind:8}{statistics.mean(of_rounds):6.1f} of {BLOCKS} blocks", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["mpi", "dask", "spilling"])
    parser.add_argument("--rounds", type=int)
    given = parser.parse_args()
    measure, rounds = {
        "mpi": (measure_mpi, 80),
        "dask": (measure_dask, 30),
        "spilling": (measure_spilling, 3),
    }[given.what]
    measure(given.rounds or rounds)


if __name__ == "__main__":
    main()
