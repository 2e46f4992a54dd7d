"""What importing usmx does, in fresh processes: little, and nothing that cannot wait."""

import ast
from pathlib import Path

import pytest
import usmx
from helpers import output_of, run_python

# Nothing that the user configures, and nothing that this process has configured already.
CLEAN = {
    "OCL_ICD_FILENAMES": None,
    "OCL_ICD_VENDORS": None,
    "ONEAPI_DEVICE_SELECTOR": None,
    "LD_LIBRARY_PATH": None,
}
MAPPED = (
    "{line.split()[-1].rsplit('/', 1)[-1] for line in open('/proc/self/maps') if '.so' in line}"
)


def modules_after(code):
    return set(output_of(f"{code}; import sys; print(*sys.modules)", **CLEAN).split())


def libraries_after(code):
    return set(output_of(f"{code}; print(*{MAPPED})", **CLEAN).split())


# ---- what is loaded


@pytest.mark.parametrize("module", ["numpy", "dpctl", "dpnp", "numba", "scipy"])
def test_import_loads_no_other_package(module):
    assert module not in modules_after("import usmx")


@pytest.mark.parametrize(
    "module",
    [
        "usmx.cli",
        "usmx.random",
        "usmx.testing",
        "usmx._numpy",
        "usmx._typing",
        "usmx._container.formatting",
    ],
)
def test_import_loads_no_part_that_is_seldom_used(module):
    loaded = modules_after("import usmx")
    assert {"usmx", "usmx._core", "usmx.memory"} <= loaded
    assert module not in loaded


@pytest.mark.parametrize("module", ["dataclasses", "inspect", "pathlib"])
def test_import_loads_no_module_of_python_that_takes_long(module):
    assert module not in modules_after("import usmx")


def test_import_loads_no_driver():
    libraries = libraries_after("import usmx")
    assert {name for name in libraries if name.startswith("libsycl")}
    assert not {
        name for name in libraries if name.startswith(("libintelocl", "libtbb", "libze_intel"))
    }


def test_import_makes_no_device_query():
    assert not {name for name in libraries_after("import usmx") if name.startswith("libur_adapter")}
    queried = libraries_after("import usmx; usmx.get_devices()")
    assert {name for name in queried if name.startswith(("libintelocl", "libur_adapter"))}


def test_objects_that_need_no_device_make_no_device_query():
    code = (
        "import usmx; usmx.memory.MemoryUSMShared; usmx.USMArray; usmx.__version__\n"
        "try: usmx.from_usm_array_interface(5)\n"
        "except TypeError: pass\n"
        f"print(*{MAPPED})"
    )
    assert "libintelocl.so" not in output_of(code, **CLEAN)


@pytest.mark.slow
def test_one_sycl_runtime_is_loaded_with_the_peers():
    for code in ("import usmx, dpctl, dpnp", "import dpnp, dpctl, usmx"):
        libraries = libraries_after(f"{code}; usmx.get_devices(); dpctl.get_devices()")
        assert len({name for name in libraries if name.startswith("libsycl.so")}) == 1


# ---- without NumPy

HIDE_NUMPY = "import sys; sys.modules['numpy'] = None; import usmx\n"


def test_numpy_is_not_needed_to_import_exchange_and_copy():
    code = HIDE_NUMPY + (
        "a = usmx.zeros((2, 3), 'f4', usm_type='shared')\n"
        "a.base.copy_from_host(bytes(range(24)))\n"
        "b = usmx.asarray(a[1:]); m = usmx.memory.as_usm_memory(b)\n"
        "class P: __sycl_usm_array_interface__ = a.__sycl_usm_array_interface__\n"
        "v = usmx.asarray(P()); view = memoryview(v)\n"
        "print(b.shape, list(m.tobytes()), v.strides, view.shape, v.flags.c_contiguous)\n"
    )
    assert output_of(code, **CLEAN) == f"(1, 3) {list(range(12, 24))} (3, 1) (2, 3) True"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "usmx.asarray([[1, 2]])",
        "usmx.asnumpy(usmx.zeros(3))",
        "usmx.zeros(3).dtype",
        "usmx.zeros(3, float)",
        "repr(usmx.zeros(3))",
    ],
)
def test_what_needs_numpy_says_so(code):
    result = run_python(HIDE_NUMPY + code, **CLEAN)
    assert result.returncode == 1
    assert result.stderr.strip().splitlines()[-1].startswith("ImportError: usmx: NumPy is needed")


