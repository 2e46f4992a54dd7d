"""Programs that begin with NumPy and usmx imported: forked children of a process that imports them once.

What starts a hundred Python programs spends most of its time importing the same modules. The process here imports
them, and never uses a device, so that its children may. Programs for which the start itself matters (what is imported,
environment variables that usmx reads when it is loaded) are run by helpers.run_python in a process of their own.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path

LARGEST_REQUEST = 1 << 17
_environment = dict(os.environ)  # before a test has changed it


def run_forked(*arguments, cwd=None, env=None, hidden=(), timeout=240):
    """What ``python -P ARGUMENTS`` does: a program, or -m and a module. Modules in `hidden` cannot be imported there."""
    request = {
        "arguments": [*map(str, arguments)],
        "cwd": os.fspath(cwd or Path.cwd()),
        "env": dict(os.environ if env is None else env),
        "hidden": sorted(hidden),
    }
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        connection = server()
        streams = [out.fileno(), err.fileno()]
        socket.send_fds(connection, [json.dumps(request).encode()], streams)
        child = int(connection.recv(100))
        returncode = ended(connection, child, timeout)
        if returncode == -signal.SIGKILL:
            raise subprocess.TimeoutExpired(request["arguments"], timeout)
        return subprocess.CompletedProcess(
            request["arguments"], returncode, *map(text_in, (out, err))
        )


def ended(connection, child, timeout):
    """How the child has ended; it is killed when its time is over."""
    connection.settimeout(timeout)
    try:
        return int(connection.recv(100))
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
    finally:
        connection.settimeout(None)
    return int(connection.recv(100))


def text_in(file):
    file.seek(0)
    return file.read().decode()


@cache
def server():
    """The connection to the process whose children run the programs."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-P", __file__, str(there.fileno())]
    process = subprocess.Popen(
        command, env=_environment, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL
    )
    there.close()
    atexit.register(process.wait)
    atexit.register(here.close)  # first, which ends the process
    return here


def serve(connection):
    """Answer requests: with the child, then with how it ended. Returns in the children, with what to run."""
    import numpy  # noqa: F401
    import usmx  # noqa: F401

    gc.freeze()
    while True:
        request, streams, _, _ = socket.recv_fds(connection, LARGEST_REQUEST, 2)
        if not request:
            os._exit(0)
        child = os.fork()
        if child == 0:
            connection.close()
            for number, stream in enumerate(streams, 1):
                os.dup2(stream, number)
                os.close(stream)
            return json.loads(request)
        for stream in streams:
            os.close(stream)
        connection.send(str(child).encode())
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


class Hidden(MetaPathFinder):
    """Keeps modules from being imported."""

    def __init__(self, names):
        self.names = frozenset(names)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run_here(request):
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.path[:0] = filter(None, request["env"].get("PYTHONPATH", "").split(os.pathsep))
    sys.meta_path.insert(0, Hidden(request["hidden"]))
    what, *arguments = request["arguments"]
    if what == "-m":
        module, *arguments = arguments
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [what, *arguments]
        runpy.run_path(what, run_name="__main__")


if __name__ == "__main__":
    run_here(serve(socket.socket(fileno=int(sys.argv[1]))))
