"""``python -m usmx doctor``: each diagnosis, of a fault that is really there.

Faults are made in the environment of a process: variables, libraries that g++ builds, a copy of
usmx with another set of libraries, limits and mounts of that process alone.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import usmx
from doctors import built_library, doctor, in_own_mounts, one
from helpers import run_usmx
from usmx._doctor import CHECKS, settings
from usmx._doctor.situation import probe

ROOT = Path(__file__).parents[3]
PACKAGE = Path(usmx.__file__).parent


def on_cpu_driver_of_opencl():
    return any(d.backend == "opencl" and d.is_cpu for d in usmx.get_devices())


@pytest.fixture(autouse=True)
def _needs_the_cpu_driver():
    if not on_cpu_driver_of_opencl():
        pytest.skip("the faults are those of the OpenCL CPU device")


# ---- nothing is wrong


def test_import_names_the_packages_folder():
    assert f"usmx is loaded from {PACKAGE}, by" in one(doctor("import"), "import", "ok")["found"]


def test_probe_imports_the_package_that_it_belongs_to(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "usmx._doctor.situation.run_program", lambda *given, seconds: seen.append(given)
    )
    probe(os.environ)
    assert seen == [("usmx", os.environ, str(PACKAGE.parent), "")]


@pytest.mark.slow
def test_healthy_environment_has_no_problem():
    found = doctor()
    states = {check: {each["state"] for each in findings} for check, findings in found.items()}
    assert "opencl:cpu:0" in one(found, "devices", "ok")["found"]
    for check in ("import", "versions", "packages", "cache", "kernels", "settings"):
        assert states[check] == {"ok"}, found[check]


@pytest.mark.slow
def test_text_ends_with_what_to_do():
    good = run_usmx("doctor", "--only=devices")
    assert (good.returncode, good.stderr) == (0, "")
    assert "\nNo problem was found." in good.stdout
    bad = run_usmx("doctor", "--only=devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert (bad.returncode, bad.stderr) == (1, "")
    assert bad.stdout.startswith("problem  devices ")
    assert " -> unset it" in bad.stdout
    assert bad.stdout.endswith("1 problem: follow the arrows, and run this again.\n")


def test_every_check_is_described_in_the_reference():
    page = (ROOT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `([a-z-]+)` \| whether", page, re.MULTILINE)
    assert described == list(CHECKS)


# ---- no device: variables


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "detail"),
    [
        ("ONEAPI_DEVICE_SELECTOR", "opencl:fpga", ""),
        ("ONEAPI_DEVICE_SELECTOR", "cuda:gpu", ""),
        ("OCL_ICD_FILENAMES", "/nowhere/libdriver.so", "there is no file /nowhere/libdriver.so"),
        ("OCL_ICD_FILENAMES", "", ""),
        ("OCL_ICD_VENDORS", "/nowhere", "it is not a folder with files *.icd"),
        ("SYCL_DEVICE_ALLOWLIST", "BackendName:cuda", ""),
    ],
)
def test_variable_that_hides_the_device_is_blamed(name, value, detail):
    finding = one(doctor("devices", **{name: value}), "devices", "problem")
    assert f"no device is found because of {name}={value!r}" in finding["found"]
    assert detail in finding["found"]
    assert finding["remedy"].startswith("unset it")


@pytest.mark.slow
def test_two_variables_that_each_hide_the_device_are_both_blamed():
    found = doctor("devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga", OCL_ICD_FILENAMES="/nowhere.so")
    assert {finding["found"].split("=")[0].split()[-1] for finding in found["devices"]} == {
        "ONEAPI_DEVICE_SELECTOR",
        "OCL_ICD_FILENAMES",
    }


@pytest.mark.slow
def test_variable_that_hides_nothing_is_not_blamed():
    found = doctor("devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga", LD_LIBRARY_PATH="/nowhere")
    assert "ONEAPI_DEVICE_SELECTOR" in one(found, "devices", "problem")["found"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["libOpenCL.so.1", "libtbb.so.12"])
def test_library_path_with_others_libraries_is_blamed(tmp_path, name):
    library = built_library(tmp_path / name)
    finding = one(doctor("devices", LD_LIBRARY_PATH=tmp_path), "devices", "problem")
    assert f"LD_LIBRARY_PATH='{tmp_path}': it leads to {library}" in finding["found"]


@pytest.mark.slow
def test_preloaded_library_is_blamed(tmp_path):
    library = built_library(tmp_path / "libtbb.so.12")
    finding = one(doctor("devices", LD_PRELOAD=library), "devices", "problem")
    assert f"because of LD_PRELOAD='{library}'" in finding["found"]


# ---- a driver that crashes or hangs

CRASHING = "[[gnu::constructor]] void crash() { __builtin_trap(); }"
HANGING = "#include <unistd.h>\n[[gnu::constructor]] void hang() { for (;;) sleep(60); }"


@pytest.mark.slow
def test_driver_that_crashes_does_not_crash_the_doctor(tmp_path):
    driver = built_library(tmp_path / "libdriver.so", CRASHING)
    finding = one(doctor("devices", OCL_ICD_FILENAMES=driver), "devices", "problem")
    assert f"because of OCL_ICD_FILENAMES='{driver}'" in finding["found"]
    seen = probe({**os.environ, "OCL_ICD_FILENAMES": str(driver)})
    assert seen.error.startswith("the process died of SIG")


@pytest.mark.slow
def test_driver_that_hangs_is_given_up(tmp_path):
    driver = built_library(tmp_path / "libdriver.so", HANGING)
    seen = probe({**os.environ, "OCL_ICD_FILENAMES": str(driver)}, seconds=8)
    assert (seen.works, seen.failed_step) == (False, "devices")
    assert seen.error == "the process did not end within 8 s"


# ---- no device: files


@pytest.fixture
def moved(tmp_path):
    """Puts usmx and the files of the runtime into a folder, which PYTHONPATH may name."""

    def make(name, without="nothing"):
        folder = tmp_path / name
        shutil.copytree(PACKAGE, folder / "usmx", ignore=shutil.ignore_patterns("examples"))
        (folder / "lib").mkdir()
        for file in (Path(sys.prefix) / "lib").iterdir():
            if file.is_file() and not file.name.startswith(without):
                link_or_copy(file.resolve(), folder / "lib" / file.name)
        return folder

    return make


def link_or_copy(source, target):
    """A symbolic link would not do: the runtime looks beside the file that it leads to."""
    try:
        target.hardlink_to(source)
    except OSError:  # another file system
        shutil.copy(source, target)


@pytest.mark.slow
def test_missing_driver_is_named(moved):
    folder = moved("no-driver", without="libintelocl")
    finding = one(doctor("devices", PYTHONPATH=folder), "devices", "problem")
    assert f"{folder}/lib/libintelocl.so does not exist" in finding["found"]
    assert "pip install intel-opencl-rt" in finding["remedy"]


@pytest.mark.slow
def test_space_in_the_path_of_the_driver_is_named(moved):
    folder = moved("with space")
    finding = one(doctor("devices", PYTHONPATH=folder), "devices", "problem")
    assert f"{folder}/lib, contains a space" in finding["found"]
    assert "no space" in finding["remedy"]


@pytest.mark.slow
def test_library_that_the_driver_lacks_is_named(moved):
    folder = moved("no-tbb", without="libtbb")
    finding = one(doctor("devices", PYTHONPATH=folder), "devices", "problem")
    assert f"{folder}/lib/libintelocl.so cannot be loaded: libtbb.so.12: cannot" in finding["found"]
    assert (
        finding["remedy"] == "python -m pip install --force-reinstall intel-sycl-rt intel-opencl-rt"
    )


@pytest.mark.slow
def test_library_of_the_system_that_the_driver_lacks_is_named(moved):
    folder = moved("no-libz")
    (folder / "lib/libz.so.1").write_text("no library")  # found before the system's
    finding = one(doctor("devices", PYTHONPATH=folder), "devices", "problem")
    assert finding["remedy"] == (
        "install libz.so.1 with the system's package manager (Debian: zlib1g)"
    )


# ---- kernels


@pytest.mark.slow
def test_kernels_are_tried():
    assert "opencl:cpu:0" in one(doctor("kernels"), "kernels", "ok")["found"]


@pytest.mark.slow
def test_missing_compiler_is_a_problem_of_kernels(moved):
    folder = moved("no-compiler")
    (folder / "usmx/libexec/usmx-compile").unlink()
    finding = one(doctor("kernels", PYTHONPATH=folder), "kernels", "problem")
    assert "expected usmx-compile, which compiles kernels" in finding["found"]
    assert "reinstall usmx" in finding["remedy"]


# ---- usmx cannot be imported


@pytest.fixture
def base_python():
    """The interpreter without the environment's packages, as one without the SYCL runtime."""
    return Path(sys.executable).resolve()


