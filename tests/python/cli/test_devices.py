"""``python -m usmx devices``."""

import json

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


def test_json_has_all_that_is_known():
    result = run("devices", "--json")
    assert result.returncode == 0
    devices = json.loads(result.stdout)["devices"]
    assert [each["filter"] for each in devices] == [d.filter_string for d in usmx.get_devices()]
    assert [each["default"] for each in devices].count(True) == 1
    for found, device in zip(devices, usmx.get_devices(), strict=True):
        assert found["global_memory"] == device.global_mem_size
        assert found["local_memory"] == device.local_mem_size
        assert found["sub_group_sizes"] == list(device.sub_group_sizes)
        assert found["fp64"] is device.has_aspect_fp64
        assert "device" in found["usm_kinds"]
        assert found["free_memory"] is None or 0 < found["free_memory"] <= found["global_memory"]


def test_devices_says_why_there_is_none():
    result = run("devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("usmx devices: ")
    assert len(result.stderr.splitlines()) == 1
