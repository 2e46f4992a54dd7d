"""``python -m usmx demo``: starts examples/demo, once all that it needs is there."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from usmx._installed import example
from usmx.cli import demo_setup
from usmx.cli.help import end_help_with, program_name


def run(arguments: Sequence[str]) -> int:
    """Return the exit code: 0 good, 1 a copy or a wrong number, 2 bad input or a missing part."""
    demo = load_example()
    parser = demo.make_parser(f"{program_name()} demo")
    parser.add_argument(
        "--install",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="install the packages that the demo needs and that are missing, with pip; without "
        "this option the demo names them and stops",
    )
    end_help_with(parser, "python -m usmx demo --output digits.png")
    options = parser.parse_args(arguments)
    try:
        task = demo.check(options)  # bad input is said before anything is installed
        demo_setup.ensure(install=options.install)
        return demo.demonstrate(task)
    except (demo.DemoError, demo_setup.SetupError, MemoryError) as error:
        print("usmx demo:", " ".join(str(error).splitlines()), file=sys.stderr)
        return 2


def load_example():
    """Import the package of examples/demo; no type checker can know where it lies."""
    sys.path.append(str(example("demo")))
    return importlib.import_module("usmx_demo")
