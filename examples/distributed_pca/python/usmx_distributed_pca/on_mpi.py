"""Each rank works on its own blocks, which never leave it. Sums are all-reduced in place.

mpi4py takes USM shared memory by its buffer, so MPI sends from and receives into the arrays.
"""

import usmx
from mpi4py import MPI

from usmx_distributed_pca.analysis import split
from usmx_distributed_pca.one_process import OneProcess


class OnMPI(OneProcess):
    """The ranks of a communicator; all of them call `analyse`, and rank 0 gets the scores."""

    def __init__(self, progress=lambda step: None, comm=MPI.COMM_WORLD):
        super().__init__(progress)
        self.comm = comm
        self.name = f"rank {comm.rank}"

    def share(self, blocks):
        if len(blocks) < self.comm.size:
            raise ValueError(
                f"expected a block for each of {self.comm.size} ranks, found {len(blocks)}"
            )
        first, stop = split(len(blocks), self.comm.size)[self.comm.rank]
        return blocks[first:stop]

    def sum(self, parts):
        total = super().sum(parts)
        with self._noted("all-reduce"):
            self.comm.Allreduce(MPI.IN_PLACE, total)
        return total

    def once(self, step, *arguments):
        made = super().once(step, *arguments) if self.comm.rank == 0 else None
        with self._noted("broadcast"):
            return self.comm.bcast(made)

    def gather(self, parts):
        mine = super().gather(parts)
        with self._noted("gather"):
            rows = self.comm.gather(len(mine))
            if rows is None:
                self.comm.Gatherv(mine, None)
                return None
            scores = usmx.empty((sum(rows), mine.shape[1]), mine.dtype, usm_type="shared")
            self.comm.Gatherv(mine, [scores, [count * mine.shape[1] for count in rows]])
            return scores

    def events(self):
        """Who did what when; on rank 0 only."""
        noted = self.comm.gather(self.own_events)
        return None if noted is None else [event for events in noted for event in events]
