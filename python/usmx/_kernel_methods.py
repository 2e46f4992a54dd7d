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


for _cls in (Kernel, ElementwiseKernel, ReductionKernel, local_memory):
    attach(OfKernels, _cls)
