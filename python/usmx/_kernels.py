"""Kernels that users write: what is said of their source, several of one source, methods."""

from __future__ import annotations

import math
import numbers
import sys
import warnings
from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._core import ElementwiseKernel, Kernel, ReductionKernel, local_memory
from usmx._functions import attach
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal

    _Texts = list[tuple[str, str]]
    _Said = tuple[str, int, int, Literal["note", "warning", "error"], str]


class OfKernels:
    """Methods of all classes of kernels, whose objects never change."""

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickles the arguments of the constructor."""
        from usmx._unpickling import restore_kernel

        return restore_kernel, (type(self), self._written)

    def __copy__(self: Any) -> Any:
        """The object itself."""
        self._written  # noqa: B018 - TypeError for an object that was not made
        return self

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        """The object itself."""
        return self.__copy__()


class _OfThoseThatRun:
    """Methods of kernels that local memory has not."""

    def _repr_html_(self: Any) -> str:
        from usmx._html import kernel_html

        return kernel_html(self)


class _OfLocalMemory:
    """Methods of local memory alone."""

    def __repr__(self: Any) -> str:
        return f"<usmx.local_memory of {self._written['n']} {self._written['dtype']}>"


for _cls in (Kernel, ElementwiseKernel, ReductionKernel, local_memory):
    attach(OfKernels, _cls)
for _cls in (Kernel, ElementwiseKernel, ReductionKernel):
    attach(_OfThoseThatRun, _cls)
attach(_OfLocalMemory, local_memory)


class Diagnostic(NamedTuple):
    """A message of the compiler about a position in the source of a kernel."""

    file: str
    """'<source>', or the name of a header; '<usmx>' for what usmx adds; '' for none."""
    line: int
    """From 1 on; 0 for none."""
    column: int
    """From 1 on; 0 for none."""
    severity: Literal["note", "warning", "error"]
    """How grave it is. A note explains what comes before it."""
    text: str
    """The words of the compiler."""


class CompileError(RuntimeError):
    """The source of a kernel cannot be compiled."""

    diagnostics: list[Diagnostic]
    """The messages of the compiler, in its order."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class CompileWarning(UserWarning):
    """The compiler warns of something in the source of a kernel."""


class KernelModule:
    """Several kernels of one source, which is compiled once.

    Args:
        source: SYCL source or SPIR-V, as for ``usmx.Kernel``.
        names: the names of its kernels.
        defines: macros, with values of which the text is taken.
        headers: texts by the names under which the source includes them.
        options: for the compiler, as for ``usmx.Kernel``.
        debug: whether accesses through views are checked, as for ``usmx.Kernel``.

    Raises:
        CompileError: the source is no program, or lacks one of the kernels.

    Example:
        >>> m = usmx.KernelModule('''
        ... #include <usmx/kernel.hpp>
        ... USMX_KERNEL(1) one(int* x) { *x = 1; }
        ... USMX_KERNEL(1) two(int* x) { *x = 2; }''', names=['one', 'two'])
        >>> m['two'].signature
        'two(int*)'
    """

    def __init__(
        self,
        source: str | bytes,
        names: Sequence[str],
        *,
        defines: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        debug: bool = False,
    ) -> None:
        if isinstance(names, str):
            raise TypeError("names must be a sequence of strings, found a string")
        names = list(names)
        kernels = _core._compile_kernels(
            source, names, *compile_arguments(defines, headers, options), debug
        )
        self._kernels = dict(zip(names, kernels, strict=True))
        self._written = {
            "source": source,
            "names": tuple(names),
            "defines": dict(defines or {}),
            "headers": dict(headers or {}),
            "options": tuple(options),
            "debug": debug,
        }

    def __repr__(self) -> str:
        return (
            f"<usmx.KernelModule of {', '.join(each.signature for each in self._kernels.values())}>"
        )

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self._kernels[name]
        except KeyError:
            raise KeyError(f"expected {', '.join(self._kernels)}, found {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    __reduce__ = OfKernels.__reduce__
    __copy__ = OfKernels.__copy__
    __deepcopy__ = OfKernels.__deepcopy__


def compile_arguments(
    defines: Mapping[str, object] | None,
    headers: Mapping[str, str] | None,
    options: Sequence[str],
) -> tuple[_Texts, _Texts, list[str]]:
    """The arguments of a compilation as the native module takes them."""
    if isinstance(options, str):
        raise TypeError("options must be a sequence of strings, found a string")
    for what, given in (("defines", defines), ("headers", headers)):
        if given is not None and not hasattr(given, "items"):
            raise TypeError(
                f"{what} must be a mapping of names to values, such as {{'N': 16}}, found an "
                f"object of type {type(given).__name__}; dict makes a mapping of pairs"
            )
        for name in given or ():
            _require_text(f"a name of {what}", name)
    for name, text in (headers or {}).items():
        _require_text(f"the header {name!r}", text)
    macros = [(name, _macro_text(value)) for name, value in (defines or {}).items()]
    for name, text in macros:
        _require_text(f"the macro {name}", text)
    words = list(options)
    for word in words:
        _require_text("an option", word)
    return macros, list((headers or {}).items()), words


def _require_text(what: str, found: object) -> None:
    if not isinstance(found, str):
        raise TypeError(f"{what} must be a string, found an object of type {type(found).__name__}")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} must be Unicode text, found {short_repr(found)}") from None


def identity_text(identity: object) -> str:
    """The identity of a reduction as C++ has it: an expression as it is, a number written out."""
    if identity is None:
        return ""
    if isinstance(identity, str):
        return identity
    if isinstance(identity, numbers.Integral):
        value = int(identity)
        smallest = -(2**63)  # which C++ writes as a difference
        return (
            f"{value + 1} - 1"
            if value == smallest
            else f"{value}u"
            if value >= 2**63
            else str(value)
        )
    if isinstance(identity, numbers.Real):
        return _floating_text(float(identity))
    if isinstance(identity, numbers.Complex):
        number = complex(identity)
        return f"{_floating_text(number.real)}, {_floating_text(number.imag)}"
    if getattr(identity, "dtype", None) == "bool" and not getattr(identity, "ndim", 1):
        return str(int(bool(identity)))  # NumPy's, which is no number of the standard library's
    found = type(identity).__name__
    raise TypeError(f"identity must be a string, a number or None, found an object of type {found}")


def _floating_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def compile_error(message: str, said: list[_Said]) -> CompileError:
    """The error for what the compiler said."""
    return CompileError(message, [Diagnostic(*each) for each in said])


def compile_progress(names: Sequence[str], seconds: int) -> None:
    """Tell on a terminal for how long kernels have been compiled; 0 takes the line away."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    line = f"usmx compiles {', '.join(names)}: {seconds} s; Ctrl-C ends it" if seconds else ""
    print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)


def compile_warnings(said: list[_Said]) -> None:
    """Python's warnings for the compiler's; a note goes with what it explains."""
    texts: list[str] = []
    for each in map(Diagnostic._make, said):
        column = f":{each.column}" if each.column else ""  # NVIDIA's compiler may not tell
        line = f"{each.file}:{each.line}{column}: {each.text}"
        if each.severity == "note" and texts:
            texts[-1] += f"\n  {line}"
        else:
            texts.append(line)
    is_from_here = sys._getframe(1).f_globals.get("__name__") == __name__
    for text in texts:
        warnings.warn(text, CompileWarning, stacklevel=3 if is_from_here else 2)


def _macro_text(value):
    """True and False as C++ has them."""
    return str(value).lower() if isinstance(value, bool) else str(value)
