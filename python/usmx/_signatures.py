"""What inspect.signature says of the native module's classes."""

from __future__ import annotations

from types import MethodDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect
    from types import ModuleType


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
