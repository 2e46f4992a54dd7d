"""What the checks look at: the environment, and what works in a fresh process."""

import os
from dataclasses import dataclass
from functools import cached_property

from usmx._doctor.probe import (
    Cuda,
    Kernels,
    LevelZero,
    Probe,
    probe,
    probe_cuda,
    probe_kernels,
    probe_level_zero,
)


@dataclass(frozen=True)
class Situation:
    """Where the doctor was called."""

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
        return probe({k: v for k, v in self.environment.items() if k not in variables})

    def together_with(self, module: str) -> Probe:
        """How it works once this module is imported too."""
        return probe(self.environment, module)

    @cached_property
    def kernels(self) -> Kernels:
        """What comes of a user's kernel."""
        return probe_kernels(self.environment)

    @cached_property
    def cuda(self) -> Cuda:
        """What CUDA's driver has, without the SYCL runtime."""
        return probe_cuda(self.environment)

    @cached_property
    def level_zero(self) -> LevelZero:
        """What Level Zero has, without the SYCL runtime."""
        return probe_level_zero(self.environment)

    def level_zero_without(self, variable: str) -> LevelZero:
        """What it has where this variable is not set."""
        return probe_level_zero({k: v for k, v in self.environment.items() if k != variable})
