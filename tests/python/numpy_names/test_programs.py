"""Short public-style programs, each run once with NumPy and once with usmx as `np`."""

import numpy
import pytest
import usmx

# Each leaves its results in `result`. What they draw at random comes from NumPy's generator, so
# that both draw the same; the others' own numbers are compared by what follows from them.
PROGRAMS = {
    "heat": """
u = np.zeros((24, 24))
u[0, :] = 100.0
for _ in range(30):
    new = np.array(u)
    new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    if np.allclose(new, u, atol=1e-9):
        break
    u = new
result = u, np.gradient(u), np.trapezoid(u, dx=0.5, axis=0)
""",
    "ising": """
n = 16
spins = np.where(np.array(draw.random((n, n))) < 0.5, 1, -1)
i, j = np.indices((n, n))
black = np.mod(i + j, 2) == 0
energies = []
for step in range(6):
    for colour in (black, ~black):
        around = sum(np.roll(spins, k, axis=a) for k in (1, -1) for a in (0, 1))
        flips = np.array(draw.random((n, n))) < np.exp(-2 * 0.4 * spins * around)
        spins = np.where(np.logical_and(colour, flips), -spins, spins)
    energies.append(float(-np.sum(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)))))
result = spins, np.array(energies), np.abs(np.mean(spins))
""",
    "k-means": """
points = np.concatenate([np.array(draw.normal(c, 0.3, (40, 2))) for c in (-2, 0, 3)])
centers = points[np.array([0, 40, 80])]
for _ in range(5):
    distances = np.sqrt(((points[:, np.newaxis, :] - centers[np.newaxis]) ** 2).sum(axis=2))
    labels = np.argmin(distances, axis=1)
    centers = np.stack([points[labels == k].mean(axis=0) for k in range(3)])
result = centers, labels, np.bincount(labels), np.unique(labels, return_counts=True)
""",
    "pagerank": """
links = np.array(draw.random((12, 12))) < 0.3
np.fill_diagonal(links, False)
out = np.maximum(links.sum(axis=1), 1)
transition = (links / out[:, None]).T
rank = np.full(12, 1 / 12)
for _ in range(40):
    rank = 0.85 * np.dot(transition, rank) + 0.15 / 12
    rank /= rank.sum()
result = rank, np.argsort(-rank), np.flatnonzero(rank > np.median(rank))
""",
    "neural network": """
x = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.float64)
y = np.array([[0, 1, 1, 0]]).T
w0 = 2 * np.array(draw.random((3, 6))) - 1
w1 = 2 * np.array(draw.random((6, 1))) - 1
for _ in range(200):
    hidden = 1 / (1 + np.exp(-np.dot(x, w0)))
    found = 1 / (1 + np.exp(-np.dot(hidden, w1)))
    delta = (y - found) * found * (1 - found)
    w0 += x.T.dot(delta.dot(w1.T) * hidden * (1 - hidden))
    w1 += np.dot(hidden.T, delta)
result = w0, w1, np.around(found, 6)
""",
    "options": """
strikes = np.linspace(80, 120, 9)
normal = np.array(draw.standard_normal((9, 400)))
ends = 100 * np.exp((0.05 - 0.5 * 0.2**2) + 0.2 * normal)
payoff = np.maximum(ends - strikes[:, None], 0) * np.exp(-0.05)
result = np.mean(payoff, axis=1), np.std(payoff, axis=1, ddof=1), np.percentile(payoff, [5, 50, 95], axis=1)
""",
    "pi": """
np.random.seed(1)
x, y = np.random.rand(40_000), np.random.uniform(0, 1, 40_000)
inside = np.count_nonzero(x**2 + y**2 < 1)
result = np.around(4 * inside / 40_000, 1), np.isclose(np.random.randn(20_000).mean(), 0, atol=0.05)
""",
    "sobel": """
image = np.array(draw.random((20, 30)))
kernel = np.outer([1, 2, 1], [-1, 0, 1])
padded = np.pad(image, 1)
gx = np.zeros_like(image)
gy = np.zeros_like(image)
for i in range(3):
    for j in range(3):
        part = padded[i : i + 20, j : j + 30]
        gx += kernel[i, j] * part
        gy += kernel.T[i, j] * part
edges = np.hypot(gx, gy)
result = edges, np.arctan2(gy, gx), np.histogram(edges, bins=8, range=(0, 6)), np.angle(gx + 1j * gy)
""",
    "game of life": """
board = np.zeros((12, 12), dtype=int)
board[4, 3:6] = 1
board[np.r_[6:9], np.r_[6:9]] = 1
for _ in range(5):
    around = sum(np.roll(np.roll(board, a, 0), b, 1) for a in (-1, 0, 1) for b in (-1, 0, 1)) - board
    board = np.logical_or(around == 3, np.logical_and(board == 1, around == 2)).astype(np.int_)
result = board, np.argwhere(board), np.packbits(board, axis=1)
""",
    "mandelbrot": """
y, x = np.ogrid[-1.2:1.2:24j, -2:0.5:30j]
c = x + 1j * y
z = np.zeros(c.shape, dtype=complex)
count = np.zeros(c.shape, dtype=int)
for k in range(15):
    alive = np.less_equal(np.absolute(z), 2)
    z = np.where(alive, z * z + c, z)
    count += alive
result = count, np.cumsum(np.bincount(count.ravel())), np.mgrid[0:3, 0:2]
""",
    "n-body": """
pos, vel = np.array(draw.normal(size=(8, 3))), np.zeros((8, 3))
mass = np.ones((8, 1)) / 8
for _ in range(10):
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    inv = np.power(np.sum(d**2, axis=-1) + 0.01, -1.5)
    vel += 0.01 * (d * inv[:, :, None] * mass[None, :, :]).sum(axis=1)
    pos += 0.01 * vel
result = pos, np.cross(pos, vel).sum(axis=0), np.average(pos, axis=0, weights=mass[:, 0])
""",
    "statistics": """
data = np.array(draw.normal(10, 3, (6, 50)))
data[0, 3] = np.nan
clean = np.nan_to_num(data, nan=10.0)
fit = np.polyfit(np.arange(50), clean[1], 2)
smooth = np.convolve(clean[2], np.hanning(7) / np.hanning(7).sum(), mode="same")
result = (
    np.nanmean(data, axis=1), np.nanstd(data), np.cov(clean), np.corrcoef(clean), np.polyval(fit, 3.0),
    smooth, np.interp([0.5, 7.2], np.arange(50), clean[3]), np.digitize(clean[4], [8, 10, 12]),
    np.quantile(clean, 0.9, axis=0), np.unravel_index(np.argmax(clean), clean.shape),
)
""",
    "minimum paths": """
weights = np.array(draw.random((7, 7)))
np.fill_diagonal(weights, 0)
for k in range(7):
    weights = np.minimum(weights, np.add.outer(weights[:, k], weights[k, :]))
result = weights, np.minimum.reduce(weights, axis=1), np.maximum.accumulate(weights, axis=0)
""",
    "numpy-100, basics": """
z = np.zeros(10)
z[4] = 1
v = np.arange(10, 50)[::-1]
m = np.arange(9).reshape(3, 3)
border = np.ones((5, 5))
border[1:-1, 1:-1] = 0
padded = np.pad(np.ones((3, 3)), pad_width=1, mode="constant", constant_values=0)
board = np.zeros((8, 8), dtype=int)
board[1::2, ::2] = 1
board[::2, 1::2] = 1
tiled = np.tile(np.array([[0, 1], [1, 0]]), (4, 4))
r = np.array(draw.random((5, 5)))
scaled = (r - np.mean(r)) / (np.std(r))
w = np.arange(11)
w[(3 < w) & (w < 8)] *= -1
result = (
    z, v, m, np.nonzero([1, 2, 0, 0, 4, 0]), border, padded, np.diag(1 + np.arange(4), k=-1), board,
    np.unravel_index(99, (6, 7, 8)), tiled, scaled, np.ones((5, 3)) @ np.ones((3, 2)), w,
    np.sum(range(5), -1), np.intersect1d([1, 2, 3], [2, 3, 5]), np.float32(0.1) * 3, np.trunc(r * 10),
    np.linspace(0, 1, 11, endpoint=False)[1:], np.copysign(np.ceil(np.abs(r)), r - 0.5),
)
""",
    "numpy-100, indices": """
a = np.array(draw.integers(0, 10, 10))
z = np.arange(100)
value = 42.3
near = z[(np.abs(z - value)).argmin()]
points = np.array(draw.random((10, 2)))
x, y = np.atleast_2d(points[:, 0], points[:, 1])
distances = np.sqrt((x - x.T) ** 2 + (y - y.T) ** 2)
counted = np.bincount(np.array([0, 2, 2, 1]), minlength=5)
added = np.ones(10)
np.add.at(added, [1, 1, 5], 1)
f = np.bincount(np.array([1, 3, 9, 3, 4, 1]), weights=np.array([1, 2, 3, 4, 5, 6]))
rows = np.array(draw.integers(0, 10, (3, 3)))
swapped = np.arange(25).reshape(5, 5)
swapped[[0, 1]] = swapped[[1, 0]]
cumulated = np.cumsum(np.arange(10.0))
moving = (cumulated[3:] - cumulated[:-3]) / 3
ranks = np.array(draw.random(20)).argsort().argsort()
blocks = np.add.reduceat(np.add.reduceat(np.ones((16, 16)), np.arange(0, 16, 4), axis=0),
                         np.arange(0, 16, 4), axis=1)
cube = np.array(draw.integers(0, 10, (3, 4, 3, 4))).sum(axis=(-2, -1))
result = (
    a.argmax(), near, distances, counted, added, f, rows[rows[:, 1].argsort()], swapped, moving, ranks,
    blocks, cube, np.sort(rows, axis=None), np.diag(np.dot(rows, rows.T)), np.einsum("ij,ji->i", rows, rows.T),
    np.unique(np.array([[1, 2], [1, 2], [3, 4]]), axis=0), np.array([3, 1, 2])[np.argsort(-np.array([3, 1, 2]))],
    np.lib.stride_tricks.sliding_window_view(np.arange(14), window_shape=4), np.meshgrid([1, 2], [3, 4]),
    np.unpackbits(np.array([[3], [5]], dtype=np.uint8), axis=1), np.vstack([[1, 2], [3, 4]]), np.median([3, 1, 2]),
)
""",
    "npbench": """
n = 12
A = np.array(draw.random((n, n)))
x, y = np.array(draw.random(n)), np.array(draw.random(n))
spd = A @ A.T + n * np.eye(n)
Q, R = A.copy(), np.zeros_like(A)
for k in range(n):  # gramschmidt
    R[k, k] = np.sqrt(np.dot(Q[:, k], Q[:, k]))
    Q[:, k] = Q[:, k] / R[k, k]
    R[k, k + 1:] = Q[:, k] @ Q[:, k + 1:]
    Q[:, k + 1:] -= np.outer(Q[:, k], R[k, k + 1:])
low = spd.copy()
for i in range(n):  # cholesky
    low[i, i] = np.sqrt(low[i, i] - np.dot(low[i, :i], low[i, :i]))
    for j in range(i + 1, n):
        low[j, i] = (low[j, i] - np.dot(low[j, :i], low[i, :i])) / low[i, i]
data = (A - np.mean(A, axis=0)) / (np.sqrt(n) * np.std(A, axis=0))
result = (
    Q, R, np.tril(low), data.T @ data, (A @ x) @ A, x @ A + y, np.outer(x, y) + A, np.maximum(A, 0.5),
    np.exp(A - np.max(A, axis=-1, keepdims=True)) / np.sum(np.exp(A), axis=1)[:, None],
    np.histogram(x, bins=4), np.linalg.solve(spd, x), np.roll(A, 1, axis=0)[1:-1], np.arctan2(x, y),
)
""",
}
LONG = ("numpy-100, basics", "numpy-100, indices", "npbench")  # these call many kernels


def results_of(text, module):
    names = {"np": module, "draw": numpy.random.default_rng(5)}
    exec(text, names)
    return names["result"]


def flat(result):
    if isinstance(result, (tuple, list)):
        return [each for part in result for each in flat(part)]
    return [result]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in PROGRAMS],
)
def test_program_gives_the_same_with_usmx(name):
    expected, found = (flat(results_of(PROGRAMS[name], module)) for module in (numpy, usmx))
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        host = usmx.asnumpy(mine) if isinstance(mine, usmx.USMArray) else mine
        assert numpy.shape(host) == numpy.shape(theirs)
        numpy.testing.assert_allclose(host, theirs, rtol=1e-7, atol=1e-9)
