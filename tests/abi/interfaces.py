"""What others were compiled against, as lists of facts: the committed ones, and those of today.

`python tests/abi/interfaces.py` commits what was added to today's usmx. What has changed or gone is
only taken where USMX_ABI_VERSION (in C: USMX_C_API_MAJOR) has moved.
"""

import io
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import usmx
from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

HERE = Path(__file__).parent
PACKAGE = Path(usmx.__file__).parent
INCLUDE = PACKAGE / "include"

# ---- the C header


def c_interface() -> list[str]:
    """Structs, their members with offsets, numbers, and the signatures of functions."""
    header = (INCLUDE / "usmx" / "c_api.h").read_text("utf-8")
    lines = [f"version {number('USMX_C_API_MAJOR')}"]
    unit = debug_information('#include "usmx/c_api.h"\nusmx_api* a; usmx_view* v;\n', "c")
    for entry in unit.iter_children():
        if entry.tag == "DW_TAG_structure_type" and name_of(entry) in {"usmx_api", "usmx_view"}:
            lines += [f"{name_of(entry)}: {member}" for member in members(entry)]
    lines += [f"{name} = {value}" for name, value in re.findall(r"(USMX_\w+) = (\d+)", header)]
    functions = re.findall(r"^ +([^;()/]+\(\*(\w+)\)\([^;]*\));", header, re.MULTILINE)
    return lines + [f"{name}: {' '.join(text.split())}" for text, name in functions]


# ---- libusmx.so


def symbols() -> list[str]:
    """The names that libusmx.so exports, without those for usmx's own Python module."""
    (library,) = (PACKAGE / "lib").glob("libusmx.so.?")
    listed = run("nm", "-D", "--defined-only", "--format=posix", library)
    names = "\n".join(line.split()[0] for line in listed.splitlines())
    public = [
        name for name in run("c++filt", stdin=names).split("\n") if "::internal::" not in name
    ]
    return [f"version {number('USMX_ABI_VERSION')}", *sorted(public)]


def classes() -> list[str]:
    """The size of each public class, its bases and its members with their offsets."""
    version = number("USMX_ABI_VERSION")
    names = list(public_classes())
    headers = sorted({f'#include "{header}"' for header, _ in names})
    uses = [f"usmx::{name}* use_{k};" for k, (_, name) in enumerate(names)]
    unit = debug_information("\n".join([*headers, *uses, ""]), "cpp", "-std=c++20")
    lines = [f"version {version}"]
    wanted = {name for _, name in names}
    for name, entry in classes_in(unit, ["usmx", f"v{version}"]):
        if name in wanted:
            lines.append(f"{name}: size {entry.attributes['DW_AT_byte_size'].value}")
            lines += [f"{name}: {member}" for member in members(entry)]
    return lines


def public_classes() -> Iterator[tuple[str, str]]:
    """The header and the name, within usmx, of each class that is no template."""
    for path in sorted((INCLUDE / "usmx").rglob("*.hpp")):
        if "python" in path.parts[-3:-1]:
            continue  # extensions compile these themselves
        inner: list[str] = []
        previous = ""
        text = path.read_text("utf-8")
        if "namespace usmx::inline v" not in text:
            continue  # for kernels alone
        for line in re.sub(r"^namespace .*\n.*\n\}$", "", text, flags=re.MULTILINE).splitlines():
            if opened := re.match(r"namespace usmx::inline v\d+(?:::(\w+))? \{", line):
                inner = [opened[1]] if opened[1] else []
            elif opened := re.match(r"namespace (\w+) \{", line):
                inner.append(opened[1])
            elif re.match(r"\}  // namespace \w+$", line) and inner:
                inner.pop()
            elif (
                found := re.match(r"(?:class|struct) (?:USMX_API |\[\[\w+\]\] )*(\w+)[^;]*\{", line)
            ) and not re.match(r"template|  requires", previous):
                yield str(path.relative_to(INCLUDE)), "::".join([*inner, found[1]])
            previous = line


# ---- reading


def number(macro: str) -> int:
    """The value of a macro of usmx's headers."""
    headers = [INCLUDE / "usmx" / "c_api.h", INCLUDE / "usmx" / "base" / "version.hpp"]
    text = "".join(header.read_text("utf-8") for header in headers)
    return int(re.search(rf"#define {macro} (\d+)", text)[1])


def run(*command: object, stdin: str | None = None) -> str:
    """What a command prints."""
    words = list(map(str, command))
    return subprocess.run(words, input=stdin, capture_output=True, text=True, check=True).stdout


def debug_information(code: str, suffix: str, *options: str) -> DIE:
    """The topmost entry of a source file's debug information."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, f"source.{suffix}"), Path(folder, "object.o")
        source.write_text(code)
        compiler = "gcc" if suffix == "c" else "g++"
        system = f"-isystem{sysconfig.get_path('data')}/include"
        run(compiler, "-g", "-gdwarf-4", "-c", f"-I{INCLUDE}", system, *options, source, "-o", made)
        (unit,) = ELFFile(io.BytesIO(made.read_bytes())).get_dwarf_info().iter_CUs()
        return unit.get_top_DIE()


def name_of(entry: DIE) -> str:
    """Its name, or nothing."""
    name = entry.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""


def classes_in(entry: DIE, namespaces: list[str], outer: str = "") -> Iterator[tuple[str, DIE]]:
    """The classes in a namespace, and in those within it, with their names."""
    for child in entry.iter_children():
        if child.tag == "DW_TAG_namespace":
            if namespaces and name_of(child) == namespaces[0]:
                yield from classes_in(child, namespaces[1:])
            elif not namespaces:
                yield from classes_in(child, [], f"{outer}{name_of(child)}::")
        elif not namespaces and "DW_AT_byte_size" in child.attributes:
            yield outer + name_of(child), child


def members(entry: DIE) -> Iterator[str]:
    """Bases and members of a class, each with its offset."""
    for child in entry.iter_children():
        place = child.attributes.get("DW_AT_data_member_location")
        if child.tag == "DW_TAG_inheritance" and place:
            yield f"{place.value} base"
        elif child.tag == "DW_TAG_member" and place:
            yield f"{place.value} {name_of(child)}"


# ---- comparing

LISTS: dict[str, Callable[[], list[str]]] = {
    "c_interface.txt": c_interface,
    "symbols.txt": symbols,
    "classes.txt": classes,
}


def committed(name: str) -> list[str]:
    """A list as it is kept."""
    path = HERE / name
    return path.read_text("utf-8").splitlines() if path.exists() else []


def main() -> int:
    """Write the lists of today, unless something has gone under the same version."""
    for name, now in LISTS.items():
        lines = now()
        known = committed(name)
        gone = [line for line in known if line not in lines]
        if known and known[0] == lines[0] and gone:
            print(f"{name}: these are gone or changed:", *gone, sep="\n  ")
            return 1
        (HERE / name).write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
