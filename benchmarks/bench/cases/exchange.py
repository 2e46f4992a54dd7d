"""Taking a foreign producer's memory, and handing out one's own."""

from typing import Any

import numpy
import usmx

from bench.libraries import dpctl_memory, dpnp_tensor, installed_peer
from bench.pairing import Aim, Case, OnceEach, Peer, Statement

IMPORT_AIM = Aim(ratio=1 / 20)
MEMORY_AIM = Aim(ratio=1 / 8)
FIRST_DICTIONARY_AIM = Aim(ratio=1 / 5)
DICTIONARY_AIM = Aim(ratio=1 / 3)
DLPACK_AIM = Aim(ratio=1 / 100)
DLPACK_AIM_NUMPY = Aim(ratio=1.5)


class Producer:
    """Holds the dictionary of another object, and keeps that object alive."""

    def __init__(self, producer: object, attribute: str) -> None:
        setattr(self, attribute, getattr(producer, attribute))
        self.producer = producer


def usm_producer() -> Producer:
    """Make a producer that costs its consumers nothing: the dictionary is there already."""
    return Producer(dpnp_tensor.zeros((4, 5)), "__sycl_usm_array_interface__")


def numpy_producer() -> Producer:
    """Make the same for NumPy's own protocol."""
    return Producer(numpy.zeros((4, 5)), "__array_interface__")


def import_peers() -> list[Peer]:
    """Who makes an array of a producer: dpnp, which checks nothing of the memory, and NumPy."""
    take_host = Statement("asarray(x)", asarray=numpy.asarray, x=numpy_producer())
    return [
        *installed_peer(
            "dpnp.tensor",
            lambda: Statement("asarray(x)", asarray=dpnp_tensor.asarray, x=usm_producer()),
            IMPORT_AIM,
        ),
        Peer("NumPy, __array_interface__", take_host),
    ]


def import_view() -> Case:
    work = Statement("view(x)", view=usmx.from_usm_array_interface, x=usm_producer())
    return Case("from_usm_array_interface(producer)", work, import_peers())


def import_asarray() -> Case:
    work = Statement("asarray(x)", asarray=usmx.asarray, x=usm_producer())
    return Case("asarray(producer)", work, import_peers())


def import_memory() -> Case:
    work = Statement("take(x)", take=usmx.memory.as_usm_memory, x=usm_producer())
    peer = Statement("take(x)", take=dpctl_memory.as_usm_memory, x=usm_producer())
    return Case("memory.as_usm_memory(producer)", work, [Peer("dpctl", peer, MEMORY_AIM)])


def import_dpnp_array() -> Case:
    array = dpnp_tensor.zeros((4, 5))
    work = Statement("view(x)", view=usmx.from_usm_array_interface, x=array)
    floor = Statement("x.__sycl_usm_array_interface__", x=array)
    title = "from_usm_array_interface(dpnp array)"
    return Case(title, work, [Peer("floor: dpnp makes its dictionary", floor)])


def array_first_dictionary() -> Case:
    """Read it where the memory has not left usmx yet: no others can have worked on it."""
    code = "x.__sycl_usm_array_interface__"

    def once(library: Any) -> OnceEach:
        return OnceEach(code, lambda n: [library.empty((4, 5)) for _ in range(n)], batch=1000)

    peers = installed_peer("dpnp.tensor", lambda: once(dpnp_tensor), FIRST_DICTIONARY_AIM)
    return Case("array's first dictionary", once(usmx), peers)


def array_dictionary() -> Case:
    """Read it again: others may work on the memory, whose queue is waited for each time."""
    return dictionary("array's dictionary, its memory known to others", usmx.zeros((4, 5)))


def dictionary(title: str, array: usmx.USMArray) -> Case:
    code = "x.__sycl_usm_array_interface__"
    peers = installed_peer(
        "dpnp.tensor", lambda: Statement(code, x=dpnp_tensor.zeros((4, 5))), DICTIONARY_AIM
    )
    return Case(title, Statement(code, x=array), peers)


def memory_dictionary() -> Case:
    code = "x.__sycl_usm_array_interface__"
    work = Statement(code, x=usmx.memory.MemoryUSMDevice(64))
    peers = installed_peer("dpctl", lambda: Statement(code, x=dpctl_memory.MemoryUSMDevice(64)))
    return Case("memory's dictionary", work, peers)


def dlpack_peers(code: str) -> list[Peer]:
    """Who hands its own array to itself: dpnp, and NumPy for host memory."""
    host = Statement(code, x=numpy.zeros((4, 5)), take=numpy.from_dlpack)
    return [
        *installed_peer(
            "dpnp.tensor",
            lambda: Statement(code, x=dpnp_tensor.zeros((4, 5)), take=dpnp_tensor.from_dlpack),
            DLPACK_AIM,
        ),
        Peer("NumPy", host, DLPACK_AIM_NUMPY),
    ]


def dlpack_round_trip() -> Case:
    code = "take(x)"
    work = Statement(code, x=usmx.zeros((4, 5)), take=usmx.from_dlpack)
    return Case("from_dlpack(array)", work, dlpack_peers(code))


class TensorProducer:
    """Hands out the tensors of another object."""

    def __init__(self, array: Any) -> None:
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


def dlpack_import() -> Case:
    code = "take(x)"
    work = Statement(code, x=TensorProducer(usmx.zeros((4, 5))), take=usmx.from_dlpack)
    host = Statement(code, x=TensorProducer(numpy.zeros((4, 5))), take=numpy.from_dlpack)

    def theirs() -> Statement:
        producer = TensorProducer(dpnp_tensor.zeros((4, 5)))
        return Statement(code, x=producer, take=dpnp_tensor.from_dlpack)

    peers = [
        *installed_peer("dpnp.tensor", theirs, DLPACK_AIM),
        Peer("NumPy", host, DLPACK_AIM_NUMPY),
    ]
    return Case("from_dlpack(producer of a tensor)", work, peers)


def dlpack_capsule() -> Case:
    code = "x.__dlpack__(max_version=(1, 0))"
    work = Statement(code, x=usmx.zeros((4, 5)))
    return Case("array.__dlpack__()", work, dlpack_peers(code))


def dlpack_import_of_dpnp() -> Case:
    array = dpnp_tensor.zeros((4, 5))
    work = Statement("take(x)", x=array, take=usmx.from_dlpack)
    floor = Statement("x.__dlpack__(max_version=(1, 0))", x=array)
    return Case("from_dlpack(dpnp array)", work, [Peer("floor: dpnp makes its capsule", floor)])


def hand_to_dpnp() -> Case:
    x = usmx.zeros((4, 5))
    work = Statement("to_dpnp(x)", to_dpnp=usmx.to_dpnp, x=x)
    peer = Statement("asarray(x)", asarray=dpnp_tensor.asarray, x=x)
    return Case("to_dpnp(array)", work, [Peer("dpnp.tensor.asarray", peer, Aim(seconds=7e-6))])


CASES = (
    import_view,
    import_asarray,
    import_memory,
    import_dpnp_array,
    array_first_dictionary,
    array_dictionary,
    memory_dictionary,
    dlpack_round_trip,
    dlpack_import,
    dlpack_capsule,
    dlpack_import_of_dpnp,
    hand_to_dpnp,
)
