#!/usr/bin/env python3
"""Write the address of the project where a release names it.

write_address.py ADDRESS

The address is no part of the sources: the workflow of releases knows where it runs. It goes into
[project.urls] of pyproject.toml, into CITATION.cff, and the badge of README.md, of a checkout
that a release is made from.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = "actions/workflows/test.yml"
PAGES = {
    "Homepage": "",
    "Documentation": "/blob/main/docs/README.md",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
}


def with_urls(project, address):
    """The text of pyproject.toml with the project's addresses."""
    before, scripts = "\n[project.scripts]\n", "[project.scripts]\n"
    if project.count(before) != 1 or "[project.urls]" in project:
        raise ValueError("pyproject.toml must have [project.scripts], and no [project.urls]")
    urls = "".join(f'{name} = "{address}{page}"\n' for name, page in PAGES.items())
    return project.replace(before, f"\n[project.urls]\n{urls}\n{scripts}")


def with_repository(citation, address):
    """The text of CITATION.cff with the address of the sources."""
    if "repository-code:" in citation:
        raise ValueError("CITATION.cff has an address")
    return f'{citation}repository-code: "{address}"\n'


def with_badges(readme, address):
    """The text of README.md with a badge: the state of the tests."""
    title = "# usmx\n"
    if not readme.startswith(title) or "[![" in readme:
        raise ValueError("README.md must begin with its title, and have no badge")
    badge = f"[![tests]({address}/{TESTS}/badge.svg)]({address}/{TESTS})"
    return readme.replace(title, f"{title}\n{badge}\n", 1)


def main(root, address):
    if "://" not in address or any(c in address for c in '"\\\n '):
        raise ValueError(f"expected an address of the form scheme://host/path, found {address!r}")
    changes = {
        "pyproject.toml": with_urls,
        "CITATION.cff": with_repository,
        "README.md": with_badges,
    }
    for name, change in changes.items():
        path = root / name
        path.write_text(change(path.read_text("utf-8"), address.rstrip("/")), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(ROOT, sys.argv[1])
