"""The patches of docs/adoption: they apply to the packages that are installed, which then check."""

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from documents import ROOT
from helpers import TYPESTRS, output_of, run

pytestmark = pytest.mark.slow

dpnp = pytest.importorskip("dpnp")
SITE = Path(dpnp.__file__).parents[1]
# Imports the patched modules in place of the installed ones, in child processes as well.
SITECUSTOMIZE = """
import sys
from importlib.util import spec_from_file_location
from pathlib import Path

class Patched:
    @staticmethod
    def find_spec(name, path=None, target=None):
        file = Path(__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
        return spec_from_file_location(name, file) if file.is_file() else None

sys.meta_path.insert(0, Patched)
"""


@dataclass
class Patch:
    """A patch, what takes arrays in the patched package, and the rules that it does not keep yet."""

    name: str
    consumer: str
    options: str
    module: str
    broken: set


NOT_ONEDALS = {f"typestr {found}" for found in set(TYPESTRS) - {"<i4", "<i8", "<f4", "<f8"}}
NOT_ONEDALS |= {f"{which} strides" for which in ("negative", "zero", "overlapping")}  # copies
NOT_ONEDALS |= {"strided rows and columns"}  # a copy
NOT_ONEDALS |= {"0-d", "no elements", "no elements, pointer 0"}
NOT_ONEDALS |= {"read-only", "read-only device memory"}
PATCHES = [
    Patch("dpnp", "dpnp.tensor:asarray", "", "dpnp.tensor._ctors", {"no elements, pointer 0"}),
    Patch("dpnp", "dpnp:asarray", "copies=True", "dpnp.tensor._ctors", {"no elements, pointer 0"}),
    Patch(
        "scikit-learn-intelex",
        "onedal.datatypes:to_table",
        "to_numpy='onedal.datatypes:from_table'",
        "onedal.datatypes._data_conversion",
        NOT_ONEDALS,
    ),
]


def apply(name, folder):
    """Put the patched files of an installed package into a folder that comes first in sys.path."""
    patch = ROOT / f"docs/adoption/{name}.patch"
    for path in re.findall(r"^--- a/(.+)$", patch.read_text(), re.MULTILINE):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes((SITE / path).read_bytes())
    run("git", "apply", patch, cwd=folder)
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    return os.pathsep.join(filter(None, [str(folder), *sys.path]))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.consumer)
def test_patched_package_refuses_every_hostile_array_and_takes_what_it_can(patch, tmp_path):
    code = f"""
import importlib, json
from usmx.testing import check_consumer
report = check_consumer({patch.consumer!r}, {patch.options})
broken = [finding.rule for finding in report.findings if finding.outcome == "broken"]
print(json.dumps([importlib.import_module({patch.module!r}).__file__, broken]))
"""
    found = output_of(code, PYTHONPATH=apply(patch.name, tmp_path))
    module, broken = json.loads(found)
    assert Path(module).is_relative_to(tmp_path)
    assert set(broken) == patch.broken


def test_patched_dpnp_is_the_same_memory_on_the_same_queue(tmp_path):
    code = """
import dpnp, gc, numpy as np, usmx
numbers = np.arange(24.0).reshape(4, 6)
for kind in ("device", "shared", "host"):
    for key in (np.s_[:], np.s_[1:, ::2], np.s_[::-1, ::-2], np.s_[2, 3], np.s_[:0]):
        array = usmx.asarray(numbers, usm_type=kind)[key]
        taken = dpnp.tensor.asarray(array)
        assert (taken.usm_type, taken.sycl_queue) == (kind, array.sycl_queue)
        assert taken.size == 0 or taken._pointer == array._pointer
        del array
        gc.collect()
        assert np.array_equal(dpnp.tensor.asnumpy(taken), numbers[key])
print("end")
"""
    assert output_of(code, PYTHONPATH=apply("dpnp", tmp_path)) == "end"


def test_estimators_of_the_patched_package_take_dpnps_arrays(tmp_path):
    code = """
import dpnp, numpy as np, sklearn.decomposition
from sklearnex import config_context
from sklearnex.decomposition import PCA
host = np.random.default_rng(1).normal(size=(100, 4)) * [4, 3, 2, 1]
expected = sklearn.decomposition.PCA(2).fit(host).transform(host)
with config_context(array_api_dispatch=True):
    found = PCA(2).fit(dpnp.asarray(host)).transform(dpnp.asarray(host))
assert np.allclose(abs(dpnp.asnumpy(found)), abs(expected))
print("end")
"""
    path = apply("scikit-learn-intelex", tmp_path)
    assert output_of(code, PYTHONPATH=path, SCIPY_ARRAY_API="1") == "end"
