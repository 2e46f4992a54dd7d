"""Tells scikit-build-core where CMake finds usmx: the entry point `cmake.root` of pyproject.toml.

It is no part of usmx's own package, because whoever imports that loads the SYCL runtime: a build
would wait for it, and all builds of an environment would fail where it cannot be loaded.
"""

from importlib.util import find_spec, module_from_spec

usmx = module_from_spec(find_spec("usmx"))  # not run
