"""New memory, and copies between host and device."""

import numpy
import usmx

from bench.libraries import dpctl_memory, dpnp_tensor, installed_peer
from bench.pairing import Aim, Case, OnceEach, Peer, Statement

KIB = 1024
MIB = 1024 * KIB


def new_array(name: str, **aims: Aim) -> Case:
    """Make an array of 16 x 16 float64 and release it, by `empty` or `zeros`."""
    code = "make((16, 16))"
    return Case(
        f"{name}((16, 16)), and free",
        Statement(code, make=getattr(usmx, name)),
        [
            *installed_peer(
                "dpnp.tensor",
                lambda: Statement(code, make=getattr(dpnp_tensor, name)),
                aims.get("dpnp"),
            ),
            Peer("NumPy", Statement(code, make=getattr(numpy, name)), aims.get("numpy")),
        ],
    )


def empty() -> Case:
    return new_array("empty", numpy=Aim(ratio=1.5))


def zeros() -> Case:
    return new_array("zeros", dpnp=Aim(ratio=1 / 50))


def allocation(size_text: str, nbytes: int, aim: Aim) -> Case:
    """Allocate device memory, and free it."""
    return Case(
        f"MemoryUSMDevice of {size_text}, and free",
        Statement("make(n)", make=usmx.memory.MemoryUSMDevice, n=nbytes),
        installed_peer(
            "dpctl",
            lambda: Statement("make(n)", make=dpctl_memory.MemoryUSMDevice, n=nbytes),
            aim,
        ),
    )


def allocate_64_bytes() -> Case:
    return allocation("64 B", 64, Aim(ratio=1 / 10))


def allocate_1_mib() -> Case:
    return allocation("1 MiB", MIB, Aim(ratio=1 / 25))


def allocate_16_mib() -> Case:
    return allocation("16 MiB", 16 * MIB, Aim(ratio=1 / 25))


def allocate_in_16_threads() -> Case:
    """What an allocation takes while 16 threads allocate: the time of all over their number."""
    make = usmx.memory.MemoryUSMDevice
    return Case(
        "MemoryUSMDevice of 4 KiB, 16 threads",
        Statement("make(4096)", threads=16, make=make),
        [Peer("one thread", Statement("make(4096)", make=make), Aim(ratio=2))],
    )


def empty_of_freed_block() -> Case:
    """Take memory that the same queue has just freed: with work pending on it, and without.

    The work is a small copy of elements that a long copy writes first.
    """
    nbytes, part = 4 * MIB, KIB
    x, out = (usmx.zeros(64 * MIB, dtype="u1") for _ in range(2))
    taken: list[usmx.USMArray] = []

    def taking(*, busy: bool) -> OnceEach:
        def free(count: int) -> range:
            taken.clear()
            usmx.synchronize()
            made = [usmx.empty(nbytes, dtype="u1") for _ in range(count)]
            if busy:
                usmx.copy_async(out, x)
                for each in made:
                    usmx.copy_async(each[:part], out[-part:])
            return range(count)

        names = {"keep": taken.append, "empty": usmx.empty, "n": nbytes // 8}
        return OnceEach("keep(empty(n))", free, batch=16, **names)

    peer = Peer("no work pending", taking(busy=False), Aim(seconds=5e-7))
    return Case("empty of 4 MiB just freed with work pending", taking(busy=True), [peer])


def strided_copy(title: str, x: usmx.USMArray) -> Case:
    """A temporary and a loop of the host."""
    code = "copy(x)"
    return Case(
        title,
        Statement(code, copy=usmx.copy, x=x[::2, ::2]),
        installed_peer(
            "dpnp.tensor",
            lambda: Statement(code, copy=dpnp_tensor.copy, x=dpnp_tensor.ones((16, 16))[::2, ::2]),
            Aim(ratio=1 / 50),
        ),
    )


def small_strided_copy() -> Case:
    return strided_copy("copy of an 8 x 8 strided view", usmx.ones((16, 16)))


def small_strided_copy_after_others() -> Case:
    """Others may work on the memory, whose queue is waited for each time."""
    array = usmx.ones((16, 16))
    dpnp_tensor.asarray(array)
    return strided_copy("copy of an 8 x 8 strided view, its memory known to others", array)


def host_copy_of_small_view() -> Case:
    code = "asnumpy(x)"
    return Case(
        "asnumpy of 4 elements of 64 MiB",
        Statement(code, asnumpy=usmx.asnumpy, x=usmx.zeros(8 * MIB)[:4]),
        installed_peer(
            "dpnp.tensor",
            lambda: Statement(code, asnumpy=dpnp_tensor.asnumpy, x=dpnp_tensor.zeros(8 * MIB)[:4]),
            Aim(seconds=2e-6),
        ),
    )


def conversion() -> Case:
    code = "astype(x, 'f4')"
    shape = (16, 16)
    return Case(
        "astype of 16 x 16 float64 to float32",
        Statement(code, astype=usmx.astype, x=usmx.ones(shape)),
        installed_peer(
            "dpnp.tensor",
            lambda: Statement(code, astype=dpnp_tensor.astype, x=dpnp_tensor.ones(shape)),
        ),
    )


def device_to_host() -> Case:
    code = "asnumpy(x)"
    return Case(
        "asnumpy of 64 MiB",
        Statement(code, asnumpy=usmx.asnumpy, x=usmx.zeros(8 * MIB)),
        installed_peer(
            "dpnp.tensor",
            lambda: Statement(code, asnumpy=dpnp_tensor.asnumpy, x=dpnp_tensor.zeros(8 * MIB)),
        ),
    )


def host_to_device() -> Case:
    code = "asarray(x)"
    source = numpy.ones(8 * MIB)
    return Case(
        "asarray of 64 MiB of NumPy",
        Statement(code, asarray=usmx.asarray, x=source),
        installed_peer(
            "dpnp.tensor", lambda: Statement(code, asarray=dpnp_tensor.asarray, x=source)
        ),
    )


CASES = (
    empty,
    zeros,
    allocate_64_bytes,
    allocate_1_mib,
    allocate_16_mib,
    allocate_in_16_threads,
    empty_of_freed_block,
    small_strided_copy,
    small_strided_copy_after_others,
    host_copy_of_small_view,
    conversion,
    device_to_host,
    host_to_device,
)
