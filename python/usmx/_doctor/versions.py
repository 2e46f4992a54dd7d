"""Whether the releases that are installed fit each other, as their own metadata say."""

import importlib.util
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from usmx._doctor.finding import Finding
from usmx._doctor.situation import Situation

CHECK = "versions"
PACKAGES = ("usmx", "dpctl", "dpnp")
SHOWN = ("intel-sycl-rt", "intel-opencl-rt", "numpy", "dpctl", "dpnp")
# Extras of usmx whose packages need not be there, but must fit where they are.
EXTRAS = ("demo", "bench")


def check(situation: Situation) -> Iterator[Finding]:
    """Compare what is installed with what usmx and its peers require."""
    if importlib.util.find_spec("packaging") is None:
        yield Finding(
            CHECK,
            "problem",
            "the releases cannot be compared without the package packaging",
            "python -m pip install packaging",
        )
        return
    wrong = [finding for package in PACKAGES for finding in of_package(package)]
    found = [f"{name} {number}" for name in SHOWN if (number := installed(name))]
    yield from wrong or [Finding(CHECK, "ok", ", ".join(found))]


def installed(name: str) -> str | None:
    """The release of a package; None where it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def of_package(package: str) -> Iterator[Finding]:
    """Check everything that one package requires."""
    from packaging.requirements import Requirement

    if installed(package) is None:
        return
    for text in requires(package) or ():
        requirement = Requirement(text)
        optional = any(applies(requirement, extra) for extra in EXTRAS)
        if applies(requirement) or (optional and installed(requirement.name)):
            yield from of_requirement(package, requirement)


def applies(requirement, extra: str = "") -> bool:
    """Whether a requirement holds here, with that extra."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def of_requirement(package: str, requirement) -> Iterator[Finding]:
    """Compare one requirement with what is there."""
    number = installed(requirement.name)
    wanted = f"{requirement.name}{requirement.specifier}"
    if number is None:
        found = f"{package} needs {wanted}, which is not installed"
    elif not requirement.specifier.contains(number, prereleases=True):
        found = f"{package} needs {wanted}, and {requirement.name} {number} is installed"
    else:
        return
    yield Finding(CHECK, "problem", found, f"python -m pip install '{wanted}'")
