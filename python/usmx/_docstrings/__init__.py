"""The docstrings of the native module's public names, which C++ takes when the module is loaded.

Short ones stand in C++, beside what they describe.
"""

from . import arrays, kernels, memory, sycl

DOCSTRINGS = {
    **arrays.DOCSTRINGS,
    **memory.DOCSTRINGS,
    **sycl.DOCSTRINGS,
    **kernels.DOCSTRINGS,
}
