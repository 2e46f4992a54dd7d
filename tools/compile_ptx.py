"""Compiles the device kernels for CUDA devices, by NVIDIA's run-time compiler from PyPI, to PTX.

    compile_ptx.py --available      exit code 0 where the compiler is there
    compile_ptx.py OUTPUT GROUP...  writes OUTPUT/<group>.ptx from src/kernels/device/<group>.cpp

No GPU and no CUDA toolkit are needed. PTX is text that each device's driver builds for itself.
"""

import ctypes
import importlib.util
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "src" / "kernels" / "device"
# The oldest devices that this compiler knows and whose shared memory moves by itself.
OPTIONS = [
    b"--gpu-architecture=compute_60",
    b"--std=c++20",
    b"--device-as-default-execution-space",
    b"-DUSMX_WIDE_GROUPS",
]
# The compiler has no standard library.
CSTDINT = b"""
namespace std {
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
}
"""


def find_compiler():
    """The folder of libnvrtc.so.12, or None."""
    try:
        package = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ModuleNotFoundError:
        return None
    if package is None:
        return None
    folder = Path(package.origin).parent / "lib"
    return folder if (folder / "libnvrtc.so.12").exists() else None


def load_compiler(folder):
    for builtins in folder.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(folder / "libnvrtc.so.12"))


def check(nvrtc, status, what):
    if status != 0:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise SystemExit(f"{what}: {nvrtc.nvrtcGetErrorString(status).decode()}")


def text_of(nvrtc, program, name):
    """What nvrtcGet<name> says, of the size that nvrtcGet<name>Size says."""
    size = ctypes.c_size_t()
    check(nvrtc, getattr(nvrtc, f"nvrtcGet{name}Size")(program, ctypes.byref(size)), name)
    text = ctypes.create_string_buffer(size.value)
    check(nvrtc, getattr(nvrtc, f"nvrtcGet{name}")(program, text), name)
    return text.value


def strings(values):
    return (ctypes.c_char_p * len(values))(*values)


def compile_group(nvrtc, group):
    headers = {path.name.encode(): path.read_bytes() for path in sorted(KERNELS.glob("*.hpp"))}
    headers[b"cstdint"] = CSTDINT
    program = ctypes.c_void_p()
    status = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program),
        (KERNELS / f"{group}.cpp").read_bytes(),
        f"{group}.cpp".encode(),
        len(headers),
        strings(list(headers.values())),
        strings(list(headers)),
    )
    check(nvrtc, status, group)
    status = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), strings(OPTIONS))
    log = text_of(nvrtc, program, "ProgramLog").decode().strip()
    if log:
        print(log, file=sys.stderr)
    check(nvrtc, status, group)
    return text_of(nvrtc, program, "PTX")


def main(arguments):
    folder = find_compiler()
    if arguments == ["--available"]:
        return 0 if folder else 1
    output, *groups = arguments
    nvrtc = load_compiler(folder)
    for group in groups:
        (Path(output) / f"{group}.ptx").write_bytes(compile_group(nvrtc, group))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
