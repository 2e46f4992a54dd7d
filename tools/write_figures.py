"""Write the figures of docs/ from benchmarks/results.json.

write_figures.py [--check]

tools/measure_figures.py measures what is in that file. The figures are tables of the documents
below and the pictures in docs/. docs/peers.md also gets what examples/bad_dictionary.py prints.
--check writes nothing, and fails where one of them is not what would be written.

Needs the packages of the test extra.
"""

import json
import statistics
import subprocess
import sys
import textwrap
from functools import partial

from generated import RESULTS, ROOT, is_drawn_of, put, save_picture, settle, table

TOOL = "tools/write_figures.py"
PACKAGES = ("dpctl", "dpnp", "numpy")

# What docs/speed.md shows of the rows, in this order: the work and its name there, and the peers.
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
    "array's first dictionary": ("hand out an array's dictionary, the first time", ["dpnp.tensor"]),
    "array's dictionary, its memory known to others": (
        "the same, once the memory has left usmx",
        ["dpnp.tensor"],
    ),
    "memory's dictionary": ("hand out a memory object's dictionary", ["dpctl"]),
    "slice x[1:3, 2:5]": ("basic slice `x[1:3, 2:5]`", ["dpnp.tensor", "NumPy"]),
    "row x[3]": ("integer row `x[3]`", ["NumPy"]),
    "transpose x.T": ("transpose `x.T`", ["NumPy"]),
    "empty((16, 16)), and free": ("`empty((16, 16))`, and free", ["NumPy"]),
    "empty of 4 MiB just freed with work pending": (
        "`empty` of 4 MiB that were just freed with work pending",
        ["no work pending"],
    ),
    "copy 8x8 strided": ("copy 8 x 8 with strides", ["dpnp.tensor"]),
    "copy 4096x4096 f4 contiguous": ("copy 4096 x 4096 float32", ["NumPy"]),
    "copy 4096x4096 f4 transposed": ("the same, transposed", ["dpnp.tensor", "NumPy"]),
    "copy 4096x4096 f4 to f8": ("the same, to float64", ["NumPy"]),
    "gather 10^7 random f8": ("take 10^7 random elements", ["NumPy, take"]),
    "a * x + y, 4096x4096 f4": (
        "an `ElementwiseKernel`: `a * x + y` of 4096 x 4096 float32",
        ["dpnp.tensor", "NumPy"],
    ),
    "sum 4096x4096 f4": ("a `ReductionKernel`: their sum", ["dpnp.tensor", "NumPy"]),
    "asnumpy of 4 elements of 64 MiB": ("`asnumpy` of 4 elements of 64 MiB", ["dpnp.tensor"]),
    "import usmx, new process": ("`import`, in a new process", ["dpctl"]),
}

# How many single calls docs/speed.md shows from either end: those slowest and fastest beside NumPy.
CALLS_FROM_EACH_END = 10

# The copies that docs/copy-engine.md shows beside all peers; docs/speed.md has more.
COPIES = {
    "copy 4096x4096 f4 [::2, ::2]": "`[::2, ::2]`",
    "copy 4096x4096 f4 reversed": "reversed",
    "copy 256^3 f4 permuted": "256^3 float32, axes (2, 0, 1)",
}
COPIES_PEERS = ("dpnp.tensor", "NumPy")

# The copies between host and device memory, and the fill, that it shows.
TRANSFERS = {
    "host to device, 64 B": ["dpctl", "NumPy, memcpy"],
    "host to device, 64 MiB": ["dpctl", "NumPy, memcpy"],
    "device to host, 64 MiB": ["dpctl", "NumPy, memcpy"],
    "fill 60 MiB, items of 12 B": ["NumPy, bytes (memset)"],
}

