"""Consumers of the protocol, good and bad: here, so that child processes can import them."""

import os

import numpy as np
import usmx


def good(producer):
    return usmx.from_usm_array_interface(producer)


def copying(producer):
    return usmx.asarray(producer, copy=True)


def to_host(producer):
    return usmx.asnumpy(producer)


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
