"""``python -m usmx``."""

import sys

from usmx._terminal import exit_code_of
from usmx.cli.main import main


def run() -> int:
    """Run the command."""
    return exit_code_of(main)


if __name__ == "__main__":
    sys.exit(run())
