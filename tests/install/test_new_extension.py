"""``python -m usmx new-extension``: what it writes builds, moves, and passes its own tests."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from functools import partial
from pathlib import Path

import pytest
from environments import make_environment
from extension_builds import quick_environment, unpack, wheel_of
from helpers import run, run_usmx
from sharing import shared_folder
from usmx.cli.new_extension import CPP, DEVICE_CODE, LANGUAGES, LICENSES, copy_example

ROOT = Path(__file__).parents[2]

KINDS = (*LANGUAGES, *DEVICE_CODE)
SCALING = (*LANGUAGES, "kernel")  # each has the function scaled


def name_of(kind):
    return f"mine_in_{kind}"


def options_of(kind):
    return [f"--{kind}"] if kind in DEVICE_CODE else ["--with", kind]


def environment_of(kind):
    """oneMKL's packages are in this environment, and pip installs nothing into another one."""
    return os.environ | {"LD_LIBRARY_PATH": f"{sys.prefix}/lib"} if kind == "onemkl" else None


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of a new extension; its sources are gone but for the tests, which lie beside it."""

    def make(kind, folder):
        name = name_of(kind)
        folder.mkdir()
        done = run_usmx("new-extension", name, *options_of(kind), cwd=folder)
        assert done.returncode == 0, done.stderr
        wheel_of(folder / name, folder, quick_environment(tmp_path_factory))
        (folder / name / "tests").rename(folder / "tests")
        shutil.rmtree(folder / name)

    def made(kind):
        folder = shared_folder(tmp_path_factory, name_of(kind), partial(make, kind))
        return next(folder.glob("*.whl"))

    return made


@pytest.fixture(scope="session")
def elsewhere(wheel, tmp_path_factory):
    """The interpreter of a new environment with these extensions, which finds usmx in this one."""

    def make(kinds, folder):
        interpreter = make_environment(folder)
        run(interpreter, "-m", "pip", "install", "--no-deps", *map(wheel, kinds))

    def made(*kinds):
        name = "-".join(["elsewhere", *map(name_of, kinds)])
        return shared_folder(tmp_path_factory, name, partial(make, kinds)) / "bin/python"

    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_project_passes_its_tests_in_another_environment(kind, elsewhere, wheel):
    tests = wheel(kind).parent / "tests"
    command = [elsewhere(kind), "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    printed = run(*command, "--import-mode=importlib", tests, cwd=tests, env=environment_of(kind))
    assert " passed" in printed


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_readme_shows_what_the_project_does(kind, elsewhere, tmp_path):
    assert run_usmx("new-extension", name_of(kind), *options_of(kind), cwd=tmp_path).returncode == 0
    readme = (tmp_path / name_of(kind) / "README.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    printed = run(elsewhere(kind), "-P", "-c", program, cwd=tmp_path, env=environment_of(kind))
    assert printed == ("[[ 7. 10.]\n [15. 22.]]\n" if kind == "onemkl" else "[2. 4. 6.]\n")


@pytest.fixture(scope="session")
def cpp_project(tmp_path_factory):
    """A C++ project, written where its presets build it."""

    def make(folder):
        folder.mkdir()
        assert run_usmx("new-extension", name_of(CPP), *options_of(CPP), cwd=folder).returncode == 0

    return shared_folder(tmp_path_factory, name_of(CPP), make) / name_of(CPP)


def workflow(project, preset):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = os.environ | {"PATH": path, "CMAKE_UNITY_BUILD": "ON"}
    variables.pop("LD_LIBRARY_PATH", None)
    return run("cmake", "--workflow", "--preset", preset, cwd=project, env=variables)


@pytest.mark.slow
def test_cpp_project_builds_passes_its_tests_and_runs(cpp_project):
    assert "100% tests passed" in workflow(cpp_project, "release")
    assert run(cpp_project / f"build/release/{cpp_project.name}_program") == "[2, 4, 6]\n"


@pytest.mark.slow
@pytest.mark.nightly
def test_cpp_project_passes_its_tests_under_sanitizers(cpp_project):
    assert "100% tests passed" in workflow(cpp_project, "asan")


@pytest.mark.slow
def test_extensions_that_were_built_apart_exchange_arrays(elsewhere):
    names = [name_of(kind) for kind in SCALING]
    calls = "".join(f"x = {name}.scaled(x, 2)\n" for name in names)
    code = f"import usmx, {', '.join(names)}\nx = usmx.asarray([1.0], usm_type='host')\n{calls}"
    printed = run(elsewhere(*SCALING), "-P", "-c", f"{code}print(x)")
    assert printed == f"[{2 ** len(names)}.]\n"


def change(path, *changes):
    text = path.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def use_real_headers(sources):
    """Make a project's kernel that of docs/extension-authors.md, with usmx's own headers."""
    document = (ROOT / "docs/extension-authors.md").read_text("utf-8")
    section = document.split("#### Real headers in a kernel\n")[1].split("### Versions")[0]
    source, include_option, compiled = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    text = (sources / "scaled.cpp").read_text("utf-8")
    kernel = re.search(
        r'const usmx::lazy_kernel scale\(R"\(\n.*?\)",\s*"scale"\);\n', text, re.DOTALL
    )
    importing = "  usmx::python::import_usmx();\n"
    change(sources / "scaled.hpp", ("usmx::c_contig>", "usmx::strided>"))
    change(
        sources / "scaled.cpp",
        (kernel[0], f'const char* const source = R"(\n{source})";\n\n{compiled}'),
        ("namespace {\n", "std::string include_option;\n\nnamespace {\n"),
        ("  scale.launch(", "  scale().launch("),
    )
    change(
        sources / "bindings.cpp",
        ("namespace nb = ", "extern std::string include_option;\n\nnamespace nb = "),
        (importing, importing + include_option),
    )


@pytest.mark.slow
def test_kernel_of_a_project_includes_real_headers(tmp_path, tmp_path_factory):
    assert run_usmx("new-extension", "mine", "--kernel", cwd=tmp_path).returncode == 0
    use_real_headers(tmp_path / "mine/src")
    wheel = wheel_of(tmp_path / "mine", tmp_path, quick_environment(tmp_path_factory))
    unpack(wheel, tmp_path / "packages")
    code = "import usmx, mine\nprint(mine.scaled(usmx.asarray([1.0, 2.0, 3.0, 4.0])[::-2], 10))"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "packages")}
    assert run(sys.executable, "-P", "-c", code, env=environment) == "[40. 20.]\n"


@pytest.mark.slow
def test_wheel_for_other_machines_has_the_module_alone_and_works(wheel, tmp_path):
    document = (ROOT / "docs/extension-authors.md").read_text("utf-8")
    (repair,) = re.findall(r"^auditwheel repair (--exclude .*?) -w ", document, re.MULTILINE)
    auditwheel = [sys.executable, "-m", "auditwheel", "repair", *shlex.split(repair)]
    run(*auditwheel, "-w", tmp_path, wheel("nanobind"))
    (repaired,) = tmp_path.glob("*-manylinux_*.whl")
    with zipfile.ZipFile(repaired) as archive:
        libraries = [name for name in archive.namelist() if ".so" in name]
    assert [Path(name).parent.name for name in libraries] == [name_of("nanobind")]
    interpreter = make_environment(tmp_path / "elsewhere")
    run(interpreter, "-m", "pip", "install", "--no-deps", repaired)
    tests = wheel("nanobind").parent / "tests"
    command = [interpreter, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert " passed" in run(*command, "--import-mode=importlib", tests, cwd=tests)


@pytest.mark.slow
def test_wheel_of_c_is_for_every_later_python(wheel):
    assert "-cp311-abi3-" in wheel("c").name


PROGRAM = """
import usmx
from {name} import scaled

