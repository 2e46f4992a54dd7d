"""packaging/cuda/make_wheel.py: what the wheel usmx-cuda has, and from what it is made.

Here a library without code stands in for the adapter: unified-runtime is on no registry, and takes minutes to compile.
"""

import base64
import csv
import hashlib
import importlib.util
import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest
from doctors import built_library
from layers import ROOT
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

SCRIPT = ROOT / "packaging/cuda/make_wheel.py"
spec = importlib.util.spec_from_file_location("make_wheel", SCRIPT)
make_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_wheel)


@pytest.fixture
def source(tmp_path):
    """What has unified-runtime's folders, and a licence."""
    folder = tmp_path / "unified-runtime"
    for name in make_wheel.SOURCES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".TXT"):
            (folder / name).write_text("The licence's text, which must go along.\n")
        else:
            (folder / name).mkdir()
            (folder / name / "a.cpp").write_text(name)
    return folder


@pytest.fixture
def wheel(tmp_path, source):
    adapter = built_library(tmp_path / make_wheel.ADAPTER)
    return make_wheel.write_wheel(adapter, source / "LICENSE.TXT", tmp_path / "out")


def content(wheel):
    with zipfile.ZipFile(wheel) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def test_wheel_has_the_adapter_and_its_licence_and_nothing_else(wheel, source, tmp_path):
    found = content(wheel)
    info = f"usmx_cuda-{make_wheel.RELEASE}.dist-info"
    assert found.keys() == {
        "usmx_cuda/__init__.py",
        "usmx_cuda/libur_adapter_cuda.so.0",
        *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE.TXT")),
    }
    assert found[f"{info}/licenses/LICENSE.TXT"] == (source / "LICENSE.TXT").read_bytes()
    assert found["usmx_cuda/libur_adapter_cuda.so.0"].startswith(b"\x7fELF")
    again = make_wheel.write_wheel(tmp_path / make_wheel.ADAPTER, source / "LICENSE.TXT", tmp_path)
    assert again.read_bytes() == wheel.read_bytes()


def test_metadata_name_the_very_runtime_and_the_licence(wheel):
    (text,) = (each for name, each in content(wheel).items() if name.endswith("/METADATA"))
    found = Metadata.from_email(text, validate=True)
    assert (found.name, str(found.version)) == ("usmx-cuda", make_wheel.RELEASE)
    assert found.license_expression == "Apache-2.0 WITH LLVM-exception"
    assert found.license_files == ["LICENSE.TXT"]
    assert make_wheel.COMMIT in found.description
    runtime, compiler = found.requires_dist
    assert str(runtime) == f"intel-sycl-rt=={make_wheel.RELEASE}"
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert [compiler] == [Requirement(each) for each in project["optional-dependencies"]["cuda"]]
    (of_usmx,) = (each for each in project["dependencies"] if each.startswith("intel-sycl-rt"))
    assert Requirement(of_usmx).specifier.contains(make_wheel.RELEASE), "usmx takes this runtime"


def test_record_has_the_digest_of_every_file(wheel):
    found = content(wheel)
    (name,) = (name for name in found if name.endswith("/RECORD"))
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(found[name].decode()))}
    assert rows.keys() == found.keys()
    assert rows.pop(name) == ["", ""]
    for path, (digest, size) in rows.items():
        expected = base64.urlsafe_b64encode(hashlib.sha256(found[path]).digest()).rstrip(b"=")
        assert (digest, int(size)) == (f"sha256={expected.decode()}", len(found[path]))


@pytest.mark.slow
def test_pip_installs_it_into_any_python_of_this_system(wheel, tmp_path):
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert {(tag.interpreter, tag.abi) for tag in tags} == {("py3", "none")}
    to = tmp_path / "site-packages"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", to, wheel]
    subprocess.run(pip, check=True)
    installed = to / "usmx_cuda" / make_wheel.ADAPTER
    assert installed.read_bytes() == (tmp_path / make_wheel.ADAPTER).read_bytes()
    assert len(list(to.glob("usmx_cuda-*.dist-info/licenses/LICENSE.TXT"))) == 1


def test_source_is_known_by_its_files_wherever_it_lies(source, tmp_path, monkeypatch):
    monkeypatch.setattr(make_wheel, "DIGEST", make_wheel.digest_of(source))
    (source / "README.md").write_text("is not compiled")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(source, "unified-runtime-eb58ab8d")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in source.rglob("*"):
            archive.write(path, path.relative_to(source.parent))
    for given in (source, tmp_path / "a.tar.gz", tmp_path / "a.zip"):
        make_wheel.require_source(make_wheel.unpacked(given, tmp_path / f"of {given.name}"))


def test_other_sources_are_refused(source, tmp_path):
    with pytest.raises(make_wheel.WrongSourceError, match="at commit eb58ab8d, found other files"):
        make_wheel.require_source(source)
    with pytest.raises(make_wheel.WrongSourceError, match="found no LICENSE.TXT"):
        make_wheel.require_source(tmp_path)
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(make_wheel.WrongSourceError, match="an archive by tar or zip"):
        make_wheel.unpacked(tmp_path / "text", tmp_path / "to")


def test_other_runtimes_are_refused(monkeypatch):
    monkeypatch.setattr(make_wheel, "RELEASE", "1.0")
    with pytest.raises(make_wheel.WrongSourceError, match=r"expected intel-sycl-rt 1\.0 in"):
        make_wheel.require_runtime()
