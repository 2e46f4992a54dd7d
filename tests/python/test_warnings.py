"""What the library puts right by itself arrives as records of the logger "usmx"."""

import os
import subprocess
import sys

import pytest

STRIDED_COPY_BY_KERNEL = """
import usmx
source = usmx.zeros((2048, 2048), dtype="f4")[::2, ::2]
usmx.copy_async(usmx.empty(source.shape, dtype="f4"), source).wait()
"""

LISTEN = """
import logging
logging.basicConfig(level=logging.WARNING, format="RECORD %(name)s %(levelname)s %(message)s")
"""


def run(program, cache):
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "USMX_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.slow
def test_damaged_file_of_the_kernel_cache_is_a_log_record(tmp_path):
    assert run(STRIDED_COPY_BY_KERNEL, tmp_path) == ""
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert files, "no kernel was built: the copy was made another way"
    for file in files:
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)

    stderr = run(LISTEN + STRIDED_COPY_BY_KERNEL, tmp_path)

    records = [line for line in stderr.splitlines() if line.startswith("RECORD")]
    assert records, stderr
    assert all(line.startswith("RECORD usmx WARNING kernel cache: ") for line in records)
    assert all("is damaged and is built again" in line for line in records)
    assert stderr.splitlines() == records


@pytest.mark.slow
def test_silenced_logger_leaves_stderr_empty(tmp_path):
    run(STRIDED_COPY_BY_KERNEL, tmp_path)
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    silent = "import logging; logging.getLogger('usmx').disabled = True\n"
    assert run(silent + STRIDED_COPY_BY_KERNEL, tmp_path) == ""
