"""Whether another release of the SYCL runtime stands in the place of the one that usmx needs."""


def other_runtime() -> str | None:
    """Say which runtime is here in the place of the one that usmx needs; None if it is not so."""
    from importlib import metadata  # costs more than all of usmx, and is seldom needed

    try:
        from packaging.requirements import Requirement
    except ImportError:
        return None

    def wanted_by(distribution: metadata.Distribution) -> Requirement | None:
        requirements = (Requirement(each) for each in distribution.requires or ())
        return next((each for each in requirements if each.name == "intel-sycl-rt"), None)

    try:
        found = metadata.version("intel-sycl-rt")
        wanted = wanted_by(metadata.distribution("usmx"))
    except metadata.PackageNotFoundError:
        return None
    if wanted is None or found in wanted.specifier:
        return None
    asking = {
        each.name: f"; {each.name} {each.version} asks for {other}"
        for each in metadata.distributions()
        if each.name != "usmx" and (other := wanted_by(each)) and found in other.specifier
    }
    command = command_for_runtime(str(wanted), list(asking))
    return (
        f"usmx needs {wanted}, found intel-sycl-rt {found}{''.join(asking.values())}. "
        f"Install releases that go together: {command}"
    )


def command_for_runtime(wanted: str, asking: list[str]) -> str:
    """Upgrade what asks for another runtime, too: else pip would fetch that again."""
    opencl = wanted.replace("sycl", "opencl")
    words = ["usmx", *asking, f"'{wanted}'", f"'{opencl}'"]
    return f"python -m pip install --upgrade {' '.join(words)}"
