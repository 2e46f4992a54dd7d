"""usmx.testing: what it says of good producers and consumers, and of such that break one rule."""

import collections
import types

import consumers
import dpctl
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import (
    AT_ONCE,
    KINDS,
    MEMORY_CLASSES,
    SIMULATED,
    TYPESTRS,
    Producer,
    interface_of,
    make_capsule,
)
from usmx.testing import Finding, Report, _consumers, check_consumer, check_producer

KEPT, BROKEN, NOT_TRIED = "kept", "broken", "not tried"


def outcomes(report):
    return {finding.rule: finding.outcome for finding in report.findings}


def broken(report):
    return [finding.rule for finding in report.broken]


# ---- the report


def findings():
    return (
        Finding("first", KEPT, "this", "this"),
        Finding("second", BROKEN, "this", "that\nand " + "more " * 100),
    )


def test_report_is_a_table():
    text = str(Report("producer X", findings()))
    lines = text.splitlines()
    assert lines[0] == "producer X: 1 kept, 1 broken"
    assert lines[1].split() == ["rule", "outcome", "expected", "found"]
    assert lines[3].startswith("second  broken   this      that and more")
    assert lines[3].endswith("...")
    assert lines[4].split() == ["first", "kept", "this", "this"]
    assert len(lines) == 5


def test_report_shows_itself():
    report = Report("producer X", findings())
    assert repr(report) == str(report)


def test_report_is_ok_when_nothing_is_broken():
    assert Report("X", findings()[:1]).ok is True
    assert Report("X", findings()).ok is False
    assert [finding.rule for finding in Report("X", findings()).broken] == ["second"]


def test_what_does_the_most_harm_comes_first():
    def broken(rule, found=""):
        return Finding(rule, "broken", "", found)

    kept = Finding("attribute", "kept", "", "")
    stable, shape, bounds = broken("stable"), broken("shape: negative"), broken("bounds")
    died = broken("plain", "the process died: SIGSEGV")
    report = Report("X", (stable, kept, shape, bounds, died))
    assert report.broken == (bounds, died, shape, stable)
    rows = [row.split()[0] for row in str(report).splitlines()[3:]]
    assert rows == ["bounds", "plain", "shape:", "stable", "attribute"]
    with pytest.raises(AssertionError, match=r"(?s)bounds: .*shape: negative: .*stable: "):
        report.raise_if_broken()


def test_report_is_neither_true_nor_false():
    with pytest.raises(TypeError, match=r"report\.ok"):
        bool(Report("X", findings()))


def test_broken_rule_can_be_raised():
    Report("X", findings()[:1]).raise_if_broken()
    with pytest.raises(AssertionError, match="second") as caught:
        Report("X", findings()).raise_if_broken()
    assert "first" not in str(caught.value)


# ---- good producers


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("typestr", TYPESTRS)
def test_array_of_every_type_keeps_all_rules(kind, typestr):
    report = check_producer(usmx.zeros((3, 4), typestr, usm_type=kind))
    report.raise_if_broken()
    assert len(report.findings) == 20
    assert set(outcomes(report).values()) <= {KEPT, "not applicable", NOT_TRIED}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "key", [np.s_[1:], np.s_[:, 1:3], np.s_[::-1, ::-2], np.s_[1, 2], np.s_[2:2], np.s_[:, 1]]
)
def test_view_of_every_layout_keeps_all_rules(kind, key):
    array = usmx.zeros((3, 4), "f4", usm_type=kind)[key]
    check_producer(array).raise_if_broken()
    check_producer(array.readonly()).raise_if_broken()


@pytest.mark.parametrize("cls", MEMORY_CLASSES.values())
def test_memory_keeps_all_rules(cls):
    check_producer(cls(24)).raise_if_broken()


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_host_accessible_array_has_flag_and_buffer_to_agree_with(kind):
    found = outcomes(check_producer(usmx.zeros(3, usm_type=kind)))
    assert (found["read-only flag"], found["buffer"]) == (KEPT, KEPT)


def test_memory_is_not_changed():
    memory = usmx.memory.MemoryUSMShared(24)
    memory.copy_from_host(bytes(range(24)))
    check_producer(memory)
    assert memory.tobytes() == bytes(range(24))


# ---- producers that break one rule


@pytest.fixture
def memory():
    return usmx.memory.MemoryUSMShared(96)


def without(interface, key):
    return {name: value for name, value in interface.items() if name != key}


