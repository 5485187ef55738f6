"""Radial layers against the ways bots do it: `skimage.draw.disk` and `+=`, and searches for one
footprint of walking distances.

The bots take a pixel whose center is nearer than their radius, fieldcraft one at its radius too: a
radius of 9.01 there is 9 here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import numpy as np
from numpy.typing import NDArray
from skimage.draw import disk
from skimage.graph import MCP_Geometric

import fieldcraft as fc
from bench import machine
from bench.race import Times, race, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, target, times
from fieldcraft.layers.propagation.radial.footprints import walks_on
from fieldcraft.layers.sources.falloff import Falloff

SIZE = 512
UNITS = 1000
RADIUS = 9
FEW = 20
WALK = 20.0
DATA = Path(
    os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
PLACES = 16
"""Sets of positions that the units jump between."""


class Bot:
    """An array that belongs to units with a flat disc each, or one that falls off with the square
    of the distance.
    """

    def __init__(self, parabolic: bool) -> None:
        self.values = np.zeros((SIZE, SIZE), np.float32)
        self.parabolic = parabolic

    def add(self, row: int, column: int, strength: float) -> None:
        rows, columns = disk((row, column), RADIUS + 0.01, shape=self.values.shape)
        if self.parabolic:
            self.values[rows, columns] += (
                strength - strength * ((rows - row) ** 2 + (columns - column) ** 2) / RADIUS**2
            )
        else:
            self.values[rows, columns] += strength

    def draw(self, cells: NDArray[np.int64]) -> None:
        """Zero the array and draw every unit."""
        self.values[:] = 0
        for row, column in zip(*np.divmod(cells, SIZE), strict=True):
            self.add(row, column, 1)

    def redraw(self, before: NDArray[np.int64], after: NDArray[np.int64]) -> None:
        """Take off the discs that moved and draw them where they are now."""
        for cells, strength in ((before, -1), (after, 1)):
            for row, column in zip(*np.divmod(cells, SIZE), strict=True):
                self.add(row, column, strength)


class Fieldcraft:
    """The same by fieldcraft's public calls."""

    def __init__(self, parabolic: bool, positions: NDArray[np.float64]) -> None:
        self.imap = fc.InfluenceMap(fc.Grid(SIZE, SIZE))
        self.layer = self.imap.add_layer(
            "units", fc.Radial(RADIUS, "parabolic" if parabolic else "constant")
        )
        self.ids = self.layer.add_sources(positions)
        self.imap.step()

    def move(self, ids: NDArray[np.int64], positions: NDArray[np.float64]) -> NDArray[np.float32]:
        self.layer.sources.move(ids, positions)
        self.imap.step()
        return self.layer.values


def crowd(report: Report, quick: bool, parabolic: bool) -> None:
    """A thousand units, of which all or a few move each tick."""
    rng = np.random.default_rng(0)
    places = rng.uniform(0, SIZE, (PLACES, UNITS, 2))
    few = places[:, :FEW].copy()
    space = fc.Grid(SIZE, SIZE)
    cells = np.array([space.cell_at(place) for place in places])
    ours = Fieldcraft(parabolic, places[0])
    some = Fieldcraft(parabolic, places[0])
    bot = Bot(parabolic)
    patch = Bot(parabolic)
    turn = {"all": 0, "few": 0, "bot": 0, "patch": 0}
    patch.draw(cells[0])

    def next_turn(name: str) -> tuple[int, int]:
        before = turn[name] % PLACES
        turn[name] += 1
        return before, turn[name] % PLACES

    def all_move() -> None:
        ours.move(ours.ids, places[next_turn("all")[1]])

    def few_move() -> None:
        some.move(some.ids[:FEW], few[next_turn("few")[1]])

    def bot_draws() -> None:
        bot.draw(cells[next_turn("bot")[1]])

    def bot_patches() -> None:
        before, after = next_turn("patch")
        patch.redraw(cells[before, :FEW], cells[after, :FEW])

    runs: dict[str, Callable[[], None]] = {
        "all": all_move,
        "few": few_move,
        "bot": bot_draws,
        "patch": bot_patches,
    }
    for _ in range(3):
        for run in runs.values():
            run()
    # float32 sums of the bots; flat discs are whole numbers
    if parabolic:
        tolerance = 1e-4
    else:
        tolerance = 0.0
    for name, found, expected in (
        ("all", ours.layer.values, bot.values),
        ("few", some.layer.values, patch.values),
    ):
        if not np.allclose(found, expected, rtol=0, atol=tolerance):
            report.wrong.append(
                f"{name} move: fieldcraft and the bot differ by {np.abs(found - expected).max():g}"
            )

    def batch(run: Callable[[], None], steps: int) -> Callable[[], None]:
        def repeated() -> None:
            for _ in range(steps):
                run()

        return repeated

    rounds = repeats(quick, 2, 12)
    # The bot's ways take tens of milliseconds and fieldcraft's a fraction of one: batches of about
    # the same length.
    lengths = {"all": 8, "few": 64, "bot": 1, "patch": 4}
    found: dict[str, Times] = {name: Times() for name in runs}
    for name, length in lengths.items():
        found[name].rounds += [
            spent / length
            for spent in race({name: (lambda: None, batch(runs[name], length))}, 1, {name: rounds})[
                name
            ].rounds
        ]
    shape = "parabolic" if parabolic else "flat"
    table = Table(
        f"{UNITS:,} sources, radius {RADIUS}, {SIZE} x {SIZE}, {shape} discs, values read",
        (
            "case",
            "fieldcraft best ms",
            "median",
            "opponent",
            "its best ms",
            "fieldcraft is, best",
            "median",
            "required",
            "verdict",
        ),
    )
    rows: list[tuple[str, str, str, str, float | None]] = [
        ("all move", "all", "zero, then disk and += for each", "bot", 60),
        (f"{FEW} move", "few", "zero, then disk and += for each", "bot", 800),
        (f"{FEW} move", "few", f"disk and -= and += for the {FEW}", "patch", 20),
    ]
    for title, mine, words, theirs, required in rows:
        own = found[mine]
        other = found[theirs]
        ratio = other.best / own.best
        if parabolic:
            required = None
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
    table.notes.append(
        f"{rounds} rounds; positions are random each tick, moved by layer.sources.move(ids,"
        " positions) and imap.step()."
    )
    table.notes.append(f"scikit-image {machine.version('scikit-image')}.")
    report.tables.append(table)


