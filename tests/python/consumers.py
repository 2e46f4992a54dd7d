"""Consumers of the protocol, good and bad: here, so that child processes can import them."""

import ctypes
import os
import sys
import time

import numpy as np
import usmx
from usmx.testing._tensors import capsule_of, held_by


def good(producer):
    return usmx.from_usm_array_interface(producer)


def copying(producer):
    return usmx.asarray(producer, copy=True)


def to_host(producer):
    return usmx.asnumpy(producer)


def viewing_on_host(producer):
    return np.asarray(usmx.from_usm_array_interface(producer))


def exiting(producer):
    sys.exit(0)


def sleeping(producer):
    time.sleep(1000)


def dying(producer):
    os._exit(3)


class Wrapped:
    def __init__(self, value):
        self.value = value


def wrapping(producer):
    return Wrapped(usmx.asarray(producer))


def unwrapped(result):
    return usmx.asnumpy(result.value)


class Changed:
    """What a producer says, with some entries replaced; keeps the producer alive, or not."""

    def __init__(self, producer, keep=True, **changes):
        self.__sycl_usm_array_interface__ = interface_of(producer) | changes
        self.owner = producer if keep else None


def interface_of(producer):
    return dict(producer.__sycl_usm_array_interface__)


def ignoring_the_offset(producer):
    good(producer)
    return usmx.asarray(Changed(producer, offset=0))


def ignoring_readonly(producer):
    good(producer)
    pointer, _ = interface_of(producer)["data"]
    return Changed(producer, data=(pointer, False))


def not_keeping_alive(producer):
    good(producer)
    return Changed(producer, keep=False)


def aborting_on_a_foreign_pointer(producer):
    try:
        return usmx.from_usm_array_interface(producer)
    except ValueError as error:
        if "not USM" in str(error):
            os.abort()
        raise


def accepting_everything(producer):
    try:
        return good(producer)
    except (TypeError, ValueError):
        return np.zeros(3)


def raising_something_else(producer):
    try:
        return good(producer)
    except (TypeError, ValueError) as error:
        raise OSError("no") from error


# ---- of DLPack


def keeping_nothing(producer):
    """The tensor is let go while the result lives."""
    view = usmx.from_dlpack(producer)
    return Changed(view, keep=False)


def reading_and_leaving(producer):
    """The capsule is left as it was."""
    again = Again(producer)
    return usmx.asnumpy(usmx.from_dlpack(again))


class Again:
    """The same tensor in a capsule of its own, which lets nothing go."""

    def __init__(self, producer):
        self.managed = held_by(producer.__dlpack__(), type(producer.managed))
        self.copy = type(self.managed).from_buffer_copy(self.managed)
        self.copy.deleter = type(self.copy.deleter)()

    def __dlpack__(self, **_):
        return capsule_of(self.copy)


def letting_go_twice(producer):
    """The deleter runs when the tensor is taken, and again with the view."""
    capsule = producer.__dlpack__()
    managed = held_by(capsule, type(producer.managed))
    managed.deleter(ctypes.addressof(managed))
    return usmx.from_dlpack(producer)


def taking_every_tensor(producer):
    try:
        return usmx.from_dlpack(producer)
    except Exception:
        return np.zeros(3)
