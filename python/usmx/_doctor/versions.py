"""Whether ``import usmx`` works, and whether the releases that are installed fit each other.

Their own metadata say so; one command mends what does not fit.
"""

import importlib.util
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distributions, requires, version
from pathlib import Path

from usmx._doctor.situation import Finding, Situation, ok, problem

SHOWN = ("intel-sycl-rt", "intel-opencl-rt", "usmx-cuda", "numpy", "dpctl", "dpnp")
PACKAGES = ("usmx", "usmx-cuda", "dpctl", "dpnp")
# Extras of usmx whose packages need not be there, but must fit where they are.
EXTRAS = ("demo",)
RUNTIME = "intel-sycl-rt"


def check_import(situation: Situation) -> Iterator[Finding]:
    """Say from where usmx was imported, or why it was not."""
    failed = situation.import_error
    if failed is None:
        folder = Path(__file__).parents[1]
        yield ok(f"usmx is loaded from {folder}, by Python {platform.python_version()}")
        return
    remedy = "reinstall usmx into the environment of this Python: python -m pip install usmx"
    if other_runtime() is not None:
        remedy = command()
    elif "libsycl" in str(failed):
        remedy = (
            "install the SYCL runtime into the environment of this Python: "
            "python -m pip install intel-sycl-rt intel-opencl-rt"
        )
    yield problem(f"import usmx fails: {failed}", remedy)


def check(situation: Situation) -> Iterator[Finding]:
    """Compare what is installed with what usmx and its peers require."""
    if importlib.util.find_spec("packaging") is None:
        yield problem(
            "the releases cannot be compared without the package packaging",
            "python -m pip install packaging",
        )
        return
    if wrong := [why for _, why in misfits()]:
        yield problem("; ".join(wrong), command())
        return
    shown = [f"{name} {number}" for name in SHOWN if (number := installed(name))]
    yield ok(", ".join(shown))


# ---- what fits


def other_runtime() -> str | None:
    """Say which runtime is here in the place of the one that usmx needs; None if it is not so."""
    number = installed(RUNTIME)
    try:
        wanted = next((each for each in listed("usmx") if each.name == RUNTIME), None)
    except ImportError:  # packaging is not there
        return None
    if number is None or wanted is None or fits(wanted):
        return None
    asking = (f"; {name} {installed(name)} asks for {other}" for name, other in refusing(wanted))
    return (
        f"usmx needs {wanted}, found {RUNTIME} {number}{''.join(asking)}. "
        f"Install releases that go together: {command()}"
    )


def command() -> str:
    """Mend all at once: what is installed alone may bring the others' releases back."""
    wrong = {wanted.name: wanted for wanted, _ in misfits()}
    others = {name for wanted in wrong.values() for name, _ in refusing(wanted)} - wrong.keys()
    words = [*(["--upgrade"] if others else []), *sorted(others)]
    words += [f"'{wanted.name}{wanted.specifier}'" for wanted in wrong.values()]
    return f"python -m pip install {' '.join(words)}"


def misfits(packages: tuple[str, ...] = PACKAGES) -> Iterator[tuple]:
    """Yield what is required but does not fit what is installed, a package once, and why not."""
    named = set()
    for package in packages:
        for requirement in requirements_of(package):
            if requirement.name in named or fits(requirement):
                continue
            named.add(requirement.name)
            number = installed(requirement.name)
            found = f"and {requirement.name} {number} is installed"
            found = "which is not installed" if number is None else found
            wanted = f"{requirement.name}{requirement.specifier}"
            yield requirement, f"{package} needs {wanted}, {found}"


def requirements_of(package: str) -> Iterator:
    """The requirements of a package here, and those of an extra if that is installed."""
    for requirement in listed(package):
        optional = any(applies(requirement, extra) for extra in EXTRAS)
        if applies(requirement) or (optional and installed(requirement.name)):
            yield requirement


def refusing(wanted) -> Iterator[tuple]:
    """Name the packages here that ask for another release of that package, and how they do."""
    oldest = [each.version for each in wanted.specifier if each.operator == ">="]
    for name in sorted({each.name for each in distributions() if each.name}):
        for requirement in listed(name):
            admits = all(requirement.specifier.contains(each, prereleases=True) for each in oldest)
            if requirement.name == wanted.name and not admits and fits(requirement):
                yield name, requirement


def listed(package: str) -> Iterator:
    """All that its metadata require, in whatever case; nothing where it is not installed."""
    from packaging.requirements import Requirement

    try:
        texts = requires(package) or ()
    except PackageNotFoundError:
        return
    yield from map(Requirement, texts)


def applies(requirement, extra: str = "") -> bool:
    """Whether a requirement holds here, with that extra."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def fits(requirement) -> bool:
    """Whether what it requires is installed, in such a release."""
    number = installed(requirement.name)
    return number is not None and requirement.specifier.contains(number, prereleases=True)


def installed(name: str) -> str | None:
    """The release of a package; None where it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
