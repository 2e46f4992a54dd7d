"""Ray sends arrays, and the error of a process that imported Ray first says so.

Ray is large, and usmx's tests need nothing else of it: it comes into an environment of its own.
"""

import os
import subprocess
import sys

import pytest
from documents import ROOT, blocks_of
from environments import make_environment
from helpers import run

# Neither is to be found by chance: Ray's workers get the variable by the page's program.
CLEAN = {key: os.environ[key] for key in os.environ if not key.startswith("OCL_ICD_")}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The interpreter of an environment with Ray."""
    python = make_environment(tmp_path_factory.mktemp("ray") / "environment")
    run(sys.executable, "-m", "pip", "--python", python, "install", "ray>=2.40")
    return python


def output_of(python, program):
    done = subprocess.run(
        [python, "-P", program],
        env=CLEAN,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.nightly
def test_program_of_the_page_prints_what_the_page_says(python, tmp_path):
    (program,) = [b for b in blocks_of(ROOT / "docs/how-to/ray.md") if b.language == "python"]
    folder = 'sysconfig.get_path("data")'
    assert folder in program.text
    file = tmp_path / "program.py"
    file.write_text(program.text.replace(folder, repr(sys.prefix)))  # where the driver is
    assert output_of(python, file) == program.output


@pytest.mark.slow
@pytest.mark.nightly
def test_error_after_import_of_ray_names_it_and_what_to_do(python, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import ray, usmx\n"
        "try: usmx.zeros(3)\n"
        "except usmx.SyclDeviceCreationError as error: print(error)\n"
    )
    printed = output_of(python, file)
    assert "import ray does that" in printed
    assert "import usmx first, or set OCL_ICD_FILENAMES=" in printed
    file.write_text("import usmx, ray\nprint(usmx.zeros(3).tolist())\n")
    assert output_of(python, file) == "[0.0, 0.0, 0.0]\n"
