"""Principal components of a real data set, every hand-over zero-copy.

``python -m usmx demo`` starts it: `make_parser`, `check`, `demonstrate`. Whether a hand-over copied
is found by comparing the pointers at both ends, never assumed.
"""

from usmx_demo.error import DemoError
from usmx_demo.task import Task, check, make_parser

__all__ = ["DemoError", "Task", "check", "demonstrate", "make_parser"]


def demonstrate(task: Task) -> int:
    """Return the exit code: 0 good, 1 a copy or a wrong number."""
    from usmx_demo import steps  # needs packages that may just have been installed

    return steps.demonstrate(task)
