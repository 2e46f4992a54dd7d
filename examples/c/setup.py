import usmx
from setuptools import Extension, setup

if __name__ == "__main__":
    native = Extension(
        "usmx_with_c._native",
        ["src/native.c"],
        include_dirs=[usmx.get_include()],
        # One wheel for Python 3.11 and every later one.
        define_macros=[("Py_LIMITED_API", "0x030b0000")],
        py_limited_api=True,
    )
    setup(ext_modules=[native], options={"bdist_wheel": {"py_limited_api": "cp311"}})
