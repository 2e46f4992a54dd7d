"""Python environments that tests make."""

import sys
import venv


def make_environment(root):
    """A new one, which finds what is installed in this one; its interpreter."""
    venv.create(root, with_pip=False, symlinks=True)
    (packages,) = root.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "here.pth").write_text("\n".join(here))
    return root / "bin/python"
