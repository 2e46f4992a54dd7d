"""usmx.testing: what it says of good producers and consumers of DLPack, and of such that break one rule."""

import consumers
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS, make_capsule
from usmx.testing import check_dlpack_consumer, check_dlpack_producer
from usmx.testing._tensors import (
    CUDA,
    ONEAPI,
    READ_ONLY,
    DataType,
    Device,
    LegacyManaged,
    Stranger,
)

KEPT, BROKEN, NOT_APPLICABLE, NOT_TRIED = "kept", "broken", "not applicable", "not tried"
OWN = usmx.zeros(1).__dlpack_device__()


def outcomes(report):
    return {finding.rule: finding.outcome for finding in report.findings}


def broken(report):
    return [finding.rule for finding in report.broken]


# ---- good producers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "key", [np.s_[:], np.s_[:, 1:3], np.s_[::-1, ::-2], np.s_[1, 2], np.s_[2:2]]
)
def test_arrays_of_usmx_keep_all_rules(kind, key):
    array = usmx.zeros((3, 4), "f4", usm_type=kind)[key]
    for given in (array, array.readonly()):
        report = check_dlpack_producer(given)
        report.raise_if_broken()
        assert len(report.findings) == 20
        assert set(outcomes(report).values()) <= {KEPT, NOT_APPLICABLE}
    assert array.size == 0 or outcomes(report)["bounds"] == KEPT


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_dpnp_keep_all_rules(kind):
    check_dlpack_producer(dpnp.tensor.zeros((3, 4), usm_type=kind)[1:]).raise_if_broken()


def test_arrays_of_numpy_keep_all_rules():
    report = check_dlpack_producer(np.zeros((3, 4))[::-1])
    report.raise_if_broken()
    assert outcomes(report)["pointer"] == NOT_APPLICABLE


# ---- producers that break one rule


class Lying(Stranger):
    """A new capsule for each call, whose tensor says what it is told to."""

    def __init__(self, **changes):
        self.memory = usmx.memory.MemoryUSMShared(96)
        self.changes = {"data": self.memory._pointer, "device": Device(*OWN), "shape": (3, 4)}
        self.changes |= {"strides": (4, 1)} | changes
        self.given = []

    def __dlpack__(self, *, max_version=None, copy=None, dl_device=None, stream=None):
        if copy or dl_device:
            raise BufferError("no")
        structure = {} if max_version else {"structure": LegacyManaged}
        changes = {
            k: v for k, v in self.changes.items() if max_version or k not in ("flags", "major")
        }
        self.given.append(Stranger(**(changes | structure)))
        return self.given[-1].capsule

    def __dlpack_device__(self):
        return OWN


def test_producer_that_tells_the_truth_keeps_all_rules():
    check_dlpack_producer(Lying()).raise_if_broken()


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("version", {"major": 2}),
        ("shape", {"ndim": -1}),
        ("shape", {"shape": (-3, 4)}),
        ("strides", {"strides": None}),
        ("type", {"dtype": DataType(2, 64, 0)}),
        ("tensor's device", {"device": Device(ONEAPI, OWN[1] + 1)}),
        ("tensor's device", {"device": Device(CUDA, 0)}),
        ("arithmetic", {"shape": (2**62, 4)}),
        ("pointer", {"data": None}),
        ("pointer", {"data": 4096}),
        ("bounds", {"shape": (3, 5)}),
        ("bounds", {"strides": (5, 1)}),
    ],
)
def test_lie_breaks_its_rule_alone(rule, changes):
    assert broken(check_dlpack_producer(Lying(**changes))) == [rule]


def test_misaligned_element_breaks_the_rule_of_alignment():
    report = check_dlpack_producer(Lying(shape=(2, 4), byte_offset=4))
    assert broken(report) == ["alignment"]


def test_flag_that_differs_from_flags_breaks_the_rule_of_the_flag():
    lying = Lying(flags=READ_ONLY)
    lying.flags = usmx.zeros(1).flags
    assert broken(check_dlpack_producer(lying)) == ["read-only flag"]


class Answering:
    def __init__(self, **answers):
        self.answers = answers

    def __dlpack_device__(self):
        return self.answers.get("device", OWN)

    def __dlpack__(self, **_):
        return self.answers.get("capsule")


