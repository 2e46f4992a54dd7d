"""Everything that has to run on GPUs of CUDA, each step a process of its own with a time-out.

    python3 run.py [--two] [--only STEP,...] [--out FOLDER]

Stands in a bundle that tests/gpu/bundle makes, and needs PyTorch, CuPy, pytest and NVRTC of the machine. --two runs what
needs two GPUs. A line tells how each step ended; FOLDER/log.txt has all their words, and FOLDER/rates.json the times.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLE = HERE.parent.parent
PYTEST = [
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-x",
    "--maxfail=15",
    "--tb=short",
    "-rfE",
]
ON_DEVICE = [
    "test_cuda_dictionary.py",
    "test_kernel_groups.py",
    "test_user_kernels.py",
    "test_elementwise_kernels.py",
    "test_reduction_kernels.py",
    "test_kernel_mathematics.py",
    "compute",
    "test_kernel_events.py",
    "test_queue_commands.py",
    "container/test_asynchronous.py",
    "test_copies.py",
]


def steps(out):
    """name, command, seconds, whether it needs two GPUs"""
    tests = BUNDLE / "tests/python"
    program = BUNDLE / "cpp/tests"
    several = BUNDLE / "examples/several_gpus"
    yield "devices", [sys.executable, "-m", "usmx", "devices"], 60, None
    yield "two devices", [*PYTEST, "-s", str(HERE / "test_two_devices.py")], 200, True
    yield (
        "functions of several arrays",
        [*PYTEST, str(tests / "container/test_two_queues.py")],
        200,
        True,
    )
    yield (
        "C++ between devices",
        [str(program), "--gtest_brief=1", "--gtest_filter=*between*:*peer*:kernel_test.memory*"],
        60,
        True,
    )
    yield (
        "rates of two",
        [sys.executable, str(HERE / "rates.py"), "--two", "--json", f"{out}/rates.json"],
        120,
        True,
    )
    yield "data parallel", [sys.executable, str(several / "one_process.py")], 60, True
    yield "a process for each GPU", [sys.executable, str(several / "process_each.py")], 60, True
    yield "streams of PyTorch and CuPy", [*PYTEST, str(tests / "test_cuda.py")], 200, None
    yield (
        "rates of one",
        [sys.executable, str(HERE / "rates.py"), "--json", f"{out}/rates.json"],
        100,
        False,
    )
    yield (
        "rates of vendors' libraries",
        [sys.executable, str(HERE / "vendor_rates.py"), "--json", f"{out}/vendor_rates.json"],
        200,
        False,
    )
    yield "C++", [str(program), "--gtest_brief=1"], 200, False
    yield (
        "on the device",
        [*PYTEST, "-n", "12", "--timeout", "100", *(str(tests / name) for name in ON_DEVICE)],
        300,
        False,
    )


def run(name, command, seconds, log, environment):
    start = time.monotonic()
    with log.open("a") as file:
        print(f"==== {name}: {' '.join(command)}", file=file, flush=True)
        first = file.tell()
        try:
            status = subprocess.run(
                command,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                env=environment,
                cwd=BUNDLE,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = "timed out"
    words = log.read_text(errors="replace")[first:].splitlines()
    shown = words[-30:] if status or "rates" in name else words[-4:]
    print(
        f"---- {name}: {status} after {time.monotonic() - start:.0f} s",
        *shown,
        sep="\n",
        flush=True,
    )
    return status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--two", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default=os.environ.get("OUT", "/tmp"))
    given = parser.parse_args()
    (packages,) = (BUNDLE / "lib").glob("python3*/site-packages")
    release = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if packages.parent.name != release:
        sys.exit(f"run.py: the bundle is for {packages.parent.name}, and this is {release}")
    environment = os.environ | {
        "PYTHONPATH": f"{packages}:{BUNDLE}/tests/python",
        "LD_LIBRARY_PATH": f"{BUNDLE}/lib",
        "ONEAPI_DEVICE_SELECTOR": "cuda:*",
        "USMX_CACHE_DIR": f"{BUNDLE}/cache",
        "PYTHONUNBUFFERED": "1",
    }
    wanted = [word for word in given.only.split(",") if word]
    failed = []
    log = Path(given.out) / "log.txt"
    for name, command, seconds, needs_two in steps(given.out):
        is_meant = needs_two is None or needs_two == given.two
        is_wanted = not wanted or any(word in name for word in wanted)
        if is_meant and is_wanted and run(name, command, seconds, log, environment) != 0:
            failed.append(name)
    print("failed:", ", ".join(failed) or "nothing")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
