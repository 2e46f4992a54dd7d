"""What a release is made of fits together: the version in all places, the workflows' scripts."""

import re
import tomllib

import pytest
import write_address
from layers import ROOT
from packaging.requirements import Requirement
from packaging.version import Version

EXAMPLES = sorted((ROOT / "examples").glob("*/pyproject.toml"))


def test_citation_has_the_version_of_the_header():
    header = (ROOT / "include/usmx/base/version.hpp").read_text()
    (version,) = re.findall(r'define USMX_VERSION_STRING "(.*)"', header)
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version]


def test_workflows_run_scripts_that_are_here():
    for workflow in ("test", "release"):
        text = (ROOT / f".github/workflows/{workflow}.yml").read_text()
        scripts = re.findall(r"run: ((?:\.ci|tools)/\S+)", text)
        assert scripts
        for script in scripts:
            assert (ROOT / script).stat().st_mode & 0o111, script


def test_sources_have_no_address_and_a_release_fills_it_in_everywhere(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff", "README.md"):
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    before = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    assert "urls" not in before["project"]
    address = tmp_path.as_uri()
    write_address.main(tmp_path, f"{address}/")
    after = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    urls = after["project"].pop("urls")
    assert after == before
    assert {"Homepage", "Documentation", "Changelog", "Issues"} == urls.keys()
    assert urls["Homepage"] == address
    assert all(url.startswith(address) for url in urls.values())
    for path in re.findall(r"/blob/main/(\S+)", " ".join(urls.values())):
        assert (ROOT / path).is_file()
    assert f'repository-code: "{address}"' in (tmp_path / "CITATION.cff").read_text("utf-8")
    badge = f"[![tests]({address}/actions/workflows/test.yml/badge.svg)]"
    assert badge in (tmp_path / "README.md").read_text("utf-8")
    assert "[![" not in (ROOT / "README.md").read_text("utf-8")
    with pytest.raises(ValueError, match=r"no \[project.urls\]"):
        write_address.main(tmp_path, address)


@pytest.mark.parametrize("address", ["", "usmx", 'a://b"', "a://b c"])
def test_what_is_no_address_is_refused(tmp_path, address):
    with pytest.raises(ValueError, match="expected an address of the form"):
        write_address.main(tmp_path, address)


def version_of_header():
    header = (ROOT / "include/usmx/base/version.hpp").read_text()
    return Version(re.findall(r'define USMX_VERSION_STRING "(.*)"', header)[0])


def number_of(version):
    """What versions of the binary interfaces are called that begin with a release."""
    return 100 * version.major + version.minor


def bounds(is_linked):
    """What docs/compatibility.md says: the releases that an extension may depend on."""
    now = version_of_header()
    next_that_may_break = f"0.{now.minor + 1}" if now.major == 0 else f"{now.major + 1}"
    return (
        f">={now.major}.{now.minor},<{next_that_may_break if is_linked else max(2, now.major + 1)}"
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_depend_on_the_releases_that_they_run_with(path):
    project = tomllib.loads(path.read_text())
    required = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    found = [each.specifier for each in map(Requirement, required) if each.name == "usmx"]
    is_linked = "scikit-build-core" in str(project["build-system"]["requires"])
    is_native = (path.parent / "src").is_dir()  # built with usmx, too
    assert found == [Requirement(f"usmx{bounds(is_linked)}").specifier] * (1 + is_native)


def test_page_on_compatibility_states_the_bounds_of_this_release():
    text = (ROOT / "docs/compatibility.md").read_text()
    for is_linked in (True, False):
        assert f"`usmx{bounds(is_linked)}`" in text


def test_binary_interfaces_are_called_after_releases_that_are_not_to_come():
    headers = [ROOT / "include/usmx/base/version.hpp", ROOT / "include/usmx/c_api.h"]
    text = "".join(header.read_text() for header in headers)
    found = re.findall(r"define (USMX_ABI_VERSION|USMX_C_API_MINOR) (\d+)", text)
    assert {name for name, _ in found} == {"USMX_ABI_VERSION", "USMX_C_API_MINOR"}
    assert [name for name, number in found if int(number) > number_of(version_of_header())] == []
