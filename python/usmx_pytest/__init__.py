"""A plugin of pytest that checks other libraries: ``pytest --usm-array-interface mypackage:make``.

Whoever has usmx installed has this module imported by every run of pytest. So it imports nothing
of usmx before the option is used: it costs nothing, and a broken usmx does not break pytest.
"""

import importlib

import pytest

OPTION = "--usm-array-interface"


def pytest_addoption(parser):
    """Add the option."""
    parser.getgroup("usmx", "USM arrays").addoption(
        OPTION,
        metavar="MODULE:NAME",
        action="append",
        default=[],
        help="check this array, or what this function returns, by each rule of "
        "__sycl_usm_array_interface__ (usmx.testing.check_producer); may be given several times",
    )


def pytest_collection_modifyitems(session, config, items):
    """Add a test for each producer that the option names."""
    for name in config.getoption(OPTION):
        items.append(_ProducerItem.from_parent(session, name=name))


def pytest_terminal_summary(terminalreporter, config):
    """Print one line for each producer."""
    if config.getoption(OPTION):
        terminalreporter.section("USM arrays")
    reports = (each for some in terminalreporter.stats.values() for each in some)
    for report in reports:
        if getattr(report, "when", "") == "call":
            lines = [line for key, line in report.user_properties if key == OPTION]
            terminalreporter.write("".join(f"{line}\n" for line in lines))


class _Failed(Exception):
    """The text says why, and no traceback is of any use."""


class _ProducerItem(pytest.Item):
    """The check of one producer."""

    def runtest(self):
        check_producer = _checker()
        report = check_producer(_producer(self.name))
        summary = str(report).partition("\n")[0]
        self.user_properties.append((OPTION, f"{self.name}: {summary}"))
        try:
            report.raise_if_broken()
        except AssertionError as error:
            raise _Failed(str(error)) from None

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, _Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, f"{OPTION} {self.name}"


def _checker():
    """The function that checks; usmx is imported here."""
    try:
        from usmx.testing import check_producer
    except ImportError as error:
        raise _Failed(
            f"usmx cannot be imported: {error}\npython -m usmx doctor says what to do"
        ) from None
    return check_producer


def _producer(name):
    """The producer of that name, or what the function of that name returns."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise _Failed(f"{OPTION}: expected MODULE:NAME, found {name!r}")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # a module that the author's own imports
        raise _Failed(
            f"{OPTION} {name}: {error}; install the package, or let pytest find it with "
            "-o pythonpath=."
        ) from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise _Failed(f"{OPTION} {name}: {found!r} has no attribute {part!r}")
        found = getattr(found, part)
    is_producer = hasattr(found, "__sycl_usm_array_interface__") and not isinstance(found, type)
    return found() if callable(found) and not is_producer else found
