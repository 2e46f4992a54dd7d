"""The command line of ``python -m usmx``: its commands and their options."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import usmx
from usmx import _doctor
from usmx._terminal import did_you_mean, one_of
from usmx.cli import cache, config, demo, devices, memory, new_extension
from usmx.cli.help import Formatter, end_help_with, program_name

COMMANDS = ("devices", "doctor", "memory", "cache", "config", "new-extension", "demo")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 good, 1 something is wrong, 2 bad input."""
    parser = make_parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] not in COMMANDS and not given[0].startswith("-"):
        parser.error(f"there is no command {given[0]!r}{did_you_mean(given[0], COMMANDS)}")
    options, rest = parser.parse_known_args(given)
    if options.command is None:
        if rest:
            refuse(rest, parser)
        parser.print_help()
        return 2
    if options.command is demo.run:
        return demo.run(rest)
    if rest:
        refuse(rest, options.parser)
    return options.command(options)


def refuse(rest: Sequence[str], parser: argparse.ArgumentParser) -> NoReturn:
    """End with the usage of the command that does not take these arguments."""
    known = [option for action in parser._actions for option in action.option_strings]
    meant = did_you_mean(rest[0].partition("=")[0], known)
    parser.error(f"unrecognized arguments: {' '.join(rest)}{meant}")


class Parser(argparse.ArgumentParser):
    """Takes whole names of options only: half of one must not delete anything."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)


def make_parser() -> argparse.ArgumentParser:
    """Everything that the command line takes, except for the options of the demo."""
    parser = Parser(
        prog=program_name(),
        description="Arrays in unified shared memory, which compute on CPUs and GPUs.",
        epilog="pip install 'usmx[cli]' adds colours and progress on a terminal.",
        formatter_class=Formatter,
    )
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="version", version=f"usmx {usmx.__version__}")

    commands = parser.add_subparsers(
        title="commands",
        metavar=f"{{{','.join(COMMANDS)}}}",
    )
    add_devices_parser(commands)
    add_doctor_parser(commands)
    add_memory_parser(commands)
    add_cache_parser(commands)
    add_config_parser(commands)
    add_new_extension_parser(commands)
    add_demo_parser(commands)
    return parser


def add_devices_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx devices``."""
    parser = commands.add_parser(
        "devices",
        help="list the devices",
        description="Lists the devices; * marks the default one.",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, with more about each device"
    )
    parser.set_defaults(command=lambda options: devices.run(as_json=options.json))
    end_help_with(parser, "python -m usmx devices --json")


def add_doctor_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx doctor``."""
    parser = commands.add_parser(
        "doctor",
        help="look for what is known to go wrong, and say what to do",
        description="Looks for everything that is known to go wrong in practice, and says what to "
        "do. The exit code is 1 if there is a problem.",
    )
    _doctor.add_options(parser)
    parser.set_defaults(command=_doctor.run)
    end_help_with(parser, "python -m usmx doctor --only devices --only cache")


def add_memory_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx memory``."""
    parser = commands.add_parser(
        "memory",
        help="show how much memory is free and where usmx takes it from, or draw a log",
        description="Shows how much memory each device has free, and where usmx takes new memory "
        "from; or draws memory over time from a log that USMX_MEMORY_LOG or a LoggingResource has "
        "written.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print JSON, for programs")
    what.add_argument("--plot", type=Path, metavar="LOG", help="draw this log")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        default=Path("memory.svg"),
        help="the file of the picture; the end of its name is the format (default: memory.svg)",
    )
    parser.set_defaults(command=run_memory)
    end_help_with(
        parser,
        "USMX_MEMORY_LOG=memory.csv python -c 'import usmx; usmx.zeros(1000)'",
        "python -m usmx memory --plot memory.csv",
    )


def run_memory(options: argparse.Namespace) -> int:
    """Do one of the two things that the command does."""
    if options.plot is None:
        return memory.run(as_json=options.json)
    from usmx.cli import memory_plot  # it imports NumPy

    return memory_plot.run(options.plot, options.output)


def add_cache_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx cache``."""
    parser = commands.add_parser(
        "cache",
        help="show or clear the disk cache of device kernels",
        description="Shows what the disk cache of device kernels holds, the latest used first. "
        "Deleting it is always safe: kernels are built again when they are needed.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print JSON, for programs")
    what.add_argument("--clear", action="store_true", help="delete all entries")
    parser.set_defaults(
        command=lambda options: cache.run(clear=options.clear, as_json=options.json)
    )
    end_help_with(parser, "python -m usmx cache --clear")


def add_config_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx config``."""
    parser = commands.add_parser(
        "config",
        help="tell a build where usmx is: for the compiler, CMake and pkg-config",
        description="Prints what a build that uses usmx has to know. Several options may be given; "
        "each value is printed on a line of its own.",
    )
    config.add_options(parser)

    def run(options: argparse.Namespace) -> int:
        if not options.values:
            parser.error("expected at least one option, found none")
        if options.wheel is not None and config.libs not in options.values:
            parser.error("--wheel: expected --libs beside it")
        return config.run(options.values, options.wheel)

    parser.set_defaults(command=run)
    end_help_with(parser, "python -m usmx config --cflags --libs")


def add_new_extension_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx new-extension``."""
    parser = commands.add_parser(
        "new-extension",
        help="write a project with a native extension, which builds and passes its tests",
        description="Writes a project into a new folder: a native extension that takes and returns "
        "USM arrays, the files that build it, and its tests.",
    )
    parser.add_argument(
        "name", metavar="NAME", help="the name of the extension, its module and its folder"
    )
    languages = (*new_extension.LANGUAGES, new_extension.CPP)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--with",
        dest="kind",
        type=one_of(languages),
        metavar=f"{{{','.join(languages)}}}",
        default=languages[0],
        help="the binding library or language; cpp: C++ without Python (default: %(default)s)",
    )
    what.add_argument(
        "--kernel",
        dest="kind",
        action="store_const",
        const="kernel",
        help="write a function for nanobind whose kernel usmx compiles",
    )
    what.add_argument(
        "--onemkl",
        dest="kind",
        action="store_const",
        const="onemkl",
        help="write a function for nanobind that calls oneMKL, which comes from PyPI",
    )
    parser.add_argument(
        "--license",
        type=one_of(new_extension.LICENSES),
        metavar=f"{{{','.join(new_extension.LICENSES)}}}",
        help="write this licence, and name it in pyproject.toml (default: none)",
    )
    parser.set_defaults(
        command=lambda options: new_extension.run(options.name, options.kind, options.license)
    )
    end_help_with(
        parser,
        "python -m usmx new-extension fast_sums --with pybind11",
        "python -m usmx new-extension solver --onemkl",
    )


def add_demo_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx demo``, whose options, --help too, are those of examples/demo."""
    parser = commands.add_parser(
        "demo",
        help="take a data set from Python into native SYCL code and back, without a copy",
        add_help=False,
    )
    parser.set_defaults(command=demo.run)
