"""Names of NumPy and its relatives that usmx does not have: the error says what to use instead.

Python asks here only after it has not found the name, so that names which exist cost nothing more.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from usmx import _core

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

# Names that others have for what usmx has under another name, of functions and of methods alike.
_OF_BOTH = {
    "chunk": "usmx.array_split(a, n)",
    "clone": "a.copy()",
    "expand": "usmx.broadcast_to(a, shape)",
    "gather": "usmx.take_along_axis(a, indices, axis)",
    "masked_fill": "usmx.where(mask, value, a)",
    "masked_select": "a[mask]",
    "numel": "a.size",
    "relu": "usmx.maximum(a, 0)",
    "sigmoid": "1 / (1 + usmx.exp(-a))",
    "softmax": (
        "e / e.sum(axis=-1, keepdims=True), where e = usmx.exp(a - a.max(axis=-1, keepdims=True))"
    ),
    "topk": "usmx.sort(a, descending=True)[..., :k], and usmx.argsort for the indices",
    "unsqueeze": "usmx.expand_dims(a, axis)",
}
# Names of functions.
_OF_THE_PACKAGE = {
    **_OF_BOTH,
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
    "Event": "usmx.SyclEvent, or queue.submit_barrier(), which returns one",
    "ElementWiseKernel": "usmx.ElementwiseKernel",
    "alltrue": "usmx.all(a)",
    "asfarray": "usmx.asarray(a, dtype=float)",
    "array_namespace": "a.__array_namespace__(), or usmx itself",
    "autograd": "a library with gradients: torch.from_dlpack(a), jax.numpy.from_dlpack(a)",
    "AxisError": "usmx.exceptions.AxisError",
    "as_tensor": "usmx.asarray(x)",
    "as_usm_memory": "usmx.memory.as_usm_memory(obj)",
    "bmm": "usmx.matmul(a, b)",
    "bfloat16": "usmx.float32 or usmx.float16",
    "clamp": "usmx.clip(a, min, max)",
    "cdist": "usmx.linalg.vector_norm(a[:, None] - b[None], axis=-1)",
    "compile": "usmx.fuse(function)",
    "complex_": "usmx.complex128",
    "cumproduct": "usmx.cumprod(a, axis)",
    "devices": "usmx.get_devices()",
    "empty_cache": "usmx.memory.empty_cache()",
    "find_common_type": "usmx.result_type(*types)",
    "float_": "usmx.float64",
    "from_torch": "usmx.from_dlpack(tensor)",
    "get_default_device": "usmx.default_queue().sycl_device",
    "get_device": "a.device, or usmx.default_queue().sycl_device",
    "grad": "a library with gradients: torch.from_dlpack(a), jax.numpy.from_dlpack(a)",
    "in1d": "usmx.isin(a, b)",
    "index_select": "usmx.take(a, indices, axis)",
    **dict.fromkeys(("Inf", "Infinity", "infty", "PINF"), "usmx.inf"),
    "jit": "usmx.fuse(function)",
    "lerp": "a + weight * (b - a)",
    "logsumexp": "usmx.logaddexp.reduce(a, axis)",
    "mat": "usmx.asarray(a), and @ for products",
    "mm": "usmx.matmul(a, b)",
    "msort": "usmx.sort(a, axis=0)",
    "multinomial": "usmx.random.default_rng(seed).choice(n, size, p=weights)",
    "NaN": "usmx.nan",
    "NINF": "-usmx.inf",
    "no_grad": "the calls as they are, since usmx records no gradients",
    **dict.fromkeys(("nn", "optim"), "a library with layers: torch.from_dlpack(a)"),
    "product": "usmx.prod(a)",
    "profiler": "usmx.benchmark(f, a)",
    "scatter": "usmx.put_along_axis(a, indices, values, axis)",
    "set_default_device": "usmx.set_default_queue(usmx.SyclQueue('gpu'))",
    "sometrue": "usmx.any(a)",
    "stream": "with usmx.using_queue(queue):",
    "to_cupy": "cupy.from_dlpack(a)",
    "to_device": "a.to_device(device)",
    "to_torch": "torch.from_dlpack(a)",
    "trapz": "usmx.trapezoid(y, x)",
    "version": "usmx.__version__",
    "vmap": "the axes of arrays, or usmx.vectorize(function)",
    **{name: f"Python's {name}" for name in ("complex", "float", "int")},
    **dict.fromkeys(
        ("manual_seed", "rand", "randint", "randn", "randperm"), "usmx.random.default_rng(seed)"
    ),
    **{
        name: f"usmx.{module}.{name}"
        for module, names in {
            "fft": """
                fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
                irfftn rfft rfft2 rfftfreq rfftn""",
            "linalg": """
                cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_norm matrix_power
                matrix_rank multi_dot norm pinv qr slogdet solve svd svdvals tensorinv tensorsolve
                unchecked vector_norm""",
        }.items()
        for name in names.split()
    },
}  # fmt: skip

# Names that a module lacks.
_OF_MODULES = {
    "fft": dict.fromkeys(
        ("dct", "dctn", "dst", "dstn", "idct", "idst"), "scipy.fft.{0}(usmx.asnumpy(a))"
    ),
    "linalg": {
        **dict.fromkeys(
            (
                "block_diag", "eigh_tridiagonal", "expm", "logm", "lu", "lu_factor", "lu_solve",
                "null_space", "orth", "schur", "sqrtm", "toeplitz",
            ),
            "scipy.linalg.{0}(usmx.asnumpy(a))",
        ),
        "cho_factor": "usmx.linalg.cholesky(a)",
        "cho_solve": "usmx.linalg.solve(a, b)",
        "dot": "usmx.dot(a, b)",
        "einsum": "usmx.einsum(subscripts, *arrays)",
        "kron": "usmx.kron(a, b)",
        "pinvh": "usmx.linalg.pinv(a, hermitian=True)",
        "solve_triangular": "usmx.linalg.solve(a, b)",
        "vdot": "usmx.vdot(a, b)",
    },
    "special": {
        "log_softmax": "a - usmx.logaddexp.reduce(a, -1, keepdims=True)",
        "logsumexp": "usmx.logaddexp.reduce(a, axis)",
        "softmax": "usmx.exp(a - usmx.logaddexp.reduce(a, -1, keepdims=True))",
    },
    "testing": {
        **dict.fromkeys(
            ("assert_almost_equal", "assert_approx_equal", "assert_array_almost_equal"),
            "usmx.testing.assert_allclose",
        ),
        "assert_equal": "usmx.testing.assert_array_equal",
        "check": "usmx.testing.check_producer(obj), or check_consumer(f) for a function",
        **dict.fromkeys(
            ("assert_array_less", "assert_array_max_ulp"), "numpy.testing.{0}(usmx.asnumpy(a), b)"
        ),
        **dict.fromkeys(("assert_raises", "assert_warns"), "numpy.testing.{0}, or pytest's"),
    },
}  # fmt: skip

# The attributes of NumPy's, dpnp's, CuPy's and PyTorch's arrays that USMArray lacks.
_OF_ARRAYS = {
    **_OF_BOTH,
    "asnumpy": "usmx.asnumpy(a)",
    "append": "usmx.append(a, values), which copies",
    "at": "a[i] = value, or usmx.add.at(a, i, value)",
    "backward": "a library with gradients: torch.from_dlpack(a)",
    "bfloat16": "a.astype(usmx.float32)",
    "block_until_ready": "a.sycl_queue.wait()",
    "clamp": "a.clip(min, max)",
    "contiguous": "usmx.ascontiguousarray(a)",
    "cpu": "usmx.asnumpy(a) or a.to_device('cpu')",
    "ctypes": "a._pointer or a.__sycl_usm_array_interface__",
    "cuda": "a.to_device('cuda')",
    "data": "a.base, or memoryview(a) where the host can read the memory",
    "data_ptr": "a._pointer, or a.__sycl_usm_array_interface__",
    "detach": "a itself, since usmx records no gradients",
    "dim": "a.ndim",
    "dump": "pickle.dump(a, file) or usmx.save(file, a)",
    "dumps": "pickle.dumps(a)",
    "element_size": "a.itemsize",
    "fill_": "a.fill(value)",
    "get": "usmx.asnumpy(a)",
    "getfield": "a['field'] or a.view(dtype)",
    "grad": "a library with gradients: torch.from_dlpack(a)",
    "index_select": "a.take(indices, axis)",
    "inverse": "usmx.linalg.inv(a)",
    "is_contiguous": "a.flags.c_contiguous",
    "is_cuda": "a.sycl_device.backend",
    "mm": "a @ b",
    "ndimension": "a.ndim",
    "new_empty": "usmx.empty(shape, dtype=a.dtype)",
    "new_zeros": "usmx.zeros(shape, dtype=a.dtype)",
    "numpy": "usmx.asnumpy(a)",
    "permute": "a.transpose(axes)",
    "ptp": "a.max() - a.min()",
    "queue": "a.sycl_queue",
    "requires_grad": "a library with gradients: torch.from_dlpack(a)",
    "resize": "a.reshape(shape), or usmx.tile(a, n) for more elements",
    "scatter_": "usmx.put_along_axis(a, indices, values, axis)",
    "setfield": "a['field'] = value",
    "setflags": "a.flags.writable = False",
    "stream": "a.sycl_queue",
    "stride": "a.strides, in elements",
    "t": "a.T",
    "to": "a.to_device(device) or a.astype(dtype)",
    "tofile": "usmx.save(file, a), or usmx.asnumpy(a).tofile(file) for the bytes alone",
    "type": "a.dtype, or a.astype(dtype)",
    "unbind": "usmx.unstack(a, axis=axis)",
    "zero_": "a.fill(0)",
    **{
        name: f"a.astype(usmx.{own})"
        for name, own in {
            "bool": "bool", "double": "float64", "float": "float32", "half": "float16",
            "int": "int32", "long": "int64",
        }.items()
    },
    **{
        name: f"a {sign} b"
        for name, sign in {
            "eq": "==", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "ne": "!=",
        }.items()
    },
    **{
        name: f"usmx.linalg.{name}(a)"
        for name in ("cholesky", "det", "eig", "eigh", "inv", "norm", "pinv", "qr", "svd")
    },
    **{
        name: f"a {sign}= b"
        for name, sign in {"add_": "+", "div_": "/", "mul_": "*", "sub_": "-"}.items()
    },
    **{
        name: f"usmx.{name}({operands})"
        for operands, names in {
            "a": """
                abs acos asin atan ceil cos cosh count_nonzero cov diag exp expm1 floor isfinite
                isinf isnan log log10 log1p log2 logical_not median nan_to_num nanmax nanmean
                nanmedian nanmin nanprod nanstd nansum nanvar negative sign sin sinh sqrt square tan
                tanh tril triu unique""",
            "a, b": """
                add allclose cross divide equal isclose kron matmul maximum minimum multiply outer
                pow remainder subtract vdot""",
            "a, ...": """
                broadcast_to diff flip moveaxis percentile quantile roll rot90 split take_along_axis
                tensordot tile where""",
        }.items()
        for name in names.split()
    },
}  # fmt: skip

# Attributes that cannot be set, since other threads may read them (docs/decisions.md, 94).
_OF_ASSIGNMENTS = {
    "shape": "use b = a.reshape(shape)",
    "strides": "take a slice, or make a USMArray(shape, dtype, buffer=a, strides=strides)",
    "dtype": "use b = a.view(dtype) for the same bytes, or a.astype(dtype) for the same values",
}


def refuse_name(name: str, reasons: Mapping[str, str]) -> NoReturn:
    """AttributeError for a name that the package lacks, with what to use, or why it lacks it.

    `usmx.__getattr__` calls it. ``from usmx import name`` puts a text of its own in the place of an
    AttributeError's, but lets an ImportError pass.
    """
    if name in _OF_THE_PACKAGE:
        advice = f": use {_OF_THE_PACKAGE[name]}"
    else:
        advice = f": {reasons[name]}" if name in reasons else ""
    package = sys.modules["usmx"]
    if advice and _is_imported_from(2):
        text = f"cannot import name {name!r} from 'usmx'{advice}"
        raise ImportError(text, name="usmx", path=package.__file__)
    raise AttributeError(f"module 'usmx' has no attribute {name!r}{advice}", name=name, obj=package)


def refuse_name_of_module(module: str, name: str) -> NoReturn:
    """AttributeError for a name that a module of the package lacks, with what to use.

    `__getattr__` of the module calls it.
    """
    whole = f"usmx.{module}"
    use = _OF_MODULES[module].get(name)
    if use is None and callable(getattr(sys.modules["usmx"], name, None)):
        use = f"usmx.{name}"
    advice = f": use {use.format(name)}" if use else ""
    found = sys.modules[whole]
    if advice and _is_imported_from(2):
        raise ImportError(
            f"cannot import name {name!r} from {whole!r}{advice}", name=whole, path=found.__file__
        )
    raise AttributeError(
        f"module {whole!r} has no attribute {name!r}{advice}", name=name, obj=found
    )


def _is_imported_from(depth: int) -> bool:
    """Whether ``from ... import`` asks for an attribute, as many frames above the caller's."""
    from opcode import opmap

    try:
        frame = sys._getframe(depth + 1)
    except ValueError:  # called by C code alone
        return False
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def own_function(name: str, function: object) -> str:
    """The whole name of usmx's function that does what one of NumPy's does; "" if there is none."""
    found: Any = sys.modules["usmx"]
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"usmx.{name}" if callable(found) and found is not function else ""


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
