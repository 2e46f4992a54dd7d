"""``python -m usmx``."""

import sys

from usmx.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
