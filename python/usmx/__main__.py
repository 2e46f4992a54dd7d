"""``python -m usmx``."""

import os
import sys

from usmx.cli.main import main


def run() -> int:
    """Run the command; a closed pipe ends it quietly, since its reader has read enough."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
        return 1
    except OSError as error:  # a full disk, a folder that is gone: the system's message says what
        print(f"usmx: {error}", file=sys.stderr)
        forget_output()
        return 1


def forget_output() -> None:
    """Discard what is not written yet: Python would flush it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(run())
