"""What two ranks of MPI do with arrays: ``mpiexec -n 2 python mpi_ranks.py``.

Rank 0 says which cases both have come through, and at last "end". Whatever is sent has unfinished work, which ends with the numbers that the other rank expects.
"""

import sys
import traceback

import numpy as np
import pytest
import usmx
from mpi4py import MPI

KINDS = ("device", "shared", "host")
TYPES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16")
SIZE = 1 << 20  # 8 MiB: an array is sent before it is filled
WORLD = MPI.COMM_WORLD
RANK, OTHER = WORLD.rank, 1 - WORLD.rank


def being_filled(kind, number, size=SIZE):
    """A new array, and work under way that ends with `number` in every element."""
    array = usmx.zeros(size, usm_type=kind)
    for step in range(4):
        usmx.fill_async(array, -step)
    usmx.fill_async(array, number)
    return array


def check(array, number):
    wrong = np.flatnonzero(usmx.asnumpy(array) != number)
    assert wrong.size == 0, f"{wrong.size} of {array.size} elements are not {number}"


def send_and_receive(kind):
    if RANK == 0:
        WORLD.Send(being_filled(kind, 3.0), dest=1)
    else:
        got = being_filled(kind, 7.0)
        WORLD.Recv(got, source=0)
        check(got, 3.0)


def send_and_receive_a_part(kind):
    part = slice(SIZE // 4, SIZE // 2)
    if RANK == 0:
        WORLD.Send(being_filled(kind, 2.0)[part], dest=1)
    else:
        got = being_filled(kind, 8.0)
        WORLD.Recv(got[part], source=0)
        check(got[part], 2.0)
        check(got[: part.start], 8.0)
        check(got[part.stop :], 8.0)


def isend_of_temporaries(kind):
    """The request keeps the array, so what is made meanwhile does not take its memory."""
    requests = [WORLD.Isend(being_filled(kind, 10.0 + k), dest=OTHER, tag=k) for k in range(3)]
    others = [being_filled(kind, -1.0) for _ in range(3)]
    for k in range(3):
        got = usmx.empty(SIZE, usm_type=kind)
        WORLD.Recv(got, source=OTHER, tag=k)
        check(got, 10.0 + k)
    MPI.Request.Waitall(requests)
    del others


def broadcast(kind):
    array = being_filled(kind, 4.0 + RANK)
    WORLD.Bcast(array, root=0)
    check(array, 4.0)


def allreduce(kind):
    total = being_filled(kind, 100.0)
    WORLD.Allreduce(being_filled(kind, 1.0 + RANK), total)
    check(total, 3.0)
    WORLD.Allreduce(MPI.IN_PLACE, total)
    check(total, 6.0)


def gather(kind):
    half = SIZE // 2
    together = being_filled(kind, 100.0) if RANK == 0 else None
    WORLD.Gather(being_filled(kind, 5.0 + RANK, half), together, root=0)
    if RANK == 0:
        check(together[:half], 5.0)
        check(together[half:], 6.0)


def one_sided(kind):
    mine, got = being_filled(kind, 6.0 + RANK), being_filled(kind, -1.0)
    window = MPI.Win.Create(mine, comm=WORLD)
    window.Fence()
    window.Get(got, OTHER)
    window.Fence()
    check(got, 6.0 + OTHER)
    window.Fence()
    window.Put(being_filled(kind, 20.0 + RANK), OTHER)
    window.Fence()
    check(mine, 20.0 + OTHER)
    window.Free()


def objects(kind):
    """Methods in lower case pickle."""
    if RANK == 0:
        WORLD.send({"array": being_filled(kind, 3.0)}, dest=1)
    else:
        got = WORLD.recv(source=0)["array"]
        assert got.usm_type == kind, got.usm_type
        check(got, 3.0)


def every_type(kind):
    for typestr in TYPES:
        sent = usmx.asarray([1, 0, 1], dtype=typestr, usm_type=kind)
        got = usmx.zeros(3, dtype=typestr, usm_type=kind)
        WORLD.Sendrecv(sent, OTHER, recvbuf=got, source=OTHER)
        assert got.tolist() == [1, 0, 1], (typestr, got.tolist())


def no_elements(kind):
    empty = usmx.zeros((0, 3), usm_type=kind)
    WORLD.Sendrecv(empty, OTHER, recvbuf=empty.copy(), source=OTHER)


def no_copy(kind):
    array = usmx.zeros(4, usm_type=kind)
    assert MPI.Get_address(array) == array._pointer
    assert MPI.Get_address(array[2:]) == array._pointer + 16


def refusals(kind):
    array = usmx.zeros((4, 4), usm_type=kind)
    fields = usmx.zeros(3, dtype=[("a", "i4"), ("b", "f8")], usm_type=kind)
    # mpi4py reads a buffer where the host reaches the memory, and elsewhere DLPack, which has no such type
    no_type = "cannot map 'T|structured elements"
    numbers = np.zeros(16)
    for words, sent, got in [
        ("not contiguous", array[:, ::2], numbers),
        ("not contiguous", numbers[:8], array[:, ::2]),
        ("strides item is negative", array[::-1], numbers),
        ("not writable", numbers, array.readonly()),
        (no_type, fields, numbers),
        (no_type, numbers, fields),
    ]:
        with pytest.raises((BufferError, KeyError), match=words):
            MPI.COMM_SELF.Sendrecv(sent, 0, recvbuf=got, source=0)


CASES = (
    send_and_receive,
    send_and_receive_a_part,
    isend_of_temporaries,
    broadcast,
    allreduce,
    gather,
    one_sided,
    objects,
    every_type,
    no_elements,
    no_copy,
    refusals,
)


def main():
    for case in CASES:
        for kind in KINDS:
            try:
                case(kind)
            except BaseException:  # or the other rank would wait for ever
                traceback.print_exc()
                sys.stderr.flush()
                WORLD.Abort(1)
            WORLD.Barrier()
            if RANK == 0:
                print(case.__name__, kind, flush=True)
    if RANK == 0:
        print("end")


if __name__ == "__main__":
    main()