x: usmx.USMArray = scaled(usmx.ones(3), 2)
scaled("text", 2)
scaled(x, "2")
"""


@pytest.fixture(scope="session")
def checked(wheel, tmp_path_factory):
    """What a type checker says about a program for each kind, in one run: lines of text."""

    def make(folder):
        for kind in SCALING:
            unpack(wheel(kind), folder)
            (folder / f"with_{kind}.py").write_text(PROGRAM.format(name=name_of(kind)))
        command = [sys.executable, "-P", "-m", "mypy", "--strict", "--cache-dir", os.devnull]
        programs = [f"with_{kind}.py" for kind in SCALING]
        done = subprocess.run([*command, *programs], cwd=folder, capture_output=True, text=True)
        (folder / "said.txt").write_text(done.stdout)

    return (shared_folder(tmp_path_factory, "checked", make) / "said.txt").read_text().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("kind", SCALING)
def test_type_checker_knows_the_functions(kind, checked):
    others = [other for other in SCALING if other != kind]
    of_others = tuple(f for o in others for f in (f"with_{o}.py", f"{name_of(o)}/"))
    lines = [line for line in checked if ": error:" in line and not line.startswith(of_others)]
    program = f"with_{kind}.py"
    assert [line.split(":")[:2] for line in lines] == [[program, "6"], [program, "7"]], checked


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, CPP])
@pytest.mark.parametrize("license_name", LICENSES)
def test_project_has_the_licence_that_was_chosen(kind, license_name, tmp_path):
    chosen = (*options_of(kind), "--license", license_name)
    assert run_usmx("new-extension", "mine", *chosen, cwd=tmp_path).returncode == 0
    text = (tmp_path / "mine/LICENSE").read_text()
    assert "{holders}" not in text
    assert ("the authors of mine" in text) == (license_name != "Apache-2.0")
    if kind == CPP:
        return
    project = tomllib.loads((tmp_path / "mine/pyproject.toml").read_text())["project"]
    assert (project["license"], project["license-files"]) == (license_name, ["LICENSE"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, CPP])
def test_project_has_no_licence_that_nobody_chose(kind, tmp_path):
    assert run_usmx("new-extension", "mine", *options_of(kind), cwd=tmp_path).returncode == 0
    assert not (tmp_path / "mine/LICENSE").exists()
    if kind == CPP:
        return
    project = tomllib.loads((tmp_path / "mine/pyproject.toml").read_text())["project"]
    assert "license" not in project


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, CPP])
def test_project_has_what_git_and_github_ask_for(kind, tmp_path):
    assert run_usmx("new-extension", "mine", *options_of(kind), cwd=tmp_path).returncode == 0
    assert "/build/" in (tmp_path / "mine/.gitignore").read_text().splitlines()
    workflow = (tmp_path / "mine/.github/workflows/test.yml").read_text()
    assert ("cmake --workflow" if kind == CPP else "python -m pytest") in workflow
    assert (tmp_path / "mine/python/mine/py.typed").exists() == (kind != CPP)


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "mine").mkdir()
    done = run_usmx("new-extension", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path}/mine is there already" in done.stderr
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "Mine", "my-own", "1st", "mine_", "../mine", "a b", "é"])
def test_name_that_modules_do_not_have_is_refused(name, tmp_path):
    done = run_usmx("new-extension", name, cwd=tmp_path)
    assert done.returncode == 2
    assert f"found {name!r}" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["usmx", "json", "numpy", "for"])
def test_name_that_is_taken_is_refused(name, tmp_path):
    done = run_usmx("new-extension", name, cwd=tmp_path)
    assert done.returncode == 2
    assert name in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [*KINDS, CPP])
def test_project_says_its_own_name_everywhere(kind, tmp_path):
    assert run_usmx("new-extension", "mine", *options_of(kind), cwd=tmp_path).returncode == 0
    files = [path for path in (tmp_path / "mine").rglob("*") if path.is_file()]
    names = {str(path.relative_to(tmp_path)) for path in files}
    of_python = {"mine/pyproject.toml", "mine/python/mine/__init__.py"}
    assert (of_python <= names, of_python & names == set()) == (kind != CPP, kind == CPP)
    assert ("mine/tests/test_mine.py" in names) == (kind in LANGUAGES)
    assert not [path for path in files if "usmx_with" in path.read_text()]


@pytest.mark.parametrize(
    "options",
    [("--kernel", "--onemkl"), ("--with", "cython", "--kernel"), ("--with", "cpp", "--onemkl")],
)
def test_options_that_name_two_projects_are_refused(options, tmp_path):
    done = run_usmx("new-extension", "mine", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert f"argument {options[-1]}: not allowed with argument" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_builds_leave_in_the_example_is_not_copied(tmp_path):
    source = tmp_path / "example"
    for name in ("build/a.o", "python/old.egg-info/PKG-INFO", "src/build_info.c", "src/old.c"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("old")
    copy_example(source, tmp_path / "mine", "old", "new")
    copied = [path for path in (tmp_path / "mine").rglob("*") if path.is_file()]
    assert {path.name: path.read_text() for path in copied} == {
        "build_info.c": "new",
        "new.c": "new",
    }
