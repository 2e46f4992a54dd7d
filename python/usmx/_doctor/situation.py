"""The situation that the checks look at: the environment, and what works in a fresh process."""

import os
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from usmx._doctor.probe import Probe, package_folder, probe, probe_kernels, run_program


@dataclass(frozen=True)
class Situation:
    """The situation in which the doctor was called."""

    modules: tuple[str, ...]  # that the user asks about
    import_error: BaseException | None  # of ``import usmx`` here

    @cached_property
    def environment(self) -> dict[str, str]:
        """The variables that the user has set, without those that usmx set for its own process."""
        return dict(os.environ)

    @cached_property
    def alone(self) -> Probe:
        """How usmx works by itself."""
        return probe(self.environment)

    def without(self, *variables: str) -> Probe:
        """How it works where these variables are not set."""
        return probe(self._variables_without(*variables))

    def together_with(self, module: str) -> Probe:
        """How it works once this module is imported too."""
        return probe(self.environment, module)

    @cached_property
    def kernels(self) -> Probe:
        """A process in which a user's kernel is compiled and run."""
        return probe_kernels(self.environment)

    @cached_property
    def products(self) -> Probe:
        """The answer of a process that asks whose library multiplies matrices."""
        return run_program("products", self.environment, package_folder())

    @cached_property
    def cuda(self) -> Probe:
        """The answer of CUDA's driver, without the SYCL runtime."""
        return run_program("cuda", self.environment)

    @cached_property
    def level_zero(self) -> Probe:
        """The answer of Level Zero, without the SYCL runtime."""
        return run_program("level_zero", self.environment)

    def level_zero_without(self, variable: str) -> Probe:
        """The answer of Level Zero where this variable is not set."""
        return run_program("level_zero", self._variables_without(variable))

    def _variables_without(self, *variables: str) -> dict[str, str]:
        return {k: v for k, v in self.environment.items() if k not in variables}


State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One sentence about one thing, and what to do about it where something is to be done.

    A *problem* keeps usmx from working or from working as it was told to. A *note* is good to know.
    The table of checks adds the check's name.
    """

    check: str
    state: State
    found: str
    remedy: str = ""


ok = partial(Finding, "", "ok")
note = partial(Finding, "", "note")
problem = partial(Finding, "", "problem")
