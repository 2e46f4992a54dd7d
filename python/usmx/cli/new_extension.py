"""``python -m usmx new-extension``: writes a project to begin with, from one of the examples."""

import argparse
import datetime
import importlib.util
import keyword
import re
import sys
from pathlib import Path

from usmx._installed import example
from usmx._terminal import one_of

LANGUAGES = ("nanobind", "pybind11", "cython", "c")
CPP = "cpp"  # without Python
DEVICE_CODE = ("kernel", "onemkl")  # with nanobind
LICENSES = ("Apache-2.0", "BSD-3-Clause", "MIT")
COMMON = "project"  # the example of what projects have in every language
NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
MADE_BY_BUILDS = re.compile(r"(^|/)(build|dist|__pycache__|\.pytest_cache|[^/]*\.egg-info)/")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "name", metavar="NAME", help="the name of the extension, its module and its folder"
    )
    languages = (*LANGUAGES, CPP)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--with",
        dest="kind",
        type=one_of(languages),
        metavar="LANGUAGE",
        default=languages[0],
        help=f"the binding library or language: {', '.join(languages[:-1])}, or cpp for C++ "
        "without Python (default: %(default)s)",
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
        type=one_of(LICENSES),
        metavar=f"{{{','.join(LICENSES)}}}",
        help="write this licence, and name it in pyproject.toml (default: none)",
    )


def run(name: str, kind: str, license_name: str | None) -> int:
    """Write the project into a new folder of its name; the exit code is 2 when that cannot be.

    The kind is one of LANGUAGES, of DEVICE_CODE, or CPP: the folder of an example.
    """
    folder = Path(name)
    if reason := why_not(name, folder):
        print(f"usmx new-extension: {reason}", file=sys.stderr)
        return 2
    copy_example(example(kind), folder, f"usmx_with_{kind}", name)
    copy_common_files(folder, "cpp_workflow.yml" if kind == CPP else "workflow.yml")
    if license_name:
        write_license(example(COMMON), folder, license_name)
    print(f"wrote {name}/; {name}/README.md says how it is built and tested")
    return 0


def why_not(name: str, folder: Path) -> str | None:
    """Say what is wrong with the name; None when nothing is."""
    if keyword.iskeyword(name):
        return f"expected a name that Python can import, found its keyword {name!r}"
    if not NAME.fullmatch(name):
        near = re.sub(r"\W+", "_", name.lower()).strip("_")
        meant = f"; did you mean {near}?" if NAME.fullmatch(near) else ""
        return (
            "expected a name of lowercase letters, digits and underscores that begins with a "
            f"letter and does not end with an underscore, found {name!r}{meant}"
        )
    if folder.exists() or folder.is_symlink():
        return f"{folder.absolute()} is there already"
    if importlib.util.find_spec(name):
        return f"there is a module {name} already; the extension would hide it, or be hidden by it"
    return None


def copy_example(source: Path, target: Path, old: str, new: str) -> None:
    """Copy a project, with another name in its files and their paths."""
    for path in sorted(source.rglob("*")):
        relative = str(path.relative_to(source))
        if path.is_file() and not MADE_BY_BUILDS.search(relative):
            copied = target / relative.replace(old, new)
            copied.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8").replace(old, new)
            copied.write_text(text, encoding="utf-8")


def copy_common_files(target: Path, workflow: str) -> None:
    """Copy what projects have in common; git would obey some of these names here, too."""
    for name, path in (("gitignore", ".gitignore"), (workflow, ".github/workflows/test.yml")):
        copied = target / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes((example(COMMON) / name).read_bytes())


def write_license(source: Path, target: Path, name: str) -> None:
    """Write the licence's text, and name the licence in pyproject.toml."""
    text = (source / "licenses" / name).read_text(encoding="utf-8")
    holders = f"{datetime.date.today().year} the authors of {target.name}"
    (target / "LICENSE").write_text(text.replace("{holders}", holders), encoding="utf-8")
    project = target / "pyproject.toml"
    if not project.exists():
        return
    readme = 'readme = "README.md"\n'
    license_lines = f'license = "{name}"\nlicense-files = ["LICENSE"]\n'
    said = project.read_text(encoding="utf-8").replace(readme, readme + license_lines)
    project.write_text(said, encoding="utf-8")
