"""Python environments that tests make."""

import os
import sys
import venv
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def make_environment(root):
    """A new one, which finds what is installed in this one; its interpreter."""
    packages = make_empty_environment(root)
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "here.pth").write_text("\n".join(here))
    return root / "bin/python"


def make_environment_of(root, *requirements):
    """A new one with these packages of this one and what they need, and nothing else; its interpreter."""
    packages = make_empty_environment(root)
    for each in required(*requirements).values():
        link_files(each, packages)
    return root / "bin/python"


def make_empty_environment(root):
    """A new one with nothing in it; its folder of packages."""
    venv.create(root, with_pip=False, symlinks=True)
    (packages,) = root.glob("lib/python*/site-packages")
    return packages


def required(*requirements) -> dict[str, Distribution]:
    """What pip installs for these requirements, as far as it is here, by name."""
    found: dict[str, Distribution] = {}
    seen, waiting = set(), [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                continue
            needed = map(Requirement, found[name].requires or ())
            waiting += [
                each
                for each in needed
                if each.marker is None or each.marker.evaluate({"extra": extra})
            ]
    return found


def is_here(requirement):
    """Whether its package is installed in this environment."""
    name = canonicalize_name(Requirement(requirement).name)
    return name in required(requirement)


def link_files(package, packages):
    """Put the files of an installed package into another environment's folder of packages."""
    for file in package.files or ():
        source, target = Path(file.locate()), Path(os.path.normpath(packages / file))
        if not source.is_file() or is_script(source):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            try:
                target.hardlink_to(source.resolve())
            except OSError:  # another file system
                target.symlink_to(source.resolve())


def is_script(path):
    """Whether it names the interpreter of its own environment."""
    with path.open("rb") as file:
        return path.parent.name == "bin" and file.read(2) == b"#!"
