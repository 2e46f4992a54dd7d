"""Random functions for `usmx.fuse`, and the comparison of what they do with and without fusion."""

import contextlib
import random
import warnings
from struct import pack

import numpy as np
import usmx
from usmx._compute.call import cpp, preamble
from usmx._compute.fusion import Element, Trace
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
VALUES = {"np": np, "inf": np.inf, "nan": np.nan}
ERRORS = (TypeError, ValueError, OverflowError, ZeroDivisionError, AttributeError)
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
        names = {"usmx": usmx} | VALUES
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
            operator = self.random.choice(BINARY[:6])  # Python takes years for 70000 ** 2**40
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
    numbers = [eval(chosen.choice(NUMBERS), VALUES) for _ in range(3)]
    return arrays, numbers, chosen.choice(["device", "shared"])


def called(function, given):
    """The result, and the arrays as the function leaves them; or the class of what it raised."""
    arrays, (s, t, k), usm_type = given
    operands = [usmx.asarray(each, usm_type=usm_type) for each in arrays]
    try:
        result = function(*operands, s, t, k=k)
    except ERRORS as error:
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


# ---- many programs in one kernel: a compiler takes about as long for it as for three kernels


class Together:
    """A kernel of the lines that `usmx.fuse` makes of functions, which take numbers from an array."""

    most = 17

    def __init__(self, dtypes):
        self.dtypes = [np.dtype(dtype) for dtype in dtypes]
        self.numbers, self.outputs, self.blocks = [], [], []

    def add(self, function, numbers):
        """Where the function's result, and what it leaves in its arguments, are found."""
        s, t, k = numbers
        trace = Trace(usmx.default_queue().sycl_device)
        arguments = [trace.argument(place, dtype) for place, dtype in enumerate(self.dtypes)]
        with trace:
            result = function(*arguments, s, t, k=k)
        if not isinstance(result, Element) or not trace.values[result.name].arrays:
            raise TypeError("no element")
        roots = (result, *arguments)
        if len(self.outputs) + len({each.name for each in roots} - {"p0", "p1"}) > self.most:
            raise OverflowError("no room")
        made = {name: name for name in ("p0", "p1")}
        for each in roots:
            if each.name not in made:
                made[each.name] = self._block(trace, each)
        return [made[each.name] for each in roots]

    def _block(self, trace, element):
        lines = []
        for name, value in trace.needed(element.name):
            if name[0] == "n":
                part = "numbers[{}]".format
                number, at = value.argument, len(self.numbers)
                self.numbers += [number] if value.dtype.kind != "c" else [number.real, number.imag]
                kind = "long" if value.dtype.kind in "biu" else "double"
                parts = [
                    f"__builtin_bit_cast({kind}, {part(i)})" for i in range(at, len(self.numbers))
                ]
                lines.append(
                    f"const {cpp(value.dtype)} {name} = {cpp(value.dtype)}({', '.join(parts)});\n"
                )
            lines.append(value.text)
        output = f"out{len(self.outputs)}"
        self.outputs.append((element.dtype, output))
        self.blocks.append(f"{{\n{''.join(lines)}{output} = {element.name};\n}}\n")
        return output

    def compile(self):
        """Make the kernel."""
        inputs = ", ".join(f"{dtype} p{place}" for place, dtype in enumerate(self.dtypes))
        self.kernel = usmx.ElementwiseKernel(
            f"{inputs}, int32 zero, raw int64 numbers",
            ", ".join(f"{dtype} {name}" for dtype, name in self.outputs),
            "".join(self.blocks),
            preamble=preamble(),
        )
        bits = [
            pack("d", each) if isinstance(each, float) else pack("Q", each % 2**64)
            for each in self.numbers
        ]
        self.bits = usmx.asarray(np.frombuffer(b"".join(bits) or bytes(8), "i8"))

    def run(self, arrays):
        """All results by their names."""
        operands = [usmx.asarray(each) for each in arrays]
        found = self.kernel(*operands, 0, self.bits)
        found = found if isinstance(found, tuple) else (found,)
        names = [name for _, name in self.outputs]
        return dict(zip(("p0", "p1", *names), map(usmx.asnumpy, (*operands, *found)), strict=True))


def compared_together(seed):
    """Compare programs for some types and numbers, for short and for long arrays.

    Gives how many were compared, how many fuse alone refuses, and a difference.
    """
    chosen = random.Random(seed)
    dtypes = chosen.choice(PAIRS) if chosen.random() < 0.9 else chosen.choices(TYPES, k=2)
    numbers = [eval(chosen.choice(NUMBERS), VALUES) for _ in range(3)]
    together, programs, refused = Together(dtypes), [], 0
    given = [
        ([values(chosen, dtype, size) for dtype in dtypes], numbers, "device")
        for size in (40, 3000)
    ]
    while len(together.outputs) < together.most - 2:
        program = Program(chosen.randrange(2**60))
        function = program.function()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plain = [called(function, each) for each in given]
            try:
                places = together.add(function, numbers)
            except ERRORS:
                refused += isinstance(plain[0], tuple) and plain[0][0][0].ndim > 0
                continue
        if isinstance(plain[0], Exception):
            return len(programs), refused, (program.source, given[0], plain[0], ([], None))
        programs.append((program.source, places, plain))
    together.compile()
    for at, each in enumerate(given):
        outputs = together.run(each[0])
        for source, places, plain in programs:
            found = [outputs[place] for place in places]
            if not all(map(is_same, plain[at][0], found)):
                return len(programs), refused, (source, each, plain[at], (found, None))
    return len(programs), refused, None
