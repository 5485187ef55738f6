"""Memory, stamps, trails and crowds led by layers, against the ways that people write them
today.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import cKDTree

import fieldcraft as fc
from bench import machine
from bench.opponents import MissingCompilerError, compiled
from bench.race import Times, nothing, race, repeats, say
from bench.table import Report, Table, at_least, milliseconds, target, times
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation import Diffuse, Fade, Stamp, Trail
from fieldcraft.steering import Deposit, Swarm, Walk

COLUMNS = (
    "case",
    "fieldcraft best ms",
    "median",
    "opponent",
    "its best ms",
    "fieldcraft is, best",
    "median",
    "required",
    "verdict",
)
MEMORY = 4096
PATCH = 64
PATCHES = 41
TICKS = 20
STAMPS = 10_000
TRAIL = 2048
DIFFUSE = 1024
AGENTS = 100_000
FIELD = 512


def add_row(
    table: Table, title: str, own: Times, words: str, other: Times, required: float | None
) -> None:
    ratio = other.best / own.best
    table.add(
        title,
        milliseconds(own.best),
        milliseconds(own.median),
        words,
        milliseconds(other.best),
        times(ratio),
        times(other.median / own.median),
        target(required),
        at_least(ratio, required),
    )


def batches(
    runs: dict[str, tuple[Callable[[], None], Callable[[], None]]], rounds: int, steps: int = 1
) -> dict[str, Times]:
    for prepare, run in runs.values():
        prepare()
        run()
    return race(runs, steps, dict.fromkeys(runs, rounds))


def repeated(run: Callable[[], None], count: int) -> Callable[[], None]:
    def runs() -> None:
        for _ in range(count):
            run()

    return runs


def fading(report: Report, quick: bool) -> None:
    """A large memory of which one part in a hundred was visited, its values read at every tick."""
    try:
        library = compiled()
    except MissingCompilerError as error:
        report.notes.append(f"Left out: the fade of a memory. {error}.")
        return
    library.memory_decay.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_float,
        ctypes.c_float,
    ]
    library.memory_decay.restype = None
    rng = np.random.default_rng(0)
    corners = (
        np.array(
            [
                divmod(int(place), MEMORY // PATCH)
                for place in rng.permutation((MEMORY // PATCH) ** 2)[:PATCHES]
            ]
        )
        * PATCH
    )
    rooms = [np.s_[row : row + PATCH, column : column + PATCH] for row, column in corners]
    shape = (MEMORY, MEMORY)
    loop = np.zeros(shape, np.float32)
    start = np.zeros(shape, np.float32)
    for room in rooms:
        start[room] = 100
    places = np.argwhere(start)[:, ::-1] + 0.5

    def revisit() -> None:
        for room in rooms:
            loop[room] = 100

    def decay() -> None:
        library.memory_decay(loop.ctypes.data, MEMORY, MEMORY, 0.25, 100.0)

    table = Table(
        f"A memory of {MEMORY} x {MEMORY}, 1 % visited, current values after each tick", COLUMNS
    )
    for title, fade, tolerance in (
        ("even fall", Fade(0.25, 0.1), 1e-3),
        ("by half-life", Fade(half_life=60.0), None),
    ):
        imap = fc.InfluenceMap(fc.Grid(MEMORY, MEMORY))
        layer = imap.add_layer("memory", fade, every=0.1)
        layer.mark(places)
        seen: list[NDArray[np.float32]] = [layer.values]

        def tick(
            imap: fc.InfluenceMap = imap,
            layer: fc.Layer = layer,
            seen: list[NDArray[np.float32]] = seen,
        ) -> None:
            imap.advance(0.1)
            seen[0] = layer.values

        def visit(layer: fc.Layer = layer) -> None:
            layer.mark(places)

        if tolerance is not None:
            loop[:] = start
            for _ in range(5):
                tick()
                decay()
            if not np.allclose(seen[0], loop, rtol=0, atol=tolerance):
                report.wrong.append("fade: fieldcraft and the double loop differ")
        found = {
            "ours": batches({"ours": (visit, repeated(tick, TICKS))}, repeats(quick, 5, 60), TICKS)[
                "ours"
            ],
            "loop": batches(
                {"loop": (revisit, repeated(decay, TICKS))}, repeats(quick, 2, 12), TICKS
            )["loop"],
        }
        add_row(
            table,
            title,
            found["ours"],
            "double loop in C++, -O3 -march=native",
            found["loop"],
            100 if tolerance else None,
        )
    table.notes.append(
        f"Visited: {PATCHES} rooms of {PATCH} x {PATCH}. A tick: imap.advance(0.1), then"
        " layer.values; the loop clamps every cell."
    )
    report.tables.append(table)


def stamping(report: Report, quick: bool) -> None:
    """Thousands of stamps between cells."""
    rng = np.random.default_rng(0)
    points = rng.uniform(9, FIELD - 9, (STAMPS, 2))
    stamp = Stamp.disc(7.49, "parabolic")
    weights, _, _ = stamp.on(1.0, y_up=False, most=FIELD)
    if weights.shape != (15, 15):
        report.wrong.append(f"stamps: {weights.shape} instead of 15 x 15")
    layer = fc.InfluenceMap(fc.Grid(FIELD, FIELD)).add_layer(
        "stamps", values=np.zeros((FIELD, FIELD))
    )
    array = np.zeros((FIELD, FIELD), np.float32)
    table = Table(f"{STAMPS:,} stamps of 15 x 15 on {FIELD} x {FIELD}", COLUMNS)

    def slices(between: bool) -> None:
        for x, y in points.tolist():
            if between:
                column, row = (int(x - 0.5), int(y - 0.5))
            else:
                column, row = (int(x), int(y))
            if between:
                right = x - 0.5 - column
                down = y - 0.5 - row
                spread = np.zeros((15, 16))
                spread[:, :15] = (1 - right) * weights
                spread[:, 1:] += right * weights
                patch = array[row - 7 : row + 9, column - 7 : column + 9]
                patch[:15] += (1 - down) * spread
                patch[1:] += down * spread
            else:
                array[row - 7 : row + 8, column - 7 : column + 8] += weights

    for title, how, required in (
        ("between cells, bilinear", "bilinear", 20.0),
        ("on cells", "nearest", None),
    ):
        layer.write(np.zeros((FIELD, FIELD)))
        array[:] = 0
        layer.stamp(stamp, points, how=how)
        slices(how == "bilinear")
        if not np.allclose(layer.values, array, rtol=1e-4, atol=1e-2):
            report.wrong.append(
                f"stamps {title}: fieldcraft and NumPy differ by"
                f" {np.abs(layer.values - array).max():g}"
            )
        found = batches(
            {
                "ours": (lambda: None, lambda how=how: layer.stamp(stamp, points, how=how)),  # type: ignore[misc]
                "slices": (lambda: None, lambda how=how: slices(how == "bilinear")),  # type: ignore[misc]
            },
            repeats(quick, 3, 15),
        )
        add_row(table, title, found["ours"], "NumPy slices in a loop", found["slices"], required)
    report.tables.append(table)


def trailing(report: Report, quick: bool) -> None:
    """One update of a trail."""
    rng = np.random.default_rng(0)
    shape = (TRAIL, TRAIL)
    stamp = Stamp.disc(7.49, "parabolic")
    points = rng.uniform(0, TRAIL, (1000, 2))
    stamps = np.zeros(shape, np.float32)
    drawn = fc.InfluenceMap(fc.Grid(TRAIL, TRAIL)).add_layer("drawn", values=stamps)
    drawn.stamp(stamp, points)
    stamps[:] = drawn.values
    imap = fc.InfluenceMap(fc.Grid(TRAIL, TRAIL))
    layer = imap.add_layer("trail", Trail(0.98))
    start = rng.random(shape, dtype=np.float32)
    layer.write(start)
    values = start.copy()
    blurred = np.empty(shape, np.float32)

    def scipy_way() -> None:
        values[:] = 0.98 * ndimage.uniform_filter(values, 3) + stamps

    layer.stamp(stamp, points)
    layer.step()
    scipy_way()
    if not np.allclose(layer.values[1:-1, 1:-1], values[1:-1, 1:-1], rtol=1e-4, atol=1e-4):
        report.wrong.append("trail: fieldcraft and SciPy differ inside the rim")

    def warm() -> None:
        imap.step()
        layer.stamp(stamp, points)

    # Two at a time: a third would push their arrays out of the caches.
    peers: list[tuple[str, Callable[[], None], float]] = [
        ("scipy.ndimage.uniform_filter", scipy_way, 20)
    ]
    try:
        import cv2

        def opencv() -> None:
            cv2.blur(values, (3, 3), dst=blurred)
            cv2.addWeighted(blurred, 0.98, stamps, 1.0, 0.0, dst=values)

        peers.append(
            (f"OpenCV {machine.version('opencv-python-headless')} blur, addWeighted", opencv, 2)
        )
    except ImportError:
        report.notes.append("Left out: OpenCV, which is not installed.")
    hexes = fc.InfluenceMap(fc.HexGrid(TRAIL, TRAIL))
    hexes.add_layer("trail", Trail(0.98)).write(start)
    hexes.step()
    table = Table(
        f"Trail: blur 3 x 3, keep, add what 1,000 stamps of 15 x 15 left, {TRAIL} x {TRAIL}",
        COLUMNS,
    )
    for words, way, required in peers:
        found = batches({"ours": (warm, imap.step), "peer": (way, way)}, repeats(quick, 4, 80))
        add_row(table, "update", found["ours"], words, found["peer"], required)
    found = batches(
        {"ours": (hexes.step, hexes.step), "peer": (scipy_way, scipy_way)}, repeats(quick, 4, 20)
    )
    add_row(table, "update on hexagons, no stamps", found["ours"], peers[0][0], found["peer"], None)
    table.notes.append(
        "On hexagons a cell exchanges with six neighbors in float64; on squares with eight in"
        " float32, sums along rows shared."
    )
    table.notes.append(
        "The stamps are put on beforehand for all, and each makes an untimed update first, as in a"
        " loop that does nothing else. fieldcraft conserves at the rim, the others mirror."
    )
    report.tables.append(table)


class Ants:
    """Foragers without a nest: half of them follow each of two trails and lay the other."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        walls = rng.random((FIELD, FIELD)) < 0.01
        grid = fc.Grid(FIELD, FIELD, walls=walls)
        self.imap = fc.InfluenceMap(grid)
        self.trails = [self.imap.add_layer(name, Trail(0.98)) for name in ("home", "food")]
        positions = grid.position_of(rng.choice(np.flatnonzero(~walls), AGENTS))
        self.agents = Swarm.at(grid, positions, roles=rng.integers(0, 2, AGENTS), seed=1)
        self.deposits = [Deposit(self.trails[1 - role], role=role) for role in (0, 1)]
        self.how = Walk(10.0, wander=10, turn=45, follow=1.0, avoid=1.0, distance=4.0)

    def step(self) -> None:
        self.agents.run(self.how, 0.1, trail=self.trails, deposits=self.deposits)

    def digest(self) -> str:
        parts = (self.agents.agents, *(trail.values for trail in self.trails))
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


