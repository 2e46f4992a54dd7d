"""SyclDevice, SyclContext, SyclQueue. Devices and platforms: test_devices.py. Exchange with dpctl's: test_interop.py."""

import copy
import threading

import pytest
import usmx
from helpers import capsule_name, make_capsule, run_python, sub_devices
from usmx import SyclContext, SyclDevice, SyclQueue


@pytest.fixture
def device():
    return SyclDevice()


# ---- devices


def test_devices_are_found():
    devices = usmx.get_devices()
    assert devices
    assert all(isinstance(device, SyclDevice) for device in devices)


def test_default_device_is_one_of_the_devices(device):
    assert device in usmx.get_devices()


@pytest.mark.parametrize("position", range(len(usmx.get_devices())))
def test_filter_string_leads_back_to_its_device(position):
    device = usmx.get_devices()[position]
    assert SyclDevice(device.filter_string) == device
    assert device.filter_string.startswith(f"{device.backend.name}:{device.device_type.name}:")


def test_parts_of_a_filter_may_be_left_out(device):
    backend, kind = device.backend.name, device.device_type.name
    for text in (backend, kind, f"{backend}:{kind}"):
        found = SyclDevice(text)
        assert found.backend == device.backend or found.device_type == device.device_type


def test_bare_number_of_a_filter_is_the_index():
    for index, device in enumerate(usmx.get_devices()):
        assert SyclDevice(str(index)) == device


def test_comma_of_a_filter_means_else(device):
    assert SyclDevice(f"accelerator:99,{device.filter_string}") == device


@pytest.mark.parametrize(
    "text",
    [
        "",
        "CPU",
        "*:cpu",
        " cpu",
        "cpu ",
        "cpu:0:1",
        "opencl:opencl",
        ":",
        ",",
        "cpu,",
        "-1",
        "\udc80",
    ],
)
def test_text_that_is_no_filter_is_a_creation_error_and_so_a_value_error(text):
    with pytest.raises(usmx.SyclDeviceCreationError, match="filter selector") as caught:
        SyclDevice(text)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("text", ["99", "cpu:99", "accelerator:99", "99999999999999999999999"])
def test_filter_without_a_device_is_a_creation_error_that_lists_what_is_there(text, device):
    with pytest.raises(usmx.SyclDeviceCreationError) as caught:
        SyclDevice(text)
    assert f"'{text}'" in str(caught.value)
    assert device.filter_string in str(caught.value)
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize("argument", [5, 1.0, b"cpu", [], object()])
def test_device_of_another_type_is_a_type_error_that_names_it(argument):
    with pytest.raises(TypeError, match=type(argument).__name__):
        SyclDevice(argument)


def test_device_of_a_device_is_the_same(device):
    assert SyclDevice(device) == device


def test_equal_devices_have_equal_hashes(device):
    assert hash(SyclDevice()) == hash(device)
    assert {device: "found"}[SyclDevice()] == "found"
    assert (SyclDevice() != device) is False


def test_device_equals_nothing_else(device):
    assert device != device.filter_string
    assert device != SyclQueue(device)
    assert device != None  # noqa: E711


def test_device_repr_can_be_evaluated(device):
    assert eval(repr(device)) == device


def test_device_says_what_it_is(device):
    assert isinstance(device.name, str)
    assert device.name
    assert isinstance(device.vendor, str)
    assert isinstance(device.driver_version, str)
    assert device.max_compute_units >= 1
    assert device.global_mem_size > 2**20
    assert device.local_mem_size > 0
    flags = {"cpu": device.is_cpu, "gpu": device.is_gpu, "accelerator": device.is_accelerator}
    assert [kind for kind, is_it in flags.items() if is_it] == [device.device_type.name]


# ---- contexts


def test_context_is_the_platform_default_one(device):
    assert SyclContext() == SyclContext(device) == SyclContext(device.filter_string)
    assert SyclContext() == usmx.empty(1).sycl_context


def test_context_lists_its_devices(device):
    context = SyclContext(device)
    assert device in context.get_devices()
    assert context.device_count == len(context.get_devices())


def test_context_of_a_context_is_the_same():
    context = SyclContext()
    assert SyclContext(context) == context
    assert hash(SyclContext(context)) == hash(context)


@pytest.mark.parametrize("argument", [5, 1.0, b"cpu", {}, object()])
def test_context_of_another_type_is_a_type_error_that_names_it(argument):
    with pytest.raises(TypeError, match=type(argument).__name__):
        SyclContext(argument)


def test_context_repr_names_its_devices(device):
    assert repr(SyclContext(device)).startswith("<SyclContext of ")
    assert device.filter_string in repr(SyclContext(device))


def test_context_of_several_devices_has_these(device):
    parts = sub_devices(device)
    for given in (parts, tuple(parts)):
        assert SyclContext(given).get_devices() == parts
    assert SyclContext(parts).device_count == len(parts)
    assert SyclContext([device]).get_devices() == [device]


