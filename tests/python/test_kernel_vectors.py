"""USMX_KERNEL_VECTORS=off: kernels of the CPU device without vectors, where those of Intel's compiler are wrong."""

import pytest
import usmx
from helpers import output_of

# The number of values that are not found where NumPy finds them.
SEARCH = '''
import numpy as np
import usmx
search = usmx.ElementwiseKernel("raw bool sorted, bool given", "int64 place", """
long low = 0;
long high = sorted.size();
while (low < high) {
  const long middle = (low + high) / 2;
  if (given || !sorted[middle]) { low = middle + 1; } else { high = middle; }
}
place = low
""", "search")
ordered, values = np.arange(64) >= 21, np.arange(64) % 2 == 0
found = usmx.asnumpy(search(usmx.asarray(ordered), usmx.asarray(values)))
print((found != np.searchsorted(ordered, values, "right")).sum())
'''


@pytest.fixture(autouse=True)
def _needs_the_cpu_driver():
    device = usmx.SyclDevice()
    if not device.is_cpu or device.backend != "opencl":
        pytest.skip("the variable is that of Intel's CPU driver")


@pytest.mark.slow
def test_kernels_without_vectors_are_right_whatever_is_in_the_cache(tmp_path):
    """If the first number is 0, Intel has mended its compiler: then docs/limits.md has a line too much."""
    for value, wrong in (("on", "32"), ("off", "0"), ("on", "32")):
        assert output_of(SEARCH, USMX_CACHE_DIR=tmp_path, USMX_KERNEL_VECTORS=value) == wrong
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.slow
def test_kernels_of_the_package_are_built_without_vectors_too(tmp_path):
    code = (
        "import usmx; usmx.exp(usmx.zeros(9000)); "
        "usmx.zeros(900)[:, None] * usmx.ones((900, 500))[:, ::2]"
    )
    counts = []
    for value in ("on", "off", "off"):
        output_of(code, USMX_CACHE_DIR=tmp_path, USMX_KERNEL_VECTORS=value)
        counts.append(len([*tmp_path.iterdir()]))
    assert counts[0] > 0
    assert counts[1] == counts[2] == 2 * counts[0]


@pytest.mark.parametrize("value", ["on", "0", "", None])
def test_other_values_leave_the_driver_alone(value):
    code = (
        "import ctypes, usmx; getenv = ctypes.CDLL(None).getenv; "
        "getenv.restype = ctypes.c_char_p; print(getenv(b'CL_CONFIG_CPU_VECTORIZER_MODE'))"
    )
    assert output_of(code, USMX_KERNEL_VECTORS=value) == "None"
    assert output_of(code, USMX_KERNEL_VECTORS="off") == "b'1'"


def test_driver_keeps_the_users_own_mode():
    code = (
        "import ctypes, usmx; getenv = ctypes.CDLL(None).getenv; "
        "getenv.restype = ctypes.c_char_p; print(getenv(b'CL_CONFIG_CPU_VECTORIZER_MODE'))"
    )
    found = output_of(code, USMX_KERNEL_VECTORS="off", CL_CONFIG_CPU_VECTORIZER_MODE="8")
    assert found == "b'8'"
