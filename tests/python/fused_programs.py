"""Random functions for `usmx.fuse`, and the comparison of what they do with and without fusion."""

import contextlib
import random
import warnings

import numpy as np
import usmx
from usmx._compute.table import ROWS

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
# Of the two arrays, most often: each pair makes kernels of its own, without fusion too.
PAIRS = [
    ("f4", "f4"), ("f4", "f4"), ("f8", "f8"), ("i4", "i4"), ("i4", "f4"), ("i1", "i1"), ("u1", "i4"), ("i8", "f8"),
    ("u4", "u4"), ("f2", "f2"), ("i8", "i8"), ("c8", "f4"),
]  # fmt: skip
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]  # fmt: skip
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "<<=", ">>=", "&=", "|=", "^="]
NUMBERS = [
    "0", "1", "2", "-1", "-3", "7", "31", "100", "1000", "70000", "2**40", "2**63", "True", "False",
    "0.0", "-0.0", "1.0", "2.0", "0.5", "-1.5", "0.1", "3.7", "256.0", "1e10", "1e-40", "1e300",
    "inf", "-inf", "nan", "1j", "(2-1j)", "np.float32(0.1)", "np.float64(2)", "np.int8(-3)",
    "np.uint8(200)", "np.int64(5)", "np.float16(0.1)", "np.bool_(True)", "np.uint64(2**63)",
]  # fmt: skip
NAMES = {name: row for name, row in ROWS.items() if not row.conditions and name != "clip"}


class Program:
    """The source of a random function of two arrays, two numbers and a constant by name."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.elements = ["x", "y"]
        self.numbers = ["s", "t", "k"]
        lines = [self.line() for _ in range(self.random.randint(1, 6))]
        result = self.element()
        if self.random.random() < 0.1:
            result = f"{result}.{self.random.choice(['max', 'any', 'argmin'])}()"
        lines.append(f"return {result}")
        body = "".join(f"    {line}\n" for line in lines)
        self.source = f"def f(x, y, s, t, k=0):\n{body}"

    def function(self):
        """The function."""
        names = {"np": np, "usmx": usmx, "inf": np.inf, "nan": np.nan}
        exec(compile(self.source, "<program>", "exec"), names)
        return names["f"]

    def line(self):
        """A statement."""
        chance = self.random.random()
        if chance < 0.08:
            return self.named(self.random.choice(self.elements))
        if chance < 0.2:
            operator = self.random.choice(IN_PLACE)
            return f"{self.random.choice(self.elements)} {operator} {self.operand()}"
        if chance < 0.28:
            name, row = self.row(2)
            module, name = self.random.choice([("usmx", name), ("np", row.numpy)])
            out = self.random.choice(self.elements)
            return f"{module}.{name}({self.element()}, {self.operand()}, out={out})"
        if chance < 0.34:
            name = f"n{len(self.numbers)}"
            operator = self.random.choice(BINARY[:7])
            line = f"{name} = {self.number()} {operator} {self.number()}"
            self.numbers.append(name)
            return line
        return self.named(self.expression())

    def named(self, expression):
        """An assignment, to a name that there is or to a new one."""
        name = f"v{len(self.elements)}"
        if self.random.random() < 0.3:
            name = self.random.choice(self.elements)
        else:
            self.elements.append(name)
        return f"{name} = {expression}"

    def expression(self):
        """A call of something."""
        chance = self.random.random()
        if chance < 0.3:
            pair = [self.element(), self.operand()]
            self.random.shuffle(pair)
            return f"{pair[0]} {self.random.choice(BINARY)} {pair[1]}"
        if chance < 0.36:
            return f"{self.random.choice(['-', '+', '~', 'abs'])}({self.element()})"
        if chance < 0.5:
            return f"{self.element()}.astype('{self.random.choice(TYPES)}')"
        if chance < 0.6:
            where = self.random.choice(["usmx.where", "np.where"])
            condition = f"{self.element()} {self.random.choice(BINARY[12:])} {self.operand()}"
            condition = self.random.choice([condition, self.element()])
            return f"{where}({condition}, {self.operand()}, {self.operand()})"
        if chance < 0.66:
            bounds = f"{self.operand()}, {self.operand()}"
            return f"{self.random.choice(['usmx', 'np'])}.clip({self.element()}, {bounds})"
        if chance < 0.7:
            return f"usmx.round({self.element()}, {self.random.randint(-2, 3)})"
        if chance < 0.74:
            name, _ = self.row(1)
            return f"{self.element()} * usmx.{name}({self.number()})"
        if chance < 0.87:
            name, row = self.row(1)
            name = self.random.choice([f"usmx.{name}", f"np.{row.numpy}"])
            return f"{name}({self.element()})"
        name, row = self.row(2)
        name = self.random.choice([f"usmx.{name}", f"np.{row.numpy}"])
        return f"{name}({self.element()}, {self.operand()})"

    def row(self, count):
        """A function of so many operands."""
        names = [name for name, row in NAMES.items() if len(row.operands) == count]
        name = self.random.choice(names)
        return name, NAMES[name]

    def element(self):
        """A name of elements, often one of the latest."""
        return self.random.choice([*self.elements, *self.elements[-2:]])

    def number(self):
        """A number, or a name of one."""
        return self.random.choice([*self.numbers, *self.random.sample(NUMBERS, 3)])

    def operand(self):
        """Either."""
        return self.element() if self.random.random() < 0.6 else self.number()


def values(chosen, dtype, count):
    """Special values and random ones of a type."""
    dtype = np.dtype(dtype)
    generator = np.random.default_rng(chosen.randrange(2**32))
    if dtype.kind == "b":
        return generator.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        special = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype)
        near = generator.integers(max(limits.min, -9), 10, count).astype(dtype)
        far = generator.integers(limits.min, limits.max, count, dtype, endpoint=True)
        pool = np.concatenate([special, near, far])
    else:
        special = np.array(
            [0.0, -0.0, 1, -1, 0.5, -2.5, 256, 300.7, 70000, 2.0**31, -(2.0**31), 2.0**63, 1e-42,
             2.0**64, 65504, 1e-5, np.inf, -np.inf, np.nan, 1e300, 3e9, -3.5],
        )  # fmt: skip
        pool = np.concatenate(
            [special, generator.normal(size=count) * 10.0 ** generator.integers(-3, 5, count)]
        )
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            pool = pool.astype(dtype) + generator.permutation(pool).astype(dtype) * 1j
        return generator.permutation(pool).astype(dtype)[:count]


def arguments(chosen):
    """Two arrays, two numbers and a constant, and how the arrays lie in memory."""
    dtypes = chosen.choice(PAIRS) if chosen.random() < 0.9 else chosen.choices(TYPES, k=2)
    shapes = chosen.choice(
        [((40,), (40,)), ((40,), (40,)), ((3000,), (3000,)), ((3, 17), (17,)), ((4, 1), (1, 9)), ((5,), ()), ((0, 3), (3,))]
    )  # fmt: skip
    arrays = [
        values(chosen, dtype, int(np.prod(shape, dtype=int))).reshape(shape)
        for dtype, shape in zip(dtypes, shapes, strict=True)
    ]
    names = {"np": np, "inf": np.inf, "nan": np.nan}
    numbers = [eval(chosen.choice(NUMBERS), names) for _ in range(3)]
    return arrays, numbers, chosen.choice(["device", "shared"])


def called(function, given):
    """The result, and the arrays as the function leaves them; or the class of what it raised."""
    arrays, (s, t, k), usm_type = given
    operands = [usmx.asarray(each, usm_type=usm_type) for each in arrays]
    try:
        result = function(*operands, s, t, k=k)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError, AttributeError) as error:
        return error
    if not isinstance(result, (usmx.USMArray)):
        return TypeError(f"no array: {result!r}")
    place = next((place for place, each in enumerate(operands) if each is result), None)
    return [usmx.asnumpy(result), *map(usmx.asnumpy, operands)], place


def is_same(a, b):
    """Whether type, shape and bits are the same, but for those of NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return is_same(a.real, b.real) and is_same(a.imag, b.imag)
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    bits = f"V{a.itemsize}"
    return bool(np.all((a.view(bits) == b.view(bits)) | ((a != a) & (b != b))))


