"""All blocks in this process, one after the other."""

import time
from contextlib import contextmanager

import usmx

from usmx_distributed_pca.analysis import add_up
from usmx_distributed_pca.timeline import Event


class OneProcess:
    """The engine that the others are compared with.

    `progress` is called with the name of the step after each step on a block.
    """

    name = "process"

    def __init__(self, progress=lambda step: None):
        self.progress = progress
        self.own_events = []

    def share(self, blocks):
        """Choose the blocks that this process works on."""
        return blocks

    def map(self, step, parts, *common):
        """Take one step on each part."""
        return [self._on_part(step, part, *common) for part in parts]

    def sum(self, parts):
        """Add arrays of all blocks up."""
        return add_up(parts)

    def once(self, step, *arguments):
        """Take a step that is about all blocks."""
        with self._noted(step.__name__):
            return step(*arguments)

    def gather(self, parts):
        """Join rows of all blocks in one array."""
        return usmx.concat(parts)

    def get(self, value):
        """Give what `once` has returned."""
        return value

    def events(self):
        """Who did what when."""
        return self.own_events

    def _on_part(self, step, part, *common):
        with self._noted(step.__name__):
            made = step(part, *common)
        self.progress(step.__name__)
        return made

    @contextmanager
    def _noted(self, step):
        begin = time.time()
        yield
        self.own_events.append(Event(self.name, step, begin, time.time()))
