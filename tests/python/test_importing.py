"""What the import of an extension says that is linked to another libusmx.so than the installed one."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sysconfig

import pytest
import usmx

MODULE = """
#include <Python.h>
void of_usmx() __asm__("{symbol}");
static struct PyModuleDef module = {{PyModuleDef_HEAD_INIT, "mine", NULL, -1, NULL}};
PyMODINIT_FUNC PyInit_mine(void) {{
  of_usmx();
  return PyModule_Create(&module);
}}
"""
SYMBOL = "_ZN4usmx2v19new_thingEv"
INSTALLED = f"the usmx that is installed ({usmx.__version__})"


def shared_library(source, result, *options):
    flags = ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "-x", "c"]
    subprocess.run(["gcc", *flags, source, "-x", "none", "-o", result, *options], check=True)
    return result


def built(folder, soname):
    """An extension that is linked to a library of that name, which calls itself so and is gone."""
    (folder / "library.c").write_text(f"void {SYMBOL}(void) {{}}\n")
    (folder / "mine.c").write_text(MODULE.format(symbol=SYMBOL))
    library = shared_library(folder / "library.c", folder / soname, f"-Wl,-soname,{soname}")
    extension = shared_library(folder / "mine.c", folder / "mine.so", library)
    library.unlink()
    return extension


def load(path):
    loader = importlib.machinery.ExtensionFileLoader("mine", str(path))
    importlib.util.module_from_spec(importlib.util.spec_from_loader("mine", loader))


def refusal(path):
    with pytest.raises(ImportError) as caught, usmx.importing_extension():
        load(path)
    return caught.value


@pytest.mark.slow
@pytest.mark.parametrize(("soname", "release"), [("99", "0.99"), ("102", "1.2"), ("0", "0.0")])
def test_extension_for_another_library_names_it_and_the_release_that_has_it(
    soname, release, tmp_path
):
    path = built(tmp_path, f"libusmx.so.{soname}")
    error = refusal(path)
    assert str(error) == (
        f"{path} was built for libusmx.so.{soname}, but {INSTALLED} has "
        f"libusmx.so.{usmx._core._abi_version}: install usmx {release} "
        f"(pip install 'usmx=={release}.*'), or build the extension again, with the installed usmx"
    )
    assert (error.name, error.path) == ("mine", str(path))
    assert "cannot open shared object file" in str(error.__cause__)


def test_extension_that_needs_a_newer_function_says_so(tmp_path):
    path = built(tmp_path, f"libusmx.so.{usmx._core._abi_version}")
    assert str(refusal(path)) == (
        f"{path} was built with a newer usmx: {INSTALLED} does not have {SYMBOL}; install a newer "
        "usmx, or build the extension again, with the installed one"
    )


def test_error_that_has_nothing_to_do_with_usmx_passes_through(tmp_path):
    error = refusal(built(tmp_path, "libother.so.2"))
    assert re.match("libother.so.2: cannot open", str(error))
    assert error.__cause__ is None
    with pytest.raises(ZeroDivisionError), usmx.importing_extension():
        1 / 0  # noqa: B018


def test_error_of_a_file_that_is_not_known_is_explained_too():
    expected = "^this extension was built for libusmx.so.99, but"
    with pytest.raises(ImportError, match=expected), usmx.importing_extension():
        raise ImportError("libusmx.so.99")


def test_module_that_fits_is_imported():
    with usmx.importing_extension() as nothing:
        import math
    assert nothing is None
    assert math.pi


def test_folder_is_no_reason(tmp_path):
    (folder := tmp_path / "libusmx.so.99").mkdir()
    path = built(folder, "libother.so.2")
    assert os.fspath(path).startswith(os.fspath(folder))
    assert "was built for" not in str(refusal(path))
