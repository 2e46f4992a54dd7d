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
        forget_output()
        return 1
    except OSError as error:  # a full disk, a folder that is gone: the system's words say it
        print(f"usmx: {error}", file=sys.stderr)
        forget_output()
        return 1


def forget_output() -> None:
    """Let what is not written yet go, since Python flushes it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(run())
