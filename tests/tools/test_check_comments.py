"""tools/check_comments.py: which comments and docstrings it refuses; the real sources have none."""

import subprocess

import pytest
from check_comments import (
    REFUSED,
    REFUSED_IN_DOCSTRINGS,
    comment_faults,
    docstring_faults,
    faults,
)


def refused_lines(text):
    return [int(fault.split(":")[1]) for fault in comment_faults("src/a.cpp", text)]


def refused_docstrings(text):
    return [int(fault.split(":")[1]) for fault in docstring_faults("python/a.py", text)]


def test_the_real_comments_and_docstrings_have_a_subject():
    assert faults() == []


@pytest.mark.parametrize("word", sorted(REFUSED))
def test_block_that_begins_without_a_subject_is_refused(word):
    (fault,) = comment_faults("src/a.cpp", f"int a;\n\n/// {word.capitalize()} the driver.\n")
    assert fault.startswith(f"src/a.cpp:3: comment begins with {word.capitalize()!r}")


@pytest.mark.parametrize("comment", ["// Of x.", "  /// as x.", "/// `what` x.", "///< By x."])
def test_every_mark_indent_and_case_is_found(comment):
    assert refused_lines(comment + "\n") == [1]


@pytest.mark.parametrize("comment", ["/// The same for y.", "// the same.", "//\n// `The same` y."])
def test_block_that_points_to_another_comment_is_refused(comment):
    (fault,) = comment_faults("src/a.cpp", comment + "\n")
    assert "comment begins with 'the same'" in fault.lower()


@pytest.mark.parametrize(
    "text",
    [
        "// Offers x.\n",
        "/// Whatever x.\n",
        "//\n",
        "// ---- 1 ----\n",
        "// The sameness of x.\n",
        "// The x, and the same for y.\n",
    ],
)
def test_other_beginnings_pass(text):
    assert refused_lines(text) == []


def test_only_the_first_word_of_a_block_counts():
    assert refused_lines("// Reads the list\n// of the driver.\nint a;\n") == []


def test_first_word_may_stand_on_the_second_line():
    assert refused_lines("//\n// Of the driver.\n") == [1]


def test_another_mark_begins_another_block():
    assert refused_lines("// The house.\n/// What it holds.\n") == [2]


def test_comment_after_code_and_its_next_lines_are_left_alone():
    assert refused_lines("int a;  // of the driver,\n        // as above\n") == []


def test_block_under_a_line_with_a_comment_is_checked():
    assert refused_lines("int a;  // a reason\n// As above.\nint b;\n") == [2]


@pytest.mark.parametrize("word", [*sorted(REFUSED_IN_DOCSTRINGS), "the same"])
def test_docstring_that_begins_without_a_noun_is_refused(word):
    (fault,) = docstring_faults("python/a.py", f'def f():\n    """{word.capitalize()} x."""\n')
    assert fault.startswith(f"python/a.py:2: docstring begins with {word.capitalize()!r}")


@pytest.mark.parametrize(
    "text",
    [
        '"""What x."""\n',
        'class A:\n    """What x."""\n',
        'async def f():\n    r"""\n    What x."""\n',
        'x = 1\n"""What x."""\n',
    ],
)
def test_docstrings_of_all_things_are_found(text):
    assert refused_docstrings(text) == [text[: text.index('"""')].count("\n") + 1]


@pytest.mark.parametrize(
    "text", ['"""Gives what x."""\n', 'x = """What x."""\n', '""" """\n', '# What x.\n"""A."""\n']
)
def test_other_strings_pass(text):
    assert refused_docstrings(text) == []


def test_only_sources_of_the_product_are_read(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for path in ("src/a.cpp", "include/a.h", "python/bindings/a.hpp", "src/a.md", "tests/a.cpp"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("// Of x.\n")
    for path in ("python/a/b.py", "python/a/b.pyi", "tests/b.py", "tools/b.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text('"""What x."""\n')
    assert [fault.split(":")[0] for fault in faults(tmp_path)] == [
        "include/a.h",
        "python/a/b.py",
        "python/a/b.pyi",
        "python/bindings/a.hpp",
        "src/a.cpp",
    ]