class Flock:
    """Separation, alignment and cohesion by layers."""

    def __init__(self) -> None:
        grid = fc.Grid(FIELD, FIELD, wrap=True)
        self.imap = fc.InfluenceMap(grid)
        self.flow = self.imap.add_layer("flow", Trail(accumulate=False, vector=True, blur=5))
        self.near = self.imap.add_layer("near", Trail(accumulate=False, blur=3))
        self.far = self.imap.add_layer("far", Trail(accumulate=False, blur=11))
        self.agents = Swarm.at(
            grid, np.random.default_rng(0).uniform(0, FIELD, (AGENTS, 2)), seed=1
        )
        self.how = Walk(10.0, wander=10, turn=30, align=0.5, separate=0.3, cohere=0.2, distance=1.0)

    def step(self) -> None:
        self.agents.run(
            self.how,
            0.1,
            flow=self.flow,
            crowd_layer=self.near,
            group_layer=self.far,
            deposits=[Deposit(layer) for layer in (self.flow, self.near, self.far)],
        )


class TreeFlock:
    """The same three rules with the same reaches (1.5, 2.5 and 5.5), from neighbors that a k-d
    tree finds.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.positions = rng.uniform(0, FIELD, (AGENTS, 2))
        angles = rng.uniform(0, 2 * np.pi, AGENTS)
        self.headings = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def step(self) -> None:
        pairs = cKDTree(self.positions, boxsize=FIELD).query_pairs(5.5, output_type="ndarray")
        one = np.concatenate([pairs[:, 0], pairs[:, 1]])
        two = np.concatenate([pairs[:, 1], pairs[:, 0]])
        away = self.positions[one] - self.positions[two]
        away -= FIELD * np.rint(away / FIELD)
        squares = (away * away).sum(axis=1)

        def means(rows: NDArray[np.int64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
            counts = np.maximum(np.bincount(rows, minlength=AGENTS), 1)
            return (
                np.stack([np.bincount(rows, parts[:, k], AGENTS) for k in (0, 1)], axis=1)
                / counts[:, None]
            )

        near = squares <= 1.5**2
        middle = squares <= 2.5**2
        apart = means(one[near], away[near] / (squares[near] + 1e-3)[:, None])
        wish = (
            self.headings
            + 0.5 * means(one[middle], self.headings[two[middle]])
            + 0.3 * apart
            - 0.2 * means(one, away)
        )
        self.headings = wish / np.maximum(np.hypot(wish[:, 0], wish[:, 1]), 1e-9)[:, None]
        self.positions = np.mod(self.positions + self.headings, FIELD)


def diffusing(report: Report, quick: bool) -> None:
    """One update of a layer that diffuses, eight neighbors, no walls."""
    start = np.random.default_rng(0).random((DIFFUSE, DIFFUSE), dtype=np.float32)
    imap = fc.InfluenceMap(fc.Grid(DIFFUSE, DIFFUSE, neighbors=8))
    layer = imap.add_layer("heat", Diffuse(0.5, edges="lose", floor=0))
    around = np.full((3, 3), 0.5 / 8, np.float32)
    around[1, 1] = 0.5
    values = start.copy()
    after = np.empty_like(start)

    def scipy_way() -> None:
        ndimage.convolve(values, around, output=after, mode="constant")
        values[:] = after

    layer.write(start)
    layer.step()
    scipy_way()
    if not np.allclose(layer.values, values, rtol=1e-4, atol=1e-5):
        report.wrong.append("diffusion: fieldcraft and SciPy differ")
    peers: list[tuple[str, Callable[[], None], float]] = [("scipy.ndimage.convolve", scipy_way, 8)]
    try:
        import cv2

        def opencv() -> None:
            cv2.filter2D(values, -1, around, dst=after, borderType=cv2.BORDER_CONSTANT)
            values[:] = after

        peers.append((f"OpenCV {machine.version('opencv-python-headless')} filter2D", opencv, 1))
    except ImportError:
        report.notes.append("Left out: OpenCV, which is not installed.")
    table = Table(f"Diffuse: a half to eight neighbors, {DIFFUSE} x {DIFFUSE}", COLUMNS)
    for words, way, required in peers:
        found = batches({"ours": (imap.step, imap.step), "peer": (way, way)}, repeats(quick, 4, 80))
        add_row(table, "update", found["ours"], words, found["peer"], required)
    table.notes.append("fieldcraft looks at the walls of each cell, the others know none.")
    report.tables.append(table)


def crowds(report: Report, quick: bool) -> None:
    """A hundred thousand agents."""
    before = pool.threads()
    digests = []
    for count in (1, 2, before):
        fc.set_threads(count)
        ants = Ants()
        for _ in range(5):
            ants.step()
        digests.append(ants.digest())
    fc.set_threads(before)
    if len(set(digests)) != 1:
        report.wrong.append("ants: the bits depend on the number of threads")
    ants = Ants()
    flock = Flock()
    tree = TreeFlock()
    for _ in range(30):  # until trails are there
        ants.step()
        flock.step()

    found = batches(
        {"ants": (nothing, ants.step), "flock": (nothing, flock.step)}, repeats(quick, 10, 150)
    )
    exact = batches({"tree": (nothing, tree.step)}, repeats(quick, 1, 4))["tree"]
    table = Table(
        f"{AGENTS:,} agents on {FIELD} x {FIELD}",
        (
            "case",
            "best ms a step",
            "median",
            "steps a second, best",
            "median",
            "required",
            "verdict",
        ),
    )
    for title, own, required in (
        ("ants: sense three ways, turn, move, deposit, update both layers", found["ants"], 150.0),
        ("flock: five planes of layers, align, separate, cohere, move", found["flock"], 60.0),
    ):
        table.add(
            title,
            milliseconds(own.best),
            milliseconds(own.median),
            f"{1 / own.best:.0f}",
            f"{1 / own.median:.0f}",
            f"{required:g}",
            at_least(1 / own.best, required),
        )
    ratio = exact.best / found["flock"].best
    table.add(
        "flock by cKDTree.query_pairs(5.5)",
        milliseconds(exact.best),
        milliseconds(exact.median),
        f"{1 / exact.best:.1f}",
        f"{1 / exact.median:.1f}",
        "",
        "",
    )
    table.add(
        "flock by layers against cKDTree",
        "",
        "",
        times(ratio),
        times(exact.median / found["flock"].median),
        "20x",
        at_least(ratio, 20),
    )
    table.notes.append(f"The ants' bits are the same with 1, 2 and {before} threads.")
    report.tables.append(table)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    for name, part in (
        ("fading", fading),
        ("stamps", stamping),
        ("trails", trailing),
        ("diffusion", diffusing),
        ("crowds", crowds),
    ):
        say(f"bench memory: {name}")
        part(report, quick)
    return report
