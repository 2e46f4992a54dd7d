"""Copies between existing arrays, of any layout and type, filling and gathering."""

from typing import Any

import numpy
import usmx

from bench.libraries import dpctl, dpctl_memory, dpnp_tensor, installed_peer
from bench.pairing import Aim, Case, Peer, Statement

SIDE = 4096  # of a matrix of 64 MiB of float32
FILLED_NBYTES = 60 << 20  # whole items of all sizes that are filled
GATHERED = 10**7  # elements


def copied(
    title: str,
    shape: tuple[int, ...],
    value: str,
    out_shape: tuple[int, ...],
    dtype: str = "f4",
    *,
    dpnp_aim: Aim | None = None,
    numpy_aim: Aim | None = None,
) -> Case:
    """`out[...] = value` with a float32 array x of that shape; no memory is allocated."""
    code = f"out[...] = {value}"

    def statement(library: Any, code: str = code) -> Statement:
        permute = getattr(library, "permute_dims", numpy.transpose)
        x = library.ones(shape, dtype="f4")
        return Statement(code, x=x, out=library.zeros(out_shape, dtype=dtype), permute=permute)

    return Case(
        title,
        statement(usmx),
        [
            # usmx's copies are done when they return, dpnp's are not.
            *installed_peer(
                "dpnp.tensor",
                lambda: statement(dpnp_tensor, f"{code}; out.sycl_queue.wait()"),
                dpnp_aim,
            ),
            Peer("NumPy", statement(numpy), numpy_aim),
        ],
    )


def matrix(title: str, value: str, shape: tuple[int, int] = (SIDE, SIDE), **options: Any) -> Case:
    return copied(f"copy 4096x4096 f4 {title}", (SIDE, SIDE), value, shape, **options)


def copy_8x8_view() -> Case:
    return copied("copy 8x8 strided", (16, 16), "x[::2, ::2]", (8, 8), dpnp_aim=Aim(ratio=1 / 50))


def copy_contiguous() -> Case:
    return matrix("contiguous", "x", numpy_aim=Aim(seconds=3.5e-3))


def copy_transposed() -> Case:
    return matrix("transposed", "x.T", dpnp_aim=Aim(ratio=1 / 5))


def copy_every_second() -> Case:
    return matrix("[::2, ::2]", "x[::2, ::2]", (SIDE // 2, SIDE // 2), numpy_aim=Aim(ratio=0.8))


def copy_reversed() -> Case:
    return matrix("reversed", "x[::-1, ::-1]", numpy_aim=Aim(ratio=0.8))


def copy_cast() -> Case:
    return matrix("to f8", "x", dtype="f8", numpy_aim=Aim(ratio=0.8))


def copy_permuted() -> Case:
    cube = (256, 256, 256)
    aim = Aim(ratio=1 / 5)
    return copied("copy 256^3 f4 permuted", cube, "permute(x, (2, 0, 1))", cube, dpnp_aim=aim)


def fill_matrix() -> Case:
    return matrix("from one number", "2.5")


def filled(itemsize: int) -> Case:
    """As fast as memset, whatever the items."""
    dtype = numpy.dtype({"names": ["a"], "formats": ["u1"], "itemsize": itemsize})
    value = numpy.frombuffer(bytes(range(1, itemsize + 1)), dtype)[0]
    out = usmx.zeros(FILLED_NBYTES // itemsize, dtype=dtype)
    memset = Statement("out.fill(1)", out=numpy.zeros(FILLED_NBYTES, dtype="u1"))
    return Case(
        f"fill 60 MiB, items of {itemsize} B",
        Statement("out[...] = value", out=out, value=value),
        [Peer("NumPy, bytes (memset)", memset, Aim(ratio=1))],
    )


def fill_items_1() -> Case:
    return filled(1)


def fill_items_2() -> Case:
    return filled(2)


def fill_items_3() -> Case:
    return filled(3)


def fill_items_4() -> Case:
    return filled(4)


def fill_items_8() -> Case:
    return filled(8)


def fill_items_12() -> Case:
    return filled(12)


def fill_items_16() -> Case:
    return filled(16)


def with_host(title: str, code: str, nbytes: int, aim: Aim, numpy_aim: Aim | None = None) -> Case:
    """Between bytes of the host and device memory."""
    host = numpy.ones(nbytes, dtype="u1")

    def statement(memory_type: type) -> Statement:
        memory = memory_type(nbytes)
        memory.memset(1)  # reading what was never written is no reading of memory
        return Statement(code, memory=memory, host=host)

    own = Statement("out[...] = host", host=host, out=numpy.ones(nbytes, dtype="u1"))
    return Case(
        title,
        statement(usmx.memory.MemoryUSMDevice),
        [
            *installed_peer("dpctl", lambda: statement(dpctl_memory.MemoryUSMDevice), aim),
            Peer("NumPy, memcpy", own, numpy_aim),
        ],
    )


def upload_64b() -> Case:
    return with_host("host to device, 64 B", "memory.copy_from_host(host)", 64, Aim(ratio=1 / 3))


def download_64b() -> Case:
    return with_host("device to host, 64 B", "memory.copy_to_host(host)", 64, Aim(ratio=1 / 3))


def upload_64mib() -> Case:
    title, code = "host to device, 64 MiB", "memory.copy_from_host(host)"
    return with_host(title, code, 64 << 20, Aim(ratio=1), Aim(ratio=1))


def download_64mib() -> Case:
    title, code = "device to host, 64 MiB", "memory.copy_to_host(host)"
    return with_host(title, code, 64 << 20, Aim(ratio=1), Aim(ratio=1))


def copied_asynchronously(nbytes: int, title: str) -> Case:
    """One command, and waiting for its event."""
    x, out = usmx.zeros(nbytes, dtype="u1"), usmx.zeros(nbytes, dtype="u1")

    def theirs() -> Statement:
        queue = dpctl.SyclQueue()
        their_x = dpctl_memory.MemoryUSMDevice(nbytes, queue=queue)
        their_x.memset()
        return Statement(
            "queue.memcpy_async(out, x, out.nbytes).wait()",
            queue=queue,
            x=their_x,
            out=dpctl_memory.MemoryUSMDevice(nbytes, queue=queue),
        )

    ours = Statement("copy_async(out, x).wait()", copy_async=usmx.copy_async, x=x, out=out)
    return Case(f"copy_async {title}, wait()", ours, installed_peer("dpctl, memcpy_async", theirs))


def copy_async_64b() -> Case:
    return copied_asynchronously(64, "64 B")


def copy_async_64mib() -> Case:
    return copied_asynchronously(64 << 20, "64 MiB")


def gather_random() -> Case:
    random = numpy.random.default_rng(0)
    x, i = random.random(GATHERED), random.integers(0, GATHERED, GATHERED)
    take = Statement("x.take(i)", x=x, i=i)
    ours = Statement("x[i]", x=usmx.asarray(x), i=usmx.asarray(i))
    return Case("gather 10^7 random f8", ours, [Peer("NumPy, take", take, Aim(ratio=1))])


CASES = (
    copy_8x8_view,
    copy_contiguous,
    copy_transposed,
    copy_every_second,
    copy_reversed,
    copy_cast,
    copy_permuted,
    fill_matrix,
    fill_items_1,
    fill_items_2,
    fill_items_3,
    fill_items_4,
    fill_items_8,
    fill_items_12,
    fill_items_16,
    upload_64b,
    download_64b,
    upload_64mib,
    download_64mib,
    copy_async_64b,
    copy_async_64mib,
    gather_random,
)
