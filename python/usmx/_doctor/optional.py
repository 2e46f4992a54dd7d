"""Whether the libraries that usmx uses if they are installed are found, and are used."""

import importlib.util
from collections.abc import Iterator
from importlib.metadata import entry_points

from usmx._doctor.situation import Finding, Situation, note, ok

# Packages of Python, and what they are for.
PACKAGES = {
    "dpctl": "queues and devices are its objects",
    "dpnp": "usmx.to_dpnp makes its arrays",
    "rich": "commands print tables and colours",
    "matplotlib": "the demo and the memory command draw",
}
# Packages that find usmx by an entry point: its group.
FINDERS = {"dask": "dask.sizeof", "pytest": "pytest11", "pkgconf": "pkg_config"}


def check(situation: Situation) -> Iterator[Finding]:
    """Multiply matrices on each device; look for the packages, and how others find usmx."""
    if situation.alone.works:
        yield from products(situation)
    yield packages()
    yield from finders()


def products(situation: Situation) -> Iterator[Finding]:
    """Say which library multiplies matrices on each device."""
    seen = situation.products
    if seen.failed_step:
        yield note(f"step {seen.failed_step!r} of multiplying matrices ended with: {seen.error}")
    for each in seen.products:
        where, library, text = each["filter"], each["library"], each["text"]
        if not library:
            yield ok(f"usmx's own kernels multiply matrices on {where}: {text}")
        elif each["is_used"]:
            yield ok(f"{library} multiplies matrices on {where}: {text}")
        else:
            yield note(
                f"usmx's own kernels multiply matrices on {where}, several times slower than "
                f"{library}, which cannot be used: {text}",
                each["install"],
            )
    if seen.host_library:
        yield host_library(**seen.host_library)
    for each in seen.device_libraries:
        yield device_library(**each)


def host_library(is_found: bool, text: str, install: str) -> Finding:
    """Say which library computes linear algebra and Fourier transforms."""
    if is_found:
        return ok(f"oneMKL computes linear algebra and Fourier transforms on the host: {text}")
    return note(
        "NumPy computes linear algebra and Fourier transforms, and waits for them, without oneMKL, "
        f"which cannot be used: {text}",
        install,
    )


def device_library(
    filter: str, library: str, use: str, is_found: bool, text: str, install: str
) -> Finding:
    """Say whether a device's own library computes."""
    if is_found:
        return ok(f"{library} computes {use} on {filter}: {text}")
    return note(
        f"{use} on {filter} raise an error without {library}, which cannot be used: {text}",
        install,
    )


def packages() -> Finding:
    """Say which packages are there, and what those that are not would be for."""
    found = [name for name in PACKAGES if importlib.util.find_spec(name) is not None]
    missing = [f"{name} ({use})" for name, use in PACKAGES.items() if name not in found]
    text = f"found {', '.join(found) or 'no optional package'}"
    return ok(f"{text}; without {', '.join(missing)}" if missing else text)


def finders() -> Iterator[Finding]:
    """See whether packages that look for usmx's entry points find them."""
    for package, group in FINDERS.items():
        if importlib.util.find_spec(package) is None:
            continue
        if any(each.name == "usmx" for each in entry_points(group=group)):
            yield ok(f"{package} finds usmx by its entry point in {group}")
        else:
            yield note(
                f"{package} does not find usmx: its metadata name no entry point in {group}",
                "reinstall usmx into the environment of this Python: python -m pip install usmx",
            )
