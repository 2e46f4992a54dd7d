"""The package as a whole."""

import importlib.util

from bench.pairing import Aim, Case, InNewProcess, Peer

PACKAGE_AIM = Aim(seconds=0.1)


def import_package() -> Case:
    work = InNewProcess("import usmx")
    there = importlib.util.find_spec("dpctl") is not None
    peers = [Peer("dpctl", InNewProcess("import dpctl"), PACKAGE_AIM)] if there else []
    return Case("import usmx, new process", work, peers)


CASES = (import_package,)