# ---- devices are found


def test_devices_are_found_without_any_environment_variable():
    assert output_of("import usmx; print(len(usmx.get_devices()) > 0)", **CLEAN) == "True"
    assert output_of("import usmx; print(usmx.zeros(3).size)", **CLEAN) == "3"


def test_devices_are_found_by_a_dpctl_that_is_imported_after_usmx():
    code = "import usmx, dpctl; print(dpctl.get_num_devices() == len(usmx.get_devices()) > 0)"
    assert output_of(code, **CLEAN) == "True"


def test_devices_are_found_when_dpctl_was_imported_first():
    code = "import dpctl, usmx; print(dpctl.get_num_devices() == len(usmx.get_devices()) > 0)"
    assert output_of(code, **CLEAN) == "True"


def test_devices_are_found_by_a_child_process():
    child = "import dpctl; print(dpctl.get_num_devices() > 0)"
    code = f"import usmx, subprocess, sys; print(subprocess.check_output([sys.executable, '-c', {child!r}], text=True))"
    assert output_of(code, **CLEAN) == "True"


@pytest.mark.parametrize("selector", ["opencl:*", "opencl:cpu", "*:cpu"])
def test_devices_are_found_with_a_device_selector(selector):
    code = "import usmx; print(len(usmx.get_devices()))"
    if not any(device.backend == "opencl" and device.is_cpu for device in usmx.get_devices()):
        pytest.skip("this process sees no OpenCL CPU device")
    found = output_of(code, **{**CLEAN, "ONEAPI_DEVICE_SELECTOR": selector})
    assert int(found) >= 1


# What the native side sets is not in os.environ: it has to be asked for there.
GETENV = "import ctypes, usmx; c = ctypes.CDLL(None); c.getenv.restype = ctypes.c_char_p; print(c.getenv(b'{}'))"


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", "/nowhere/libnothing.so", "relative.so", "/a.so:/b.so"])
@pytest.mark.parametrize("name", ["OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"])
def test_what_the_user_configured_is_never_overridden(name, value):
    other = {"OCL_ICD_FILENAMES": "OCL_ICD_VENDORS"}.get(name, "OCL_ICD_FILENAMES")
    variables = {**CLEAN, name: value}
    assert output_of(GETENV.format(name), **variables) == repr(value.encode())
    assert output_of(GETENV.format(other), **variables) == "None"


def test_device_selector_of_the_user_is_never_overridden():
    variables = {**CLEAN, "ONEAPI_DEVICE_SELECTOR": "opencl:gpu"}
    assert output_of(GETENV.format("ONEAPI_DEVICE_SELECTOR"), **variables) == "b'opencl:gpu'"
    variables = {**CLEAN, "ONEAPI_DEVICE_SELECTOR": "cuda:99"}
    assert output_of("import usmx; print(usmx.get_devices())", **variables) == "[]"


def test_error_of_a_missing_device_names_the_doctor():
    code = (
        "import usmx\n"
        "try: usmx.zeros(3)\n"
        "except usmx.SyclDeviceCreationError as error: print('python -m usmx doctor' in str(error))"
    )
    assert output_of(code, **{**CLEAN, "ONEAPI_DEVICE_SELECTOR": "cuda:99"}) == "True"


def test_error_says_so_where_the_drivers_were_looked_for_before_usmx_could_name_its_own():
    code = (
        "import dpctl\n"
        "print(len(dpctl.get_devices()))\n"  # as Ray does, when it is imported
        "import usmx\n"
        "try: usmx.zeros(3)\n"
        "except usmx.SyclDeviceCreationError as error: print(error)\n"
    )
    there, *error = output_of(code, **CLEAN).splitlines()
    if there != "0":
        pytest.skip("this system has drivers that are found without usmx")
    assert "import usmx first, or set OCL_ICD_FILENAMES=/" in error[0]
    assert "import ray" in error[0]


def test_error_says_that_the_working_directory_was_deleted(tmp_path):
    code = (
        "import os\n"
        f"os.mkdir({str(tmp_path / 'gone')!r})\n"
        f"os.chdir({str(tmp_path / 'gone')!r})\n"
        f"os.rmdir({str(tmp_path / 'gone')!r})\n"
        "import usmx\n"
        "try: usmx.zeros(3)\n"
        "except usmx.SyclDeviceCreationError as error: print(error, flush=True)\n"
        "os._exit(0)\n"  # the driver may wait for ever at the end
    )
    error = run_python(code, 120, **CLEAN).stdout  # the runtime complains on stderr, too
    if not error:
        pytest.skip("these drivers start without a working directory")
    assert "the working directory was deleted" in error
    assert "change to a working directory that exists" in error
    assert "import ray" not in error


