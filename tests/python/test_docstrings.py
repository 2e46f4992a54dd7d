"""Every public name explains itself: its arguments, what it raises, and an example that works."""

import doctest
import inspect
import re
from types import FunctionType

import numpy as np
import pytest
import usmx
import usmx.testing

PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (usmx, usmx.lib.stride_tricks, usmx.memory, usmx.random, usmx.testing, usmx.utils)
    for name in module.__all__
}
METHODS = {
    f"{owner}.{name}": member
    for owner, cls in PUBLIC.items()
    if isinstance(cls, type) and not issubclass(cls, Exception)
    for name, member in vars(cls).items()
    if not name.startswith("_") and callable(member)
}
PROPERTIES = {
    f"{owner}.{name}": member
    for owner, cls in PUBLIC.items()
    if isinstance(cls, type)
    for name, member in vars(cls).items()
    if not name.startswith("_") and isinstance(member, property)
}
FUNCTIONS = {
    name: value
    for name, value in PUBLIC.items()
    if callable(value) and not isinstance(value, type) and inspect.getdoc(value)
}
MODULES = {"usmx.enum_types", "usmx.lib", "usmx.memory", "usmx.random", "usmx.utils"}
CONSTANTS = {
    f"usmx.{name}" for name in ("__array_api_version__", "__version__", "e", "inf", "nan", "pi")
} | MODULES


def text_of(value):
    return inspect.getdoc(value) or ""


def example_text(value):
    parts = [value.__doc__ or ""]
    if isinstance(value, type) and not isinstance(vars(value).get("__init__"), FunctionType):
        parts.append(value.__init__.__doc__ or "")
    return "\n\n".join(inspect.cleandoc(part) for part in parts)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_argument_of_a_function_is_explained(name):
    arguments = inspect.signature(FUNCTIONS[name]).parameters
    text = text_of(FUNCTIONS[name])
    entries = re.findall(r"^    ([\w, ]+): ", text.partition("Args:")[2], re.MULTILINE)
    explained = {argument for entry in entries for argument in entry.split(", ")}
    assert set(arguments) - explained == set()


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - CONSTANTS))
def test_every_public_name_has_an_example_or_is_only_received(name):
    received = {
        "usmx.CompileError",
        "usmx.CompileWarning",
        "usmx.Diagnostic",
        "usmx.ExecutionPlacementError",
        "usmx.utils.ExecutionPlacementError",
        "usmx.SyclContextCreationError",
        "usmx.SyclQueueCreationError",
        "usmx.SyclKernelInvalidRangeError",
        "usmx.SyclKernelSubmitError",
        "usmx.SyclSubDeviceCreationError",
        "usmx.SyclDeviceCreationError",
        "usmx.USMAllocationError",
        "usmx.Device",  # create_device has one
        "usmx.memory.USMAllocationError",
        "usmx.memory.MemoryPool",  # set_limit has one
        "usmx.memory.MemoryResource",
    }
    assert (">>>" in example_text(PUBLIC[name])) != (name in received)


@pytest.mark.parametrize("name", sorted(PROPERTIES | METHODS))
def test_every_member_says_what_it_is(name):
    text = text_of((PROPERTIES | METHODS)[name])
    assert text
    assert not text.startswith("(self)")


@pytest.mark.parametrize("name", sorted(PUBLIC | METHODS | PROPERTIES))
def test_no_text_sends_the_reader_elsewhere_for_an_argument(name):
    assert "as in `" not in example_text((PUBLIC | METHODS | PROPERTIES)[name])


class Runner(doctest.DocTestRunner):
    """Lets an example end the test whose package is not there: it is skipped then (absent.py)."""

    def report_unexpected_exception(self, out, test, example, exc_info):
        if isinstance(exc_info[1], ImportError):
            raise exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


# Examples that some devices cannot run.
NEEDED_ASPECTS = {"usmx.from_shared_memory": "has_aspect_usm_system_allocations"}


@pytest.mark.parametrize("name", sorted((PUBLIC.keys() - CONSTANTS) | METHODS.keys()))
def test_examples_print_what_they_say(name):
    aspect = NEEDED_ASPECTS.get(name)
    if aspect is not None and not getattr(usmx.SyclDevice(), aspect):
        pytest.skip(f"the device lacks {aspect}")
    text = example_text((PUBLIC | METHODS)[name])
    test = doctest.DocTestParser().get_doctest(text, {"usmx": usmx, "np": np}, name, None, 0)
    failures = []
    # doctest takes pytest's -v for its own.
    runner = Runner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test, out=failures.append)
    assert "".join(failures) == ""