def test_context_of_a_sub_device_is_its_own(device):
    part = sub_devices(device)[0]
    assert SyclContext(part).get_devices() == [part]
    assert [SyclDevice(d) for d in SyclQueue(part).sycl_context.get_devices()] == [part]


def test_context_of_no_devices_is_a_value_error():
    with pytest.raises(ValueError, match="at least one device"):
        SyclContext([])


def test_context_of_other_things_in_a_list_is_a_type_error_that_names_them(device):
    with pytest.raises(TypeError, match="int"):
        SyclContext([device, 5])


@pytest.mark.parametrize("text", ["", "CPU", "cpu:99", "cuda:cpu:0"])
def test_context_of_no_device_is_its_creation_error(text):
    with pytest.raises(usmx.SyclContextCreationError) as caught:
        SyclContext(text)
    assert isinstance(caught.value, usmx.SyclDeviceCreationError)


@pytest.mark.parametrize("what", ["memory_order", "memory_scope", "fence_order", "fence_scope"])
def test_context_can_do_no_more_than_its_devices(what, device):
    name = f"atomic_{what}_capabilities"
    found = getattr(SyclContext(device), name)
    assert found
    assert set(found) <= set(getattr(device, name))


def test_context_knows_its_platform(device):
    assert SyclContext(device).sycl_platform == device.sycl_platform


# ---- queues


@pytest.mark.parametrize("text", ["", "CPU", "cpu:99", "cuda:cpu:0"])
def test_queue_of_no_device_is_its_creation_error(text):
    with pytest.raises(usmx.SyclQueueCreationError) as caught:
        SyclQueue(text)
    assert isinstance(caught.value, usmx.SyclDeviceCreationError)


def test_queue_on_a_device_that_is_not_in_the_context_is_its_creation_error(device):
    first, second, *_ = sub_devices(device)
    with pytest.raises(usmx.SyclQueueCreationError, match="one of the context's"):
        SyclQueue(SyclContext(first), second)


def test_queue_says_of_its_device_what_the_device_says(device, capsys):
    queue = SyclQueue(device)
    for name in ("name", "driver_version", "backend"):
        assert getattr(queue, name) == getattr(device, name)
    assert (queue.get_sycl_device(), queue.get_sycl_context()) == (device, SyclContext(device))
    queue.print_device_info()
    printed = capsys.readouterr().out
    device.print_device_info()
    assert printed == capsys.readouterr().out
    assert device.filter_string in printed


def test_copies_of_a_queue_in_python_are_the_queue():
    queue = SyclQueue(property="in_order")
    assert copy.copy(queue) == copy.deepcopy([queue])[0] == queue
    assert copy.copy(usmx._core._own_queue(queue)) == copy.deepcopy(usmx._core._own_queue(queue))


def test_object_has_the_name_of_its_class_as_dpctls_have(device):
    for value in (device, SyclContext(), SyclQueue(), usmx.SyclPlatform()):
        assert value.__name__ == type(value).__name__


def test_address_of_an_object_is_its_own(device):
    for value in (device, SyclContext(), SyclQueue(), usmx.SyclEvent()):
        assert value.addressof_ref() == value.addressof_ref() != 0
    assert device.addressof_ref() != SyclDevice(device).addressof_ref()


def test_queue_is_on_the_device_asked_for(device):
    for queue in (SyclQueue(), SyclQueue(device), SyclQueue(device.filter_string)):
        assert queue.sycl_device == device
        assert queue.sycl_context == SyclContext(device)


def test_devices_of_arrays_on_two_queues_are_told_apart(device):
    for part in (device, *sub_devices(device)):
        arrays = [usmx.zeros(1, sycl_queue=SyclQueue(each)) for each in (part, device)]
        for _ in range(2):
            assert [array.sycl_device for array in arrays] == [part, device]


def test_every_new_queue_is_another_one(device):
    assert SyclQueue(device) != SyclQueue(device)


def test_queue_of_a_queue_is_the_same():
    queue = SyclQueue()
    assert SyclQueue(queue) == queue
    assert hash(SyclQueue(queue)) == hash(queue)


def test_queue_in_a_given_context(device):
    context = SyclContext(device)
    queue = SyclQueue(context, device)
    assert queue.sycl_context == context
    assert queue.sycl_device == device


@pytest.mark.parametrize(
    ("given", "is_in_order"),
    [
        (None, False),
        ("default", False),
        ("in_order", True),
        ("enable_profiling", False),
        (("in_order", "enable_profiling"), True),
        (["enable_profiling"], False),
        ((), False),
    ],
)
def test_queue_has_the_properties_asked_for(given, is_in_order):
    device = SyclDevice()
    assert SyclQueue(property=given).is_in_order is is_in_order
    assert SyclQueue(device.filter_string, property=given).is_in_order is is_in_order
    assert SyclQueue(SyclContext(device), device, property=given).is_in_order is is_in_order


