"""The budget of test files: what is over the limit is named, and what has a reason is not."""

import json

import check_budget
import pytest

BUDGET = {"limit": 20, "reasons": {"tests/dear.py": "compiles"}}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "tests").mkdir()
    for name in ("dear", "new", "cheap"):
        (tmp_path / f"tests/{name}.py").touch()
    return tmp_path


def test_a_dear_file_with_a_reason_is_no_fault(root):
    spent = {"tests/dear.py": 30.0, "tests/cheap.py": 19.9}
    assert check_budget.faults(BUDGET, spent, root) == []


def test_a_dear_file_without_a_reason_is_named(root):
    (fault,) = check_budget.faults(BUDGET, {"tests/dear.py": 30.0, "tests/new.py": 20.1}, root)
    assert fault.startswith("tests/new.py takes 20.1 s")


def test_a_reason_for_a_cheap_file_is_named(root):
    (fault,) = check_budget.faults(BUDGET, {"tests/dear.py": 3.0}, root)
    assert fault.startswith("tests/dear.py takes 3.0 s, no more than 20")


def test_a_file_that_has_gone_is_no_fault(root):
    assert check_budget.faults(BUDGET, {"tests/dear.py": 30, "tests/gone.py": 50}, root) == []


def test_a_record_adds_up_the_stages_of_python_tests(tmp_path):
    (tmp_path / "python-library.cpu.json").write_text(json.dumps({"a": 1.0, "b": 2.0}))
    (tmp_path / "python-tools.cpu.json").write_text(json.dumps({"a": 0.5}))
    (tmp_path / "nightly-python.cpu.json").write_text(json.dumps({"a": 100.0}))
    assert check_budget.recorded(tmp_path) == {"b": 2.0, "a": 1.5}
