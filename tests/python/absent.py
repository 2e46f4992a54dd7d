"""A pytest plugin: without dpctl, dpnp or others that lack wheels for a Python, what needs them is skipped.

Test modules import them all the same. While pytest imports a test module, an absent package is a
stand-in that has every name, so that all tests are found. A test that uses the stand-in, or imports
the package itself, here or in a program that it runs, ends in ModuleNotFoundError and is skipped
with that reason. What usmx looks for in vain is an error, unless it names the package that a
function is for. Where all are installed, nothing of this happens.
"""

import builtins
import contextlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = (str(ROOT / "tests"), str(ROOT / "examples"))  # whose modules get stand-ins
# None of them has wheels for a Python without the interpreter lock.
PACKAGES = ("dpctl", "dpnp", "numba", "tvm_ffi")
ABSENT = tuple(name for name in PACKAGES if importlib.util.find_spec(name) is None)

# What a program says, given as `python -c` or one of the tests' files, that asks for a package.
IN_VAIN = re.compile(
    rf'  File "(?:<string>|(?:{"|".join(map(re.escape, TESTS))})[^"]*)", [^\n]*\n'
    r"(?:    [^\n]*\n)*"
    r"ModuleNotFoundError: No module named '(\w+)"
)

collecting = False


class StandIn:
    """A package, or anything in it."""

    def __init__(self, package):
        self._package = package

    def _named(self):
        if not collecting:
            raise not_found(self._package)
        return self

    def __getattr__(self, name):
        if name.startswith("__"):  # what pytest asks every object
            raise AttributeError(name)
        return self._named()

    def __call__(self, *_, **__):
        return self._named()

    def __instancecheck__(self, _):
        return self._named() is None

    def __iter__(self):
        self._named()
        return iter(())

    def __mro_entries__(self, _):
        self._named()
        return ()


def not_found(package):
    return ModuleNotFoundError(f"No module named '{package}'", name=package)


@contextlib.contextmanager
def stand_ins():
    """Give them to the modules of the tests: usmx and other libraries see none."""
    global collecting
    really = builtins.__import__

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        package = name.partition(".")[0]
        if package in ABSENT and (globals or {}).get("__file__", "").startswith(TESTS):
            return StandIn(package)
        return really(name, globals, locals, fromlist, level)

    collecting, builtins.__import__ = True, import_
    try:
        yield
    finally:
        collecting, builtins.__import__ = False, really


@contextlib.contextmanager
def skipping():
    try:
        yield
    except ImportError as error:
        if (reason := reason_of(error)) is None:
            raise
        pytest.skip(reason)


def reason_of(error):
    """None where the test itself did not ask for an absent package."""
    if named := re.search(r"\bneeds (dpctl|dpnp)\b", str(error)):
        package = named[1]
    elif innermost(error.__traceback__).startswith((*TESTS, "<doctest ")):
        package = str(error.name).partition(".")[0]
    else:
        return None
    return f"{package} is not installed" if package in ABSENT else None


def innermost(traceback):
    """The file that an error comes from."""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename


def raise_if_in_vain(program):
    """As if the test had asked for the package, not a program that it has run."""
    ended = IN_VAIN.search(program.stderr) if ABSENT and program.returncode else None
    if ended and ended[1] in ABSENT:
        raise not_found(ended[1])


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    with stand_ins():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    with skipping():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    with skipping():
        return (yield)
