"""The package as a whole."""

from pairing import Aim, Case, PackageImport, Peer

PACKAGE_AIM = Aim(seconds=0.1)


def import_package() -> Case:
    work = PackageImport("usmx")
    peers = [Peer("dpctl", PackageImport("dpctl"), PACKAGE_AIM)]
    return Case("import usmx, new process", work, peers)


CASES = (import_package,)
