"""A process for each GPU: torch.distributed adds up usmx's arrays in place, as torch's views.

python process_each.py            starts the processes itself
mpirun -n 2 python process_each.py --mpi    takes the rank from MPI
"""

import multiprocessing
import os
import sys
import time

import numpy as np


def work(rank, ranks):
    import torch
    import torch.distributed as distributed
    import usmx

    torch.cuda.set_device(rank)
    gpu = [device for device in usmx.get_devices() if device.backend == "cuda"][rank]
    usmx.set_default_queue(
        usmx.get_device_cached_queue(gpu)
    )  # new arrays of this process are there
    distributed.init_process_group("nccl", rank=rank, world_size=ranks)

    mine = usmx.arange(1 << 20, dtype="f4") * (rank + 1)
    distributed.all_reduce(torch.from_dlpack(mine))  # in place: the tensor is a view
    torch.cuda.synchronize()
    wanted = np.arange(1 << 20, dtype="f4") * sum(range(1, ranks + 1))
    assert np.array_equal(usmx.asnumpy(mine), wanted)

    large = usmx.ones(1 << 28, dtype="f4")
    tensor = torch.from_dlpack(large)
    for _ in range(2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        distributed.all_reduce(tensor)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
    factor = 2 * (ranks - 1) / ranks
    rate = factor * large.nbytes / seconds / 1e9
    print(f"rank {rank}: 1 GiB in {1e3 * seconds:.2f} ms, {rate:.0f} GB/s on the bus")
    assert float(usmx.max(large)) == ranks**2 == float(usmx.min(large))
    distributed.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29501")
    if "--mpi" in sys.argv:
        from mpi4py import MPI

        work(MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
    else:
        ranks = int(os.environ.get("GPUS", "2"))
        spawn = multiprocessing.get_context("spawn")
        processes = [spawn.Process(target=work, args=(rank, ranks)) for rank in range(ranks)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        sys.exit(any(process.exitcode for process in processes))
