"""``python -m usmx``."""

import sys

from usmx.cli.main import main

sys.exit(main())
