#!/usr/bin/env python3
"""Write the address of the project where a release names it.

write_address.py ADDRESS

The address is no part of the sources: the workflow of releases knows where it runs. It goes into
[project.urls] of pyproject.toml, and into CITATION.cff, of a checkout that a release is made from.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
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


def main(root, address):
    if "://" not in address or any(c in address for c in '"\\\n '):
        raise ValueError(f"expected an address of the form scheme://host/path, found {address!r}")
    for name, change in {"pyproject.toml": with_urls, "CITATION.cff": with_repository}.items():
        path = root / name
        path.write_text(change(path.read_text("utf-8"), address.rstrip("/")), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(ROOT, sys.argv[1])
