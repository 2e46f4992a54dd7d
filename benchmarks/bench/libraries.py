"""The libraries that usmx is measured with, of which some may not be installed."""

import importlib
from collections.abc import Callable
from typing import Any

from bench.pairing import Aim, Peer, Work


class LibraryMissing(Exception):
    """A case, or a peer of it, needs a library that is not installed."""


class _Missing:
    """Stands in the place of a library, so that cases can be written as if it were there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        """None: code that uses the library does without it."""
        raise LibraryMissing(self._name)


def library(name: str) -> Any:
    """Import a module, or what raises LibraryMissing wherever it is used."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return _Missing(name.partition(".")[0])


def installed_peer(name: str, make: Callable[[], Work], aim: Aim | None = None) -> list[Peer]:
    """One peer, or none where its library is missing."""
    try:
        return [Peer(name, make(), aim)]
    except LibraryMissing:
        return []


dpctl = library("dpctl")
dpctl_memory = library("dpctl.memory")
dpctl_program = library("dpctl.program")
dpnp_tensor = library("dpnp.tensor")
