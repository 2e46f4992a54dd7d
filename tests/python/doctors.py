"""``python -m usmx doctor`` in environments of a test's choice."""

import json
import os
import subprocess
import sys

import pytest

CLEAN = dict.fromkeys(
    (
        "OCL_ICD_FILENAMES",
        "OCL_ICD_VENDORS",
        "ONEAPI_DEVICE_SELECTOR",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "USMX_CACHE_LIMIT",
        "USMX_LEAK_WARNINGS",
        "ZE_AFFINITY_MASK",
        "ZE_FLAT_DEVICE_HIERARCHY",
    )
)


def doctor(*checks, arguments=(), python=sys.executable, wrapper=(), **changes):
    """Its findings by check; the exit code must fit them."""
    variables = {**os.environ, **CLEAN, **changes}
    only = [f"--only={check}" for check in checks]
    ran = subprocess.run(
        [*wrapper, python, "-P", "-m", "usmx", "doctor", "--json", *arguments, *only],
        env={name: str(value) for name, value in variables.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ran.stderr == ""
    values = json.loads(ran.stdout)
    states = [finding["state"] for finding in values["findings"]]
    assert values["problems"] == states.count("problem")
    assert ran.returncode == int("problem" in states)
    found = {}
    for finding in values["findings"]:
        found.setdefault(finding["check"], []).append(finding)
    return found


def one(found, check, state):
    """The one finding of that check, whose state must be that."""
    (finding,) = found[check]
    assert finding["state"] == state, finding
    return finding


def built_library(path, source=""):
    """A shared library under that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "g++")
    command = [compiler, "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-o", path, "-xc++", "-"]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def in_own_mounts(target, shown):
    """A command that sees this file or folder in the place of one of the system's."""
    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False).returncode:
        pytest.skip("this machine lets no process have mounts of its own")
    script = f'mount --bind "{shown}" "{target}" && exec "$@"'
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
