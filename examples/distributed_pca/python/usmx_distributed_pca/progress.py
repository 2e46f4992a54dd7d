"""A progress bar on standard error."""

import sys
import threading


class ProgressBar:
    """Counts steps on blocks, on any thread. Only a terminal gets a bar that moves."""

    def __init__(self, total, width=40):
        self.total = total
        self.width = width
        self.done = 0
        self.lock = threading.Lock()

    def __call__(self, step):
        with self.lock:
            self.done += 1
            if sys.stderr.isatty() or self.done == self.total:
                filled = "#" * (self.width * self.done // self.total)
                end = "\n" if self.done == self.total else ""
                print(
                    f"\r[{filled:{self.width}}] {self.done}/{self.total} {step:12}",
                    end=end,
                    file=sys.stderr,
                    flush=True,
                )