def test_closed_pipe_ends_the_doctor_quietly_where_usmx_cannot_be_imported(tmp_path, base_python):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    with subprocess.Popen(
        [base_python, "-P", "-m", "usmx", "doctor", "--only=versions"],
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


@pytest.mark.parametrize("command", ["module", "script"])
def test_doctor_works_where_usmx_cannot_be_imported(tmp_path, base_python, command):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin/usmx"
    script.write_text("import sys\nfrom usmx.__main__ import run\nsys.exit(run())\n")
    program = ["-m", "usmx"] if command == "module" else [script]
    ran = subprocess.run(
        [base_python, "-P", *program, "doctor", "--json"],
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    first = json.loads(ran.stdout)["findings"][0]
    assert first["check"] == "import"
    assert "libsycl.so" in first["found"]
    assert "pip install intel-sycl-rt" in first["remedy"]


def test_native_module_of_another_python_is_an_import_problem(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples", "*.so"))
    finding = one(doctor("import", PYTHONPATH=tmp_path), "import", "problem")
    assert "usmx._core" in finding["found"]
    assert "reinstall usmx" in finding["remedy"]


def test_other_programs_get_the_import_error_and_the_name_of_the_doctor(tmp_path, base_python):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    ran = subprocess.run(
        [base_python, "-P", "-c", "import usmx", "doctor"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "ImportError: " in ran.stderr
    assert "python -m usmx doctor" in ran.stderr


# ---- other packages


def module_that_loads(tmp_path, name, library):
    (tmp_path / f"{name}.py").write_text(f"import ctypes\nctypes.CDLL({str(library)!r})\n")


def others(found, module):
    """The finding about that module."""
    (finding,) = [each for each in found["packages"] if module in each["found"].split()]
    return finding


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--import", "torch")])
def test_package_with_its_own_runtime_is_found(tmp_path, arguments):
    library = built_library(tmp_path / "lib/libsycl.so.8")
    module_that_loads(tmp_path, "torch", library)
    finding = others(doctor("packages", arguments=arguments, PYTHONPATH=tmp_path), "torch")
    assert finding["state"] == "problem"
    assert "a second SYCL runtime" in finding["found"]
    assert str(library) in finding["found"]
    assert "libsycl.so.9" in finding["found"]


@pytest.mark.slow
def test_runtime_on_the_library_path_is_noted(tmp_path):
    library = built_library(tmp_path / "libsycl.so.8")
    finding = doctor("packages", LD_LIBRARY_PATH=tmp_path)["packages"][0]
    assert finding["state"] == "note"
    assert f"another SYCL runtime, {library}" in finding["found"]


@pytest.mark.slow
def test_own_runtime_on_the_library_path_is_fine():
    findings = doctor("packages", LD_LIBRARY_PATH=Path(sys.prefix) / "lib")["packages"]
    assert {finding["state"] for finding in findings} == {"ok"}


@pytest.mark.slow
def test_package_whose_threading_library_hides_the_device_is_found(tmp_path):
    library = built_library(tmp_path / "lib/libtbb.so.12")
    module_that_loads(tmp_path, "thirdparty", library)
    finding = others(
        doctor("packages", arguments=["--import", "thirdparty"], PYTHONPATH=tmp_path), "thirdparty"
    )
    assert finding["state"] == "problem"
    assert f"mapped: {library}" in finding["found"]
    assert "before thirdparty is imported" in finding["remedy"]


@pytest.mark.slow
def test_package_that_cannot_be_imported_is_a_problem(tmp_path):
    (tmp_path / "broken.py").write_text("raise OSError('its library is missing')\n")
    finding = others(
        doctor("packages", arguments=["--import", "broken"], PYTHONPATH=tmp_path), "broken"
    )
    assert finding["state"] == "problem"
    assert "OSError: its library is missing" in finding["found"]


# ---- versions


def installed_as(tmp_path, name, number, *requirements):
    """Metadata of another release, found before the environment's."""
    folder = tmp_path / f"{name.replace('-', '_')}-{number}.dist-info"
    folder.mkdir()
    lines = [f"Name: {name}", f"Version: {number}"]
    lines += [f"Requires-Dist: {each}" for each in requirements]
    (folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number", "wanted"),
    [
        ("numpy", "1.26.4", "usmx needs numpy>=2"),
        ("intel-sycl-rt", "2025.3.1", "usmx needs intel-sycl-rt<2027,>=2026.2"),
        ("intel-opencl-rt", "2025.3.1", "usmx needs intel-opencl-rt<2027,>=2026.2"),
        ("dpctl", "0.19.0", "usmx needs dpctl>=0.22"),
        ("dpnp", "0.17.0", "usmx needs dpnp>=0.20"),
    ],
)
def test_release_that_does_not_fit_is_named(tmp_path, name, number, wanted):
    installed_as(tmp_path, name, number)
    findings = doctor("versions", PYTHONPATH=tmp_path)["versions"]
    assert {finding["state"] for finding in findings} == {"problem"}
    assert any(
        f"{wanted}, and {name} {number} is installed" in finding["found"] for finding in findings
    ), findings


def test_required_package_that_is_missing_is_named(tmp_path, base_python):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    folder = tmp_path / "usmx-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: usmx\nVersion: 0.1.0\nRequires-Dist: intel-sycl-rt>=2026.2\n"
    )
    import packaging

    shutil.copytree(Path(packaging.__file__).parent, tmp_path / "packaging")
    finding = one(
        doctor("versions", python=base_python, PYTHONPATH=tmp_path), "versions", "problem"
    )
    assert finding["found"] == "usmx needs intel-sycl-rt>=2026.2, which is not installed"
    assert finding["remedy"] == "python -m pip install 'intel-sycl-rt>=2026.2'"


@pytest.mark.slow
def test_one_command_mends_all_releases_that_do_not_fit(tmp_path):
    for name in ("intel-sycl-rt", "intel-opencl-rt"):
        installed_as(tmp_path, name, "2025.3.1")
    installed_as(tmp_path, "dpctl", "0.21.1")  # which brought them
    finding = one(doctor("versions", PYTHONPATH=tmp_path), "versions", "problem")
    assert finding["found"].count("dpctl 0.21.1 is installed") == 1
    assert finding["remedy"] == (
        "python -m pip install 'intel-sycl-rt<2027,>=2026.2' 'intel-opencl-rt<2027,>=2026.2' "
        "'dpctl>=0.22'"
    )


@pytest.mark.slow
def test_runtime_of_another_release_is_named_with_who_asks_for_it_and_one_command(
    tmp_path, base_python
):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    import packaging

    shutil.copytree(Path(packaging.__file__).parent, tmp_path / "packaging")
    needs = ("intel-sycl-rt<2027,>=2026.2", "intel-opencl-rt<2027,>=2026.2")
    installed_as(tmp_path, "usmx", "0.1.0", *needs, "dpctl>=0.22; extra == 'demo'")
    for name in ("intel-sycl-rt", "intel-opencl-rt"):
        installed_as(tmp_path, name, "2025.3.3")
    for name, number in (("dpctl", "0.21.1"), ("stranger", "1.0")):
        installed_as(tmp_path, name, number, "intel-sycl-rt<2026.0a0,>=2025.3")
    installed_as(tmp_path, "another", "1.0", "intel-opencl-rt==2025.*")
    installed_as(tmp_path, "easygoing", "1.0", "intel-sycl-rt>=2025.3", "intel-opencl-rt")
    done = subprocess.run(
        [base_python, "-P", "-c", "import usmx"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    command = (
        "python -m pip install --upgrade another stranger 'intel-sycl-rt<2027,>=2026.2' "
        "'intel-opencl-rt<2027,>=2026.2' 'dpctl>=0.22'"
    )
    assert (
        "usmx needs intel-sycl-rt<2027,>=2026.2, found intel-sycl-rt 2025.3.3; dpctl 0.21.1 asks "
        "for intel-sycl-rt<2026.0a0,>=2025.3; stranger 1.0 asks for intel-sycl-rt<2026.0a0,>=2025.3"
        f". Install releases that go together: {command}"
    ) in done.stderr
    for check in ("import", "versions"):
        finding = one(doctor(check, python=base_python, PYTHONPATH=tmp_path), check, "problem")
        assert finding["remedy"] == command


def test_releases_that_cannot_be_compared_are_a_problem(tmp_path, base_python):
    shutil.copytree(PACKAGE, tmp_path / "usmx", ignore=shutil.ignore_patterns("examples"))
    finding = one(
        doctor("versions", python=base_python, PYTHONPATH=tmp_path), "versions", "problem"
    )
    assert "without the package packaging" in finding["found"]


# ---- the compiler of extensions


COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then echo "g++ (made up) 16.2.0"; exit; fi
echo "sycl/half_type.hpp:1:2: error: this is no longer C++" >&2
echo "compilation terminated." >&2
exit 1
"""


def test_compiler_that_refuses_the_runtimes_headers_is_noted(tmp_path):
    compiler = tmp_path / "g++"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    finding = one(doctor("compiler", CXX=compiler), "compiler", "note")
    assert finding["found"].startswith("g++ (made up) 16.2.0 does not compile <sycl/sycl.hpp>")
    assert finding["found"].endswith("sycl/half_type.hpp:1:2: error: this is no longer C++")
    assert "g++ 12 to 15" in finding["remedy"]


@pytest.mark.slow
def test_compiler_that_takes_them_is_fine():
    finding = one(doctor("compiler", CXX="g++"), "compiler", "ok")
    assert "compiles <sycl/sycl.hpp>" in finding["found"]


def test_compiler_need_not_be_there():
    finding = one(doctor("compiler", CXX="no-such-compiler"), "compiler", "ok")
    assert finding["found"] == "there is no no-such-compiler, which only extensions need"


# ---- the kernel cache


def test_cache_that_cannot_be_written_is_a_problem(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file/cache"
    finding = one(doctor("cache", USMX_CACHE_DIR=folder), "cache", "problem")
    assert f"usmx cannot write to {folder} (Not a directory)" in finding["found"]
    assert "USMX_CACHE_DIR" in finding["remedy"]


@pytest.mark.parametrize("changes", [{"USMX_CACHE_DIR": ""}, {"HOME": "", "XDG_CACHE_HOME": ""}])
def test_cache_that_is_off_is_noted(changes):
    finding = one(doctor("cache", **{"USMX_CACHE_DIR": None, **changes}), "cache", "note")
    assert finding["found"].startswith("off: ")


# ---- settings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "found", "remedy"),
    [
        ("USMX_POOL_LIMITS", "4G", "usmx reads no variable USMX_POOL_LIMITS", "USMX_POOL_LIMIT"),
        ("USMX_POOL", "no", "USMX_POOL='no' has no effect", "USMX_POOL=off"),
        ("USMX_KERNEL_VECTORS", "0", "USMX_KERNEL_VECTORS='0' has no effect", "VECTORS=off"),
        ("USMX_POOL_LIMIT", "4 GB", "found '4 GB': pools have no limit", "correct the value"),
        (
            "USMX_CACHE_LIMIT",
            "1 G",
            "found '1 G': built kernels may take 64 MiB",
            "correct the value",
        ),
        ("USMX_MEMORY_LOG", "/nowhere/x.csv", "there is no folder /nowhere", "make the folder"),
    ],
)
def test_setting_without_the_effect_that_was_meant_is_a_problem(name, value, found, remedy):
    finding = one(doctor("settings", **{name: value}), "settings", "problem")
    assert found in finding["found"]
    assert remedy in finding["remedy"]


def test_memory_log_of_the_user_is_not_written_over(tmp_path):
    log = tmp_path / "memory.csv"
    log.write_text("mine")
    assert (
        f"USMX_MEMORY_LOG={log}"
        in one(doctor("settings", USMX_MEMORY_LOG=log), "settings", "ok")["found"]
    )
    assert log.read_text() == "mine"


def test_doctor_knows_the_variables_that_the_library_reads():
    sources = [*(ROOT / "src").rglob("*.cpp"), *(ROOT / "python").rglob("*.cpp")]
    sources += (ROOT / "python").rglob("*.py")
    read = {
        name
        for source in sources
        for name in re.findall(
            r'(?:getenv|variable|size_in|environ\.get)\(\s*"(USMX_\w+)"', source.read_text()
        )
    }
    assert set(settings.VARIABLES) == read


# ---- memory


def test_huge_pages_that_the_system_never_gives_are_noted(tmp_path):
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    shown = tmp_path / "shown"
    shown.write_text("always madvise [never]\n")
    wrapper = in_own_mounts(setting, shown)
    finding = one(doctor("huge-pages", wrapper=wrapper), "huge-pages", "note")
    assert "off for the system" in finding["found"]
    assert f"echo madvise > {setting}" in finding["remedy"]


WITHOUT_HUGE_PAGES = """
import ctypes, os, sys
assert ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) == 0  # PR_SET_THP_DISABLE
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_huge_pages_that_the_process_may_not_have_are_noted():
    wrapper = [sys.executable, "-c", WITHOUT_HUGE_PAGES]
    assert (
        "off for this process"
        in one(doctor("huge-pages", wrapper=wrapper), "huge-pages", "note")["found"]
    )


def control_group_file():
    """The file with the limit of this process's control group, or of the root's."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        root, name = "/sys/fs/cgroup", "memory.max"
        if controllers:
            root, name = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
        for file in (Path(root + path, name), Path(root, name)):
            if controllers in ("", "memory") and file.is_file():
                return file
    pytest.skip("this machine has no control groups for memory")


def test_limit_of_a_container_is_noted(tmp_path):
    shown = tmp_path / "shown"
    shown.write_text(f"{1 << 30}\n")
    wrapper = in_own_mounts(control_group_file(), shown)
    finding = one(doctor("limits", wrapper=wrapper), "limits", "note")
    assert "the control group (container) allows 1 GiB" in finding["found"]
    assert "USMX_POOL_LIMIT" in finding["remedy"]


def test_limit_of_the_address_space_is_noted():
    soft = 8 << 30
    if soft >= usmx.SyclDevice().global_mem_size:
        pytest.skip("the machine has less memory than the limit")
    wrapper = ["sh", "-c", f'ulimit -S -v {soft >> 10} && exec "$@"', "sh"]
    finding = one(doctor("limits", wrapper=wrapper), "limits", "note")
    assert "ulimit -v allows 8 GiB" in finding["found"]


# ---- the working directory


@pytest.mark.slow
def test_deleted_working_directory_is_a_problem_and_the_rest_is_still_checked(tmp_path):
    """The driver hangs in such a directory, and every check that needs it would."""
    gone = tmp_path / "gone"
    gone.mkdir()
    found = doctor(wrapper=["sh", "-c", f'cd {gone} && rmdir {gone} && exec "$@"', "sh"])
    assert "was deleted" in one(found, "directory", "problem")["found"]
    assert one(found, "devices", "ok")


def test_working_directory_is_named():
    assert str(Path.cwd()) in one(doctor("directory"), "directory", "ok")["found"]


# ---- child processes


def started_by(tmp_path, method):
    """The finding in an interpreter whose default is that method."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import multiprocessing\nmultiprocessing.set_start_method({method!r})\n"
    )
    return doctor("processes", PYTHONPATH=tmp_path)


def test_children_by_fork_are_noted(tmp_path):
    finding = one(started_by(tmp_path, "fork"), "processes", "note")
    assert "does not survive a fork" in finding["found"]
    assert "set_start_method('forkserver')" in finding["remedy"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_children_that_start_anew_are_fine(tmp_path, method):
    assert method in one(started_by(tmp_path, method), "processes", "ok")["found"]
