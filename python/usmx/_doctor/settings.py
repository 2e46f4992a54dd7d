"""Variables of usmx's own whose values have no effect, or not the one that was meant."""

import difflib
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.situation import Finding, Situation, ok, problem

VARIABLES = (
    "USMX_CACHE_DIR",
    "USMX_CACHE_LIMIT",
    "USMX_DEFAULT_USM_TYPE",
    "USMX_HOST_ACCESS",
    "USMX_KERNEL_VECTORS",
    "USMX_LEAK_REPORT",
    "USMX_LEAK_WARNINGS",
    "USMX_MEMORY_LOG",
    "USMX_PENDING_LIMIT",
    "USMX_POOL",
    "USMX_POOL_KEEP",
    "USMX_POOL_LIMIT",
    "USMX_UNPICKLE_ON",
)


def check(situation: Situation) -> Iterator[Finding]:
    """Compare with what usmx reads, and pass on what usmx itself says of a value."""
    given = {k: v for k, v in sorted(situation.environment.items()) if k.startswith("USMX_")}
    wrong = list(faults(given))
    if situation.import_error is None:
        advice = "correct the value, or unset the variable"
        wrong += [problem(text, advice) for text in situation.alone.warnings]
    text = ", ".join(f"{name}={value}" for name, value in given.items())
    yield from wrong or [ok(text or "none of usmx's variables is set")]


def faults(given: dict[str, str]) -> Iterator[Finding]:
    """Find names that usmx does not read, and values that have no effect."""
    for name in (each for each in given if each not in VARIABLES):
        near = difflib.get_close_matches(name, VARIABLES, 1) or [", ".join(VARIABLES)]
        yield problem(f"usmx reads no variable {name}", f"perhaps {near[0]} is meant")
    for name, what in (("USMX_POOL", "pools"), ("USMX_KERNEL_VECTORS", "vectors")):
        value = given.get(name, "off")
        if value != "off":
            yield problem(
                f"{name}={value!r} has no effect: {what} stay on",
                f"unset it, or turn {what} off with {name}=off",
            )
    # A log is not opened, since a log may be in it already.
    path = given.get("USMX_MEMORY_LOG", "")
    if path and not (folder := Path(path).absolute().parent).is_dir():
        yield problem(
            f"USMX_MEMORY_LOG={path!r} cannot be written: there is no folder {folder}",
            "make the folder, or name another file",
        )
