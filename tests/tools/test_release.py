"""What a release is made of fits together: the version in all places, the workflows' scripts."""

import re

from layers import ROOT


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
