"""The command line of ``python -m usmx``: its commands and their options."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import usmx
from usmx import _doctor
from usmx._terminal import did_you_mean
from usmx.cli import cache, config, demo, devices, memory, new_extension
from usmx.cli.help import Formatter, end_help_with, program_name

COMMANDS = ("devices", "doctor", "memory", "cache", "config", "new-extension", "demo")
# What takes the place of a command that usmx does not have.
ELSEWHERE = {
    "check": "; usmx.testing.check_producer(obj) checks a library's arrays, and so does "
    "pytest --usm-array-interface MODULE:FUNCTION",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 good, 1 something is wrong, 2 bad input."""
    parser = make_parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] not in COMMANDS and not given[0].startswith("-"):
        instead = ELSEWHERE.get(given[0]) or did_you_mean(given[0], COMMANDS)
        parser.error(f"there is no command {given[0]!r}{instead}")
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
    commands = parser.add_subparsers(title="commands", metavar=f"{{{','.join(COMMANDS)}}}")

    def added(name: str, *example: str, **texts: Any) -> argparse.ArgumentParser:
        command = commands.add_parser(name, **texts)
        end_help_with(command, *example)
        return command

    of_devices = added(
        "devices",
        "python -m usmx devices --json",
        help="list the devices",
        description="Lists the devices; * marks the default one.",
    )
    text = "print JSON, with more about each device"
    of_devices.add_argument("--json", action="store_true", help=text)
    of_devices.set_defaults(command=lambda options: devices.run(as_json=options.json))

    of_doctor = added(
        "doctor",
        "python -m usmx doctor --only devices --only cache",
        help="look for what is known to go wrong, and say what to do",
        description="Looks for everything that is known to go wrong in practice, and says what to "
        "do. The exit code is 1 if there is a problem.",
    )
    _doctor.add_options(of_doctor)
    of_doctor.set_defaults(command=_doctor.run)

    of_memory = added(
        "memory",
        "USMX_MEMORY_LOG=memory.csv python -c 'import usmx; usmx.zeros(1000)'",
        "python -m usmx memory --plot memory.csv",
        help="show how much memory is free and where usmx takes it from, or draw a log",
        description="Shows how much memory each device has free, and where usmx takes new memory "
        "from; or draws memory over time from a log that USMX_MEMORY_LOG or a LoggingResource has "
        "written.",
    )
    memory.add_options(of_memory)
    of_memory.set_defaults(command=memory.run)

    of_cache = added(
        "cache",
        "python -m usmx cache --clear",
        help="show or clear the disk cache of device kernels",
        description="Shows what the disk cache of device kernels holds, the latest used first. "
        "Deleting it is always safe: kernels are built again when they are needed.",
    )
    what = of_cache.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print JSON, for programs")
    what.add_argument("--clear", action="store_true", help="delete all entries")
    of_cache.set_defaults(command=lambda given: cache.run(clear=given.clear, as_json=given.json))

    of_config = added(
        "config",
        "python -m usmx config --cflags --libs",
        help="tell a build where usmx is: for the compiler, CMake and pkg-config",
        description="Prints what a build that uses usmx has to know. Several options may be given; "
        "each value is printed on a line of its own.",
    )
    config.add_options(of_config)
    of_config.set_defaults(command=config.run)

    of_extensions = added(
        "new-extension",
        "python -m usmx new-extension fast_sums --with pybind11",
        "python -m usmx new-extension solver --onemkl",
        help="write a project with a native extension, which builds and passes its tests",
        description="Writes a project into a new folder: a native extension that takes and returns "
        "USM arrays, the files that build it, and its tests.",
    )
    new_extension.add_options(of_extensions)
    of_extensions.set_defaults(
        command=lambda given: new_extension.run(given.name, given.kind, given.license)
    )

    # The options of the demo, --help too, are those of examples/demo.
    commands.add_parser(
        "demo",
        help="take a data set from Python into native SYCL code and back, without a copy",
        add_help=False,
    ).set_defaults(command=demo.run)
    return parser
