"""What the checks of the GPUs' back ends have in common."""

from collections.abc import Callable, Iterator

from usmx._doctor.finding import Finding, note, problem
from usmx._doctor.probe import Probe
from usmx._doctor.situation import Situation

# What hides devices from the SYCL runtime.
SELECTORS = ("ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_ALLOWLIST")


def unusable(situation: Situation) -> Callable[[str, str], Finding]:
    """A GPU that cannot be used is a problem where nothing else can be."""
    return note if situation.alone.works else problem


def hidden_by_selectors(
    situation: Situation, back_end: str, device: str, shows: Callable[[Probe], object]
) -> Iterator[Finding]:
    """Find variables that hide a GPU: without them, `shows` finds it in what usmx found."""
    hidden_by = [name for name in SELECTORS if name in situation.environment]
    if hidden_by and shows(situation.without(*hidden_by)):
        values = " and ".join(f"{name}={situation.environment[name]!r}" for name in hidden_by)
        yield note(
            f"{values} hides the GPU of {back_end}",
            f"unset {' and '.join(hidden_by)}, or let it name {device}, too",
        )