def seeds_way(
    walls: NDArray[np.bool_], start: tuple[int, int], radius: float
) -> dict[tuple[int, int], float]:
    """Walking distances up to a radius: the open list is a list, searched from end to end for its
    nearest and for each neighbor.
    """
    height, width = walls.shape
    waiting: list[tuple[int, int]] = [start]
    gone = {start: 0.0}
    done: list[tuple[int, int]] = []
    while waiting:
        here = min(waiting, key=gone.__getitem__)
        waiting.remove(here)
        done.append(here)
        for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            there = (here[0] + dy, here[1] + dx)
            if not (0 <= there[0] < height and 0 <= there[1] < width) or walls[there]:
                continue
            after = gone[here] + 1
            if after <= radius and after < gone.get(there, math.inf):
                gone[there] = after
                if there not in waiting:
                    waiting.append(there)
    return gone


def footprint(report: Report, quick: bool) -> None:
    """One footprint of walking distances among real walls."""
    path = DATA / "gridmaps" / "maps" / "dao" / "brc202d.map"
    if not path.is_file():
        report.notes.append(
            f"Left out: one path footprint among the walls of brc202d. Not found: {path} (set"
            " FIELDCRAFT_DATA)."
        )
        return
    space = fc.load_map(path)
    walls = np.ascontiguousarray(space.walls)
    starts = spots(space, 24)
    walks = walks_on(space)
    linear = Falloff.of("linear")
    costs = np.where(walls, -1.0, 1.0)

    class Stopped(MCP_Geometric):
        """Ends at the first cell beyond the radius."""

        def goal_reached(self, index: int, cost: float) -> int:
            return 2 if cost > WALK else 0

    stopped = Stopped(costs, fully_connected=False)
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("walks", fc.Radial(WALK, "linear", metric="path"))
    source = layer.add_source(space.position_of(int(starts[0])))

    def ours(cell: int) -> NDArray[np.float64]:
        cells, shares = walks.search("path", cell, WALK, None)
        found = np.zeros(walls.size)
        found[cells] = linear(shares)
        return found

    def walked(found: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(found <= WALK, 1 - np.minimum(found, WALK) / WALK, 0).ravel()

    def seed(cell: int) -> NDArray[np.float64]:
        away = np.full(walls.shape, np.inf)
        for place, gone in seeds_way(walls, divmod(cell, space.width), WALK).items():
            away[place] = gone
        return walked(away)

    def mcp(search: MCP_Geometric) -> Callable[[int], NDArray[np.float64]]:
        return lambda cell: walked(search.find_costs([divmod(cell, space.width)])[0])

    if quick:
        compared = starts[::8]
    else:
        compared = starts[::2]
    for cell in compared.tolist():
        expected = ours(cell)
        for name, other in (("the seed's way", seed), ("MCP", mcp(stopped))):
            if not np.allclose(other(cell), expected, rtol=0, atol=1e-6):
                report.wrong.append(f"path footprint: {name} and fieldcraft differ at cell {cell}")

    def around(one: Callable[[int], object], cells: NDArray[np.int64]) -> Callable[[], None]:
        def run() -> None:
            for cell in cells.tolist():
                one(cell)

        return run

    def moved(cell: int) -> None:
        source.move(space.position_of(cell))
        imap.step()

    ways: dict[str, tuple[Callable[[int], object], float | None]] = {
        "fieldcraft, one footprint": (
            lambda cell: linear(walks.search("path", cell, WALK, None).shares),
            None,
        ),
        "fieldcraft, source.move and imap.step": (moved, None),
        "the seed's way": (lambda cell: seeds_way(walls, divmod(cell, space.width), WALK), 50),
        "MCP_Geometric, stopped at the radius": (
            lambda cell: stopped.find_costs([divmod(cell, space.width)]),
            10,
        ),
    }
    rounds = repeats(quick, 2, 10)
    batches = {name: (lambda: None, around(one, starts)) for name, (one, _) in ways.items()}
    for _, run in batches.values():
        run()
    found = race(batches, len(starts), dict.fromkeys(batches, rounds))
    own = found["fieldcraft, one footprint"]
    table = Table(
        f"One path footprint, radius {WALK:g}, among the walls of brc202d ({space.width} x"
        f" {space.height})",
        ("contender", "best ms", "median", "fieldcraft is, best", "median", "required", "verdict"),
    )
    for name, (_, required) in ways.items():
        took = found[name]
        ratio = took.best / own.best
        if took is own:
            ratios = ("", "")
        else:
            ratios = (times(ratio), times(took.median / own.median))
        table.add(
            name,
            milliseconds(took.best),
            milliseconds(took.median),
            *ratios,
            target(required),
            at_least(ratio, required),
        )
    table.notes.append(
        f"{rounds} rounds over {len(starts)} starts near walls, 4 neighbors. A move takes one"
        " footprint off and adds one."
    )
    report.tables.append(table)


def spots(space: fc.Grid, count: int) -> NDArray[np.int64]:
    """Open cells, seeded, with a wall in the square around each: on open ground nothing is
    searched.
    """
    rng = np.random.default_rng(3)
    found = []
    for cell in rng.permutation(np.flatnonzero(~space.walls.reshape(-1))).tolist():
        row, column = divmod(cell, space.width)
        reach = int(WALK)
        if (
            space.walls[
                max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1
            ].mean()
            < 0.5
        ):
            found.append(cell)
        if len(found) == count:
            break
    return np.array(found)


PENDING = 10_000
LONGEST_UNIT = 0.25


def units(report: Report, quick: bool) -> None:
    """The longest unit of work while ten thousand sources that moved at once are worked off, one
    unit a call.
    """

    def longest(metric: str, blend: str, walls: float, opened: int) -> tuple[int, float, float]:
        def once() -> NDArray[np.float64]:
            rng = np.random.default_rng(4)
            space = fc.Grid(SIZE, SIZE, walls=rng.random((SIZE, SIZE)) < walls)
            imap = fc.InfluenceMap(space)
            layer = imap.add_layer("units", fc.Radial(RADIUS, metric=metric, blend=blend))
            open_cells = np.flatnonzero(~space.walls.reshape(-1))
            ids = layer.add_sources(space.position_of(rng.choice(open_cells, PENDING)))
            imap.step()
            layer.sources.move(ids, space.position_of(rng.choice(open_cells, PENDING)))
            if opened:
                space.set_walls(rng.choice(np.flatnonzero(space.walls.reshape(-1)), opened), False)
                space.links()
            spent = []
            due = 0.1
            while due or layer.lag:
                begun = thread_time()
                imap.advance(due, budget_work=1)
                spent.append(thread_time() - begun)
                due = 0.0
            return np.array(spent)

        best = np.minimum.reduce([once() for _ in range(repeats(quick, 2, 5))])
        return len(best), float(best.max()), float(np.median(best))

    table = Table(
        f"Units of work: {PENDING:,} sources, radius {RADIUS}, {SIZE} x {SIZE}, all moved at once",
        ("metric", "blend", "walls", "units", "median ms", "longest ms", "at most", "verdict"),
    )
    before = fc.set_threads(1)
    for metric, blend, walls, opened in (
        ("connected", "sum", 0.0, 0),
        ("connected", "sum", 0.02, 0),
        ("connected", "sum", 0.02, 3),
        ("path", "sum", 0.02, 0),
        ("sight", "sum", 0.02, 0),
        ("connected", "max", 0.02, 0),
    ):
        count, most, usual = longest(metric, blend, walls, opened)
        words = f"{walls:.0%}"
        if opened:
            words += f", {opened} opened"
        table.add(
            metric,
            blend,
            words,
            f"{count:,}",
            milliseconds(usual),
            milliseconds(most),
            f"{LONGEST_UNIT} ms",
            at_most(most * 1e3, LONGEST_UNIT),
        )
    fc.set_threads(before)
    table.notes.append(
        "CPU time of one thread, calls included. Each unit is timed in several runs of the same"
        " work, and its best counts, since Python collects garbage at other units in each run; the"
        " longest of these is given."
    )
    report.tables.append(table)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    for parabolic in (False, True):
        say(f"bench radial: a crowd with {'parabolic' if parabolic else 'flat'} discs")
        crowd(report, quick, parabolic)
    say("bench radial: one path footprint")
    footprint(report, quick)
    say("bench radial: units of work")
    units(report, quick)
    return report