def test_unknown_property_is_a_value_error_that_names_it():
    with pytest.raises(ValueError, match="'fast'"):
        SyclQueue(property="fast")


@pytest.mark.parametrize("given", [4, -1, 1 << 70, (4,), 1.5, b"in_order", ["in_order", ()]])
def test_what_is_no_property_is_a_value_error_as_it_is_for_dpctl(given):
    with pytest.raises(ValueError, match="property must be"):
        SyclQueue(property=given)


@pytest.mark.parametrize(
    ("given", "in_order", "profiles"),
    [(0, False, False), (1, False, True), (2, True, False), (3, True, True), ((1, 2), True, True)],
)
def test_properties_may_be_dpctls_numbers(given, in_order, profiles):
    queue = SyclQueue(property=given)
    assert (queue.is_in_order, queue.has_enable_profiling) == (in_order, profiles)


def test_property_of_a_queue_that_exists_is_a_type_error():
    with pytest.raises(TypeError, match="property"):
        SyclQueue(SyclQueue(), property="in_order")
    with pytest.raises(TypeError, match="property"):
        SyclQueue(SyclQueue()._get_capsule(), property="in_order")


@pytest.mark.parametrize("argument", [5, 1.0, b"cpu", [], object()])
def test_queue_of_another_type_is_a_type_error_that_names_it(argument):
    with pytest.raises(TypeError, match=type(argument).__name__):
        SyclQueue(argument)


def test_queue_needs_a_context_before_a_device(device):
    with pytest.raises(TypeError, match="SyclContext before"):
        SyclQueue(device, device)
    with pytest.raises(TypeError, match="SyclDevice after"):
        SyclQueue(SyclContext(), SyclContext())


def test_usmx_own_queue_is_one_for_each_device_and_in_order_on_gpus_alone():
    """In a process of its own: once dpctl is loaded, its queue is shown, which is out of order."""
    run_python("""
import usmx
queue = usmx.empty(1).sycl_queue
assert queue == usmx.zeros(2, usm_type="host").sycl_queue
assert queue.is_in_order == (queue.backend.name in ("cuda", "level_zero")), queue
""")


def test_queue_can_be_waited_for_by_threads():
    queue = SyclQueue()
    threads = [threading.Thread(target=queue.wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queue.wait() is None


def test_synchronize_waits_without_any_argument():
    assert usmx.synchronize() is None


def test_queue_repr_says_where_and_in_which_order(device):
    assert repr(SyclQueue(device)) == f"<SyclQueue on '{device.filter_string}', out of order>"
    assert "in order" in repr(SyclQueue(device, property="in_order"))


# ---- capsules


@pytest.mark.parametrize(
    ("cls", "name"), [(SyclQueue, "SyclQueueRef"), (SyclContext, "SyclContextRef")]
)
def test_capsule_carries_the_object_under_dpctls_name(cls, name):
    original = cls()
    capsule = original._get_capsule()
    assert capsule_name(capsule) == name
    assert cls(capsule) == original


@pytest.mark.parametrize(
    ("cls", "name"), [(SyclQueue, "SyclQueueRef"), (SyclContext, "SyclContextRef")]
)
def test_capsule_that_was_taken_is_renamed_and_refused_from_then_on(cls, name):
    capsule = cls()._get_capsule()
    taken = cls(capsule)
    assert capsule_name(capsule) == f"used_{name}"
    with pytest.raises(TypeError, match=f"'{name}'.*'used_{name}'"):
        cls(capsule)
    del capsule
    assert cls(taken) == taken


@pytest.mark.parametrize("cls", [SyclQueue, SyclContext])
@pytest.mark.parametrize("name", ["foreign", "", None])
def test_capsule_of_another_name_is_refused_and_stays_as_it_is(cls, name):
    capsule = make_capsule(name)
    with pytest.raises(TypeError, match="no name" if name is None else f"'{name}'"):
        cls(capsule)
    assert capsule_name(capsule) == name


def test_queue_and_context_capsules_are_told_apart():
    with pytest.raises(TypeError, match="'SyclQueueRef'.*'SyclContextRef'"):
        SyclQueue(SyclContext()._get_capsule())
    with pytest.raises(TypeError, match="'SyclContextRef'.*'SyclQueueRef'"):
        SyclContext(SyclQueue()._get_capsule())


def test_capsule_outlives_the_object_it_was_made_from():
    queue = SyclQueue()
    capsule = queue._get_capsule()
    value = hash(queue)
    del queue
    assert hash(SyclQueue(capsule)) == value


@pytest.mark.parametrize("cls", [SyclDevice, SyclContext, SyclQueue])
def test_subclass_without_a_constructed_base_is_refused(cls):
    class Unfinished(cls):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match=r"super\(\).__init__\(\)"):
        cls(Unfinished())
