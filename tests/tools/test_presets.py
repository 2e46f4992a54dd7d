"""The lists of the build: every C++ test is built, and the slow ones that `./test` leaves out are there."""

import re
from fnmatch import fnmatchcase

from layers import ROOT

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)


def test_every_slow_name_is_a_test():
    lists = (ROOT / "tests/cpp/CMakeLists.txt").read_text()
    patterns = re.search(r"set\(slow_tests\s+([^)]*)\)", lists)[1].split()
    sources = (path.read_text() for path in (ROOT / "tests/cpp").rglob("*_test.cpp"))
    names = [f"{suite}.{name}" for text in sources for suite, name in TEST.findall(text)]
    found = {name for name in names for pattern in patterns if fnmatchcase(name, pattern)}
    assert [p for p in patterns if not any(fnmatchcase(name, p) for name in names)] == []
    assert len(found) == 10


def test_every_file_of_tests_is_built():
    """CMake does not miss a file that its list leaves out, and nobody misses its tests."""
    listed = re.findall(r"^\s+(\S+_test\.cpp)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    folder = ROOT / "tests/cpp"
    assert sorted(listed) == sorted(str(p.relative_to(folder)) for p in folder.rglob("*_test.cpp"))
