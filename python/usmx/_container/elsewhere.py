"""Names of NumPy and its relatives that usmx does not have: the error says what to use instead.

Python asks here only after it has not found the name, so that names which exist cost nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

COMPUTE = (
    "usmx does not compute it: dpnp may (usmx.to_dpnp(a), no copy), or NumPy on the host "
    "(usmx.asnumpy(a))"
)

# What usmx has under another name.
_OF_THE_PACKAGE = {
    "argwhere": "usmx.stack(usmx.nonzero(a), axis=1)",
    "array": "usmx.asarray(x), or usmx.asarray(x, copy=True) for a copy",
    "array2string": "str(a) or repr(a)",
    "array_repr": "repr(a)",
    "array_str": "str(a)",
    "asanyarray": "usmx.asarray(x)",
    "cat": "usmx.concat(arrays)",
    "cuda": "device='cuda' for a device, usmx.SyclQueue for a stream, usmx.memory for pools",
    "device": "device='gpu' as an argument, or usmx.SyclDevice('gpu')",
    "device_count": "usmx.get_num_devices()",
    "fft": "dpnp.fft, by usmx.to_dpnp(a), or numpy.fft",
    "flatnonzero": "usmx.nonzero(a.ravel())[0]",
    "frompyfunc": "usmx.ElementwiseKernel, which takes SYCL source",
    "get_printoptions": "usmx.get_print_options()",
    "get_array_module": "a.__array_namespace__()",
    "identity": "usmx.eye(n)",
    "is_available": "usmx.has_gpu_devices()",
    "linalg": "dpnp.linalg, by usmx.to_dpnp(a), or numpy.linalg; usmx has products",
    "matrix": "usmx.asarray(x)",
    "memory_allocated": "usmx.memory.memory_stats()",
    "ndarray": "usmx.USMArray",
    "ndim": "a.ndim",
    "permute": "usmx.permute_dims(a, axes), the array API's name",
    "printoptions": "usmx.print_options(...)",
    "promote_types": "usmx.result_type(a, b)",
    "putmask": "a[mask] = values",
    "ravel": "a.ravel() or usmx.reshape(a, -1)",
    "row_stack": "usmx.vstack(arrays)",
    "savetxt": "numpy.savetxt(file, usmx.asnumpy(a))",
    "savez_compressed": "usmx.savez(file, ...)",
    "set_printoptions": "usmx.set_print_options(...)",
    "shape": "a.shape",
    "size": "a.size",
    "RawKernel": "usmx.Kernel(source, name)",
    "RawModule": "usmx.KernelModule(source, names)",
    "Tensor": "usmx.USMArray",
    "Stream": "usmx.SyclQueue(property='in_order'), or usmx.default_queue()",
    "get_usm_type": "a.usm_type, or usmx.memory.get_usm_type(a)",
    "get_default_memory_pool": "usmx.memory.get_memory_pool(kind)",
    "get_default_pinned_memory_pool": "usmx.memory.get_memory_pool('host')",
    "create_program_from_source": "usmx.KernelModule(source, names), of SYCL source",
    "create_program_from_spirv": "usmx.KernelModule(spirv, names)",
    "SyclKernel": "usmx.Kernel(source, name)",
    "SyclProgram": "usmx.KernelModule(source, names)",
    "SyclProgramCompilationError": "usmx.CompileError",
    "LocalAccessor": "usmx.local_memory(dtype, n)",
    "WorkGroupMemory": "usmx.local_memory(dtype, n)",
    "program": "usmx.Kernel(source, name); dpctl.program compiles OpenCL C",
    "tensor": "usmx itself, which has dpnp.tensor's functions; or usmx.asarray(x), for PyTorch's",
    "tri": "usmx.tril(usmx.ones(shape))",
    "usm_ndarray": "usmx.USMArray",
    "vectorize": "usmx.ElementwiseKernel, which takes SYCL source",
    **{
        name: f"usmx.asarray(numpy.{name}(...))"
        for name in (
            "fromfile", "fromfunction", "fromiter", "fromregex", "fromstring", "genfromtxt",
            "geomspace", "loadtxt", "logspace", "memmap",
        )
    },
    **{
        name: f"numpy.{name}"
        for name in ("index_exp", "isscalar", "issubdtype", "s_", "typing")
    },
    **dict.fromkeys(
        ("manual_seed", "rand", "randint", "randn", "randperm"), "usmx.random.default_rng(seed)"
    ),
}  # fmt: skip

# The attributes of NumPy's, dpnp's, CuPy's and PyTorch's arrays that USMArray lacks.
_OF_ARRAYS = {
    "asnumpy": "usmx.asnumpy(a)",
    "clone": "a.copy()",
    "contiguous": "usmx.ascontiguousarray(a)",
    "cpu": "usmx.asnumpy(a) or a.to_device('cpu')",
    "ctypes": "a._pointer or a.__sycl_usm_array_interface__",
    "cuda": "a.to_device('cuda')",
    "data": "a.base, or memoryview(a) where the host can read the memory",
    "dump": "pickle.dump(a, file) or usmx.save(file, a)",
    "dumps": "pickle.dumps(a)",
    "get": "usmx.asnumpy(a)",
    "getfield": "a['field'] or a.view(dtype)",
    "numpy": "usmx.asnumpy(a)",
    "permute": "a.transpose(axes)",
    "ptp": "a.max() - a.min()",
    "queue": "a.sycl_queue",
    "resize": "a.reshape(shape), or usmx.tile(a, n) for more elements",
    "setfield": "a['field'] = value",
    "setflags": "a.flags.writable = False",
    "to": "a.to_device(device) or a.astype(dtype)",
    "to_numpy": "usmx.asnumpy(a)",
    "tofile": "usmx.save(file, a)",
    "unsqueeze": "usmx.expand_dims(a, axis)",
}

# What cannot be set, since other threads may read it (docs/decisions.md, 94).
_OF_ASSIGNMENTS = {
    "shape": "use b = a.reshape(shape)",
    "strides": "take a slice, or make a USMArray(shape, dtype, buffer=a, strides=strides)",
    "dtype": "use b = a.view(dtype) for the same bytes, or a.astype(dtype) for the same values",
}


def add_names(uses: Mapping[str, str]) -> None:
    """Names that NumPy has for what another room has, and what to use instead."""
    _OF_THE_PACKAGE.update(uses)


def refuse_name(name: str) -> NoReturn:
    """AttributeError for a name that the package lacks."""
    text = f"module 'usmx' has no attribute {name!r}"
    if name in _OF_THE_PACKAGE:
        text += f": use {_OF_THE_PACKAGE[name]}"
    elif (numpys := _of_numpy(name)) is not None:
        text += _advice(name, numpys)
    raise AttributeError(text, name=name, obj=__import__("usmx"))


def _of_numpy(name: str) -> Any:
    """What NumPy has under a public name, or None."""
    if name.startswith("_"):
        return None
    try:
        import numpy
    except ImportError:
        return None
    return getattr(numpy, name) if name in dir(numpy) else None  # other names may warn


def _advice(name: str, numpys: Any) -> str:
    """What to use for an object of NumPy's. For a type that usmx has no elements of: nothing."""
    if not isinstance(numpys, type):
        return f": {COMPUTE}" if callable(numpys) else f": use numpy.{name}"
    try:
        return f": use usmx.{_core._dtype(numpys)}"
    except (TypeError, ValueError):
        return ""


