"""Each step on a block is a task of Dask's, which runs where the block is.

If a worker dies, Dask runs its tasks again elsewhere, those included that read the rows.
"""

import time

import usmx
from dask.utils import key_split

from usmx_distributed_pca.analysis import add_up
from usmx_distributed_pca.timeline import Event

FAN_IN = 8
"""How many arrays one task adds up: sums form a tree."""


class OnDask:
    """The workers of a client. What is passed from step to step are futures."""

    def __init__(self, client, progress=lambda step: None):
        self.client = client
        self.progress = progress
        self.begin = time.time()
        client.get_task_stream(stop=0)  # from now on, the scheduler notes who does what

    def share(self, blocks):
        return blocks

    def map(self, step, parts, *common):
        futures = [self.client.submit(step, part, *common) for part in parts]
        for future in futures:
            future.add_done_callback(lambda _: self.progress(step.__name__))
        return futures

    def sum(self, parts):
        while len(parts) > 1:
            groups = [parts[k : k + FAN_IN] for k in range(0, len(parts), FAN_IN)]
            parts = [self.client.submit(add_up, group) for group in groups]
        return parts[0]

    def once(self, step, *arguments):
        return self.client.submit(step, *arguments)

    def gather(self, parts):
        return usmx.concat(self.client.gather(parts))

    def get(self, value):
        return value.result()

    def events(self):
        """Who did what when, as Dask's scheduler has noted it."""
        return [
            Event(task["worker"], name_of(task["key"], noted), noted["start"], noted["stop"])
            for task in self.client.get_task_stream(start=self.begin)
            for noted in task["startstops"]
        ]


def name_of(key, noted):
    """Tell what a worker did for a task: the step itself, or a transfer before it."""
    return key_split(key) if noted["action"] == "compute" else noted["action"]
