"""Write the figures of README.md and docs/ from benchmarks/results.json.

write_figures.py [--check]

The file is what `python -m usmx bench --json benchmarks/results.json` wrote on a quiet machine. The
figures are tables of the documents below and the picture docs/ratios.svg. README.md also gets what
examples/bad_dictionary.py prints. --check writes nothing, and fails where one of them is not what
would be written.

Needs the packages of the test extra.
"""

import json
import subprocess
import sys
import textwrap

from generated import ROOT, differences, is_drawn_of, put, save_picture, table

TOOL = "tools/write_figures.py"
RESULTS = ROOT / "benchmarks/results.json"
PICTURE = ROOT / "docs/ratios.svg"
PACKAGES = ("dpctl", "dpnp", "numpy")

OF_ONE_RUN = (
    "Shortest times of a run; ratios are medians, with the range of the middle half of rounds."
)

# What README.md shows of the rows, in this order: the work and its name there, and the peers.
SHOWN = {
    "from_usm_array_interface(producer)": (
        "import an array, every check made; its dictionary is ready",
        ["dpnp.tensor"],
    ),
    "from_usm_array_interface(dpnp array)": (
        "import a dpnp array, which makes its dictionary",
        ["floor: dpnp makes its dictionary"],
    ),
    "memory.as_usm_memory(producer)": ("import as memory", ["dpctl"]),
    "array's dictionary": ("hand out an array's dictionary", ["dpnp.tensor"]),
    "array's dictionary, its queue known to others": (
        "the same, while others hold the array's queue",
        ["dpnp.tensor"],
    ),
    "memory's dictionary": ("hand out a memory object's dictionary", ["dpctl"]),
    "slice x[1:3, 2:5]": ("basic slice `x[1:3, 2:5]`", ["dpnp.tensor", "NumPy"]),
    "row x[3]": ("integer row `x[3]`", ["NumPy"]),
    "transpose x.T": ("transpose `x.T`", ["NumPy"]),
    "empty((16, 16)), and free": ("`empty((16, 16))`, and free", ["NumPy"]),
    "copy 8x8 strided": ("copy 8 x 8 with strides", ["dpnp.tensor"]),
    "copy 4096x4096 f4 contiguous": ("copy 4096 x 4096 float32", ["NumPy"]),
    "copy 4096x4096 f4 transposed": ("the same, transposed", ["dpnp.tensor", "NumPy"]),
    "copy 4096x4096 f4 to f8": ("the same, to float64", ["NumPy"]),
    "gather 10^7 random f8": ("take 10^7 random elements", ["NumPy, take"]),
    "asnumpy of 4 elements of 64 MiB": ("`asnumpy` of 4 elements of 64 MiB", ["dpnp.tensor"]),
    "import usmx, new process": ("`import`, in a new process", ["dpctl"]),
}

# What docs/copy-engine.md shows of all peers.
COPIES = {
    "copy 4096x4096 f4 contiguous": "contiguous",
    "copy 4096x4096 f4 transposed": "transposed",
    "copy 4096x4096 f4 [::2, ::2]": "`[::2, ::2]`",
    "copy 4096x4096 f4 reversed": "reversed",
    "copy 4096x4096 f4 to f8": "to float64",
    "copy 256^3 f4 permuted": "256^3 float32, axes (2, 0, 1)",
    "copy 8x8 strided": "8 x 8 of 16 x 16, `[::2, ::2]`",
}
COPIES_PEERS = ("dpnp.tensor", "NumPy")

# The bars of the picture, of these works with all peers that are shown, and their labels.
PICTURED = {
    "from_usm_array_interface(producer)": "import an array whose dictionary is ready",
    "from_usm_array_interface(dpnp array)": "import a dpnp array",
    "array's dictionary": "hand out an array's dictionary",
    "array's dictionary, its queue known to others": "the same, while others hold its queue",
    "memory's dictionary": "hand out a memory object's dictionary",
    "slice x[1:3, 2:5]": "slice x[1:3, 2:5]",
    "empty((16, 16)), and free": "allocate 16 x 16, and free",
    "copy 4096x4096 f4 contiguous": "copy 4096 x 4096 float32",
    "copy 4096x4096 f4 transposed": "copy it transposed",
    "import usmx, new process": "import the package",
}


