"""CMakePresets.json: the slow C++ tests that `./test quick` leaves out are there."""

import json
import re

from layers import ROOT

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)


def excluded():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]
    (quick,) = (preset for preset in presets if preset["name"] == "quick-release")
    return quick["filter"]["exclude"]["name"]


def test_every_excluded_name_is_a_test():
    sources = (path.read_text() for path in (ROOT / "tests/cpp").rglob("*_test.cpp"))
    names = [f"{suite}.{name}" for text in sources for suite, name in TEST.findall(text)]
    found = [name for name in names if re.search(excluded(), name)]
    assert len(found) == 9
