"""README.md and docs/ show what benchmarks/results.json and the examples say."""

import json
import re
import statistics
import subprocess
import sys

import fresh_clones
import measure_figures
import pytest
import write_figures
from environments import required
from generated import RESULTS, ROOT, is_drawn_of
from svg import DARK_CHARTS

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_are_those_of_the_last_results():
    command = [sys.executable, ROOT / "tools/write_figures.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, "run tools/write_figures.py:\n" + done.stderr


@pytest.fixture
def results():
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def change_first_number(value):
    """Double the first number that is found; whether there was one."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in items:
        if isinstance(each, float):
            value[key] = 2 * each
            return True
        if isinstance(each, dict | list | tuple) and change_first_number(each):
            return True
    return False


@pytest.mark.parametrize("picture", write_figures.PICTURES)
def test_picture_of_other_figures_is_noticed(picture, results):
    figures = json.loads(json.dumps(write_figures.PICTURES[picture][0](results)))
    assert is_drawn_of(ROOT / picture, figures)
    assert change_first_number(figures)
    assert not is_drawn_of(ROOT / picture, figures)


@pytest.mark.parametrize("picture", write_figures.PICTURES)
def test_picture_can_be_read_in_the_dark(picture):
    text = (ROOT / picture).read_text(encoding="utf-8")
    assert DARK_CHARTS in text
    colours = set(re.findall(r"(?:fill|stroke): #([0-9a-f]{6})", text.replace(DARK_CHARTS, "")))
    same_in_the_dark = {colour for colour in colours if f': #{colour}"' not in DARK_CHARTS}
    assert {colour for colour in same_in_the_dark if max(bytes.fromhex(colour)) < 0x80} == set()
    assert "ffffff" in colours - same_in_the_dark


def test_every_column_of_the_ways_is_a_curve(results):
    works, sides = write_figures.ways(results)
    assert {work: list(ways) for work, ways in works.items()} == {
        "contiguous": ["host", "memcpy", "kernel"],
        "transposed": ["host", "kernel"],
        "to float64": ["host", "kernel"],
    }
    assert all(len(times) == len(sides) for ways in works.values() for times in ways.values())


def test_first_page_names_figures_of_the_results(results):
    rows = write_figures.rows_of(results)
    front = " ".join(README.partition("<!-- end of the front -->")[0].split())

    def times(work, peer):
        row = rows[work, peer]
        return [write_figures.shortest(row[f"{side}_seconds"]) for side in ("usmx", "peer")]

    own, of_numpy = times("sum 4096x4096 f4", "NumPy")
    _, of_dpnp = times("sum 4096x4096 f4", "dpnp.tensor")
    assert f"takes {own} on two cores (NumPy {of_numpy}, dpnp {of_dpnp})" in front
    own, of_dpnp = times("from_usm_array_interface(producer)", "dpnp.tensor")
    assert f"costs {own} (dpnp {of_dpnp})" in front
    own, _ = times("from_usm_array_interface(dpnp array)", "floor: dpnp makes its dictionary")
    assert f"and {own} for an array of dpnp" in front
    rows = {(row["work"], row["peer"]): row for row in results["gpu"]["rows"]}
    assert "H100" in results["gpu"]["machine"]["device"]
    own, of_torch = times("copy 8192^2 transposed", "PyTorch")
    assert f"the transposed copy takes {own} (PyTorch {of_torch})" in front
    own, of_torch = times("sum, axis None, 8192^2 f4", "PyTorch")
    assert f"the sum {own} (PyTorch {of_torch})" in front


def test_first_page_names_the_times_of_fresh_clones(results):
    for command in results["fresh_clones"].keys() & {"run", "test"}:
        tries = [each["seconds"] / 60 for each in results["fresh_clones"][command]]
        said = float(re.search(rf"^\./{command} .* (\S+) minutes", README, re.MULTILINE)[1])
        assert said == pytest.approx(statistics.median(tries), rel=0.1), command


def test_times_of_fresh_clones_are_of_these_scripts(results):
    assert results["fresh_clones"]["of"] == fresh_clones.hash_of_scripts(), (
        "measure again: python benchmarks/fresh_clones.py"
    )


def test_results_are_of_a_quiet_machine(results):
    assert results["bench"]["noise"]["reasons"] == []


def test_lists_of_numbers_are_one_line_each_and_keep_four_digits():
    text = measure_figures.text_of(
        {"seconds": [1.23456e-7, 2.0], "name": "a", "rows": [["1", "2"]]}
    )
    assert '"seconds": [1.235e-07, 2.0]' in text
    assert json.loads(text) == {"seconds": [1.235e-7, 2.0], "name": "a", "rows": [["1", "2"]]}


GENERATED = re.compile(r"<!-- (?P<name>.*?): by tools/.*?<!-- end of (?P=name) -->", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
FIGURE = re.compile(r"[\d.]+( to [\d.]+)?( ?(ns|µs|ms|s|GB/s))?")
MEASURED = re.compile(r"\.|s$")  # what is neither is a count
# The bounds of the kernel language are what tests/python/test_kernel_mathematics.py asserts.
BOUNDS = ROOT / "docs/reference/kernel-language.md"
DOCUMENTS = [ROOT / "README.md", *sorted(set((ROOT / "docs").rglob("*.md")) - {BOUNDS})]


def tables_of_figures(text):
    """Tables with a column of numbers that no tool has written."""
    found = []
    for table in TABLE.findall(GENERATED.sub("", text)):
        rows = [
            [cell.strip() for cell in line.strip(" |").split("|")] for line in table.splitlines()
        ]
        columns = list(zip(*rows[2:], strict=False))[1:]
        figures = [column for column in columns if all(map(FIGURE.fullmatch, column))]
        if any(MEASURED.search(cell) for column in figures for cell in column):
            found.append(table)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_of_figures_come_from_the_results(document):
    assert tables_of_figures(document.read_text(encoding="utf-8")) == []


def test_a_table_of_figures_written_by_hand_is_found():
    table = "| work | time |\n|---|---|\n| copy | 3.5 ms |\n| fill | 12 ms |\n"
    assert tables_of_figures(table) == [table]
    assert tables_of_figures(f"<!-- a: by tools/b.py -->\n{table}<!-- end of a -->\n") == []


def test_bad_dictionaries_end_in_a_crash_wrong_numbers_and_sentences():
    page = (ROOT / "docs/peers.md").read_text(encoding="utf-8")
    part = page.partition("<!-- bad dictionaries: ")[2].partition("<!-- end of")[0]
    said = {
        library: re.findall(rf"^  {library} +(.*)", part, re.MULTILINE)
        for library in ("dpctl", "dpnp", "usmx")
    }
    assert "the process dies (SIGABRT)" in said["dpctl"]
    assert "the process dies (SIGABRT)" in said["dpnp"]
    assert any("are wrong" in text for text in said["dpnp"])
    assert all(text.startswith("ValueError: ") for text in said["usmx"])


# ---- how large an installation is


def gigabytes(distributions):
    files = [file for each in distributions.values() for file in each.files or ()]
    return sum(file.size or 0 for file in files) / 1e9


BUILDING = ("scikit-build-core", "nvidia-cuda-nvrtc-cu12", "cmake", "ninja")


@pytest.mark.slow
def test_sizes_that_are_stated_are_those_of_the_packages():
    from usmx.cli import demo_setup

    script = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    of_demo = (ROOT / "examples/demo/README.md").read_text(encoding="utf-8")
    own, demo, test = required("usmx"), required("usmx[demo]"), required("usmx[test]")
    building = required(*BUILDING)
    added = {name: each for name, each in demo.items() if name not in own}
    stated = [
        (README, r"pip install \. +# (\S+) GB", gigabytes(own)),
        (README, r"\./run .* (\S+) GB", gigabytes(demo | building)),
        (README, r"\./test .* (\S+) GB", gigabytes(test | building)),
        (of_demo, r"needs (\d+) packages more than usmx itself", len(added)),
        (of_demo, r"packages more than usmx itself, (\S+) GB", gigabytes(added)),
        (script, r"size=(\S+)$", gigabytes(demo | building)),
        (script, r"\|\| size=(\S+)$", gigabytes(test | building)),
        (demo_setup.SIZE, r"^(\S+) GB$", gigabytes(added)),
    ]
    for where, pattern, found in stated:
        said = float(re.search(pattern, where, re.MULTILINE)[1])
        assert said == pytest.approx(found, rel=0.15), pattern  # packages grow
