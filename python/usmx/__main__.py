"""``python -m usmx``."""

import os
import sys

from usmx.cli.main import main


def run() -> int:
    """Run the command; whoever closes the pipe that it writes to has read enough."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush
        return 1


if __name__ == "__main__":
    sys.exit(run())
