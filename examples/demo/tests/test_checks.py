"""A wrong number is found, and a right one is not blamed."""

import numpy as np
import pytest
from usmx_demo import checks, tables
from usmx_demo.findings import Check, Report


@pytest.mark.parametrize("error", [2e-10, 1.0, float("inf"), float("nan")])
def test_a_wrong_number_is_off(error):
    report = Report(checks=[Check("good", 1e-11), Check("bad", error)])
    assert report.exit_code == 1
    assert "1 of 2 checks are off" in tables.conclusion(report)
    assert tables.check_row(report.checks[1])[-1] == "NO"


def planted(change):
    """Check NumPy's own results after `change` was made to them."""
    values = np.random.default_rng(5).normal(size=(60, 4)) * [4, 3, 2, 1]
    reference = checks.numpy_pca(values)
    largest = np.abs(reference.components).argmax(axis=1)
    signs = np.sign(reference.components[np.arange(4), largest])
    results = {
        "components": reference.components * signs[:, None],
        "scores": reference.scores * signs,
        "variance": reference.variance.copy(),
    }
    change(results)
    return list(checks.compare(reference, **results))


def test_right_results_pass():
    assert all(check.ok for check in planted(lambda results: None))


@pytest.mark.parametrize("name", ["components", "scores", "variance"])
def test_one_number_off_by_a_billionth_is_found(name):
    def change(results):
        results[name].flat[1] += 1e-9 * np.abs(results[name]).max()

    assert not all(check.ok for check in planted(change))


def test_a_flipped_component_breaks_the_sign_rule():
    def change(results):
        results["components"][2] *= -1
        results["scores"][:, 2] *= -1

    assert [check.name for check in planted(change) if not check.ok] == [
        "components with the wrong sign"
    ]


def test_components_of_equal_variance_are_not_compared():
    values = np.array([5.0, 3.0, 3.0, 1.0, 0.0, 0.0])
    assert checks.is_distinct(values, 6).tolist() == [True, False, False, True, False, False]
    assert checks.is_distinct(np.array([5.0, 0.0]), 2).tolist() == [True, True]
    assert checks.is_distinct(np.array([5.0, 0.0]), 3).tolist() == [True, False]