# The works of benchmarks/gpu.py that it shows.
ON_GPU = (
    "take v[i]",
    "take rows v[i] of 8",
    "mask v[m]",
    "nonzero(m)",
    "scatter v[i] = w",
    "scatter by mask v[m] = u",
    "copy 8192^2",
    "copy 8192^2 transposed",
    "copy 8192^2 to f8",
    "copy 8192^2 [::2, ::2]",
    "copy 1000000 x 24 transposed",
    "fill 512 MiB of 1 B",
    "to new host memory, 64 MiB",
    "from host memory, 64 MiB",
    "to new host memory, 64 B",
    "copy 8x8 strided",
    "empty((16, 16))",
    "import of a tensor, asarray(t)",
    "launch",
    "a * x + y, 8192^2 f4",
    "sum, axis None, 8192^2 f4",
    "sum, axis 0, 8192^2 f4",
)

# The bars of the picture, of these works with all peers that are shown, and their labels.
PICTURED = {
    "from_usm_array_interface(producer)": "take an array of another library, and check it",
    "from_usm_array_interface(dpnp array)": "take an array of dpnp",
    "array's first dictionary": "give an array to another library, the first time",
    "array's dictionary, its memory known to others": "give it once more, after others' work",
    "memory's dictionary": "give a memory object to another library",
    "slice x[1:3, 2:5]": "take the slice x[1:3, 2:5]",
    "empty((16, 16)), and free": "allocate 16 x 16 elements, and free them",
    "copy 4096x4096 f4 contiguous": "copy 4096 x 4096 numbers",
    "copy 4096x4096 f4 transposed": "copy them transposed",
    "import usmx, new process": "import the package in a new process",
}

IN_PICTURE = {"floor: dpnp makes its dictionary": "dpnp's own part of that"}

# What the sweep of benchmarks/allocation.py counts that is no allocation.
PENDING_FREES = "blocks freed"


# ---- the tables


def rows_of(results):
    """What was measured in pairs, by work and peer."""
    return {(row["work"], row["peer"]): row for row in results["bench"]["rows"]}


def shown_rows(results):
    """Name, peer and row, in the order of SHOWN."""
    rows = rows_of(results)
    return [
        (name, peer, rows[work, peer]) for work, (name, peers) in SHOWN.items() for peer in peers
    ]


def ratio_text(row):
    low, high = (
        f"{ratio:.2g}" if ratio >= 1e-3 else f"{ratio:.5f}" for ratio in row["ratio_range"]
    )
    return low if low == high else f"{low} to {high}"


def time_text(seconds):
    from bench import report

    return report.time_text(seconds).replace(" us", " µs")


def shortest(seconds):
    return time_text(min(seconds))


def pairs_table(pairs):
    """One line for each name, peer and row."""
    cells = [
        [
            name,
            shortest(row["usmx_seconds"]),
            peer.replace("floor: dpnp makes its dictionary", "dpnp makes its dictionary"),
            shortest(row["peer_seconds"]),
            ratio_text(row),
        ]
        for name, peer, row in pairs
    ]
    return table(["work", "usmx", "peer", "its time", "usmx / peer"], cells)


def speed_table(results):
    return pairs_table(shown_rows(results))


def transfers_table(results):
    rows = rows_of(results)
    return pairs_table(
        (work, peer, rows[work, peer]) for work, peers in TRANSFERS.items() for peer in peers
    )


def copies_table(results):
    rows = rows_of(results)
    cells = [
        [
            name,
            shortest(rows[work, COPIES_PEERS[0]]["usmx_seconds"]),
            *(shortest(rows[work, peer]["peer_seconds"]) for peer in COPIES_PEERS),
        ]
        for work, name in COPIES.items()
    ]
    return table(["copy", "usmx", *COPIES_PEERS], cells)


def steps_table(results):
    """What an import of two dimensions consists of."""
    cells = [
        [step["step"].removeprefix("import: "), time_text(step["cost"])]
        for step in results["bench"]["steps"]
        if step["step"].startswith("import: ")
    ]
    return table(["step", "costs"], cells)


def arguments_table(results):
    rows = [[row["argument"], time_text(row["seconds"])] for row in results["arguments"]["rows"]]
    return table(["argument", "costs over the call"], rows)


def pending_frees_table(results):
    (curve,) = (c for c in results["allocation"]["curves"] if c["axis"] == PENDING_FREES)
    rows = [
        [f"{count:,}", time_text(count * seconds), time_text(seconds)]
        for count, seconds in zip(curve["x"], curve["seconds"], strict=True)
    ]
    return table([PENDING_FREES, "all", "each"], rows)


