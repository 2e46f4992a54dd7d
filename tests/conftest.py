"""For all tests, and those of the examples beside them."""

import absent


def pytest_configure(config):
    if absent.ABSENT:
        config.pluginmanager.register(absent)
