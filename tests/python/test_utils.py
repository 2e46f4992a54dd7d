"""usmx.utils: names of dpctl.utils and of dpnp's."""

import dpctl
import dpctl.utils
import pytest
import usmx
from usmx import utils


def test_intel_device_info_is_what_dpctl_says():
    device = usmx.SyclDevice()
    expected = dpctl.utils.intel_device_info(dpctl.SyclDevice(device.filter_string))
    found = utils.intel_device_info(device)
    assert {name: found[name] for name in expected} == expected
    assert found.keys() - expected.keys() <= {name for name in found if name.startswith("gpu_")}
    assert all(found.values())


def test_intel_device_info_of_another_thing_is_a_type_error():
    with pytest.raises(TypeError, match="dict"):
        utils.intel_device_info({})


@pytest.mark.parametrize("kind", ["device", "shared", "host", None])
def test_kinds_of_memory_are_valid(kind):
    assert utils.validate_usm_type(kind) is None


def test_other_kinds_are_errors():
    with pytest.raises(ValueError, match="'unknown'"):
        utils.validate_usm_type("unknown")
    with pytest.raises(TypeError, match="int"):
        utils.validate_usm_type(1)
    with pytest.raises(TypeError, match="NoneType"):
        utils.validate_usm_type(None, allow_none=False)


def test_functions_of_compute_follows_data_are_the_packages():
    queue = usmx.default_queue()
    assert utils.get_execution_queue([queue, queue]) is queue
    assert utils.get_coerced_usm_type(["host", "shared"]) == "shared"
    assert utils.ExecutionPlacementError is usmx.ExecutionPlacementError
