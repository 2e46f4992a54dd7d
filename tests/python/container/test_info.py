"""``__array_namespace__`` of arrays."""

import pytest
import usmx


@pytest.mark.parametrize("version", [None, "2024.12"])
def test_namespace_of_an_array_is_usmx(version):
    assert usmx.zeros(3).__array_namespace__(api_version=version) is usmx


@pytest.mark.parametrize("version", ["2021.12", "", 2024.12, b"2024.12"])
def test_other_edition_of_the_array_api_is_a_value_error(version):
    with pytest.raises(ValueError, match=r"expected api_version '2024\.12' or None, found"):
        usmx.zeros(3).__array_namespace__(api_version=version)


def test_namespace_has_what_an_array_needs_and_nothing_that_computes():
    namespace = usmx.zeros(3).__array_namespace__()
    for name in ("asarray", "from_dlpack", "reshape", "take", "isdtype", "float64", "newaxis"):
        assert hasattr(namespace, name)
    for name in ("add", "sum", "isfinite", "sqrt", "linalg"):
        assert not hasattr(namespace, name)
