"""Work that is unfinished until the test says so, so that nothing has to be timed: tests/cpp/support/gate.hpp.

The fixtures ``gate_in`` and ``gate_library`` are in conftest.py. A program in a process of its own is given the path of
the compiled functions.
"""

import ctypes
import sys
from pathlib import Path

import usmx
from helpers import make_capsule, run

SUPPORT = Path(__file__).parents[1] / "cpp"
SOURCE = """
#include <chrono>
#include <thread>
#include "support/gate.hpp"
extern "C" {
support::gate* usmx_gate(const sycl::queue& queue) { return new support::gate(queue.get_context()); }
const sycl::event* usmx_gate_event(const support::gate& gate) { return &gate.event(); }
void usmx_gate_open(support::gate& gate) { gate.open(); }
void usmx_gate_open_later(support::gate& gate, int milliseconds) {
  std::thread([&gate, milliseconds] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    gate.open();
  }).detach();
}
}
"""

_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def compile_gates(folder):
    """Make gates.so in the folder."""
    folder.mkdir()
    source = folder / "gates.cpp"
    source.write_text(SOURCE)
    flags = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
    options = ["-std=c++20", "-w", "-shared", "-fPIC", "-I", SUPPORT]
    run("g++", *options, source, *flags, "-o", folder / "gates.so")


class Gate:
    """Unfinished work in the context of a queue. It is never let go: an event of it may live as long as the process."""

    def __init__(self, path, queue):
        library = ctypes.CDLL(path)
        library.usmx_gate.restype = library.usmx_gate_event.restype = ctypes.c_void_p
        capsule = queue._get_capsule()
        self.address = ctypes.c_void_p(
            library.usmx_gate(ctypes.c_void_p(_pointer_in(capsule, b"SyclQueueRef")))
        )
        self.library = library

    def _get_capsule(self):
        """Its event, for usmx and dpctl."""
        return make_capsule("SyclEventRef", self.library.usmx_gate_event(self.address))

    @property
    def event(self):
        return usmx.SyclEvent(self)

    def open(self):
        """The event is complete on return, or soon after."""
        self.library.usmx_gate_open(self.address)

    def open_later(self, milliseconds):
        """Open it by a thread that knows nothing of Python, and outlives the interpreter."""
        self.library.usmx_gate_open_later(self.address, milliseconds)