class Holder:
    def __init__(self, give):
        self._get_capsule = give


ONE_CAPSULE = usmx.SyclQueue()._get_capsule()
ENTRIES = {
    "version": [2, True, 1.0, "1", None],
    "shape": [None, 3, (3.0, 4), (-1,), "34"],
    "typestr": [None, 8, ">f8", "|O", "f16", "<<f8", "", "|V16"],
    "typedescr": [[("", "<f4")], [("x", "<f8")], "text"],
    "data": [5, (), (16,), ("16", False), (16, None), (0, False), (-8, False), (2**100, False)],
    "strides": [(4,), (4.0, 1), "ab", 4],
    "offset": [1.0, "1", ()],
    "syclobj": [
        None,
        5,
        "nonsense",
        "accelerator:99",
        make_capsule("used_SyclQueueRef"),
        Holder(lambda: 5),
    ],
}
BAD_ENTRIES = [(key, value) for key, values in ENTRIES.items() for value in values]


@pytest.mark.parametrize(("key", "value"), BAD_ENTRIES)
def test_bad_entry_breaks_the_rule_of_its_key_alone(memory, key, value):
    report = check_producer(Producer(interface_of(memory, **{key: value}), memory))
    assert broken(report) == [key]


@pytest.mark.parametrize("key", ["version", "shape", "typestr", "syclobj"])
def test_missing_entry_breaks_the_rule_of_its_key_alone(memory, key):
    report = check_producer(Producer(without(interface_of(memory), key), memory))
    assert broken(report) == [key]
    assert report.broken[0].found == "missing"


@pytest.mark.parametrize("readonly", [False, True])
def test_report_says_that_an_array_is_read_only(memory, readonly):
    data = (interface_of(memory)["data"][0], readonly)
    report = check_producer(Producer(interface_of(memory, data=data), memory))
    (found,) = [finding.found for finding in report.findings if finding.rule == "data"]
    assert found.endswith(", True): consumers may not write" if readonly else ", False)")


def test_consumer_that_computes_a_number_is_told_what_is_judged():
    report = check_consumer(lambda producer: 3.0)
    (finding,) = [finding for finding in report.broken if finding.rule == "shared memory"]
    assert finding.found.startswith("the result, of type float, is no array: what is judged is a")


@pytest.mark.parametrize("key", ["strides", "offset"])
def test_optional_entry_may_be_missing(memory, key):
    check_producer(Producer(without(interface_of(memory), key), memory)).raise_if_broken()


@pytest.mark.parametrize("producer", [object(), Producer(5), Producer(None), np.zeros(3)])
def test_object_without_a_mapping_breaks_the_first_rule_alone(producer):
    report = check_producer(producer)
    assert broken(report) == ["attribute"]
    assert {f.outcome for f in report.findings[1:]} == {"not applicable"}


def test_property_that_raises_breaks_the_first_rule_alone():
    class Raising:
        @property
        def __sycl_usm_array_interface__(self):
            raise OSError("mine")

    report = check_producer(Raising())
    assert broken(report) == ["attribute"]
    assert report.broken[0].found == "OSError: mine"


@pytest.mark.parametrize("mapping", [dict, collections.UserDict, types.MappingProxyType])
def test_any_mapping_will_do(memory, mapping):
    check_producer(Producer(mapping(interface_of(memory)), memory)).raise_if_broken()


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("arithmetic", {"shape": (2**40, 2**40)}),
        ("arithmetic", {"shape": (2**62, 4)}),
        ("arithmetic", {"shape": (2,), "strides": (2**62,)}),
        ("arithmetic", {"offset": 2**62}),
        ("pointer", {"data": (4096, False)}),
        ("pointer", {"data": (np.zeros(12).ctypes.data, False)}),
        ("bounds", {"shape": (3, 5)}),
        ("bounds", {"offset": 1}),
        ("bounds", {"strides": (5, 1)}),
        ("bounds", {"strides": (-4, 1)}),
        ("bounds", {"offset": 1 << 20}),
        ("pointer", {"data": (4096, False), "offset": 1 << 20}),
    ],
)
def test_lie_about_memory_breaks_its_rule(memory, rule, changes):
    assert broken(check_producer(Producer(interface_of(memory, **changes), memory))) == [rule]


