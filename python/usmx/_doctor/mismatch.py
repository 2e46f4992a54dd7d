"""Releases that do not fit each other, by their metadata, and the one command that mends them."""

from collections.abc import Iterator

PACKAGES = ("usmx", "dpctl", "dpnp")
# Extras of usmx whose packages need not be there, but must fit where they are.
EXTRAS = ("demo",)
RUNTIME = "intel-sycl-rt"


def other_runtime() -> str | None:
    """Say which runtime is here in the place of the one that usmx needs; None if it is not so."""
    try:
        wanted = wanted_instead()
    except ImportError:  # packaging is not there
        return None
    if wanted is None:
        return None
    asking = (f"; {name} {installed(name)} asks for {other}" for name, other in refusing(wanted))
    return (
        f"usmx needs {wanted}, found {RUNTIME} {installed(RUNTIME)}{''.join(asking)}. "
        f"Install releases that go together: {command()}"
    )


def command() -> str:
    """Mend all at once: what is installed alone may bring the others' releases back."""
    wrong = {wanted.name: wanted for wanted, _ in misfits()}
    others = {name for wanted in wrong.values() for name, _ in refusing(wanted)} - wrong.keys()
    words = [*(["--upgrade"] if others else []), *sorted(others)]
    words += [f"'{wanted.name}{wanted.specifier}'" for wanted in wrong.values()]
    return f"python -m pip install {' '.join(words)}"


def misfits() -> Iterator[tuple]:
    """Yield what is required but does not fit what is installed, a package once, and why not."""
    named = set()
    for package in PACKAGES:
        for requirement in requirements_of(package):
            if requirement.name in named or fits(requirement):
                continue
            named.add(requirement.name)
            number = installed(requirement.name)
            found = (
                "which is not installed"
                if number is None
                else f"and {requirement.name} {number} is installed"
            )
            wanted = f"{requirement.name}{requirement.specifier}"
            yield requirement, f"{package} needs {wanted}, {found}"


def requirements_of(package: str) -> Iterator:
    """What it requires here, and what an extra requires if that is installed."""
    for requirement in listed(package):
        optional = any(applies(requirement, extra) for extra in EXTRAS)
        if applies(requirement) or (optional and installed(requirement.name)):
            yield requirement


def wanted_instead():
    """Look up the runtime that usmx requires; None where that is here, or none is."""
    if installed(RUNTIME) is None:
        return None
    wanted = next((each for each in listed("usmx") if each.name == RUNTIME), None)
    return None if wanted is None or fits(wanted) else wanted


def refusing(wanted) -> Iterator[tuple]:
    """Name the packages here that ask for another release of that package, and how they do."""
    from importlib.metadata import distributions

    oldest = [each.version for each in wanted.specifier if each.operator == ">="]
    for name in sorted({each.name for each in distributions() if each.name}):
        for requirement in listed(name):
            if (
                requirement.name == wanted.name
                and not admits(requirement, oldest)
                and fits(requirement)
            ):
                yield name, requirement


def listed(package: str) -> Iterator:
    """All that its metadata require, in whatever case; nothing where it is not installed."""
    from importlib.metadata import PackageNotFoundError, requires

    from packaging.requirements import Requirement

    try:
        texts = requires(package) or ()
    except PackageNotFoundError:
        return
    yield from map(Requirement, texts)


def applies(requirement, extra: str = "") -> bool:
    """Whether a requirement holds here, with that extra."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def admits(requirement, releases) -> bool:
    """Whether it allows each of these."""
    return all(requirement.specifier.contains(each, prereleases=True) for each in releases)


def fits(requirement) -> bool:
    """Whether what it requires is installed, in such a release."""
    number = installed(requirement.name)
    return number is not None and requirement.specifier.contains(number, prereleases=True)


def installed(name: str) -> str | None:
    """The release of a package; None where it is not there."""
    # Costs more than all of usmx, and is seldom needed.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None