def gpu_table(results):
    """The shortest times of benchmarks/gpu.py, with the wait where nothing else is said."""
    times = {}
    for row in results["gpu"]["rows"]:
        times.setdefault(row["work"], {"usmx": row["usmx_seconds"]})[row["peer"]] = row[
            "peer_seconds"
        ]
    names = ("usmx", "PyTorch", "CuPy")
    return table(
        ["", *names],
        [
            [work, *(shortest(times[work][name]) if name in times[work] else "" for name in names)]
            for work in ON_GPU
        ],
    )


def gpu_line(results):
    """The machine that it was measured on."""
    machine = results["gpu"]["machine"]
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    text = (
        f"The machine: {machine['device']}, {machine['cpu']}, {machine['cores']} cores, driver "
        f"{machine['driver']}, Python {machine['python']}, {packages}. Times are the shortest of "
        f"{results['gpu']['rounds']} rounds."
    )
    return textwrap.fill(text, 118, break_on_hyphens=False) + "\n"


def ratio_to_numpy(row):
    return row["seconds"]["usmx"] / row["seconds"]["NumPy"]


def programs_table(whole, results):
    """Whole programs of benchmarks/programs.py, or the ends of its calls, the slowest first."""
    names = ("usmx", "NumPy", "dpnp")
    rows = [row for row in results["programs"]["rows"] if (row["group"] == "program") == whole]
    rows = sorted(rows, key=ratio_to_numpy, reverse=True)
    if not whole:
        rows = rows[:CALLS_FROM_EACH_END] + rows[-CALLS_FROM_EACH_END:]
    return table(
        ["what", *names, "usmx / NumPy"],
        [
            [
                row["name"] if whole else f"{row['group']}: `{row['name']}`",
                *(
                    time_text(row["seconds"][name]) if name in row["seconds"] else ""
                    for name in names
                ),
                f"{ratio_to_numpy(row):.2g}",
            ]
            for row in rows
        ],
    )


def recorded_table(name, results):
    """Figures of a machine or of a program that is not at hand."""
    return table(results["recorded"][name]["header"], results["recorded"][name]["rows"])


def machine_line(results):
    machine, rounds = results["bench"]["machine"], results["bench"]["rounds"]
    packages = ", ".join(f"{name} {machine['packages'][name]}" for name in PACKAGES)
    text = (
        f"The machine: {machine['cpu']}, {machine['cores']} cores, {machine['filter']} (driver "
        f"{machine['driver']}), Python {machine['python']}, {packages}. Times are the shortest of "
        f"{rounds} rounds. Ratios are those of the middle half of the rounds."
    )
    return textwrap.fill(text, 118, break_on_hyphens=False) + "\n"


def programs_line(results):
    """The machine of benchmarks/programs.py, and what all its rows say together."""
    machine, rows = results["programs"]["machine"], results["programs"]["rows"]
    ratios = [ratio_to_numpy(row) for row in rows]
    whole = [ratio for ratio, row in zip(ratios, rows, strict=True) if row["group"] == "program"]
    calls = len(rows) - len(whole)
    text = (
        f"The machine: {machine['cpu']}, {machine['cores']} cores. The geometric mean of usmx / "
        f"NumPy is {statistics.geometric_mean(whole):.2f} for the programs and "
        f"{statistics.geometric_mean(ratios):.2f} for programs and all {calls} calls."
    )
    return textwrap.fill(text, 118, break_on_hyphens=False) + "\n"