def test_offset_into_other_memory_breaks_the_rule_of_its_bounds(memory):
    """Both are in one slab of usmx, or one after the other."""
    other = usmx.memory.MemoryUSMShared(96)
    distance = (other._pointer - memory._pointer) // 8
    offset = {"offset": distance, "shape": (2,)}
    assert broken(check_producer(Producer(interface_of(memory, **offset), memory))) == ["bounds"]
    before = {"offset": (other._pointer - 4096) // 8, "shape": (2,), "data": (4096, False)}
    assert broken(check_producer(Producer(interface_of(memory, **before), memory))) == ["pointer"]


def test_misaligned_element_breaks_the_rule_of_alignment(memory):
    interface = interface_of(memory, shape=(2,), data=(memory._pointer + 4, False))
    assert broken(check_producer(Producer(interface, memory))) == ["alignment"]


def test_pointer_of_another_context_breaks_the_rule_of_the_pointer(memory):
    device = dpctl.SyclDevice()
    other = dpctl.SyclQueue(dpctl.SyclContext([device]), device)
    report = check_producer(Producer(interface_of(memory, syclobj=other), memory))
    assert broken(report) == ["pointer"]


def test_freed_memory_breaks_the_rule_of_the_pointer():
    memory = usmx.memory.MemoryUSMShared(1 << 20)
    interface = interface_of(memory)
    del memory
    assert broken(check_producer(Producer(interface))) == ["pointer"]


def test_capsule_that_is_handed_out_twice_breaks_a_rule_of_its_own(memory):
    capsule = usmx.SyclQueue()._get_capsule()
    report = check_producer(Producer(interface_of(memory, syclobj=Holder(lambda: capsule)), memory))
    assert "syclobj again" in broken(report)
    assert "'used_SyclQueueRef'" in report.broken[0].found


def test_capsule_that_is_new_each_time_keeps_the_rule(memory):
    holder = Holder(usmx.SyclQueue()._get_capsule)
    check_producer(Producer(interface_of(memory, syclobj=holder), memory)).raise_if_broken()
    capsule = usmx.SyclQueue()._get_capsule()
    check_producer(Producer(interface_of(memory, syclobj=capsule), memory)).raise_if_broken()


class Array:
    """A producer with flags and a buffer of its choice."""

    def __init__(self, memory, writable=True, **changes):
        self.__sycl_usm_array_interface__ = interface_of(memory, **changes)
        self.flags = types.SimpleNamespace(writable=writable)
        self.memory = memory


def test_flag_that_differs_from_flags_breaks_the_rule_of_the_flag_alone(memory):
    lying = Array(memory, writable=True, data=(memory._pointer, True))
    assert broken(check_producer(lying)) == ["read-only flag"]
    check_producer(Array(memory, writable=False, data=(memory._pointer, True))).raise_if_broken()


@pytest.mark.parametrize("writable", [True, False])
def test_finding_says_what_flags_and_dictionary_say(memory, writable):
    lying = Array(memory, writable=writable, data=(memory._pointer, writable))
    (finding,) = check_producer(lying).broken
    assert finding.found == f"data[1] is {writable}, flags.writable is {writable}"


class Displaced(usmx.USMArray):
    """Its buffer is that of the whole array, its dictionary that of a part."""

    @property
    def __sycl_usm_array_interface__(self):
        interface = usmx.USMArray.__sycl_usm_array_interface__.__get__(self)
        return interface | {"shape": (2,), "offset": 1}


def test_buffer_of_other_memory_breaks_the_rule_of_the_buffer_alone():
    array = Displaced(3, "f8", "shared")
    assert broken(check_producer(array)) == ["buffer"]


def test_dictionary_that_changes_breaks_the_rule_of_stability_alone(memory):
    class Alternating:
        times = 0

        @property
        def __sycl_usm_array_interface__(self):
            self.times += 1
            return interface_of(memory, shape=(3, 4) if self.times % 2 else (4, 3))

    assert broken(check_producer(Alternating())) == ["stable"]


def test_values_whose_comparison_fails_are_still_compared(memory):
    interface = interface_of(memory, shape=np.array([3, 4]))
    assert broken(check_producer(Producer(interface, memory))) == ["shape"]


def test_missing_data_without_a_buffer_is_said_so(memory):
    (finding,) = check_producer(Producer(without(interface_of(memory), "data"), memory)).broken
    assert (finding.rule, finding.found) == (
        "data",
        "missing, and the object has no buffer (PEP 3118)",
    )


@pytest.mark.parametrize("levels", [17, 100_000])
def test_fields_that_are_nested_too_deep_are_said_so(memory, levels):
    typedescr = [("x", "<f8")]
    for _ in range(levels - 1):
        typedescr = [("x", typedescr)]
    interface = interface_of(memory, typestr="|V8", typedescr=typedescr)
    (finding,) = check_producer(Producer(interface, memory)).broken
    assert (finding.rule, finding.found) == ("typestr", "'typedescr' is nested more than 16 deep")
    while typedescr[0][1] != "<f8":  # piece by piece: its own destructor may go too deep
        typedescr = typedescr[0][1]


@pytest.mark.parametrize("shape", [(0, 2**62, 2**62), (2**62, 4, 0)])
def test_extents_beside_a_zero_may_be_any(memory, shape):
    check_producer(Producer(interface_of(memory, shape=shape), memory)).raise_if_broken()


def test_memory_that_dies_with_the_dictionary_breaks_the_rule_of_lifetime():
    class Fleeting:
        @property
        def __sycl_usm_array_interface__(self):
            memory = usmx.memory.MemoryUSMShared(1 << 20)
            return interface_of(memory, owner=memory)

    assert "lifetime" in broken(check_producer(Fleeting()))


def enqueue_writes(array, times):
    for _ in range(times):
        dpnp.tensor.cosh(array, out=array)
        dpnp.tensor.sin(array, out=array)


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
@pytest.mark.parametrize("kind", KINDS)
def test_data_that_is_still_written_breaks_the_rule_of_readiness(kind):
    array = dpnp.tensor.ones(1 << 23, dtype="f4", usm_type=kind)
    enqueue_writes(array, 1)  # so that kernels are built
    made_before = Producer(array.__sycl_usm_array_interface__, array)
    # Long enough to be under way when the checker looks, on a busy machine, too.
    report = check_producer(made_before, start_work=lambda: enqueue_writes(array, 20))
    assert broken(report) == ["ready"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_data_that_is_waited_for_keeps_the_rule_of_readiness(kind):
    array = dpnp.tensor.ones(1 << 23, dtype="f4", usm_type=kind)
    report = check_producer(array, start_work=lambda: enqueue_writes(array, 4))
    assert outcomes(report)["ready"] == KEPT


def found_ready(producer, start_work):
    report = check_producer(producer, start_work=start_work)
    assert report.ok
    (finding,) = [finding for finding in report.findings if finding.rule == "ready"]
    return finding.outcome, finding.found


def test_readiness_is_not_tried_by_work_that_fails_or_changes_nothing(memory):
    assert found_ready(memory, lambda: 1 / 0) == (
        NOT_TRIED,
        "start_work raised ZeroDivisionError: division by zero",
    )
    nothing = "start_work changed no element: nothing to look for"
    assert found_ready(memory, lambda: None) == (NOT_TRIED, nothing)
    assert found_ready(memory, lambda: memory.memset(7))[0] == KEPT


@pytest.mark.parametrize("work", [5, "text"])
def test_work_must_be_a_callable(memory, work):
    with pytest.raises(TypeError, match="start_work must be a callable, found"):
        check_producer(memory, start_work=work)


def test_readiness_is_not_tried_without_work(memory):
    assert outcomes(check_producer(memory))["ready"] == NOT_TRIED


# ---- consumers


@pytest.mark.slow
@pytest.mark.parametrize(
    "consumer", ["usmx:from_usm_array_interface", usmx.asarray, consumers.good, "consumers:good"]
)
def test_usmx_as_a_consumer_keeps_all_rules(consumer):
    report = check_consumer(consumer)
    assert set(outcomes(report).values()) == {KEPT}, report


def test_memory_is_a_consumer_of_bytes():
    report = check_consumer(usmx.memory.as_usm_memory, as_bytes=True)
    assert set(outcomes(report).values()) == {KEPT}, report


def test_consumer_that_copies_is_found():
    report = check_consumer(consumers.copying)
    assert "device memory" in broken(report)
    assert "a copy" in report.broken[0].found


def test_consumer_that_copies_to_the_host_is_found():
    report = check_consumer(consumers.to_host)
    assert {"shared memory", "host memory", "offset"} <= set(broken(report))
    assert all("a copy: element zero is at" in finding.found for finding in report.broken)
    assert outcomes(report)["device memory"] == KEPT  # the host may have to copy it


@pytest.mark.skipif(SIMULATED, reason="the host has no view of memory elsewhere")
def test_consumer_may_give_a_view_as_a_numpy_array():
    report = check_consumer(consumers.viewing_on_host)
    assert not {"shared memory", "host memory", "offset", "read-only"} & set(broken(report)), report


def test_consumer_that_exits_breaks_each_case_of_its_own():
    report = check_consumer(consumers.exiting)
    assert {f.found for f in report.findings} == {"SystemExit: 0"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sleeping", "dying"])
def test_consumer_that_never_answers_is_given_up(name, monkeypatch):
    if name == "sleeping":
        monkeypatch.setattr(_consumers, "_CASE_SECONDS", 0.3)
    monkeypatch.setattr(_consumers, "_SILENT_CASES", 2)
    monkeypatch.setattr(_consumers, "_DEATHS_IN_A_ROW", 2)
    report = check_consumer(f"consumers:{name}")
    said = {"sleeping": "no answer in 0.3 seconds", "dying": "the process died: exit code 3"}
    assert [f.found for f in report.broken] == [said[name]] * 2
    assert {f.outcome for f in report.findings[2:]} == {NOT_TRIED}
    assert report.findings[-1].found == "given up after 2 cases without an answer"


def test_consumer_may_be_meant_to_copy():
    check_consumer(consumers.copying, copies=True).raise_if_broken()
    check_consumer(consumers.to_host, copies=True).raise_if_broken()


def test_result_can_be_read_by_a_second_function():
    check_consumer(consumers.wrapping, to_numpy=consumers.unwrapped).raise_if_broken()
    check_consumer("consumers:wrapping", to_numpy="consumers:unwrapped").raise_if_broken()


def test_result_that_nobody_can_read_is_broken():
    assert "device memory" in broken(check_consumer(consumers.wrapping))


def test_consumer_that_ignores_the_offset_is_found():
    report = check_consumer(consumers.ignoring_the_offset)
    assert {"offset", "offset in device memory", "0-d"} <= set(broken(report))
    assert outcomes(report)["device memory"] == KEPT


def test_consumer_that_ignores_the_flag_is_found():
    report = check_consumer(consumers.ignoring_readonly)
    assert broken(report) == ["read-only", "read-only device memory"]
    assert report.broken[0].found == "the result is writable"


def test_consumer_that_does_not_keep_the_memory_alive_is_found():
    found = broken(check_consumer(consumers.not_keeping_alive))
    assert {"device memory", "shared memory", "host memory"} <= set(found)


@pytest.mark.slow
def test_consumer_that_aborts_on_a_foreign_pointer_is_found():
    report = check_consumer(consumers.aborting_on_a_foreign_pointer)
    assert "pointer: garbage" in broken(report)
    assert all("SIGABRT" in finding.found for finding in report.broken)
    assert outcomes(report)["alignment"] == KEPT  # the last one: a new child went on


def test_consumer_that_accepts_everything_is_found():
    report = check_consumer(consumers.accepting_everything)
    assert "attribute: raises" in broken(report)
    assert {finding.found for finding in report.broken} == {"accepted"}
    assert outcomes(report)["shared memory"] == KEPT


def test_refusal_of_another_class_is_found():
    report = check_consumer(consumers.raising_something_else)
    assert {finding.found for finding in report.broken} == {"OSError: no"}


@pytest.mark.slow
def test_callable_that_no_child_can_import_is_not_tried_on_lies():
    report = check_consumer(lambda producer: usmx.asarray(producer))
    found = outcomes(report)
    assert (found["shared memory"], found["version: 2"]) == (KEPT, KEPT)
    assert found["pointer: garbage"] == NOT_TRIED
    assert report.ok


@pytest.mark.parametrize("given", [None, 5, "text"])
def test_consumer_must_be_a_callable_or_the_path_of_one(given):
    with pytest.raises(TypeError, match="module:function"):
        check_consumer(given)
    if given is not None:
        with pytest.raises(TypeError, match="to_numpy"):
            check_consumer(consumers.good, to_numpy=given)


def test_path_must_name_a_callable():
    with pytest.raises(TypeError, match=r"'consumers:np' must name a callable, found module"):
        check_consumer("consumers:np")


def test_path_to_nothing_is_an_import_error():
    with pytest.raises(ImportError):
        check_consumer("no_such_module:f")
