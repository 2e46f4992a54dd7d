import usmx
from setuptools import Extension, setup

if __name__ == "__main__":
    setup(
        ext_modules=[
            Extension("usmx_with_c._native", ["src/native.c"], include_dirs=[usmx.get_include()])
        ]
    )