def compared(seed, count):
    """Compare a program for so many lists of arguments. Gives what happened, or a difference."""
    program = Program(seed)
    function = program.function()
    fused = usmx.fuse(function)
    chosen = random.Random(seed)
    happened = []
    for _ in range(count):
        given = arguments(chosen)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plain, found = called(function, given), called(fused, given)
        if isinstance(plain, Exception) and isinstance(found, Exception):
            happened.append("refused by both")
        elif isinstance(found, TypeError):
            happened.append(f"refused: {found}")
        elif (
            isinstance(plain, Exception)
            or isinstance(found, Exception)
            or plain[1] != found[1]
            or not all(map(is_same, plain[0], found[0]))
        ):
            return happened, (program.source, given, plain, found)
        else:
            happened.append("equal")
    return happened, None


def told(difference):
    """A difference in words."""
    source, (arrays, numbers, usm_type), plain, found = difference
    text = [source, f"{numbers} {usm_type} {[(each.dtype, each.shape) for each in arrays]}"]
    if isinstance(plain, Exception) or isinstance(found, Exception):
        return "\n".join([*text, f"plain {plain!r}"[:400], f"fused {found!r}"[:400]])
    for name, a, b in zip(("result", "x", "y"), plain[0], found[0], strict=True):
        if not is_same(a, b):
            text.append(f"{name} plain {a.dtype} {a.shape}, fused {b.dtype} {b.shape}")
            with contextlib.suppress(Exception):
                wrong = np.flatnonzero(
                    [not is_same(p, q) for p, q in zip(a.ravel(), b.ravel(), strict=True)]
                )
                for at in wrong[:4]:
                    inputs = [np.broadcast_to(each, a.shape).ravel()[at] for each in arrays]
                    text.append(f"  of {inputs}: plain {a.ravel()[at]!r}, fused {b.ravel()[at]!r}")
    return "\n".join([*text, f"returned {plain[1]} {found[1]}"])
