"""tests/cpp/CMakeLists.txt: the slow C++ tests that `./test quick` leaves out are there."""

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
    assert len(found) == 9
