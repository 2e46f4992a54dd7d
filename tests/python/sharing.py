"""Folders that all processes of a test session share: what takes long to make is made once."""

import fcntl
import os
import shutil


def shared_folder(tmp_path_factory, name, make):
    """The folder of that name. The first process that asks for it fills it by ``make(folder)``."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared" / name
    folder.parent.mkdir(exist_ok=True)
    made = folder.with_name(f"{name}.made")
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            made.touch()
    return folder
