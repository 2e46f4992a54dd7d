"""The house as it stands: its rooms (layers.toml), their files, and the arrows between them.

Arrows are the includes of C++, the files that it embeds, and the imports of Python, as written in
the files that git tracks or would track.
"""

import ast
import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from posixpath import normpath

ROOT = Path(__file__).resolve().parent.parent
TABLE = "tools/layers.toml"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# USMX_EMBED(symbol, MACRO "/path"): of USMX_REPOSITORY a path in the repository.
EMBED = re.compile(r'^[ \t]*USMX_EMBED\([^,]*,\s*(\w+)\s*(?:"/([^"]*)")?', re.MULTILINE)
REPOSITORY = "USMX_REPOSITORY"
# One of SYCL's back ends; `all` is none.
BACK_END = re.compile(r"\bbackend::(?!all\b)(\w+)")


class TableError(ValueError):
    """layers.toml contradicts itself."""


@dataclass(frozen=True)
class Room:
    """A folder, or some single files, of a house."""

    house: str
    name: str
    holds: str
    uses: frozenset[str]  # full names, its own among them
    files: tuple[str, ...] = ()
    rest: bool = False
    inner: tuple[str, ...] = ()

    @property
    def full_name(self):
        return f"{self.house}/{self.name}"


@dataclass(frozen=True)
class House:
    """Rooms from the ground up, and how their files name each other."""

    name: str
    title: str
    roots: tuple[str, ...]
    rooms: tuple[Room, ...]
    includes_from: tuple[str, ...] = ()
    package: str | None = None  # of Python, which its root folder is; "": a folder of scripts
    module: str = ""  # of Python, which its C++ becomes
    tests: dict | None = None
    drivers: str | None = None  # the folder whose files alone list back ends
    doors: dict = field(default_factory=dict)  # folder of others -> its only file to be included


@dataclass(frozen=True)
class Arrow:
    """One include, embedding or import of one file of ours in another."""

    file: str
    line: int
    text: str  # as written
    target: str  # a path in the repository
    runs: bool = True  # not for type checkers alone


# ---- The table -----------------------------------------------------------------------------------


def full_names(uses, house, known):
    """`uses` of a room in `house`, with houses, "*" resolved; `known` are the rooms below it."""
    names = set()
    for name in uses:
        if name.endswith("/*"):
            found = {other for other in known if other.startswith(name[:-1])}
        else:
            found = {name if "/" in name else f"{house}/{name}"} & known
        if not found:
            raise TableError(
                f"{TABLE}: {house} uses {name!r}, expected a room that stands above it"
            )
        names |= found
    return frozenset(names)


def read_room(entry, house, known):
    own = f"{house}/{entry['name']}"
    return Room(
        house=house,
        name=entry["name"],
        holds=entry["holds"],
        uses=full_names(entry["uses"], house, known) | {own},
        files=tuple(entry.get("files", ())),
        rest=entry.get("rest", False),
        inner=tuple(entry.get("inner", ())),
    )


def read_house(entry, known):
    rooms = []
    for room in entry["room"]:
        rooms.append(read_room(room, entry["name"], known))
        known.add(rooms[-1].full_name)
    return House(
        name=entry["name"],
        title=entry["title"],
        roots=tuple(entry["roots"]),
        rooms=tuple(rooms),
        includes_from=tuple(entry.get("includes_from", ())),
        package=entry.get("package"),
        module=entry.get("module", ""),
        tests=entry.get("tests"),
        drivers=entry.get("drivers"),
        doors=entry.get("doors", {}),
    )


@dataclass(frozen=True)
class Exemption:
    """What one file may use beyond its room."""

    file: str
    uses: frozenset[str]
    reason: str


@dataclass(frozen=True)
class Table:
    houses: tuple[House, ...]
    exemptions: tuple[Exemption, ...]

    def house_of(self, path):
        """The house whose root folder holds the path, and that folder; or None."""
        for house in self.houses:
            for root in house.roots:
                if path.startswith(root + "/"):
                    return house, root
        return None

    def room_of(self, path):
        """The room of a file; None outside of all houses and in folders that the table lacks."""
        found = self.house_of(path)
        if found is None:
            return None
        house, root = found
        folders = PurePosixPath(path).relative_to(root).parts[:-1]
        if not folders:
            return file_room(house, PurePosixPath(path).name)
        for room in house.rooms:
            if not room.files and not room.rest and room.name == folders[0]:
                return room if folders[1:] in {(), *((inner,) for inner in room.inner)} else None
        return next((room for room in house.rooms if room.files and room.name == folders[0]), None)


