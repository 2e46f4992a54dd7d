"""Measure usmx on a GPU beside PyTorch and CuPy, in one process.

python benchmarks/gpu.py [--quick] [--json FILE] [--plot PICTURE]

Every side waits for its work, but in the rows that say "not waited for".
"""

import argparse
import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import usmx
from bench import outputs, pairing, programs, report
from bench.cases.kernels import SOURCE as AXPY
from bench.libraries import LibraryMissing, installed_peer, library
from bench.noise import Clock, Noise
from bench.pairing import Aim, Case, Effort, Statement
from bench.run import Results
from usmx._terminal import print_records, tracked

torch = library("torch")
cupy = library("cupy")

Arrays = dict[str, Any]
FULL = Effort(rounds=11, block_seconds=2e-3)
INDEXED = Aim(ratio=1 / 0.8)  # of each peer's time, hence of the faster one's
STRIDED = Aim(ratio=1 / 0.9)
PEERS = ("torch", "cupy-cuda12x", "cupy-cuda13x")
TYPES = ("u1", "i2", "f4", "f8", "c16")  # 1, 2, 4, 8 and 16 bytes
AXPY_OF_CUPY = """
extern "C" __global__ void axpy(float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += a * x[i];
}"""


class UsmxSide:
    """usmx waits for whatever gives a result back."""

    module = usmx
    put = staticmethod(usmx.asarray)
    wait = None


class PyTorchSide:
    module = torch

    @staticmethod
    def put(array: numpy.ndarray) -> Any:
        return torch.from_numpy(array).to("cuda" if torch.cuda.is_available() else "cpu")

    @staticmethod
    def wait() -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()


class CuPySide:
    module = cupy

    @staticmethod
    def put(array: numpy.ndarray) -> Any:
        return cupy.asarray(array)

    @staticmethod
    def wait() -> None:
        cupy.cuda.get_current_stream().synchronize()


Side = type[UsmxSide] | type[PyTorchSide] | type[CuPySide]


def beside(
    title: str,
    arrays: Callable[[], Arrays],
    *,
    ours: str,
    of_torch: str | None = None,
    of_cupy: str | None = None,
    aim: Aim | None = None,
    waited_for: bool = True,
    **names: Any,
) -> Case:
    """The same work of the libraries, each with its own copies of NumPy's `arrays`.

    The code finds the library as `lib`, and the host's arrays as `host`.
    """

    def work(side: Side, code: str) -> Statement:
        _ = side.module.__name__  # LibraryMissing, where there are no arrays that would raise it
        host = arrays()
        waits = waited_for and side.wait is not None
        return Statement(
            f"{code}; wait()" if waits else code,
            lib=side.module,
            wait=side.wait,
            host=SimpleNamespace(**host),
            **{name: side.put(each) for name, each in host.items()},
            **names,
        )

    peers = [
        peer
        for name, side, code in (("PyTorch", PyTorchSide, of_torch), ("CuPy", CuPySide, of_cupy))
        if code is not None
        for peer in installed_peer(name, lambda side=side, code=code: work(side, code), aim)
    ]
    return Case(title, work(UsmxSide, ours), peers)