def test_no_device_is_an_error_with_a_reason_and_no_crash():
    code = (
        "import usmx\n"
        "for make in (usmx.SyclDevice, usmx.SyclQueue, usmx.SyclContext, lambda: usmx.zeros(3),\n"
        "             lambda: usmx.memory.MemoryUSMHost(8), lambda: usmx.SyclDevice('cpu')):\n"
        "    try: make()\n"
        "    except usmx.SyclDeviceCreationError as error: print('ONEAPI_DEVICE_SELECTOR' in str(error))\n"
    )
    found = output_of(code, **{**CLEAN, "ONEAPI_DEVICE_SELECTOR": "cuda:99"})
    assert found.split() == ["True"] * 6


# ---- what the package offers


def test_all_names_what_there_is():
    for module in (usmx, usmx.memory):
        assert list(module.__all__) == sorted(module.__all__)
        for name in module.__all__:
            assert getattr(module, name) is not None


def test_package_offers_what_the_documents_name():
    assert set(usmx.__all__) >= {
        "SyclDevice",
        "SyclContext",
        "SyclQueue",
        "get_devices",
        "USMArray",
        "asarray",
        "from_usm_array_interface",
        "empty",
        "zeros",
        "asnumpy",
        "memory",
        "USMAllocationError",
        "SyclDeviceCreationError",
    }
    assert set(usmx.memory.__all__) >= {
        "MemoryUSMDevice",
        "MemoryUSMShared",
        "MemoryUSMHost",
        "as_usm_memory",
        "USMAllocationError",
    }
    assert usmx.memory.USMAllocationError is usmx.USMAllocationError


def test_star_import_brings_what_all_names():
    code = (
        "from usmx import *; import usmx; print(set(usmx.__all__) - {'__version__'} <= set(dir()))"
    )
    assert output_of(code, **CLEAN) == "True"


def test_version_is_three_numbers():
    assert [part.isdigit() for part in usmx.__version__.split(".")[:3]] == [True] * 3


def test_everything_public_has_a_docstring():
    for name in set(usmx.__all__) - {"__version__"}:
        assert getattr(usmx, name).__doc__, name
    for name in usmx.memory.__all__:
        assert getattr(usmx.memory, name).__doc__, name


def test_python_files_import_numpy_only_when_it_is_needed():
    package = Path(usmx.__file__).parent
    paths = [*package.glob("*.py"), *package.glob("_container/*.py"), *package.glob("cli/*.py")]
    assert len(paths) > 20
    for path in paths:
        if path.name in ("_typing.py", "memory_log.py"):  # for type checkers; imported to plot
            continue
        for node in ast.parse(path.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert "numpy" not in names, path
            assert not str(getattr(node, "module", "")).startswith("numpy"), path


def test_unloading_order_does_not_matter():
    assert (
        output_of(
            "import usmx, sys; a = usmx.zeros(3); del sys.modules['usmx']; print(a.size)", **CLEAN
        )
        == "3"
    )


@pytest.mark.parametrize("gone", ["usmx", "usmx._core"])
def test_importing_again_after_the_native_module_was_taken_away_is_an_import_error(gone):
    code = (
        "import sys, usmx\n"
        "a = usmx.zeros(3)\n"
        f"for name in [name for name in sys.modules if name.startswith({gone!r})]:\n"
        "    del sys.modules[name]\n"
        "sys.modules.pop('usmx', None)\n"
        "for _ in range(2):\n"
        "    try: import usmx\n"
        "    except ImportError as error: print(error)\n"
        "print(a.size, a[1:].size)\n"
    )
    *errors, sizes = output_of(code, **CLEAN).splitlines()
    assert sizes == "3 2"
    assert len(errors) == 2
    for error in errors:
        assert error.startswith("usmx cannot be loaded more than once per process")


def test_import_works_twice_and_from_a_thread():
    code = "import threading; t = threading.Thread(target=__import__, args=('usmx',)); t.start(); t.join(); import usmx; print(usmx.zeros(2).size)"
    assert output_of(code, **CLEAN) == "2"
