"""``python -m usmx config``: what the build of a program or extension that uses usmx has to know.

The options for the compiler are those of usmx.pc, so that pkg-config and this say the same.
"""

import argparse
import posixpath
import re
import shlex
from pathlib import Path

import usmx
from usmx._installed import part

PKG_CONFIG_DIR = "lib/pkgconfig"
FOLDER_OPTION = re.compile(r"(-I|-isystem|-L|-Wl,-rpath,)(/.*)")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each value; each names the function that gets it."""
    for option, get, text in (
        ("--version", version, "the version of usmx"),
        ("--cflags", cflags, "options that find the headers of usmx and SYCL"),
        ("--libs", libs, "options that link libusmx and the SYCL runtime, with run paths"),
        ("--cmake-dir", cmake_dir, "the folder of CMake's package, for -Dusmx_DIR="),
        ("--pkg-config-dir", pkg_config_dir, "the folder of usmx.pc, for PKG_CONFIG_PATH"),
        ("--gdb-script", gdb_script, "the file of gdb's printers for arrays, for gdb -x"),
    ):
        parser.add_argument(option, dest="values", action="append_const", const=get, help=text)

    parser.add_argument(
        "--wheel",
        metavar="FOLDER",
        help="with --libs: relative run paths, for an extension in FOLDER of site-packages",
    )


def run(options: argparse.Namespace) -> int:
    """Print the values, each on a line of its own."""
    if not options.values:
        options.parser.error("expected at least one option, found none")
    if options.wheel is not None and libs not in options.values:
        options.parser.error("--wheel: expected --libs beside it")
    for get in options.values:
        is_in_wheel = get is libs and options.wheel is not None
        print(libs_in_wheel(options.wheel) if is_in_wheel else get())
    return 0


def version() -> str:
    """Return the version, without a name."""
    return usmx.__version__


def cflags() -> str:
    """Return the options for the compiler."""
    return compiler_options("Cflags")


def libs() -> str:
    """Return the options for the linker, as the compiler takes them."""
    return compiler_options("Libs")


def libs_in_wheel(folder: str) -> str:
    """Return the options for the linker, with run paths relative to the folder of the extension.

    They are those of usmx_set_python_rpath (UsmxPythonModule.cmake), which gives the reasons.
    """
    options = [option for option in shlex.split(libs()) if not option.startswith("-Wl,-rpath,")]
    site_packages = posixpath.relpath("/", posixpath.join("/", folder))
    folders = [posixpath.join(site_packages, to) for to in ("usmx/lib", "../../../lib", "lib")]
    run_paths = [f"-Wl,-rpath,$ORIGIN/{posixpath.normpath(folder)}" for folder in folders]
    return " ".join([shlex.join(options), "-Wl,--disable-new-dtags", *run_paths])


def cmake_dir() -> str:
    """Return the folder of usmxConfig.cmake."""
    return str(part("lib/cmake/usmx"))


def pkg_config_dir() -> str:
    """Return the folder of usmx.pc."""
    return str(part(PKG_CONFIG_DIR))


def gdb_script() -> str:
    """Return the file of the pretty printers, which lies beside libusmx."""
    return str(next(part("lib").glob("libusmx.so.*-gdb.py")))


def compiler_options(field: str) -> str:
    """Return a field of usmx.pc, without the folders that this kind of installation lacks."""
    path = part(f"{PKG_CONFIG_DIR}/usmx.pc")
    values = {"pcfiledir": str(path.parent)}
    values |= re.findall(r"^([\w.]+)[=:] *(.*)$", path.read_text(), re.MULTILINE)
    options = [expanded(option, values) for option in values[field].split()]
    return shlex.join(filter(None, map(with_real_folder, options)))


def expanded(text: str, values: dict[str, str]) -> str:
    """Replace the names of variables by what they stand for, as pkg-config does."""
    return re.sub(r"\$\{(\w+)\}", lambda match: expanded(values[match[1]], values), text)


def with_real_folder(option: str) -> str | None:
    """Shorten the folder of an option; None when there is no such folder."""
    match = FOLDER_OPTION.fullmatch(option)
    if match is None:
        return option
    folder = Path(match[2]).resolve()
    return f"{match[1]}{folder}" if folder.is_dir() else None
