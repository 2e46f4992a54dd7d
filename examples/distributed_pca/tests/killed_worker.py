"""A worker of Dask's is killed in the middle; prints the largest difference from one process."""

import contextlib
import os
import signal

from distributed import Client, LocalCluster
from usmx_distributed_pca.__main__ import difference
from usmx_distributed_pca.analysis import analyse, split
from usmx_distributed_pca.on_dask import OnDask
from usmx_distributed_pca.one_process import OneProcess

ROWS = 5000


def main():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        pids = sorted(client.run(os.getpid).values())
        victims = pids[:1]

        def kill(step):
            if step == "scatter":
                with contextlib.suppress(IndexError):
                    os.kill(victims.pop(), signal.SIGKILL)

        found = analyse(OnDask(client, kill), split(ROWS, 8))
        print(difference(*found, *analyse(OneProcess(), split(ROWS, 1))))
        assert sorted(client.run(os.getpid).values()) != pids


if __name__ == "__main__":
    main()
