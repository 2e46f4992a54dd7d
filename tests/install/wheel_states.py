"""What is true of an installed wheel; tools/build_wheel runs this in a fresh environment, state by state.

Not a pytest module: pytest is not there.
"""

import importlib.util
import subprocess
import sys
from importlib.metadata import metadata, version
from pathlib import Path

import usmx


def without_numpy() -> None:
    """Import, memory and the exchange work; what needs NumPy says so."""
    assert importlib.util.find_spec("numpy") is None
    array = usmx.zeros((2, 3), "f4", usm_type="shared")
    array.base.copy_from_host(bytes(range(24)))
    again = usmx.from_usm_array_interface(Producer(array))
    assert list(memoryview(again).cast("B")) == list(range(24))
    assert "NumPy is needed" in message_of(ImportError, usmx.asnumpy, array)


def with_numpy() -> None:
    """Arrays of NumPy go in and out, kernels run, the commands answer."""
    import numpy as np

    host = np.arange(1 << 20, dtype="f8").reshape(1024, 1024)
    array = usmx.asarray(host, usm_type="device")
    assert np.array_equal(usmx.asnumpy(usmx.astype(array.T, "f4")), host.T.astype("f4"))
    packaged = Path(usmx.__file__).parent / "libexec/usmx-kernels"
    assert packaged.stat().st_size > 3_000_000, "expected the kernels of the set full"
    assert importlib.util.find_spec("dpctl") is None
    for command in (["--version"], ["devices"]):
        subprocess.run([sys.executable, "-P", "-m", "usmx", *command], check=True)


def with_dpctl_and_dpnp() -> None:
    """Memory goes to dpnp and comes back, without a copy."""
    import dpnp

    array = usmx.asarray([1.0, 2.0, 3.0], usm_type="shared")
    there = usmx.to_dpnp(array)
    assert isinstance(there, dpnp.ndarray)
    there *= 2
    back = usmx.asarray(there)
    assert back._pointer == array._pointer
    assert back.tolist() == [2.0, 4.0, 6.0]


def message_of(kind: type[Exception], function, *arguments) -> str:
    """What the exception says that the call must raise."""
    try:
        function(*arguments)
    except kind as error:
        return str(error)
    raise AssertionError(f"{function.__name__} raised nothing")


class Producer:
    """The least that the protocol asks for."""

    def __init__(self, array):
        self.owner = array
        self.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__


STATES = {
    "without NumPy": without_numpy,
    "with NumPy": with_numpy,
    "with dpctl and dpnp": with_dpctl_and_dpnp,
}

if __name__ == "__main__":
    assert "site-packages" in usmx.__file__, usmx.__file__
    assert metadata("usmx")["License-Expression"] == "Apache-2.0"
    STATES[sys.argv[1]]()
    print(f"usmx {version('usmx')} {sys.argv[1]}: good")
