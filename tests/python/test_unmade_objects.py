"""An object whose __init__ never ran, or of another class, is refused by everything that takes it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import usmx


def count_of_uses(program, tmp_path):
    """Runs a program that prints how many uses it survived."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", Path(__file__).with_name(program)],
        env={
            **os.environ,
            "PYTHONMALLOC": "malloc_debug",  # fills what is not initialized, and what is freed
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    last_uses = "\n".join(done.stderr.splitlines()[-30:])
    assert done.returncode == 0, last_uses
    return int(done.stdout)


@pytest.mark.slow
def test_object_that_was_not_made_is_refused_everywhere(tmp_path):
    """In a process of its own, by every attribute, operator and function there is."""
    assert count_of_uses("unmade_objects.py", tmp_path) > 100_000


def test_object_of_another_class_harms_no_method_and_no_property(tmp_path):
    assert count_of_uses("other_objects.py", tmp_path) > 10_000


@pytest.mark.parametrize(
    "use",
    [
        lambda a: a.reshape(1),
        lambda a: a.view(),
        lambda a: a.transpose(),
        lambda a: a.ravel(),
        lambda a: a.flatten(),
        lambda a: a.flags,
        usmx.asarray,
        usmx.flip,
        usmx.empty_like,
    ],
    ids=["reshape", "view", "transpose", "ravel", "flatten", "flags", "asarray", "flip", "like"],
)
def test_array_that_was_not_made_is_told_so_before_it_is_read(use):
    with pytest.raises(TypeError, match="__init__ was never called"):
        use(usmx.USMArray.__new__(usmx.USMArray))


@pytest.mark.parametrize(
    "cls", [usmx.SyclDevice, usmx.SyclPlatform, usmx.SyclContext, usmx.SyclQueue, usmx.SyclEvent]
)
def test_object_of_pythons_own_new_is_refused(cls):
    class Below(cls):
        def __new__(cls):
            return object.__new__(cls)

    for make in (lambda: object.__new__(cls), Below):
        with pytest.raises(TypeError, match="not safe"):
            make()


@pytest.mark.parametrize("cls", [usmx.SyclQueue, usmx.SyclEvent])
def test_subclass_may_have_a_new_of_its_own(cls):
    class Below(cls):
        def __new__(cls):
            return super().__new__(cls)

    assert type(Below()) is Below
