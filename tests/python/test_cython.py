"""usmx/c_api.pxd declares for Cython what include/usmx/c_api.h has."""

import re
from pathlib import Path

import usmx

HEADER = Path(usmx.get_include(), "usmx/c_api.h").read_text()
DECLARATIONS = (Path(usmx.__file__).parent / "c_api.pxd").read_text()


def functions(text):
    table = text[text.index("uint32_t minor") :]
    return re.findall(r"\(\*(\w+)\)\(", re.sub(r"\(\*deleter\)", "", table))


def constants(text):
    names = re.findall(r"^\s+(USMX_[A-Z0-9_]+)\b", text, re.MULTILINE)
    return [name for name in names if not name.startswith("USMX_C_API")]


def fields_of_a_view(text):
    view = re.split(r"\n\n|}", text[text.index("struct usmx_view") :])[0]
    return re.findall(r"^\s+(?:const )?\w+\*? (\w+)\b;?\s*(?://.*)?$", view, re.MULTILINE)


def test_functions_are_those_of_the_table_in_its_order():
    assert functions(DECLARATIONS) == [f for f in functions(HEADER) if f != "accept"]


def test_constants_are_those_of_the_header():
    assert constants(DECLARATIONS) == constants(HEADER)


def test_view_has_the_fields_of_the_header():
    assert fields_of_a_view(DECLARATIONS) == fields_of_a_view(HEADER)


def test_questions_about_a_view_are_those_of_the_header():
    pattern = r"(usmx_is_\w+)\(const usmx_view"
    assert re.findall(pattern, DECLARATIONS) == re.findall(pattern, HEADER)
