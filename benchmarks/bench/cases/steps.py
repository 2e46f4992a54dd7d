"""What each check of an import costs."""

from typing import Any

import usmx

from bench.ladder import Ladder, Rung
from bench.libraries import dpctl_memory
from bench.pairing import Statement


class Producer:
    """Some memory of dpctl's under a dictionary that is made already."""

    def __init__(self, memory: object, **entries: object) -> None:
        self.__sycl_usm_array_interface__ = entries
        self.memory = memory


def importing(x: object) -> Statement:
    return Statement("view(x)", view=usmx.from_usm_array_interface, x=x)


def import_steps() -> Ladder:
    """From no elements of no memory, on a queue of usmx's, to what other cases import."""
    memory = dpctl_memory.MemoryUSMDevice(160)
    queue = memory.sycl_queue
    own = usmx.zeros((4, 5))

    def rung(step: str, beyond: Rung | None = None, **entries: Any) -> Rung:
        return Rung(step, importing(Producer(memory, **entries)), beyond)

    least: dict[str, Any] = {"data": (0, False), "shape": (0,), "typestr": "<f8", "version": 1}
    at_memory = {**least, "data": (memory._pointer, False), "shape": (1,), "syclobj": queue}
    matrix = {**at_memory, "shape": (4, 5)}
    whole = rung("import: + a second dimension (the whole)", **matrix)
    asking = Statement(
        "view(x); y.__sycl_usm_array_interface__",
        view=usmx.from_usm_array_interface,
        x=own,
        y=Producer(memory, **matrix),
    )
    return Ladder(
        "an import, step by step",
        [
            Rung("import: the call, a new array, no check (of usmx's own)", importing(own)),
            Rung("import: + the producer's attribute", asking),
            rung(
                "import: + its dictionary: keys, types, values; no elements",
                **least,
                syclobj=usmx.SyclQueue(),
            ),
            rung("import: + dpctl's queue: only one SYCL runtime here?", **least, syclobj=queue),
            rung("import: + an element: the runtime knows all its bytes", **at_memory),
            whole,
            rung("the whole, and strides", whole, **matrix, strides=(5, 1)),
            rung("the whole, and an offset", whole, **matrix, offset=0),
            rung("the whole, and a typedescr", whole, **matrix, typedescr=[("", "<f8")]),
            *(
                rung(f"the whole, but {name} as syclobj", whole, **{**matrix, "syclobj": form})
                for name, form in {
                    "usmx's queue": usmx.SyclQueue(queue._get_capsule()),
                    "dpctl's context": queue.sycl_context,
                    "a capsule": queue._get_capsule(),
                    "a filter string": queue.sycl_device.filter_string,
                }.items()
            ),
        ],
    )


CASES = (import_steps,)