def file_room(house, name):
    """The room of a file that lies in a root folder itself."""
    for room in house.rooms:
        if name in room.files:
            return room
    return next((room for room in house.rooms if room.rest), None)


def read_table(root=ROOT):
    with (root / TABLE).open("rb") as file:
        entries = tomllib.load(file)
    known = set()
    houses = tuple(read_house(entry, known) for entry in entries["house"])
    exemptions = tuple(
        Exemption(entry["file"], full_names(entry["uses"], "library", known), entry["reason"])
        for entry in entries.get("exception", ())
    )
    return Table(houses, exemptions)


# ---- The files -----------------------------------------------------------------------------------


def repository_files(root=ROOT):
    """All that git tracks or would track, as paths with slashes, in order."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted({path for path in listed.split("\0") if path and (root / path).is_file()})


def is_cpp(path):
    return path.endswith((".hpp", ".cpp", ".h"))


def includes(path, text):
    """The includes of a file: line, "<" or '"', and what is included."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def back_ends(text):
    """The back ends that a file names: line and name."""
    for match in BACK_END.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def embeddings(text):
    """What a file embeds: line, the macro with the folder, and the path in it, if it is written."""
    for match in EMBED.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def cpp_arrows(path, text, house, files):
    """Arrows from a C++ file of a house; what the repository does not hold is no arrow."""
    for line, macro, name in embeddings(text):
        if macro == REPOSITORY and name in files:
            yield Arrow(path, line, f'USMX_EMBED("{name}")', name)
    here = PurePosixPath(path).parent
    for line, _, name in includes(path, text):
        candidates = (normpath(f"{folder}/{name}") for folder in (here, *house.includes_from))
        target = next((candidate for candidate in candidates if candidate in files), None)
        if target is not None:
            yield Arrow(path, line, f'#include "{name}"', target)


def module_files(house, files):
    """The modules of the house's package: dotted name -> path."""
    root = house.roots[0]
    modules = {}
    for path in files:
        if path.startswith(root + "/") and path.endswith(".py"):
            parts = PurePosixPath(path).relative_to(root).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            modules[".".join(filter(None, (house.package, *parts)))] = path
    return modules


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def import_nodes(node, runs=True):
    """Imports below a node, and whether they ever run: a function's do when it is called."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, runs
        else:
            yield from import_nodes(child, runs and not is_for_type_checkers(child))


def imported_names(node, module, is_package):
    """Dotted names that an import may mean, the most exact first, for each name that it binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.name,)
        return
    base = node.module or ""
    if node.level:
        parts = module.split(".")
        parts = parts[: len(parts) - node.level + is_package]
        base = ".".join([*parts, *([base] if base else [])])
    for alias in node.names:
        yield f"{base}.{alias.name}", base


def python_arrows(path, text, modules):
    """Arrows from a Python file to modules of ours; `modules`: dotted name -> path."""
    names = {other: name for name, other in modules.items()}
    is_package = path.endswith("/__init__.py")
    for node, runs in import_nodes(ast.parse(text, path)):
        targets = {}
        for candidates in imported_names(node, names[path], is_package):
            target = next((modules[name] for name in candidates if name in modules), None)
            if target is not None and target != path:
                targets[target] = None
        for target in targets:
            yield Arrow(path, node.lineno, ast.unparse(node), target, runs)


def arrows(table, root=ROOT, files=None):
    """All arrows of all houses, in the order of files and lines."""
    files = repository_files(root) if files is None else files
    known = set(files)
    packages = [house for house in table.houses if house.package is not None]
    modules = {
        name: path for house in packages for name, path in module_files(house, files).items()
    }
    modules |= {house.module: module_source(house) for house in table.houses if house.module}
    found = []
    for path in files:
        house, _ = table.house_of(path) or (None, None)
        if house is None:
            continue
        if is_cpp(path):
            found += cpp_arrows(path, (root / path).read_text(), house, known)
        elif path.endswith(".py"):
            found += python_arrows(path, (root / path).read_text(), modules)
    return found


def module_source(house):
    """What stands for a native module where Python imports it: a file of the uppermost room."""
    return f"{house.roots[0]}/{house.rooms[-1].name}/module.cpp"