def bad_dictionaries(_):
    """What examples/bad_dictionary.py prints."""
    command = [sys.executable, ROOT / "examples/bad_dictionary.py"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"```text\n{printed}```\n"


# ---- the pictures


def ratios(results):
    """Label and ratio of each bar."""
    return [
        (f"{PICTURED[row['work']]}  ({IN_PICTURE.get(peer, peer)})", row["ratio"])
        for _, peer, row in shown_rows(results)
        if row["work"] in PICTURED
    ]


def draw_ratios(figures):
    from bench.plot import Bar, figure_of

    return figure_of([Bar(*each) for each in figures], [])


def ways(results):
    """For each work the ways, and for each way its times in µs; and the matrices' sides."""
    recorded = results["recorded"]["ways"]
    sides = [int(row[0].split()[0]) for row in recorded["rows"]]
    works = {}
    for column, title in enumerate(recorded["header"][1:], 1):
        work, _, way = title.rpartition(": ")
        work = work or list(works)[-1]
        works.setdefault(work, {})[way] = [float(row[column]) for row in recorded["rows"]]
    return works, sides


def draw_ways(figures):
    from matplotlib.figure import Figure

    works, sides = figures
    colours = {"host": "#2a7f9e", "memcpy": "0.45", "kernel": "#c8793a"}
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    panels = figure.subplots(1, len(works), sharey=True)
    for panel, (work, times_of) in zip(panels, works.items(), strict=True):
        for way, times in times_of.items():
            panel.plot(sides, times, marker="o", color=colours[way], label=way)
        panel.set(title=work, xlabel="side of a square matrix of float32", xscale="log")
        panel.set_yscale("log")
        panel.set_xticks(sides, [str(side) for side in sides], minor=False, fontsize=8)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend()
    panels[0].set_ylabel("µs")
    return figure


def draw_bandwidth(figures):
    from curves import Curve, figure_of_bandwidth

    return figure_of_bandwidth([Curve(**curve) for curve in figures])


def allocations(results):
    """The curves of an allocation and a free."""
    return [curve for curve in results["allocation"]["curves"] if curve["axis"] != PENDING_FREES]


def draw_allocation(figures):
    from curves import Curve, figure_of_costs

    return figure_of_costs([Curve(**curve) for curve in figures])


def draw_selections(figures):
    from curves import Curve, figure_of_selections

    return figure_of_selections([Curve(**curve) for curve in figures])


# ---- the files

DOCUMENTS = {
    "docs/copy-engine.md": {
        "H100": partial(recorded_table, "H100"),
        "GPU": gpu_table,
        "GPU's machine": gpu_line,
        "copies": copies_table,
        "transfers": transfers_table,
    },
    "docs/decisions-history.md": {"import": steps_table},
    "docs/extension-authors.md": {"arguments": arguments_table},
    "docs/kernels.md": {
        "first use": partial(recorded_table, "first use"),
        "kernels": partial(recorded_table, "kernels"),
    },
    "docs/memory.md": {
        "pools": partial(recorded_table, "pools"),
        "pending frees": pending_frees_table,
    },
    "docs/peers.md": {"bad dictionaries": bad_dictionaries},
    "docs/speed.md": {
        "speed": speed_table,
        "speed's machine": machine_line,
        "programs": partial(programs_table, True),
        "calls": partial(programs_table, False),
        "programs' machine": programs_line,
    },
}

# The figures that a picture shows, and what draws them.
PICTURES = {
    "docs/ratios.svg": (ratios, draw_ratios),
    "docs/copy-ways.svg": (ways, draw_ways),
    "docs/bandwidth.svg": (lambda results: results["bandwidth"]["curves"], draw_bandwidth),
    "docs/allocation.svg": (allocations, draw_allocation),
    "docs/selections.svg": (lambda results: results["selections"]["curves"], draw_selections),
}


def wanted(document, results):
    """The document as it should be."""
    text = (ROOT / document).read_text(encoding="utf-8")
    for name, make in DOCUMENTS[document].items():
        text = put(text, name, make(results), TOOL)
    return text


def main(arguments):
    sys.path.insert(0, str(ROOT / "benchmarks"))  # what a curve is, and how it is drawn
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    pages = {ROOT / document: wanted(document, results) for document in DOCUMENTS}
    failed = settle(pages, TOOL, arguments)
    for picture, (figures_of, draw) in PICTURES.items():
        figures = figures_of(results)
        if "--check" not in arguments:
            save_picture(draw(figures), ROOT / picture, figures)
        elif not is_drawn_of(ROOT / picture, figures):
            sys.stderr.write(f"{picture} is not drawn from benchmarks/results.json\n")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