# ---- what is shown


def shown_rows(results):
    """Name, peer and row, in the order of SHOWN."""
    rows = {(row["work"], row["peer"]): row for row in results["rows"]}
    return [
        (name, peer, rows[work, peer]) for work, (name, peers) in SHOWN.items() for peer in peers
    ]


def ratio_text(row):
    if "ratio_range" in row:
        low, high = (f"{ratio:.2g}" for ratio in row["ratio_range"])
        return low if low == high else f"{low} to {high}"
    return f"{row['ratio']:.2g}" if row["ratio"] >= 1e-3 else f"{row['ratio']:.5f}"


def shortest(seconds):
    from usmx.bench.report import time_text

    return time_text(min(seconds)).replace(" us", " µs")


def speed_table(results):
    cells = [
        [
            name,
            shortest(row["usmx_seconds"]),
            peer.replace("floor: dpnp makes its dictionary", "of this dpnp's own part"),
            shortest(row["peer_seconds"]),
            ratio_text(row),
        ]
        for name, peer, row in shown_rows(results)
    ]
    return table(["work", "usmx", "peer", "its time", "usmx / peer"], cells)


def copies_table(results):
    rows = {(row["work"], row["peer"]): row for row in results["rows"]}
    cells = [
        [
            name,
            shortest(rows[work, COPIES_PEERS[0]]["usmx_seconds"]),
            *(shortest(rows[work, peer]["peer_seconds"]) for peer in COPIES_PEERS),
        ]
        for work, name in COPIES.items()
    ]
    return table(["copy", "usmx", *COPIES_PEERS], cells)


def machine_line(results):
    machine = results["machine"]
    packages = ", ".join(f"{name} {machine['packages'][name]}" for name in PACKAGES)
    text = (
        f"{machine['cpu']}, {machine['cores']} cores, {machine['device']}; Python "
        f"{machine['python']}, {packages}. {results.get('source', OF_ONE_RUN)}"
    )
    return textwrap.fill(text, 118, break_on_hyphens=False) + "\n"


# ---- the files


def bad_dictionaries(_):
    """What examples/bad_dictionary.py prints."""
    command = [sys.executable, ROOT / "examples/bad_dictionary.py"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"```text\n{printed}```\n"


DOCUMENTS = {
    "README.md": {
        "bad dictionaries": bad_dictionaries,
        "speed": speed_table,
        "speed's machine": machine_line,
    },
    "docs/copy-engine.md": {"copies": copies_table, "copies' machine": machine_line},
}


def wanted(document, results):
    """The document as it should be."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for name, make in DOCUMENTS[document].items():
        text = put(text, name, make(results), TOOL)
    return text


def bars(results):
    """Label and ratio of each bar."""
    return [
        (f"{PICTURED[row['work']]}  |  {peer}", row["ratio"])
        for _, peer, row in shown_rows(results)
        if row["work"] in PICTURED
    ]


def draw(results):
    from usmx.bench.plot import Bar, figure_of

    figures = bars(results)
    save_picture(figure_of([Bar(*each) for each in figures], []), PICTURE, figures)


def check(results):
    """Say what is not up to date, and return the exit code."""
    failed = 0
    if not is_drawn_of(PICTURE, bars(results)):
        sys.stderr.write("docs/ratios.svg is not drawn from benchmarks/results.json\n")
        failed = 1
    for document in DOCUMENTS:
        found = (ROOT / document).read_text(encoding="utf-8")
        failed |= differences(document, found, wanted(document, results))
    return failed


def main(arguments):
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    if "--check" in arguments:
        return check(results)
    for document in DOCUMENTS:
        (ROOT / document).write_text(wanted(document, results), encoding="utf-8")
    draw(results)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
