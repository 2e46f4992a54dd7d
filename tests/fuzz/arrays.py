"""Random programs on arrays of usmx, beside the same programs of NumPy: every number has to be the same.

    python tests/fuzz/arrays.py [--seed N] [--seconds S] [--devices FILTER,...]

A program makes arrays of all types, kinds and layouts on the devices, takes views, starts copies and kernels without
waiting, and looks at some array now and then. Arrays with views share memory, in usmx as in NumPy, so an order of work
that is not kept shows. Prints how many steps it made; a difference ends it with the steps that led to it.
"""

import argparse
import random
import time
import warnings

import numpy as np
import usmx

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
NUMBERS = [t for t in TYPES if t not in "?c8c16"]
LARGEST = 50  # every type holds the numbers up to here exactly, and so every conversion is exact
KEPT = 24  # arrays at a time


class Difference(AssertionError):
    """An array that is not what NumPy has."""


class Program:
    """A random program: pairs of an array of usmx and NumPy's, and the steps so far."""

    def __init__(self, seed, devices):
        self.choose = random.Random(seed)
        self.devices = devices
        self.pairs = []
        self.steps = []
        self.plus = usmx.ElementwiseKernel("T x, U z", "T y", "y = x + T(z)", "plus")
        self.total = usmx.ReductionKernel("T x", "int64 y", "(long long)x", "a + b", "y = a", 0)
        self.steps_of = [
            (self.make, 3),
            (self.view, 5),
            (self.copy_between, 6),
            (self.copy_to_a_device, 2),
            (self.set_part, 3),
            (self.set_by_mask, 2),
            (self.set_by_places, 2),
            (self.gather, 2),
            (self.compress, 2),
            (self.compute, 4),
            (self.reduce, 2),
            (self.own_kernels, 2),
            (self.look, 2),
        ]

    # ---- steps

    def make(self):
        shape = tuple(
            self.choose.choice([0, 1, 2, 3, 5, 8, 17, 33]) for _ in range(self.choose.randrange(4))
        )
        if self.choose.random() < 0.1:
            shape = (self.choose.choice([4097, 65537]),)
        numbers = self.numbers(shape, self.choose.choice(TYPES))
        self.keep(
            usmx.asarray(
                numbers,
                usm_type=self.choose.choice(["device", "shared", "host"]),
                device=self.choose.choice(self.devices),
                order=self.choose.choice("CF"),
            ),
            numbers,
        )

    def view(self):
        a, n = self.pick()
        key = tuple(self.part_of(extent) for extent in n.shape)
        axes = self.choose.sample(range(n.ndim), n.ndim)
        self.keep(a[key].transpose(axes), n[*key, ...].transpose(axes))  # NumPy's n[()] is a copy

    def copy_between(self):
        to, n_to = self.pick()
        source, n_source = self.fitting(n_to)
        if source is None or np.shares_memory(n_to, n_source):
            return
        if self.choose.random() < 0.5 and np.can_cast(n_source.dtype, n_to.dtype, "same_kind"):
            usmx.copy_async(to, source)
        else:
            usmx.copyto(to, source, casting="unsafe")
        np.copyto(n_to, n_source, casting="unsafe")

    def copy_to_a_device(self):
        a, n = self.pick()
        self.keep(usmx.asarray(a, copy=True, device=self.choose.choice(self.devices)), n.copy())

    def set_part(self):
        a, n = self.pick()
        key = tuple(self.part_of(extent) for extent in n.shape)
        value = self.choose.randrange(2 if n.dtype == bool else LARGEST)
        a[key] = value
        n[key] = value

    def set_by_mask(self):
        a, n = self.pick()
        if n.ndim == 0:
            return
        mask = self.numbers(n.shape, "?")
        a[self.beside(mask, a)] = 1
        n[mask] = 1

    def set_by_places(self):
        a, n = self.pick()
        if n.ndim == 0 or n.shape[0] == 0:
            return
        places = np.array(self.choose.sample(range(n.shape[0]), min(n.shape[0], 9)))
        values = self.numbers((len(places), *n.shape[1:]), n.dtype)
        a[self.beside(places, a)] = self.beside(values, a)
        n[places] = values

    def gather(self):
        a, n = self.pick()
        if n.ndim == 0 or n.shape[-1] == 0:
            return
        places = np.array(
            [
                self.choose.randrange(-n.shape[-1], n.shape[-1])
                for _ in range(self.choose.randrange(40))
            ],
            "i8",
        )
        self.keep(a[..., self.beside(places, a)], n[..., places])

    def compress(self):
        a, n = self.pick()
        if n.ndim:
            mask = self.numbers(n.shape, "?")
            self.keep(a[self.beside(mask, a)], n[mask])

    def compute(self):
        a, n = self.pick()
        b, m = self.fitting(n)
        if b is None or b.sycl_queue != a.sycl_queue or "c" in n.dtype.kind + m.dtype.kind:
            return
        name = self.choose.choice(["add", "maximum", "minimum", "less", "equal", "not_equal"])
        if np.result_type(n, m) != usmx.result_type(a, b):
            return  # NumPy and the array API mix some types in their own ways
        if name == "add":  # numbers stay small
            one = n.dtype.type(1)
            result = usmx.astype(usmx.minimum(usmx.add(a, b), 1), n.dtype)
            expected = np.minimum(np.add(n, m).astype(n.dtype), one)
        else:
            result, expected = getattr(usmx, name)(a, b), getattr(np, name)(n, m)
        self.keep(result, expected)

    def reduce(self):
        a, n = self.pick()
        if n.dtype.kind not in "iu" or n.ndim == 0 or n.size == 0:
            return
        axis = self.choose.choice([None, *range(n.ndim)])
        name = self.choose.choice(
            ["sum", "max", "min", "argmax", "sort", "cumulative_sum", "count_nonzero"]
        )
        if name in ("sort", "cumulative_sum"):
            axis = axis or 0
            expected = np.sort(n, axis=axis) if name == "sort" else np.cumsum(n, axis=axis)
            if name == "cumulative_sum" and (n.shape[axis] > 1000):
                return
        else:
            expected = getattr(np, name)(n, axis=axis)
        result = getattr(usmx, name)(a, axis=axis)
        self.same(result, np.asarray(expected), values_only=True)
        if name == "sort":
            self.keep(result, expected)

    def own_kernels(self):
        a, n = self.pick()
        b, m = self.fitting(n)
        if (
            b is None
            or n.dtype.kind not in "iuf"
            or m.dtype.kind not in "iuf"
            or b.sycl_queue != a.sycl_queue
        ):
            return
        if n.dtype.itemsize * m.dtype.itemsize < 16 or n.size == 0:
            return  # each pair of types is compiled once: not too many of them
        zero = usmx.zeros_like(a)
        self.keep(
            self.plus(zero, b) if b.shape == a.shape else self.plus(zero, b, zero),
            np.broadcast_to(m.astype(n.dtype), n.shape).copy(),
        )
        if n.dtype == np.int64:
            self.same(self.total(a), np.asarray(n.sum()))

    def look(self):
        self.same(*self.pick())

    # ---- parts of steps

    def numbers(self, shape, dtype):
        made = np.random.default_rng(self.choose.randrange(2**32)).integers(
            0, 2 if np.dtype(dtype) == bool else LARGEST, shape
        )
        return made.astype(dtype)

    def part_of(self, extent):
        start, stop = sorted(self.choose.randrange(extent + 1) for _ in range(2))
        kind = self.choose.randrange(4)
        if kind == 0:
            return slice(None)
        if kind == 1:
            return slice(None, None, -1)
        return slice(start, stop, self.choose.choice([1, 1, 2, 3]))

    def pick(self):
        if not self.pairs:
            self.make()
        return self.choose.choice(self.pairs)

    def fitting(self, n):
        """Some pair that broadcasts to the shape of n, or none."""
        all_of_them = []
        for a, m in self.pairs:
            try:
                if np.broadcast_shapes(m.shape, n.shape) == n.shape:
                    all_of_them.append((a, m))
            except ValueError:
                pass
        return self.choose.choice(all_of_them) if all_of_them else (None, None)

    def beside(self, numbers, a):
        """An array of those numbers on the queue of a."""
        return usmx.asarray(numbers, sycl_queue=a.sycl_queue)

    def keep(self, a, n):
        n = np.asarray(n)
        if n.dtype != a.dtype or n.shape != a.shape:
            raise Difference(f"{a.dtype}{a.shape} instead of {n.dtype}{n.shape}\n" + self.story())
        if len(self.pairs) >= KEPT:
            self.same(*self.pairs.pop(self.choose.randrange(KEPT)))
        self.pairs.append((a, n))

    def same(self, a, n, values_only=False):
        got = usmx.asnumpy(a)
        if (
            got.shape != n.shape
            or not np.array_equal(got, n)
            or not (values_only or got.dtype == n.dtype)
        ):
            raise Difference(f"{got!r}\ninstead of\n{n!r}\n" + self.story())

    def story(self):
        return "after " + ", ".join(self.steps[-60:])

    def step(self):
        steps, weights = zip(*self.steps_of, strict=True)
        (chosen,) = self.choose.choices(steps, weights)
        self.steps.append(chosen.__name__)
        chosen()

    def end(self):
        for pair in self.pairs:
            self.same(*pair)


def run(seed, devices, steps):
    """Makes that many steps of the program of a seed."""
    program = Program(seed, devices)
    for _ in range(steps):
        program.step()
    program.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--devices", help="filters, as cuda:gpu:0,cuda:gpu:1 (the default device)")
    options = parser.parse_args()
    names = options.devices.split(",") if options.devices else [None]
    devices = [usmx.SyclDevice(*([name] if name else [])) for name in names]
    warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
    until, seed = time.monotonic() + options.seconds, options.seed
    while time.monotonic() < until:
        try:
            run(seed, devices, 400)
        except Exception as error:
            raise SystemExit(f"seed {seed}: {type(error).__name__}: {error}") from error
        seed += 1
    print(f"{seed - options.seed} programs of 400 steps from seed {options.seed}: no difference")


if __name__ == "__main__":
    main()
