"""Check that includes and imports keep to the table of layers: check_layers.py [ROOT].

Fails on an arrow that runs against tools/layers.toml, a folder that the table lacks, files that
include or import each other in a circle, an include or an embedded file that shows no arrow, a file
that lists back ends outside of the drivers, and a file that includes <sycl/sycl.hpp>.
"""

import sys
from pathlib import Path

from layers import (
    REPOSITORY,
    ROOT,
    TABLE,
    TableError,
    arrows,
    back_ends,
    embeddings,
    includes,
    is_cpp,
    read_table,
    repository_files,
)

EXPENSIVE = "sycl/sycl.hpp"
BUILT = {"USMX_KERNEL_OBJECTS"}  # folders of what the build makes


def folder_faults(table, files):
    """Files of a house in no room."""
    for path in files:
        found = table.house_of(path)
        if (is_cpp(path) or path.endswith(".py")) and found and table.room_of(path) is None:
            rooms = ", ".join(room.name for room in found[0].rooms)
            yield f"{path}:1: lies in no room of {TABLE}; expected one of {rooms}"


def allowed_rooms(table, room, path):
    """What a file may use by its room."""
    house, root = table.house_of(path)
    if house.tests and root == house.tests["root"]:
        return room.uses | {f"{house.name}/{house.tests['support']}"}
    return room.uses


def arrow_faults(table, found):
    """Arrows against the table, and exceptions from it that nothing needs."""
    needed = set()
    exempt = {entry.file: entry.uses for entry in table.exemptions}
    for arrow in found:
        room, target = table.room_of(arrow.file), table.room_of(arrow.target)
        if room is None or target is None:  # folder_faults names them
            continue
        allowed = allowed_rooms(table, room, arrow.file)
        if target.full_name in allowed:
            continue
        if target.full_name in exempt.get(arrow.file, ()):
            needed.add((arrow.file, target.full_name))
            continue
        names = ", ".join(sorted(allowed - {room.full_name})) or "no other room"
        yield (
            f"{arrow.file}:{arrow.line}: {arrow.text}: {room.full_name} -> {target.full_name}, "
            f"but by {TABLE} {room.full_name} uses only itself and {names}"
        )
    for entry in table.exemptions:
        for name in sorted(entry.uses):
            if (entry.file, name) not in needed:
                yield f"{TABLE}:1: {entry.file} is excepted for {name}, which it does not use"


def door_faults(table, found):
    """Includes of another house's files that go past its door."""
    for arrow in found:
        house, _ = table.house_of(arrow.file)
        for folder, door in house.doors.items():
            if arrow.target.startswith(folder + "/") and arrow.target != f"{folder}/{door}":
                yield (
                    f"{arrow.file}:{arrow.line}: {arrow.text}: of {folder}/ {house.name} may "
                    f"include only {door}"
                )


def circle_faults(found):
    """Circles of files, each once."""
    graph = {}
    for arrow in found:
        if arrow.runs:
            graph.setdefault(arrow.file, {}).setdefault(arrow.target, arrow)
    done = set()
    for start in graph:
        yield from circles_from(start, graph, [], done)


def circles_from(file, graph, path, done):
    if file in path:
        circle = path[path.index(file) :]
        first = circle.index(min(circle))
        circle = [*circle[first:], *circle[: first + 1]]
        arrow = graph[circle[0]][circle[1]]
        yield f"{arrow.file}:{arrow.line}: {arrow.text}: circle {' -> '.join(circle)}"
        return
    if file in done:
        return
    for target in graph.get(file, ()):
        yield from circles_from(target, graph, [*path, file], done)
    done.add(file)


def hidden_faults(table, root, files, found):
    """Files of ours that only the build's folders name, and files outside of all houses."""
    shown = {(arrow.file, arrow.line) for arrow in found}
    for arrow in found:
        if table.house_of(arrow.target) is None:
            yield f"{arrow.file}:{arrow.line}: {arrow.text}: lies in no house of {TABLE}"
    ends = {"/".join(path.split("/")[-k:]) for path in files for k in range(1, path.count("/") + 2)}
    for path in files:
        if not is_cpp(path) or table.house_of(path) is None:
            continue
        text = (root / path).read_text()
        for line, mark, name in includes(path, text):
            if mark == '"' and (path, line) not in shown and name in ends:
                yield f'{path}:{line}: #include "{name}": expected its path from a root folder'
        for line, macro, name in embeddings(text):
            is_seen = macro in BUILT if macro != REPOSITORY else (path, line) in shown
            if name is not None and not is_seen:
                yield (
                    f"{path}:{line}: embeds {macro} /{name}: expected {REPOSITORY} and the path of "
                    "a file of the repository"
                )


def back_end_faults(table, root, files):
    """Files that list back ends: what differs between them is a trait that each driver states."""
    for path in filter(is_cpp, files):
        house, folder = table.house_of(path) or (None, None)
        if house is None or house.drivers is None or path.startswith(house.drivers + "/"):
            continue
        if house.tests and folder == house.tests["root"]:
            continue
        first, *others = [*back_ends((root / path).read_text())] or [None]
        line = next((line for line, name in others if name != first[1]), None)
        if line is not None:
            yield f"{path}:{line}: lists back ends, expected a trait that {house.drivers}/ states"


def expensive_faults(root, files):
    for path in files:
        if is_cpp(path):
            for line, _, name in includes(path, (root / path).read_text()):
                if name == EXPENSIVE:
                    yield f"{path}:{line}: #include <{name}>, expected the narrow headers of SYCL"


def faults(root=ROOT):
    """All faults, as lines "file:line: what is wrong"."""
    try:
        table = read_table(root)
    except TableError as error:
        return [str(error)]
    files = repository_files(root)
    found = arrows(table, root, files)
    return [
        *folder_faults(table, files),
        *arrow_faults(table, found),
        *door_faults(table, found),
        *circle_faults(found),
        *hidden_faults(table, root, files, found),
        *back_end_faults(table, root, files),
        *expensive_faults(root, files),
    ]


def main(arguments):
    found = faults(Path(arguments[0]) if arguments else ROOT)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