@pytest.mark.parametrize("capsule", [None, 3, make_capsule("used_dltensor")])
def test_answer_that_is_no_capsule_breaks_the_rule_of_the_capsule(capsule):
    report = check_dlpack_producer(Answering(capsule=capsule))
    assert broken(report) == ["capsule"]


def test_one_capsule_for_all_breaks_the_rule_of_new_ones():
    memory = usmx.memory.MemoryUSMShared(96)
    one = Stranger(memory._pointer, (12,), (1,), device=Device(*OWN))
    report = check_dlpack_producer(one)
    assert "new capsules" not in broken(report)  # it is the first to use it
    assert "stable" in broken(report)


@pytest.mark.parametrize("device", [None, 14, (14,)])
def test_device_that_is_none_breaks_its_rule(device):
    assert "device" in broken(check_dlpack_producer(Answering(device=device)))


def test_object_without_the_methods_breaks_the_first_rules_alone():
    report = check_dlpack_producer(object())
    assert broken(report) == ["device", "capsule"]
    assert {f.outcome for f in report.findings[2:]} == {NOT_APPLICABLE}


def test_copy_that_is_none_and_host_that_is_none_break_their_rules():
    class Deaf(Lying):
        def __dlpack__(self, *, max_version=None, **_):
            return super().__dlpack__(max_version=max_version)

    assert broken(check_dlpack_producer(Deaf())) == ["copy=True", "dl_device"]


# ---- consumers


@pytest.mark.slow
def test_usmx_as_a_consumer_keeps_all_rules():
    report = check_dlpack_consumer("usmx:from_dlpack")
    assert set(outcomes(report).values()) == {KEPT}, report
    report = check_dlpack_consumer(usmx.from_dlpack, memory="host", copies=True)
    assert set(outcomes(report).values()) == {KEPT}, report


def test_numpy_as_a_consumer_keeps_all_rules():
    report = check_dlpack_consumer("numpy:from_dlpack", memory="host")
    assert set(outcomes(report).values()) == {KEPT}, report


@pytest.mark.slow
def test_dpnp_as_a_consumer_is_as_peers_md_says():
    report = check_dlpack_consumer("dpnp.tensor:from_dlpack")
    assert set(broken(report)) - {"ndim: 1000"} == {  # of which it reads what lies behind
        "negative strides",
        "no strides, as before version 1.2",
        "no elements",
        "ndim: -1",
        "shape: negative",
        "shape: bytes wrap",
        "bounds: past the end",
        "bounds: past the end by byte_offset",
        "alignment",
    }


def test_consumer_that_copies_is_found():
    report = check_dlpack_consumer("usmx:from_dlpack", memory="host")
    assert "C order" in broken(report)


def test_consumer_that_does_not_keep_the_tensor_is_found():
    found = {f.found for f in check_dlpack_consumer(consumers.keeping_nothing).broken}
    assert found == {"the deleter was called while the result exists"}


def test_consumer_that_leaves_the_capsule_is_found():
    found = check_dlpack_consumer(consumers.reading_and_leaving, copies=True).broken
    assert {f.found for f in found} == {"the capsule is not marked as used"}


def test_consumer_that_lets_go_twice_is_found():
    found = check_dlpack_consumer(consumers.letting_go_twice, copies=True).broken
    assert "the deleter was called 2 times, not 1" in {f.found for f in found}


def test_consumer_that_takes_everything_is_found():
    report = check_dlpack_consumer(consumers.taking_every_tensor)
    assert {f.found for f in report.broken} == {"accepted"}
    assert "__dlpack__ raises" in broken(report)
    assert outcomes(report)["C order"] == KEPT


@pytest.mark.slow
def test_callable_that_no_child_can_import_is_not_tried_on_lies():
    found = outcomes(check_dlpack_consumer(lambda producer: usmx.from_dlpack(producer)))
    assert (found["C order"], found["version 2"]) == (KEPT, KEPT)
    assert found["data: garbage"] == NOT_TRIED


def test_memory_is_one_of_two():
    with pytest.raises(ValueError, match="'usm' or 'host'"):
        check_dlpack_consumer("usmx:from_dlpack", memory="device")


@pytest.mark.parametrize("given", [None, 5, "text"])
def test_consumer_must_be_a_callable_or_the_path_of_one(given):
    with pytest.raises(TypeError, match="module:function"):
        check_dlpack_consumer(given)
