"""The table of Python functions that the native module calls: complete, and nothing else in it."""

import subprocess
import sys

import pytest
import usmx
from usmx import _core, _hooks


@pytest.mark.parametrize("name", _hooks.FUNCTIONS)
def test_missing_hook_is_a_type_error_that_names_it(name):
    others = {key: value for key, value in _hooks.FUNCTIONS.items() if key != name}
    with pytest.raises(TypeError, match=f"expected a function '{name}', found none"):
        _core._set_hooks(**others)


def test_unknown_hook_is_a_type_error_that_names_it():
    with pytest.raises(TypeError, match="found 'no_such_hook'"):
        _core._set_hooks(**_hooks.FUNCTIONS, no_such_hook=repr)


def test_hook_that_cannot_be_called_is_a_type_error_that_names_it():
    with pytest.raises(TypeError, match="'host_value' must be callable, found int"):
        _core._set_hooks(**{**_hooks.FUNCTIONS, "host_value": 5})


def test_refused_table_changes_nothing():
    with pytest.raises(TypeError):
        _core._set_hooks(**{**_hooks.FUNCTIONS, "host_index": lambda item: "wrong"}, more=repr)
    assert usmx.asarray([1, 2])[[True, False]].tolist() == [1]


def test_native_module_without_the_package_says_which_function_it_needs():
    code = f"""
import sys, types
package = types.ModuleType("usmx")
package.__path__ = {usmx.__path__!r}
sys.modules["usmx"] = package
from usmx import _core
try:
    _core.asarray([[1, 2]])
except RuntimeError as error:
    print(error)
"""
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert (
        output
        == "usmx._core needs the Python function 'array_of_host_object': import the package usmx\n"
    )
