"""What devices say of themselves, their parts and peers; platforms; the functions that find them."""

import copy
import pickle
import subprocess
import sys
import types

import dpctl
import numpy as np
import pytest
import usmx
from helpers import output_of, sub_devices
from usmx import SyclDevice, SyclPlatform, SyclQueue, _core, _unpickling

DESCRIPTORS = _core._device_descriptors
LIVING = {"default_selector_score"}  # depends on the libraries that are loaded when it is asked


@pytest.fixture
def device():
    return SyclDevice()


@pytest.fixture
def parts(device):
    return sub_devices(device)


def plain(value):
    """Without the difference between usmx's and dpctl's classes."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return (type(value).__name__, value.name) if hasattr(value, "name") else value


# ---- descriptors


@pytest.mark.parametrize("name", sorted(set(DESCRIPTORS) & set(dir(dpctl.SyclDevice)) - LIVING))
def test_descriptor_is_what_dpctl_says(name, device):
    expected = getattr(dpctl.SyclDevice(device.filter_string), name)
    found = getattr(device, name)
    assert plain(found) == plain(expected)
    assert type(found).__name__ == type(expected).__name__


def test_every_name_of_dpctls_device_is_there():
    public = {name for name in dir(dpctl.SyclDevice) if name[0] != "_"}
    assert public - set(dir(SyclDevice)) == set()


@pytest.mark.parametrize("name", DESCRIPTORS)
def test_every_descriptor_has_a_value_of_its_declared_type(name, device):
    declared = getattr(SyclDevice, name).fget.__nb_signature__[0][0].partition("-> ")[2]
    value = getattr(device, name)
    names = {type(value).__name__}
    assert declared.split("[")[0] in names or (declared.split(" | ")[0] in names or value is None)


def test_uuid_has_16_bytes_and_is_the_devices_own(device):
    if device.uuid is not None:
        assert len(device.uuid) == 16
        assert SyclDevice().uuid == device.uuid


def test_old_name_of_sizes_warns(device):
    with pytest.warns(DeprecationWarning, match="max_work_item_sizes3d"):
        assert device.max_work_item_sizes == device.max_work_item_sizes3d


def test_back_end_and_type_equal_their_names_and_dpctls_members(device):
    assert device.backend == device.backend.name
    assert device.backend == getattr(dpctl.backend_type, device.backend.name)
    assert device.device_type == getattr(dpctl.device_type, device.device_type.name)
    assert device.backend != device.device_type
    assert {device.backend: 1}[device.backend.name] == 1


@pytest.mark.parametrize("name", ["backend_type", "device_type", "global_mem_cache_type"])
def test_enumerations_begin_with_dpctls_members(name):
    ours, dpctls = ([(e.name, e.value) for e in getattr(of, name)] for of in (usmx, dpctl))
    assert ours[: len(dpctls)] == dpctls


# ---- filter strings


@pytest.mark.parametrize("include_backend", [True, False])
@pytest.mark.parametrize("include_device_type", [True, False])
@pytest.mark.parametrize("position", range(len(usmx.get_devices())))
def test_partial_filter_string_leads_back_and_is_dpctls(
    position, include_backend, include_device_type
):
    device = usmx.get_devices()[position]
    asked = {"include_backend": include_backend, "include_device_type": include_device_type}
    text = device.get_filter_string(**asked)
    assert SyclDevice(text) == device
    assert text == dpctl.SyclDevice(device.filter_string).get_filter_string(**asked)


def test_device_id_is_the_index_among_all_devices(parts):
    for index, device in enumerate(usmx.get_devices()):
        assert device.get_device_id() == index
    assert parts[0].get_device_id() == SyclDevice().get_device_id()


def test_sub_device_has_no_filter_string_of_any_form(parts):
    with pytest.raises(ValueError, match="root device"):
        parts[0].get_filter_string(include_backend=False)


# ---- sub-devices


def test_parts_know_the_whole(parts, device):
    assert len(set(parts)) == len(parts)
    kinds = usmx.partition_property
    kind = kinds.partition_equally if device.is_cpu else kinds.partition_by_affinity_domain
    for part in parts:
        assert part.parent_device == device
        assert part.get_unpartitioned_parent_device() == device
        assert part.max_compute_units == device.max_compute_units / len(parts)
        assert part.sycl_platform == device.sycl_platform
        assert part.partition_type_property == kind
    assert device.parent_device is None
    assert device.get_unpartitioned_parent_device() is device


@pytest.mark.usefixtures("parts")
def test_equal_parts_are_as_many_as_there_is_room_for(device):
    assert len(device.create_sub_devices(partition=1)) == device.max_compute_units


@pytest.mark.parametrize("partition", [(1, 1), [1.0, 1.0], np.array([1, 1])])
@pytest.mark.usefixtures("parts")
def test_counts_may_be_any_sequence_of_numbers(partition, device):
    one, other = device.create_sub_devices(partition=partition)
    assert one.max_compute_units == other.max_compute_units == 1
    assert one.partition_type_property == usmx.partition_property.partition_by_counts


@pytest.mark.parametrize("partition", [0, -1, (0, 1), 1 << 40, [1 << 40], "numa"])
def test_what_the_device_cannot_be_parted_into_is_a_creation_error(partition, device):
    if partition == "numa" and partition in device.partition_affinity_domains:
        pytest.skip("the device has such domains")
    with pytest.raises(usmx.SyclSubDeviceCreationError) as refused:
        device.create_sub_devices(partition=partition)
    assert "compute unit" in str(refused.value)


def refusal(device, partition):
    try:
        device.create_sub_devices(partition=partition)
    except usmx.SyclSubDeviceCreationError as error:
        return str(error)
    return ""


def test_driver_that_refuses_equal_parts_is_quoted_without_its_codes(device):
    units = device.max_compute_units
    assert f"of {units + 1} compute units each" in refusal(device, units + 1)
    assert "UR_RESULT" not in refusal(device, units)  # Intel's CPU driver refuses one part


@pytest.mark.parametrize("partition", [None, object(), {}, [None], ["1"]])
def test_partition_of_another_type_is_a_type_error(partition, device):
    with pytest.raises(TypeError, match=r"partition|takes"):
        device.create_sub_devices(partition=partition)


def test_unknown_domain_and_no_counts_are_value_errors(device):
    with pytest.raises(ValueError, match="'L9_cache'"):
        device.create_sub_devices(partition="L9_cache")
    with pytest.raises(ValueError, match="at least one"):
        device.create_sub_devices(partition=[])
    with pytest.raises(TypeError):
        device.create_sub_devices(2)


def test_component_devices_are_those_of_composite_ones(device):
    assert bool(device.component_devices()) == device.has_aspect_is_composite
    assert (device.composite_device is not None) == device.has_aspect_is_component
    for composite in usmx.get_composite_devices():
        assert set(composite.component_devices()) <= set(usmx.get_devices())


# ---- peers


@pytest.mark.parametrize("method", ["can_access_peer", "enable_peer_access", "disable_peer_access"])
def test_peer_of_another_type_is_a_type_error(method, device):
    with pytest.raises(TypeError, match="dict"):
        getattr(device, method)({})


def test_device_is_no_peer_of_itself(device):
    assert device.can_access_peer(device) is False
    for method in (device.enable_peer_access, device.disable_peer_access):
        with pytest.raises(ValueError, match="two devices"):
            method(device)


def test_unknown_question_about_peers_is_a_value_error(device):
    with pytest.raises(ValueError, match="'wrong'"):
        device.can_access_peer(device, value="wrong")
    with pytest.raises(TypeError):
        device.can_access_peer(device, value=2)


# ---- platforms


def test_platforms_are_those_of_the_devices():
    platforms = usmx.get_platforms()
    assert [d for platform in platforms for d in platform.get_devices()] == usmx.get_devices()
    assert {d.sycl_platform for d in usmx.get_devices()} == set(platforms)


def test_platform_says_what_dpctls_says(device):
    found, expected = device.sycl_platform, dpctl.SyclPlatform(device.filter_string)
    for name in ("name", "vendor", "version", "backend"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.default_context == usmx.SyclContext(device)


def test_platform_is_found_as_its_device_is(device):
    assert SyclPlatform() == SyclPlatform(None) == SyclPlatform(device.filter_string)
    assert SyclPlatform(SyclPlatform()) == device.sycl_platform
    assert hash(SyclPlatform()) == hash(device.sycl_platform)
    assert SyclPlatform() != device
    assert SyclPlatform().name in repr(SyclPlatform())


@pytest.mark.parametrize("text", ["-1", "abc", "cuda:cpu:0"])
def test_platform_of_no_device_is_a_value_error(text):
    with pytest.raises(ValueError, match="filter selector|no device"):
        SyclPlatform(text)


def test_platform_of_another_type_is_a_type_error_that_names_it(device):
    with pytest.raises(TypeError, match="SyclDevice"):
        SyclPlatform(device)


def test_devices_of_a_platform_can_be_chosen_by_type(device):
    platform = device.sycl_platform
    assert device in platform.get_devices(device_type=device.device_type)
    assert device in platform.get_devices(dpctl.device_type.all)
    assert platform.get_devices("automatic") == []
    with pytest.raises(ValueError, match="'cup'"):
        platform.get_devices("cup")


@pytest.mark.slow
@pytest.mark.parametrize("verbosity", [0, 1, 2])
def test_platforms_are_printed_as_dpctl_prints_them(verbosity, capsys):
    usmx.lsplatform(verbosity)
    printed = capsys.readouterr().out
    code = f"import usmx; usmx.get_devices(); import dpctl; dpctl.lsplatform({verbosity})"
    assert printed == output_of(code) + "\n"
    if verbosity == 0:
        for platform in usmx.get_platforms():
            platform.print_platform_info()
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize("verbosity", [3, -1, "1", None])
def test_other_verbosity_warns_and_prints_what_0_does(verbosity, capsys):
    usmx.lsplatform()
    expected = capsys.readouterr().out
    with pytest.warns(UserWarning, match=repr(verbosity)):
        usmx.lsplatform(verbosity)
    assert capsys.readouterr().out == expected


# ---- finding devices


@pytest.mark.parametrize("backend", [*usmx.backend_type, *dpctl.backend_type, "opencl"])
def test_devices_can_be_listed_by_back_end(backend):
    name = getattr(backend, "name", backend)
    expected = [d for d in usmx.get_devices() if name in ("all", d.backend.name)]
    assert usmx.get_devices(backend=backend) == expected
    assert usmx.get_num_devices(backend=backend) == len(expected)


@pytest.mark.parametrize("kind", [*usmx.device_type, *dpctl.device_type, "cpu"])
def test_devices_can_be_listed_by_type(kind):
    name = getattr(kind, "name", kind)
    expected = [d for d in usmx.get_devices() if name in ("all", d.device_type.name)]
    assert usmx.get_devices(device_type=kind) == expected


def test_unknown_back_end_is_a_value_error_and_other_things_type_errors():
    with pytest.raises(ValueError, match="'opencI'"):
        usmx.get_devices(backend="opencI")
    with pytest.raises(TypeError, match="int"):
        usmx.get_devices(device_type=1)


@pytest.mark.parametrize("kind", ["cpu", "gpu", "accelerator"])
def test_selection_by_type_finds_the_one_of_the_highest_score(kind):
    select = getattr(usmx, f"select_{kind}_device")
    found = usmx.get_devices(device_type=kind)
    assert getattr(usmx, f"has_{kind}_devices")() == bool(found)
    if found:
        best = max(found, key=lambda device: device.default_selector_score)
        assert select() == best
    else:
        with pytest.raises(usmx.SyclDeviceCreationError, match=kind):
            select()


def test_default_device_has_the_highest_score(device):
    assert usmx.select_default_device() == device
    assert device.default_selector_score == max(
        each.default_selector_score for each in usmx.get_devices()
    )


def test_device_with_aspects_has_them(device):
    aspects = [name[11:] for name in DESCRIPTORS if name.startswith("has_aspect_")]
    has = [name for name in aspects if getattr(device, f"has_aspect_{name}")]
    lacks = [name for name in aspects if name not in has]
    assert usmx.select_device_with_aspects(has, excluded_aspects=lacks) == device
    assert usmx.select_device_with_aspects(has[0]) in usmx.get_devices()


def test_device_with_impossible_aspects_is_a_creation_error():
    for asked in ((["gpu", "cpu"],), ("cpu", "cpu")):
        with pytest.raises(usmx.SyclDeviceCreationError, match="cpu"):
            usmx.select_device_with_aspects(*asked)


def test_unknown_aspect_is_an_attribute_error_and_a_number_a_type_error():
    with pytest.raises(AttributeError, match="'fp12'"):
        usmx.select_device_with_aspects("fp12")
    with pytest.raises(TypeError, match="int"):
        usmx.select_device_with_aspects(["fp64", 3])


def test_cached_queue_of_a_device_is_that_of_its_arrays(device):
    queue = usmx.get_device_cached_queue(device)
    assert queue == usmx.get_device_cached_queue(device.filter_string)
    assert queue == usmx.zeros(1, device=device).sycl_queue


# ---- pickling


def test_pickled_device_is_the_device(device):
    assert pickle.loads(pickle.dumps(device)) == device
    assert copy.copy(device) == copy.deepcopy(device) == device


def test_pickled_sub_device_and_its_queue_are_value_errors(parts):
    for of_a_part in (parts[0], SyclQueue(parts[0])):
        with pytest.raises(ValueError, match="filter_string: expected a root device"):
            pickle.dumps(of_a_part)


def test_device_of_another_uuid_is_not_found(device):
    restore, (cls, filter_string, uuid) = device.__reduce__()
    with pytest.warns(RuntimeWarning, match=f"'{filter_string}'.*{'ab' * 16}"):
        missing = restore(cls, filter_string, b"\xab" * 16)
    with pytest.raises(usmx.SyclDeviceCreationError, match=f"'{filter_string}'.*{'ab' * 16}"):
        _ = missing.name
    if uuid is not None:
        assert restore(cls, "level_zero:gpu:99", uuid) == device  # counted otherwise elsewhere


def test_device_that_several_back_ends_have_comes_back_on_its_own(monkeypatch):
    def seen(filter_string):
        return types.SimpleNamespace(filter_string=filter_string, uuid=b"\xab" * 16)

    there = [seen("opencl:gpu:0"), seen("level_zero:gpu:0"), seen("level_zero:gpu:1")]
    monkeypatch.setattr(_unpickling, "_get_devices", lambda: there)
    for pickled, expected in (
        ("level_zero:gpu:1", "level_zero:gpu:1"),
        ("level_zero:gpu:2", "level_zero:gpu:0"),
        ("cuda:gpu:0", "opencl:gpu:0"),
    ):
        found = _unpickling.restore_device(lambda device: device, pickled, b"\xab" * 16)
        assert found.filter_string == expected


@pytest.mark.parametrize("given", ["default", "in_order", "enable_profiling"])
def test_pickled_queue_is_a_new_one_with_the_same_properties(given):
    queue = SyclQueue(property=given)
    found = pickle.loads(pickle.dumps(queue))
    assert found != queue
    assert found.sycl_device == queue.sycl_device
    assert (found.is_in_order, found.has_enable_profiling) == (
        queue.is_in_order,
        queue.has_enable_profiling,
    )


def test_pickled_queue_of_arrays_is_the_queue_of_arrays_there():
    code = "import sys, pickle, usmx; q = pickle.load(sys.stdin.buffer); print(q == usmx.zeros(1).sycl_queue)"
    own = usmx.zeros(1)._own_queue
    assert pickle.loads(pickle.dumps(own)) == own
    there = subprocess.run(
        [sys.executable, "-P", "-c", code], input=pickle.dumps(own), capture_output=True, check=True
    )
    assert there.stdout.split() == [b"True"]


def test_pickled_place_of_arrays_is_their_place():
    place = usmx.zeros(1).device
    found = pickle.loads(pickle.dumps(place))
    assert type(found) is usmx.Device
    assert found == place


def test_copied_place_has_the_same_queue_whichever_that_is():
    place = usmx.Device.create_device(SyclQueue())
    assert copy.copy(place) == copy.deepcopy(place) == place
