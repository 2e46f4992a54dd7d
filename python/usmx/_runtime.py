"""Loading the native module: in the main interpreter only, and from wherever the runtime is."""

from __future__ import annotations

import sys
from importlib import import_module
from types import MethodDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect
    from types import ModuleType


def load_core():
    """Import ``usmx._core``.

    Its run path finds the SYCL runtime of a virtual environment, of ``--user`` and ``--prefix``
    installations and wherever the loader looks. Elsewhere the runtime's own package says where it
    is, and once it is loaded the native module finds it by name.

    Raises ImportError in a sub-interpreter: the native module's classes are those of the process,
    and a second interpreter would replace those of the first. For the same reason also once the
    native module was taken out of `sys.modules`.
    """
    _require_main_interpreter()
    try:
        core = _load_from_anywhere()
    except (ImportError, OSError) as error:
        command = _words_of_command()
        if command[:2] == ("usmx", "doctor"):  # must work all the same
            from usmx import _doctor

            sys.exit(_doctor.run_without_core(command[2:], error))
        raise
    core._make_inspectable(core)
    add_signatures(core)
    return core


def _load_from_anywhere():
    try:
        return import_module("usmx._core")
    except ImportError as error:
        if "more than once per process" in str(error):
            raise
        from usmx._doctor.versions import other_runtime

        if mismatch := other_runtime():
            raise ImportError(f"usmx cannot load the SYCL runtime ({error}): {mismatch}") from error
        library = _packaged_sycl_library()
        if library is None:
            raise ImportError(
                f"usmx cannot load the SYCL runtime ({error}): expected the packages "
                "intel-sycl-rt and intel-opencl-rt in this environment; "
                "to find out more: python -m usmx doctor"
            ) from error
        import ctypes

        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        return import_module("usmx._core")


def _words_of_command():
    """The program and its arguments, as in ``usmx doctor`` and ``python -m usmx doctor``.

    While ``python -m usmx`` imports usmx, ``sys.argv`` has "-m" in the place of the name.
    """
    program, *arguments = sys.orig_argv[-len(sys.argv) :] or [""]
    return program.rpartition("/")[2], *arguments


def _require_main_interpreter():
    refusal = "usmx works in the main interpreter only, found a sub-interpreter"
    try:
        import ctypes
    except ImportError as error:  # so from Python 3.12 on
        if "subinterpreter" in str(error):
            raise ImportError(refusal) from error
        raise
    current, main = (
        ctypes.pythonapi.PyInterpreterState_Get,
        ctypes.pythonapi.PyInterpreterState_Main,
    )
    current.restype = main.restype = ctypes.c_void_p
    if current() != main():
        raise ImportError(refusal)


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


class ConstructorSignature:
    """The signature of a class, which is that of its ``__init__`` without ``self``.

    Python 3.12.3 and 3.13 take an ``__init__`` that is a method descriptor for one that is written
    in Python, and raise a TypeError. (3.11 and 3.12.1 do not.)
    """

    def __get__(self, instance: object, cls: Any) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        import inspect

        signature = inspect.signature(cls.__init__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


def add_signatures(core: ModuleType) -> None:
    """Give all classes of the native module that have a constructor their signature."""
    signature = ConstructorSignature()
    for each in vars(core).values():
        if isinstance(each, type) and isinstance(vars(each).get("__init__"), MethodDescriptorType):
            setattr(each, "__signature__", signature)  # noqa: B010 (mypy knows no such attribute)
