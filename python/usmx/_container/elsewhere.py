"""Names of NumPy and its relatives that usmx does not have: the error says what to use instead.

Python asks here only after it has not found the name, so that names which exist cost nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

COMPUTE = (
    "usmx does not compute it: dpnp may (usmx.to_dpnp(a), no copy), or NumPy on the host "
    "(usmx.asnumpy(a))"
)

# What usmx has under another name.
_OF_THE_PACKAGE = {
    "cat": "usmx.concat(arrays)",
    "cuda": "device='cuda' for a device, usmx.SyclQueue for a stream, usmx.memory for pools",
    "device": "device='gpu' as an argument, or usmx.SyclDevice('gpu')",
    "device_count": "usmx.get_num_devices()",
    "get_array_module": "a.__array_namespace__()",
    "is_available": "usmx.has_gpu_devices()",
    "memory_allocated": "usmx.memory.memory_stats()",
    "permute": "usmx.permute_dims(a, axes), the array API's name",
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
    "usm_ndarray": "usmx.USMArray",
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
    "tofile": "usmx.save(file, a)",
    "unsqueeze": "usmx.expand_dims(a, axis)",
}

# What cannot be set, since other threads may read it (docs/decisions.md, 94).
_OF_ASSIGNMENTS = {
    "shape": "use b = a.reshape(shape)",
    "strides": "take a slice, or make a USMArray(shape, dtype, buffer=a, strides=strides)",
    "dtype": "use b = a.view(dtype) for the same bytes, or a.astype(dtype) for the same values",
}


def refuse_name(name: str, reasons: Mapping[str, str]) -> NoReturn:
    """AttributeError for a name that the package lacks, with what to use, or why it lacks it."""
    text = f"module 'usmx' has no attribute {name!r}"
    if name in _OF_THE_PACKAGE:
        text += f": use {_OF_THE_PACKAGE[name]}"
    elif name in reasons:
        text += f": {reasons[name]}"
    raise AttributeError(text, name=name, obj=__import__("usmx"))


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
