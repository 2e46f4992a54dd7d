"""``__array_namespace__`` of arrays."""

import pytest
import usmx


@pytest.mark.parametrize("version", [None, "2022.12", "2023.12", "2024.12", "2025.12"])
def test_namespace_of_an_array_is_usmx(version):
    assert usmx.zeros(3).__array_namespace__(api_version=version) is usmx


@pytest.mark.parametrize("version", ["2021.12", "", 2025.12, b"2025.12"])
def test_other_edition_of_the_array_api_is_a_value_error(version):
    with pytest.raises(
        ValueError, match=r"expected api_version 2025\.12, .*2022\.12 or None, found"
    ):
        usmx.zeros(3).__array_namespace__(api_version=version)


def test_namespace_has_the_array_apis_functions_and_its_extensions():
    namespace = usmx.zeros(3).__array_namespace__()
    assert namespace.__array_api_version__ == "2025.12"
    for name in ("asarray", "from_dlpack", "take", "add", "sum", "isin", "matmul", "unique_all"):
        assert hasattr(namespace, name)
    assert namespace.linalg.det is usmx.linalg.det
    assert namespace.fft.fft is usmx.fft.fft
