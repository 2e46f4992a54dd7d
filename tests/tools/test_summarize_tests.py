"""tools/summarize_tests.py: adds up reports of pytest, GoogleTest and CTest."""

import runpy
from pathlib import Path

import pytest

main = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "summarize_tests.py"))["main"]

PYTEST = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"><failure message="m">t</failure></testcase>
<testcase name="c"><skipped message="no device of CUDA"/></testcase>
<testcase name="d"><skipped message="collection skipped">('/test_d.py', 20, 'Skipped: no tiles')</skipped></testcase>
</testsuite></testsuites>"""
GOOGLETEST = """<testsuites><testsuite>
<testcase name="a" status="run"/>
<testcase name="b"><skipped message="x_test.cpp:5&#x0A;no device of CUDA"/></testcase>
</testsuite></testsuites>"""
CTEST = """<testsuite>
<testcase name="a"><system-out>fine</system-out></testcase>
<testcase name="b"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN ] b
../x_test.cpp:9: Skipped
not an OpenCL context

</system-out></testcase></testsuite>"""


@pytest.fixture
def stage(tmp_path):
    def write(name, report):
        (tmp_path / f"{name}.xml").write_text(report)
        return str(tmp_path / name)

    return write


def lines(capsys):
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_stages_and_reasons_are_added_up(stage, capsys):
    stages = [stage("python", PYTEST), "1", stage("shards", GOOGLETEST), "0"]
    assert main([*stages, stage("release", CTEST), "0"]) == 1
    printed = lines(capsys)
    assert ["python", "1", "passed", "1", "failed", "2", "skipped"] in printed
    assert ["release", "1", "passed", "0", "failed", "1", "skipped"] in printed
    assert ["2", "no", "device", "of", "CUDA"] in printed
    assert ["1", "not", "an", "OpenCL", "context"] in printed
    assert ["1", "no", "tiles"] in printed
    assert printed[-1] == ["3", "passed,", "1", "failed"]


def test_reports_in_a_folder_and_in_folders_there_are_one_stage(stage, tmp_path, capsys):
    (tmp_path / "sid/quick-release").mkdir(parents=True)
    stage("sid/quick-python", PYTEST)
    stage("sid/quick-release/share-1", GOOGLETEST)
    main([str(tmp_path / "sid"), "0"])
    assert ["sid", "2", "passed", "1", "failed", "3", "skipped"] in lines(capsys)


def test_many_tests_of_a_long_name_stay_apart_from_it(stage, capsys):
    many = "<testsuite>" + 12345 * "<testcase/>" + "</testsuite>"
    main([stage("level-zero-bmg-python", many), "0"])
    assert ["level-zero-bmg-python", "12345", "passed"] in [line[:3] for line in lines(capsys)]


def test_stage_that_fails_without_a_failed_test_is_a_failure(stage, capsys):
    assert main([stage("release", CTEST), "8"]) == 1
    assert lines(capsys)[-1] == ["1", "passed,", "1", "failed"]


def test_nothing_that_ran_is_no_success(stage, tmp_path, capsys):
    assert main([str(tmp_path / "missing"), "0"]) == 1
    assert "ran no test" in capsys.readouterr().out


def test_tests_that_all_pass_are_a_success(stage):
    assert main([stage("release", CTEST), "0"]) == 0


def test_skipped_tests_alone_are_skipped(stage, capsys):
    skipped = '<testsuite><testcase name="a"><skipped message="no driver"/></testcase></testsuite>'
    assert main([stage("level-zero-bmg", skipped), "0"]) == 77
    printed = lines(capsys)
    assert ["1", "no", "driver"] in printed
    assert printed[-1] == ["0", "passed,", "0", "failed"]
