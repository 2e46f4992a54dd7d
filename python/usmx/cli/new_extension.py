"""``python -m usmx new-extension``: writes a project to begin with, from one of the examples."""

import importlib.util
import keyword
import re
import sys
from pathlib import Path

from usmx._installed import example

LANGUAGES = ("nanobind", "pybind11", "cython", "c")
NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
MADE_BY_BUILDS = re.compile(r"(^|/)(build|dist|__pycache__|\.pytest_cache|[^/]*\.egg-info)/")


def run(name: str, language: str) -> int:
    """Write the project into a new folder of its name; the exit code is 2 when that cannot be."""
    folder = Path(name)
    if reason := why_not(name, folder):
        print(f"usmx new-extension: {reason}", file=sys.stderr)
        return 2
    copy_example(example(language), folder, f"usmx_with_{language}", name)
    print(f"wrote {name}/; {name}/README.md says how it is built and tested")
    return 0


def why_not(name: str, folder: Path) -> str | None:
    """Say what is wrong with the name; None when nothing is."""
    if keyword.iskeyword(name):
        return f"expected a name that Python can import, found its keyword {name!r}"
    if not NAME.fullmatch(name):
        return (
            "expected a name of lowercase letters, digits and underscores that begins with a "
            f"letter and does not end with an underscore, found {name!r}"
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
