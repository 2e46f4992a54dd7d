"""README.md and docs/ show what benchmarks/results.json and the examples say."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_are_those_of_the_last_results():
    command = [sys.executable, ROOT / "tools/write_figures.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, "run tools/write_figures.py:\n" + done.stderr


def test_figures_of_another_result_are_noticed(monkeypatch):
    import write_figures
    from generated import mark

    results = {"rows": [{"work": "x.T", "peer": "NumPy", "ratio": 0.5}]}
    monkeypatch.setattr(write_figures, "SHOWN", {"x.T": ("transpose", ["NumPy"])})
    monkeypatch.setattr(write_figures, "PICTURED", {"x.T": "transpose"})
    one = mark(write_figures.bars(results))
    results["rows"][0]["ratio"] = 0.6
    assert mark(write_figures.bars(results)) != one


def test_bad_dictionaries_end_in_a_crash_wrong_numbers_and_sentences():
    part = README.partition("<!-- bad dictionaries: ")[2].partition("<!-- end of")[0]
    said = {
        library: re.findall(rf"^  {library} +(.*)", part, re.MULTILINE)
        for library in ("dpctl", "dpnp", "usmx")
    }
    assert "the process dies (SIGABRT)" in said["dpctl"]
    assert "the process dies (SIGABRT)" in said["dpnp"]
    assert any("are wrong" in text for text in said["dpnp"])
    assert all(text.startswith("ValueError: ") for text in said["usmx"])


# ---- how large an installation is


def required(name, extra=""):
    """What pip installs with a package, as far as it is here."""
    found, waiting = {}, [(name, extra)]
    while waiting:
        package, extra = waiting.pop()
        key = (package.lower().replace("_", "-"), extra)
        if key in found:
            continue
        try:
            found[key] = distribution(package)
        except PackageNotFoundError:
            continue
        for text in found[key].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(requirement.name, each) for each in ("", *requirement.extras)]
    return {name: distribution for (name, _), distribution in found.items()}


def gigabytes(distributions):
    files = [file for each in distributions.values() for file in each.files or ()]
    return sum(file.size or 0 for file in files) / 1e9


BUILDING = ("scikit-build-core", "nvidia-cuda-nvrtc-cu12", "cmake", "ninja")


@pytest.mark.slow
def test_sizes_that_are_stated_are_those_of_the_packages():
    from usmx.cli import demo_setup

    script = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    own, demo, test = required("usmx"), required("usmx", "demo"), required("usmx", "test")
    building = {name: each for package in BUILDING for name, each in required(package).items()}
    added = {name: each for name, each in demo.items() if name not in own}
    stated = [
        (README, r"pip install \.` \((\S+) GB", gigabytes(own)),
        (README, r"\./run .* (\S+) GB", gigabytes(demo | building)),
        (README, r"\./test .* (\S+) GB", gigabytes(test | building)),
        (README, r"needs (\d+) packages more than usmx itself", len(added)),
        (README, r"packages more than usmx itself, (\S+) GB", gigabytes(added)),
        (script, r"size=(\S+)$", gigabytes(demo | building)),
        (script, r"\|\| size=(\S+)$", gigabytes(test | building)),
        (demo_setup.SIZE, r"^(\S+) GB$", gigabytes(added)),
    ]
    for where, pattern, found in stated:
        said = float(re.search(pattern, where, re.MULTILINE)[1])
        assert said == pytest.approx(found, rel=0.15), pattern  # packages grow
