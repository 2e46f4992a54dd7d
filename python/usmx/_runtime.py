"""Loading the native module: in the main interpreter only, and from wherever the runtime is."""

import ctypes
from importlib import import_module


def load_core():
    """Import ``usmx._core``.

    Its run path finds the SYCL runtime of a virtual environment, of ``--user`` and ``--prefix``
    installations and wherever the loader looks. Elsewhere the runtime's own package says where it
    is, and once it is loaded the native module finds it by name.

    Raises ImportError in a sub-interpreter: the native module's classes are those of the process,
    and a second interpreter would replace those of the first.
    """
    _require_main_interpreter()
    try:
        return import_module("usmx._core")
    except ImportError as error:
        library = _packaged_sycl_library()
        if library is None:
            raise ImportError(
                f"usmx cannot load the SYCL runtime ({error}): expected the packages "
                "intel-sycl-rt and intel-opencl-rt in this environment"
            ) from error
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        return import_module("usmx._core")


def _require_main_interpreter():
    current, main = (
        ctypes.pythonapi.PyInterpreterState_Get,
        ctypes.pythonapi.PyInterpreterState_Main,
    )
    current.restype = main.restype = ctypes.c_void_p
    if current() != main():
        raise ImportError("usmx works in the main interpreter only, found a sub-interpreter")


def _packaged_sycl_library():
    from importlib import metadata  # costs more than all else of usmx, and is seldom needed

    try:
        files = metadata.distribution("intel-sycl-rt").files or ()
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name.startswith("libsycl.so.") and file.name.count(".") == 2:
            path = file.locate()
            if path.is_file():
                return path
    return None
