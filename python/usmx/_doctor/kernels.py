"""Whether kernels that users write can be compiled, and run, on each device."""

from collections.abc import Iterator

from usmx._doctor.finding import Finding, ok, problem
from usmx._doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    """Compile one for each device, and run it."""
    if not situation.alone.works:
        return
    seen = situation.kernels
    if seen.failed_step:
        yield problem(
            f"step {seen.failed_step!r} of trying kernels ended with: {seen.error}",
            remedy(),
        )
    compiled = [each["filter"] for each in seen.kernels if not each["error"]]
    if compiled:
        yield ok(f"a kernel was compiled and run on {', '.join(compiled)}")
    for each in seen.kernels:
        if each["error"]:
            yield problem(
                f"no kernel can be compiled and run on {each['filter']}: {each['error']}",
                remedy(),
            )


def remedy() -> str:
    """What compilers need."""
    return (
        "reinstall usmx and intel-sycl-rt; for CUDA devices install NVIDIA's compiler: "
        "pip install 'usmx[cuda]'"
    )
