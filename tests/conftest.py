"""For all tests, and those of the examples beside them."""

import gc

import absent
import draws
import pytest
from cpu_seconds import CpuSeconds


def pytest_configure(config):
    if absent.ABSENT:
        config.pluginmanager.register(absent)
    config.pluginmanager.register(CpuSeconds(config))
    config.pluginmanager.register(draws)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """20,000 tests are made, and none is garbage: to look for some would take a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
