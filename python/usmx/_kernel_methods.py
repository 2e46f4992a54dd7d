"""Those methods of the classes of kernels that need neither speed nor C++: attached here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._core import ElementwiseKernel, Kernel, ReductionKernel, local_memory
from usmx._functions import attach

if TYPE_CHECKING:
    from typing import Any


class OfKernels:
    """What becomes of each: a method of the classes of kernels, whose objects never change."""

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
    """What only kernels have, and local memory has not."""

    def _repr_html_(self: Any) -> str:
        from usmx._html import kernel_html

        return kernel_html(self)


class _OfLocalMemory:
    """What only local memory has."""

    def __repr__(self: Any) -> str:
        return f"<usmx.local_memory of {self._written['n']} {self._written['dtype']}>"


for _cls in (Kernel, ElementwiseKernel, ReductionKernel, local_memory):
    attach(OfKernels, _cls)
for _cls in (Kernel, ElementwiseKernel, ReductionKernel):
    attach(_OfThoseThatRun, _cls)
attach(_OfLocalMemory, local_memory)
