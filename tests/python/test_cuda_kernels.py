"""Generated kernels for CUDA devices: NVIDIA's compiler takes their source, without such a device.

That they compute what they should is tested where there is one: the other files of tests of kernels
run on it. tests/cpp/user_kernels/nvrtc_test.cpp compiles what users write.
"""

import ctypes
import importlib.util
from pathlib import Path

import pytest
import usmx
from usmx._elementwise import elementwise_source
from usmx._generated_kernels import LOOP_HEADER, parse_parameters
from usmx._reduction import reduction_source

OPTIONS = [b"--gpu-architecture=sm_90", b"--std=c++20", b"--device-as-default-execution-space"]
HEADERS = Path(usmx.__file__).parent / "include" / "usmx"


@pytest.fixture(scope="module")
def nvrtc():
    if importlib.util.find_spec("nvidia.cuda_nvrtc") is None:
        pytest.skip("NVIDIA's compiler is not installed: pip install usmx[cuda]")
    (folder,) = importlib.util.find_spec("nvidia.cuda_nvrtc").submodule_search_locations
    library = Path(folder) / "lib" / "libnvrtc.so.12"
    for builtins in library.parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(library))


def strings(values):
    return (ctypes.c_char_p * len(values))(*values)


def messages_of(nvrtc, source, **written):
    """What the compiler says against a source; empty if it takes it."""
    files = {
        "usmx/kernel.hpp": (HEADERS / "kernel.hpp").read_text(encoding="utf-8"),
        "usmx/kernel_cuda.hpp": (HEADERS / "kernel_cuda.hpp").read_text(encoding="utf-8"),
        "usmx_loop.hpp": LOOP_HEADER,
        "preamble": "",
        **written,
    }
    program = ctypes.c_void_p()
    texts, names = ([each.encode() for each in part] for part in (files.values(), files))
    status = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program),
        source.encode(),
        b"source",
        len(files),
        strings(texts),
        strings(names),
    )
    assert status == 0
    status = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), strings(OPTIONS))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() if status else ""


C_TYPES = ["float", "double", "_Float16", "long", "signed char", "bool"]
LOOPS = ["flat 1 0 ara", "rows 2 0 nsa", "rows 8 0 ooa", "tiles 2 64 taa", "tiles 3 32 tta"]


@pytest.mark.parametrize("c_type", C_TYPES)
@pytest.mark.parametrize("form", LOOPS)
def test_elementwise_kernels_of_every_form_compile(nvrtc, form, c_type):
    source = elementwise_source(
        "f",
        parse_parameters("in", "T x, T y, T z"),
        [(c_type, True)] * 3,
        2,
        form,
        uses_index=False,
    )
    assert messages_of(nvrtc, source, operation="z = x + y") == ""


def test_elementwise_kernel_with_index_numbers_and_functions_compiles(nvrtc):
    source = elementwise_source(
        "f",
        parse_parameters("in", "float32 x, T a, T z"),
        [("float", True), ("double", False), ("double", True)],
        2,
        "rows 2 0 aaa",
        uses_index=True,
    )
    operation = "z = sqrt(x) + pow(a, 2.0) + fmax(a, 1.0) + i"
    assert messages_of(nvrtc, source, operation=operation) == ""


@pytest.mark.parametrize("c_type", C_TYPES)
@pytest.mark.parametrize("form", ["inner 1 1 64 a", "inner 3 2 8 s", "outer 2 2 1 n"])
def test_reductions_of_every_form_compile(nvrtc, form, c_type):
    source = reduction_source(
        "f", parse_parameters("in", "T x, T y"), [(c_type, True)] * 2, 1, c_type, form
    )
    written = {
        "map_expr": "x * x",
        "reduce_expr": "a + b",
        "post_map_expr": "y = a",
        "identity": "0",
    }
    assert messages_of(nvrtc, source, **written) == ""


def test_source_that_is_wrong_is_refused(nvrtc):
    assert "nothing" in messages_of(nvrtc, "int x = nothing;")
