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
    wrong: dict[str, tuple[str, str]] = {}  # by the package that does not fit
    for package in PACKAGES:
        for name, found, wanted in of_package(package):
            wrong.setdefault(name, (found, wanted))
    if wrong:  # one command, since what is installed alone may bring the others' releases back
        texts, requirements = zip(*wrong.values(), strict=True)
        remedy = "python -m pip install " + " ".join(f"'{each}'" for each in requirements)
        yield Finding(CHECK, "problem", "; ".join(texts), remedy)
        return
    shown = [f"{name} {number}" for name in SHOWN if (number := installed(name))]
    yield Finding(CHECK, "ok", ", ".join(shown))


def installed(name: str) -> str | None:
    """The release of a package; None where it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def of_package(package: str) -> Iterator[tuple[str, str, str]]:
    """Check all that one package requires: what does not fit, why, and what pip should install."""
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


def of_requirement(package: str, requirement) -> Iterator[tuple[str, str, str]]:
    """Compare one requirement with what is there."""
    number = installed(requirement.name)
    wanted = f"{requirement.name}{requirement.specifier}"
    if number is None:
        found = f"{package} needs {wanted}, which is not installed"
    elif not requirement.specifier.contains(number, prereleases=True):
        found = f"{package} needs {wanted}, and {requirement.name} {number} is installed"
    else:
        return
    yield requirement.name, found, wanted
