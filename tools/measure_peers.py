"""Ask usmx.testing about the peers: measure_peers.py [--check].

Writes the tables of docs/peers.md, and the releases that they are of. --check writes nothing, and
fails where a table is not what would be written; other releases may behave the same.

Needs the packages of the test extra.
"""

import re
import sys
from importlib.metadata import version

from generated import ROOT, put, settle, table

TOOL = "tools/measure_peers.py"
PAGE = ROOT / "docs/peers.md"
PACKAGES = ["dpctl", "dpnp", "scikit-learn-intelex", "intel-sycl-rt", "numpy"]
CONSUMERS = {
    "dpctl.memory:as_usm_memory": {"as_bytes": True},
    "dpnp.tensor:asarray": {},
    "dpnp:as_usm_ndarray": {},
    "dpnp:asarray": {"copies": True},
    "onedal.datatypes:to_table": {"to_numpy": "onedal.datatypes:from_table"},
}
KINDS = ("device", "shared", "host")


# ---- what is asked


def producers():
    """Objects of the peers by a name for all that should be alike."""
    import dpctl.memory
    import dpnp
    import numpy as np
    import onedal.datatypes
    import usmx

    numbers = np.arange(24.0).reshape(4, 6)
    found = {
        f"`dpctl.memory.MemoryUSM{kind.title()}`": [
            getattr(dpctl.memory, f"MemoryUSM{kind.title()}")(64)
        ]
        for kind in KINDS
    }
    for name, module in (("dpnp.ndarray", dpnp), ("dpnp.tensor.usm_ndarray", dpnp.tensor)):
        arrays = [module.asarray(numbers, usm_type=kind) for kind in KINDS]
        views = [
            view
            for a in arrays
            for view in (a, a[1:, ::2], a[::-1, ::-2], a.T, a[1, 2], read_only(a))
        ]
        found[f"`{name}`: whole, sliced, reversed, transposed, 0-d, read-only"] = views
        found[f"`{name}` without elements"] = [a[:0] for a in arrays]
    found["table of `onedal`, over USM"] = [
        onedal.datatypes.to_table(usmx.asarray(numbers, usm_type=kind)) for kind in KINDS
    ]
    return found


def read_only(array):
    view = array[:]
    view.flags["W"] = False
    return view


# ---- what was found, as text


def summary(finding):
    """What a cell says of a broken rule."""
    error = re.match(r"(\w+): ", finding.found)
    if error:
        return f"`{error[1]}`"
    return "**the process dies**" if "process died" in finding.found else finding.found


def producer_table():
    from usmx.testing import check_producer

    rows = []
    for name, objects in producers().items():
        reports = [check_producer(obj) for obj in objects]
        counts = sorted({sum(f.outcome == "kept" for f in r.findings) for r in reports})
        broken = {f"*{f.rule}*: {f.found}" for r in reports for f in r.broken}
        rows.append([name, " to ".join(map(str, counts)), "; ".join(sorted(broken))])
    return table(["object", "kept", "broken"], rows)


def consumer_tables():
    """Of good and of hostile producers; consumers that agree in all share a column."""
    from usmx.testing import check_consumer
    from usmx.testing._cases import CASES, Good

    cells = {}
    for name, options in CONSUMERS.items():
        findings = check_consumer(name, **options).findings
        column = tuple("" if f.outcome == "kept" else summary(f) for f in findings)
        cells.setdefault(column, []).append(f"`{name.replace(':', '.')}`")
    header = ["producer", *map(", ".join, cells.values())]
    rows = dict(zip(CASES, zip(*cells, strict=True), strict=True))
    good = {name: row for name, row in rows.items() if isinstance(CASES[name], Good)}
    hostile = {name: row for name, row in rows.items() if name not in good}
    return [table(header, grouped(part)) for part in (good, hostile)]


def grouped(rows):
    """One row for all producers with the same outcomes, in the order of the first of them."""
    names = {}
    for name, outcomes in rows.items():
        if any(outcomes):
            names.setdefault(outcomes, []).append(name.replace("|", "\\|"))
    return [["; ".join(same), *outcomes] for outcomes, same in names.items()]


def releases():
    return ", ".join(f"{name} {version(name)}" for name in PACKAGES) + ".\n"


def measured():
    """The generated parts of the page, by name."""
    good, hostile = consumer_tables()
    return {"producers": producer_table(), "good producers": good, "hostile producers": hostile}


# ---- the page


def main(arguments):
    wanted = PAGE.read_text(encoding="utf-8")
    for name, part in measured().items():
        wanted = put(wanted, name, part, TOOL)
    if "--check" not in arguments:
        wanted = put(wanted, "releases", releases(), TOOL)
    return settle({PAGE: wanted}, TOOL, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
