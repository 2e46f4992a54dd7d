"""A program, not a module: compiles a kernel for each device, and prints lines of JSON.

kernels_program.py FOLDER: FOLDER holds the package usmx. The step of the last line is the one that
failed, or "done".
"""

import importlib
import json
import sys

SOURCE = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) set(int* x) { *x = 1; }"


def tell(step: str, **values: object) -> None:
    """Tell which step comes next, and what the steps before it have found."""
    print(json.dumps({"step": step, **values}), flush=True)


def main(folder: str) -> None:
    """Try each device."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    tell("import usmx")
    usmx = importlib.import_module("usmx")
    kernels: list[dict[str, str]] = []
    for device in usmx.get_devices():
        tell(f"a kernel for {device.filter_string}", kernels=kernels)
        error = ""
        try:
            x = usmx.zeros(1, dtype="i4", device=device.filter_string)
            usmx.Kernel(SOURCE, "set")(1, 1, x)
            if x.item() != 1:
                error = "the kernel has no effect"
        except (usmx.CompileError, RuntimeError) as failed:
            error = str(failed)
        kernels.append({"filter": device.filter_string, "error": error})
    tell("done", kernels=kernels)


if __name__ == "__main__":
    main(sys.argv[1])
