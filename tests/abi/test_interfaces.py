"""What was compiled against an older usmx finds all that it relies on."""

import re
import subprocess
from pathlib import Path

import interfaces
import pytest

ADVICE = {
    "c_interface.txt": "The C interface has changed. Functions are added at the end of usmx_api; for "
    "anything else raise USMX_C_API_MAJOR: extensions must then be built again.",
    "symbols.txt": "libusmx.so has lost functions that others call. Keep them, or raise "
    "USMX_ABI_VERSION: what links libusmx.so must then be built again.",
    "classes.txt": "Classes that others have objects of have changed. Keep them as they were, or "
    "raise USMX_ABI_VERSION: what links libusmx.so must then be built again.",
}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=interfaces.LISTS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def today(name):
    return interfaces.LISTS[name]()


@pytest.mark.slow
def test_nothing_has_gone_or_changed(name, today):
    gone = [line for line in interfaces.committed(name) if line not in today]
    assert not gone, f"{ADVICE[name]} Gone or changed: {gone}"


@pytest.mark.slow
def test_what_was_added_is_committed(name, today):
    added = [line for line in today if line not in interfaces.committed(name)]
    assert not added, f"run python tests/abi/interfaces.py to commit what was added: {added}"


def test_functions_of_the_table_follow_each_other():
    places = [line for line in interfaces.committed("c_interface.txt") if line[:9] == "usmx_api:"]
    offsets = [int(re.match(r"usmx_api: (\d+) ", line)[1]) for line in places]
    assert offsets == [0, 8, 12, *range(16, 16 + 8 * (len(offsets) - 3), 8)]


def test_every_function_of_the_table_is_in_the_document():
    places = [line for line in interfaces.committed("c_interface.txt") if line[:9] == "usmx_api:"]
    text = (ROOT / "docs" / "c-interface.md").read_text("utf-8")
    functions = [place.split()[2] for place in places][3:]
    assert [name for name in functions if f"`{name}`" not in text] == []


def test_only_the_namespace_of_this_version_is_exported():
    version = interfaces.number("USMX_ABI_VERSION")
    prefix = rf"(typeinfo for |typeinfo name for |vtable for )?usmx::v{version}::"
    exported = interfaces.symbols()[1:]
    assert [line for line in exported if line and not re.match(prefix, line)] == []


def test_every_header_is_in_the_namespace_of_this_version():
    version = interfaces.number("USMX_ABI_VERSION")
    spaces = set()
    for path in (ROOT / "include" / "usmx").rglob("*.hpp"):
        spaces |= set(re.findall(r"^namespace usmx::inline (\w+)", path.read_text(), re.MULTILINE))
    assert spaces == {f"v{version}"}


def test_library_is_called_after_this_version():
    version = interfaces.number("USMX_ABI_VERSION")
    (library,) = (interfaces.PACKAGE / "lib").glob("libusmx.so.?")
    header = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True)
    assert re.search(r"SONAME.*\[(.*)\]", header.stdout)[1] == f"libusmx.so.{version}"
