"""Dask takes arrays as they are: sizes, dask.array, what is sent between processes."""

import subprocess
import sys

import pytest
import usmx
from dask.sizeof import sizeof
from helpers import KINDS, MEMORY_CLASSES


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


# ---- sizes


def test_dask_is_told_the_bytes_of_the_elements(kind):
    array = usmx.zeros((100, 10), usm_type=kind)
    assert sizeof(array) == 8000
    assert sizeof(array[:50]) == 4000
    assert sizeof(array.T) == 8000
    assert sizeof(usmx.zeros((3, 0), usm_type=kind)) == 0


def test_repeated_elements_of_a_broadcast_count_once(kind):
    row = usmx.zeros(10, usm_type=kind)
    assert sizeof(usmx.broadcast_to(row, (1000, 10))) == 80
    assert sizeof(usmx.broadcast_to(row, (0, 10))) == 0


def test_dask_is_told_the_bytes_of_a_memory_object(kind):
    assert sizeof(MEMORY_CLASSES[kind](4096)) == 4096


def test_subclass_has_the_size_of_its_elements():
    class Labelled(usmx.USMArray):
        pass

    assert sizeof(Labelled(1000, "f8")) == 8000


def test_dask_does_not_load_usmx():
    code = "import sys, dask.sizeof; print(dask.sizeof.sizeof([1]) > 0, 'usmx' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"True False\n"


def test_broken_usmx_does_not_break_dask(tmp_path):
    package = tmp_path / "usmx"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('broken')")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import dask.array, dask.sizeof
print(dask.sizeof.sizeof([1]) > 0, dask.array.ones(3).sum().compute())
try:
    import usmx
except ImportError as error:
    print(error)
"""
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"True 3.0\nbroken\n"
