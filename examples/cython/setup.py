import usmx
from Cython.Build import cythonize
from setuptools import Extension, setup

if __name__ == "__main__":
    native = Extension(
        "usmx_with_cython._native", ["src/native.pyx"], include_dirs=[usmx.get_include()]
    )
    setup(ext_modules=cythonize([native], build_dir="build", language_level=3))
