"""A copy is found by its pointer, whoever makes it."""

import numpy as np
import usmx
import usmx_pca
from usmx_demo import hand_overs, tables
from usmx_demo.findings import HandOver, Report


def test_a_copy_is_found_by_its_pointer():
    report = Report()
    array = np.ones(3)
    hand_overs.hand_over(report, "here", "there", "by copy", array, np.array)
    assert report.hand_overs[0].copied
    assert report.exit_code == 1
    assert "YES" in tables.hand_over_row(report.hand_overs[0])
    assert tables.conclusion(report).startswith("FAILED: 1 of 1 hand-overs copied")


def test_a_view_is_no_copy():
    report = Report()
    hand_overs.hand_over(report, "here", "there", "as it is", np.ones(3), np.asarray)
    assert not report.hand_overs[0].copied
    assert report.exit_code == 0


def test_a_copy_by_the_native_extension_is_found(monkeypatch):
    original = usmx_pca.pca_with_addresses
    copying = lambda x: original(usmx.asarray(x, copy=True))  # noqa: E731
    monkeypatch.setattr(usmx_pca, "pca_with_addresses", copying)
    report = Report()
    x = usmx.asarray(np.random.default_rng(0).normal(size=(9, 3)), usm_type="shared")
    hand_overs.native_pca(report, "usmx", "argument", x)
    assert [h.copied for h in report.hand_overs] == [True, False, False]


def test_hand_over_tells_bytes_and_time():
    report = Report()
    hand_overs.hand_over(report, "a", "b", "c", np.ones(3), np.asarray)
    (found,) = report.hand_overs
    assert isinstance(found, HandOver)
    assert found.nbytes == 24
    assert found.seconds >= 0