def makers(quick: bool) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Title and maker of each case: a case is made when it is its turn, since memory is finite."""
    shrink = 64 if quick else 1  # of lengths
    for cases in (
        index_cases,
        copy_cases,
        fill_cases,
        host_cases,
        small_cases,
        kernel_cases,
        mathematics_cases,
        program_cases,
    ):
        yield from cases(shrink)


def named(title: str, *arguments: Any, **options: Any) -> tuple[str, Callable[[], Case]]:
    """One case, not made yet."""
    return title, lambda: beside(title, *arguments, **options)


def index_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Index arrays and masks: 4 Mi of 16 Mi elements of float32."""
    count, chosen = (16 << 20) // shrink, (4 << 20) // shrink

    def arrays() -> Arrays:
        random = numpy.random.default_rng(5)
        mask = random.random(count) < 0.5
        return {
            "v": random.random(count, dtype="f4"),
            "i": random.integers(0, count, chosen),
            "w": random.random(chosen, dtype="f4"),
            "m": mask,
            "u": random.random(int(mask.sum()), dtype="f4"),
        }

    def rows() -> Arrays:
        random = numpy.random.default_rng(6)
        table = random.random((count // 16, 8), dtype="f4")
        return {"v": table, "i": random.integers(0, len(table), chosen // 8)}

    def same(title: str, code: str, of: Callable[[], Arrays] = arrays) -> Any:
        return named(title, of, ours=code, of_torch=code, of_cupy=code, aim=INDEXED)

    yield same("take v[i]", "v[i]")
    yield same("take rows v[i] of 8", "v[i]", rows)
    yield same("mask v[m]", "v[m]")
    yield same("nonzero(m)", "lib.nonzero(m)")
    yield same("scatter v[i] = w", "v[i] = w")
    yield same("fill by mask v[m] = 1", "v[m] = 1")
    yield same("scatter by mask v[m] = u", "v[m] = u")
    yield named(
        "take_along_axis of rows",
        lambda: {"v": rows()["v"], "i": numpy.argsort(rows()["v"], axis=1)},
        ours="lib.take_along_axis(v, i, axis=1)",
        of_torch="lib.take_along_dim(v, i, 1)",
        of_cupy="lib.take_along_axis(v, i, 1)",
        aim=INDEXED,
    )


def copy_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Copies on the device, into an array that is there."""
    million, side, wide = 10**6 // shrink, 4096 // min(shrink, 16), 8192 // min(shrink, 16)

    def copied(title: str, shape: tuple[int, ...], value: str, out: tuple[int, ...], **more: Any):
        dtype = more.pop("dtype", "f4")
        code = f"out[...] = {value}"
        return named(
            title,
            lambda: {"x": numpy.ones(shape, "f4"), "out": numpy.zeros(out, dtype)},
            ours=code,
            of_torch=f"out.copy_({value})" if "::-1" not in value else None,
            of_cupy=code,
            **more,
        )

    yield copied(f"copy {wide}^2", (wide, wide), "x", (wide, wide))
    yield copied(f"copy {wide}^2 transposed", (wide, wide), "x.T", (wide, wide), aim=INDEXED)
    yield copied(f"copy {wide}^2 reversed", (wide, wide), "x[::-1, ::-1]", (wide, wide))
    yield copied(f"copy {wide}^2 to f8", (wide, wide), "x", (wide, wide), dtype="f8")
    for n in (wide, side):
        half = (n // 2, n // 2)
        yield copied(f"copy {n}^2 [::2, ::2]", (n, n), "x[::2, ::2]", half, aim=STRIDED)
    for shape in ((million, 3), (million, 8), (million, 24), (3, million), (8, million)):
        title = f"copy {shape[0]} x {shape[1]} transposed"
        yield copied(title, shape, "x.T", shape[::-1], aim=INDEXED)


def fill_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """512 MiB of items of each size."""
    for dtype in map(numpy.dtype, TYPES):
        nbytes = (512 << 20) // shrink
        yield named(
            f"fill {nbytes >> 20} MiB of {dtype.itemsize} B",
            lambda dtype=dtype, nbytes=nbytes: {"x": numpy.zeros(nbytes // dtype.itemsize, dtype)},
            ours="x[...] = 1",
            of_torch="x.fill_(1)",
            of_cupy="x.fill(1)",
        )


def host_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """To and from ordinary memory of the host, which the system may page."""
    large = (64 << 20) // shrink
    for title, nbytes in ((f"{large >> 20} MiB", large), ("64 B", 64)):

        def arrays(nbytes: int = nbytes) -> Arrays:
            return {"x": numpy.ones(nbytes // 4, "f4")}

        yield named(
            f"to new host memory, {title}",
            arrays,
            ours="lib.asnumpy(x)",
            of_torch="x.cpu()",
            of_cupy="lib.asnumpy(x)",
        )
        yield named(
            f"to host memory that is there, {title}",
            arrays,
            ours="lib.asnumpy(x, out=host.x)",
            of_torch="lib.from_numpy(host.x).copy_(x)",
            of_cupy="x.get(out=host.x)",
        )
        yield named(
            f"from host memory to new, {title}",
            arrays,
            ours="lib.asarray(host.x)",
            of_torch="lib.from_numpy(host.x).to(x.device)",
            of_cupy="lib.asarray(host.x)",
        )
        yield named(
            f"from host memory, {title}",
            arrays,
            ours="x[...] = host.x",
            of_torch="x.copy_(lib.from_numpy(host.x))",
            of_cupy="x.set(host.x)",
        )


def small_cases(_shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """What a call costs."""

    def arrays() -> Arrays:
        return {"x": numpy.ones((16, 16), "f4"), "out": numpy.zeros((8, 8), "f4")}

    yield named(
        "copy 8x8 strided",
        arrays,
        ours="out[...] = x[::2, ::2]",
        of_torch="out.copy_(x[::2, ::2])",
        of_cupy="out[...] = x[::2, ::2]",
    )
    yield named(
        "copy 8x8 strided, not waited for",
        arrays,
        ours="lib.copy_async(out, x[::2, ::2])",
        of_torch="out.copy_(x[::2, ::2])",
        of_cupy="out[...] = x[::2, ::2]",
        waited_for=False,
    )
    for code in ("empty((16, 16))", "zeros((16, 16))"):
        yield named(
            code,
            dict,
            ours=f"lib.{code}",
            of_torch=f"lib.{code[:-1]}, device=device)",
            of_cupy=f"lib.{code}",
            device="cuda" if has_cuda() else "cpu",
        )
    tensor = peer_tensor()
    if tensor is not None:
        for code in ("asarray(t)", "from_dlpack(t)"):
            yield named(
                f"import of a tensor, {code}",
                dict,
                ours=f"lib.{code}",
                of_cupy=f"lib.{code}",
                waited_for=False,
                t=tensor,
            )


def kernel_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Kernels that users write, beside CuPy's."""
    side = 8192 // min(shrink, 16)

    def vectors() -> Arrays:
        return {"x": numpy.ones(1024, "f4"), "y": numpy.zeros(1024, "f4")}

    def matrices() -> Arrays:
        x = numpy.ones((side, side), "f4")
        return {"x": x, "y": x, "out": x}

    by_hand = {"ours": "k(1024, 256, 2.0, x, y)", "of_cupy": "c((4,), (256,), (two, x, y))"}
    compiled = {
        "k": usmx.Kernel(AXPY, "axpy"),
        "c": found(lambda: cupy.RawKernel(AXPY_OF_CUPY, "axpy")),
        "two": numpy.float32(2),
    }
    yield named("launch, not waited for", vectors, **by_hand, waited_for=False, **compiled)
    waited = by_hand | {"ours": "k(1024, 256, 2.0, x, y).wait()"}
    yield named("launch", vectors, **waited, **compiled)

    expression = ("T a, T x, T y", "T out", "out = a * x + y", "axpy")
    each = {
        "k": usmx.ElementwiseKernel(*expression),
        "c": found(lambda: cupy.ElementwiseKernel(*expression)),
        "two": numpy.float32(2),
    }
    for title, x, y, out in (
        ("a * x + y", "x", "y", "out"),
        ("a * x.T + y", "x.T", "y", "out"),
        ("a * x + y of [::2, ::2]", "x[::2, ::2]", "y[::2, ::2]", "out[::2, ::2]"),
    ):
        yield named(
            f"{title}, {side}^2 f4",
            matrices,
            ours=f"k(2.0, {x}, {y}, out={out}); out.wait()",
            of_cupy=f"c(two, {x}, {y}, {out})",
            **each,
        )
    for title, map_expression in (("sum", "x"), ("sum of squares", "x * x")):
        reduction = ("T x", "T y", map_expression, "a + b", "y = a", "0", "total")
        both = {
            "k": usmx.ReductionKernel(*reduction),
            "c": found(lambda reduction=reduction: cupy.ReductionKernel(*reduction)),
        }
        for axis in (None, 0, 1):
            yield named(
                f"{title}, axis {axis}, {side}^2 f4",
                matrices,
                ours=f"k(x, axis={axis}).wait()",
                of_cupy=f"x.sum(axis={axis})" if title == "sum" else f"c(x, axis={axis})",
                of_torch=f"x.sum({axis})" if title == "sum" else None,
                **both,
            )


def mathematics_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Functions of arrays: bound by memory, by arithmetic, and by the call."""
    side = 8192 // min(shrink, 16)
    order = 4096 // min(shrink, 16)
    count = (16 << 20) // shrink
    random = numpy.random.default_rng(46)

    def matrices() -> Arrays:
        x = random.random((side, side), "f4")
        return {"x": x, "y": x, "out": x}

    def numbers() -> Arrays:
        return {"x": random.random(count, "f4")}

    def few() -> Arrays:
        return {"x": numpy.ones(100, "f4"), "y": numpy.ones(100, "f4")}

    def factors() -> Arrays:
        x = random.random((order, order), "f4")
        return {"x": x, "y": x}

    for function in ("add", "multiply"):
        yield named(
            f"{function}, {side}^2 f4",
            matrices,
            ours=f"lib.{function}(x, y, out=out); out.wait()",
            of_torch=f"lib.{function}(x, y, out=out)",
            of_cupy=f"lib.{function}(x, y, out)",
        )
    for function in ("sin", "exp", "sqrt"):
        yield named(
            f"{function}, {side}^2 f4",
            matrices,
            ours=f"lib.{function}(x, out=out); out.wait()",
            of_torch=f"lib.{function}(x, out=out)",
            of_cupy=f"lib.{function}(x, out)",
        )
    for method in ("sum", "max", "mean", "argmax"):
        call = f"x.{method}()"
        yield named(
            f"{method}, {side}^2 f4",
            matrices,
            ours=f"{call}.wait()",
            of_torch=call,
            of_cupy=call,
        )
    yield named(
        f"sort, {count >> 20} Mi f4",
        numbers,
        ours="lib.sort(x).wait()",
        of_torch="lib.sort(x)",
        of_cupy="lib.sort(x)",
    )
    yield named(
        f"sum so far, {count >> 20} Mi f4",
        numbers,
        ours="lib.cumulative_sum(x).wait()",
        of_torch="lib.cumsum(x, 0)",
        of_cupy="lib.cumsum(x)",
    )
    yield named(
        f"x @ y, {order}^2 f4", factors, ours="(x @ y).wait()", of_torch="x @ y", of_cupy="x @ y"
    )
    yield named("x + y of 100 f4", few, ours="(x + y).wait()", of_torch="x + y", of_cupy="x + y")


def program_cases(shrink: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Programs of many calls, each waited for at its end only."""
    aim = Aim(ratio=1 / 0.9)
    for title, (run, arrays) in programs.inputs(min(shrink, 16)).items():
        code = f"run(lib, {', '.join(arrays())})"
        yield named(
            title,
            arrays,
            ours=f"{code}; lib.synchronize()",
            of_torch=code,
            of_cupy=code,
            aim=aim,
            run=run,
        )
    title, arrays = fused_program(min(shrink, 16))
    yield named(
        f"{title}, fused",
        arrays,
        ours="fused(spot, strike, years); lib.synchronize()",
        of_torch="compiled(spot, strike, years)",
        aim=Aim(ratio=1),
        fused=usmx.fuse(functools.partial(programs.black_scholes, usmx)),
        compiled=found(
            lambda: torch.compile(functools.partial(programs.black_scholes, torch), dynamic=False)
        ),
    )


def fused_program(shrink: int) -> tuple[str, Callable[[], Arrays]]:
    return next(
        (title, arrays)
        for title, (run, arrays) in programs.inputs(shrink).items()
        if run is programs.black_scholes
    )


def found(make: Callable[[], Any]) -> Any:
    """What a library makes; None where it is missing."""
    try:
        return make()
    except LibraryMissing:
        return None


def has_cuda() -> bool:
    return bool(found(lambda: torch.cuda.is_available()))


def peer_tensor() -> Any:
    """A small tensor of PyTorch on the GPU; None where there is none."""
    return torch.zeros((4, 5), device="cuda") if has_cuda() else None


def measure_all(quick: bool) -> Results:
    """Every case that has a peer here."""
    results = Results()
    cases = list(makers(quick))
    for title, make in tracked([(title, (title, make)) for title, make in cases]):
        case = make()
        if case.peers:
            results.rows += pairing.measure(case, pairing.QUICK if quick else FULL)
        else:
            results.left_out.append(title)
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 2 where there is no GPU, or nothing to compare with."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/gpu.py",
        description="Measures usmx on the default device, a GPU, beside PyTorch and CuPy.",
    )
    parser.add_argument("--quick", action="store_true", help="small arrays, short rounds")
    outputs.add_options(parser, json="write the times there", plot="draw the ratios there")
    options = outputs.parse(parser, arguments)
    devices = usmx.get_devices()
    if not devices or not usmx.SyclDevice().is_gpu:
        name = usmx.SyclDevice().name if devices else "none"
        print(f"gpu.py: the default device is not a GPU, but {name}", file=sys.stderr)
        return 2
    machine = report.machine()
    machine["packages"] |= {name: each for name in PEERS if (each := report.installed(name))}
    print(report.machine_text(machine), end="\n\n", flush=True)
    start = Clock.now()
    results = measure_all(options.quick)
    if not results.rows:
        print("gpu.py: needs PyTorch or CuPy: pip install torch cupy-cuda12x", file=sys.stderr)
        return 2
    print_records(report.HEADER, [report.cells(row) for row in results.rows], report.RIGHT)
    print(f"\n{report.summary(results.rows)}")
    if results.left_out:
        print(f"without a peer here: {', '.join(results.left_out)}")
    if options.json:
        seen = Noise.during(start, results.rows)
        effort = pairing.QUICK if options.quick else FULL
        values = report.values(results.rows, [], effort, machine, seen)
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        from bench import plot

        plot.figure_of(plot.bars_of(results.rows), []).savefig(options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