class _Elsewhere:
    """An attribute that a class lacks. `hasattr` is False, as without it."""

    def __init__(self, use: str) -> None:
        self.use = use

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, array: object, cls: type) -> NoReturn:
        raise AttributeError(
            f"{cls.__name__!r} object has no attribute {self.name!r}: use {self.use}",
            name=self.name,
            obj=cls if array is None else array,
        )


def _refusing(name: str, use: str):
    def refuse(self: object, value: object) -> NoReturn:
        raise AttributeError(f"{name} of a USMArray cannot be set: {use}", name=name, obj=self)

    return refuse


def _names_of_instance(self: object) -> list[str]:
    return [name for name in object.__dir__(self) if name not in _OF_ARRAYS]


def answer_for_arrays() -> None:
    """Let USMArray answer for the attributes that it lacks, and keep them out of ``dir(a)``."""
    for name, use in _OF_ARRAYS.items():
        attribute = _Elsewhere(use)
        attribute.__set_name__(_core.USMArray, name)
        setattr(_core.USMArray, name, attribute)
    for name, use in _OF_ASSIGNMENTS.items():
        setattr(_core.USMArray, name, getattr(_core.USMArray, name).setter(_refusing(name, use)))
    _core.USMArray.__dir__ = _names_of_instance  # type: ignore[method-assign]
