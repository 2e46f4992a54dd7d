"""Modules of SPIR-V, put together by hand, and a kernel that dpctl makes of one on OpenCL and Level Zero alike."""

import ctypes
import functools
import struct
from pathlib import Path

import dpctl.program
import usmx

VERSION = 0x10000


def instruction(code, *operands):
    """An instruction; texts end with a null character, and fill up words."""
    words = b""
    for each in operands:
        if isinstance(each, str):
            text = each.encode() + b"\0"
            words += text + b"\0" * (-len(text) % 4)
        else:
            words += struct.pack("<I", each)
    return struct.pack("<I", (len(words) // 4 + 1) << 16 | code) + words


def module(instructions, version=VERSION):
    """All ids are below 100."""
    return struct.pack("<5I", 0x07230203, version, 0, 100, 0) + b"".join(instructions)


def fill_late_module():
    """fill_late(u64* target, u64 value, u64 rounds): target[i] = value, after rounds that no compiler can shorten."""
    gid, main, void, u64, vector, input_, pointer, function, boolean = range(1, 10)
    target, value, rounds, zero, one, factor = range(20, 26)
    entry, loop, end = range(30, 33)
    ids = iter(range(40, 60))
    place, i, x, k, product, next_x, next_k, again, is_one, stored, at_i = (
        next(ids) for _ in range(11)
    )
    return module(
        [
            instruction(17, 4), instruction(17, 6), instruction(17, 11), instruction(14, 2, 2),
            instruction(15, 6, main, "fill_late", gid), instruction(71, gid, 11, 28),
            instruction(19, void), instruction(21, u64, 64, 0), instruction(23, vector, u64, 3), instruction(20, boolean),
            instruction(32, input_, 1, vector), instruction(32, pointer, 5, u64),
            instruction(33, function, void, pointer, u64, u64), instruction(59, input_, gid, 1),
            instruction(43, u64, zero, 0, 0), instruction(43, u64, one, 1, 0),
            instruction(43, u64, factor, 0x4C957F2D, 0x5851F42D),
            instruction(54, void, main, 0, function),
            instruction(55, pointer, target), instruction(55, u64, value), instruction(55, u64, rounds),
            instruction(248, entry), instruction(61, vector, place, gid), instruction(81, u64, i, place, 0),
            instruction(249, loop),
            instruction(248, loop), instruction(245, u64, x, i, entry, next_x, loop),
            instruction(245, u64, k, zero, entry, next_k, loop), instruction(132, u64, product, x, factor),
            instruction(128, u64, next_x, product, k), instruction(128, u64, next_k, k, one),
            instruction(176, boolean, again, next_k, rounds), instruction(250, again, loop, end),
            instruction(248, end), instruction(170, boolean, is_one, next_x, one),
            instruction(169, u64, stored, is_one, zero, value), instruction(70, pointer, at_i, target, i),
            instruction(62, at_i, stored, 2, 8), instruction(253), instruction(56),
        ]
    )  # fmt: skip


@functools.cache
def fill_late_kernel(queue):
    return dpctl.program.create_program_from_spirv(queue, fill_late_module()).get_sycl_kernel(
        "fill_late"
    )


def fill_late(queue, target, eight_bytes, rounds):
    """dpctl's event of a kernel that fills dpctl's memory with the eight bytes, after a while."""
    arguments = [target, *map(ctypes.c_ulonglong, (int.from_bytes(eight_bytes, "little"), rounds))]
    return queue.submit_async(fill_late_kernel(queue), arguments, [target.nbytes // 8])


def fill_with_doubles_late(queue, target, number, rounds):
    return fill_late(queue, target, struct.pack("<d", number), rounds)


def packaged_modules():
    """The modules of usmx's own kernels, as the SYCL compiler made them."""
    data = (Path(usmx._core.__file__).with_name("libexec") / "usmx-kernels").read_bytes()
    begin = struct.pack("<I", 0x07230203)
    at = data.find(begin)
    while at >= 0:
        _, version, _, _, reserved = struct.unpack_from("<5I", data, at)
        end = at + 20
        while (length := struct.unpack_from("<I", data, end)[0] >> 16) and length < 10_000:
            end += 4 * length
        if version >> 16 == 1 and reserved == 0 and end > at + 1000:
            yield data[at:end]
        at = data.find(begin, at + 4)


def operands_of(spirv):
    """The places of all words but the first ones of instructions, whose lengths hold a module together."""
    places = []
    at = 5
    while 4 * at < len(spirv):
        length = struct.unpack_from("<I", spirv, 4 * at)[0] >> 16
        places += range(at + 1, at + length)
        at += length
    return places
