"""``python -m usmx devices``."""

import usmx
from helpers import run_usmx as run


def test_devices_lists_every_device_and_marks_the_default_one():
    result = run("devices")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    devices = usmx.get_devices()
    assert len(lines) == 2 + len(devices)
    assert all(d.filter_string in line for d, line in zip(devices, lines[2:], strict=True))
    assert [line.startswith("*") for line in lines[2:]].count(True) == 1


def test_devices_says_why_there_is_none():
    result = run("devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("usmx devices: ")
    assert len(result.stderr.splitlines()) == 1
