"""fieldcraft's Spread against the tutorial's C++, NumPy, SciPy and OpenCV.

"All cells alive": each batch starts from a seeded field that is far from rest, written outside of
the timing, and ends while every cell still changes from step to step; the share of cells that do is
printed. Fields are "hills" (smooth, as influence is) or "noise" (every cell random). On noise the
branches in `std::lerp` are mispredicted and (a) takes up to twice as long, so what is required is
judged on hills.
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from functools import partial
from math import exp
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import fieldcraft as fc
from bench import opponents, spread_small, startup
from bench.opponents import Contender, Cpp, Sites, Values
from bench.race import most_threads, now, race, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, target, times

MOMENTUM = 0.3
STRENGTH = 5.0
FLOOR = 1e-3
ROUNDING = 2e-5
"""The largest difference that a batch of float32 steps on values up to 5 may leave between two
orders of the same arithmetic.
"""
SEED = 20220507


@dataclass(frozen=True)
class Case:
    """One table of the comparison; `required` and `aim` are ratios against (a) and (b); a quick run
    keeps to `smoke` cases.
    """

    title: str
    size: int
    steps: int
    rounds: int
    calls: Literal["one at a time", "one call"] = "one at a time"
    start: Literal["hills", "noise", "settled"] = "hills"
    sources: int = 8
    moving: bool = False
    walls: bool = False
    decay: float = 0.26
    required: tuple[float | None, float | None] = (None, None)
    aim: tuple[float | None, float | None] = (None, None)
    smoke: bool = True


CASES = (
    Case("256 x 256, step() one at a time", 256, 32, 60, required=(2, 0.6)),
    Case("1024 x 1024, step() one at a time", 1024, 16, 40, required=(5, 1.6), aim=(None, 3)),
    Case("4096 x 4096, step(16)", 4096, 16, 9, calls="one call", required=(12, 4), aim=(20, 8)),
    Case(
        "4096 x 4096, 64 local sources at rest, decay 0.5, step() one at a time",
        size=4096,
        steps=16,
        rounds=9,
        start="settled",
        sources=64,
        decay=0.5,
        required=(200, 80),
    ),
    Case(
        "4096 x 4096, 64 local sources that all move before each step, decay 0.5",
        size=4096,
        steps=16,
        rounds=9,
        start="settled",
        sources=64,
        moving=True,
        decay=0.5,
    ),
    Case("1024 x 1024 with walls, step() one at a time", 1024, 16, 40, walls=True),
    Case("1024 x 1024 from noise, step() one at a time", 1024, 16, 20, start="noise"),
    Case(
        "4096 x 4096 from noise, step(16)",
        4096,
        16,
        5,
        calls="one call",
        start="noise",
        smoke=False,
    ),
    Case("4096 x 4096, step() one at a time", 4096, 16, 5, smoke=False),
)


class Fieldcraft:
    """The contender that this is about, through its public calls alone."""

    name = "fieldcraft"

    def __init__(
        self, size: int, decay: float, walls: NDArray[np.bool_] | None, *, one_call: bool
    ) -> None:
        self.imap = fc.InfluenceMap(fc.Grid(size, size, walls=walls))
        self.layer = self.imap.add_layer("influence", fc.Spread(decay=decay, momentum=MOMENTUM))
        self.ids = np.empty(0, np.int64)
        self.one_call = one_call

    def write(self, values: Values) -> None:
        self.layer.sources.remove(self.ids)
        self.ids = np.empty(0, np.int64)
        self.layer.write(values)

    def place(self, sites: Sites, strength: float) -> None:
        if len(self.ids):
            self.layer.sources.move(self.ids, sites.positions)
        else:
            self.ids = self.layer.add_sources(sites.positions, np.full(len(sites.cells), strength))

    def step(self, steps: int) -> None:
        if self.one_call:
            self.imap.step(steps)
        else:
            for _ in range(steps):
                self.imap.step()

    def read(self) -> Values:
        return np.array(self.layer.values)


def hills(size: int, rng: np.random.Generator) -> Values:
    """Random heights 16 cells apart, straight slopes in between, all between 0.5 and 5."""
    return np.ascontiguousarray(
        0.5 + 4.5 * ndimage.zoom(rng.random((size // 16, size // 16), np.float32), 16, order=1),
        np.float32,
    )


def noise(size: int, rng: np.random.Generator) -> Values:
    """Every cell random between 0.5 and 5."""
    return (0.5 + 4.5 * rng.random((size, size))).astype(np.float32)


def rooms(size: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Walls of random rectangles: roughly a fifth of the map."""
    walls = np.zeros((size, size), bool)
    for row, column, height, width in zip(
        *rng.integers(0, size, (2, 300)), *rng.integers(4, size // 16, (2, 300)), strict=True
    ):
        walls[row : row + height, column : column + width] = True
    return walls


def route(start: NDArray[np.int64], size: int, step: int) -> NDArray[np.int64]:
    """Where sources that go round a square of 16 x 16 cells are after some steps, one cell a
    step.
    """
    side, along = divmod(step % 64, 16)
    row, column = [(0, along), (along, 16), (16, 16 - along), (16 - along, 0)][side]
    return start + row * size + column


class Course:
    """A case made ready: its field, its sources' ways, and the contenders, who all run the same
    batches over it.
    """

    LAP = 64
    """Steps after which moving sources are back."""

    def __init__(self, case: Case, library: ctypes.CDLL | None) -> None:
        self.case = case
        size = case.size
        rng = np.random.default_rng(SEED)
        if case.walls:
            walls = rooms(size, rng)
        else:
            walls = None
        if walls is None:
            self.free = np.ones((size, size), bool)
        else:
            self.free = ~walls
        rim = 48 if case.start == "settled" else 1
        inner = np.flatnonzero(self.free[rim:-rim, rim:-rim])
        rows, columns = np.divmod(rng.choice(inner, case.sources, replace=False), size - 2 * rim)
        cells = (rows + rim) * size + columns + rim
        self.sites = [
            Sites.at(route(cells, size, step) if case.moving else cells, size)
            for step in range(self.LAP)
        ]
        self.own = Fieldcraft(size, case.decay, walls, one_call=case.calls == "one call")
        self.others = opponents.peers((size, size), case.decay, MOMENTUM, walls, library)
        self.begin = self.end = 0
        if case.start == "settled":
            self._settle()
        else:
            if case.start == "hills":
                self.field = hills(size, rng)
            else:
                self.field = noise(size, rng)
            self.field[~self.free] = 0

    def _settle(self) -> None:
        """Let the sources' influence spread until not one bit changes any more."""
        self.own.write(np.zeros((self.case.size, self.case.size), np.float32))
        self.own.place(self.sites[0], STRENGTH)
        self.field = self.own.read()
        for _ in range(40):
            before = self.field
            self.own.step(64)
            self.field = self.own.read()
            if np.array_equal(before, self.field):
                return
        raise RuntimeError("fieldcraft still changes after 2560 steps with sources at rest")

    def prepare(self, contender: Contender) -> None:
        """Put a contender where the batch begins. Settled fields are left as they are in fieldcraft
        and copied to the others.
        """
        if self.case.start == "settled" and contender is self.own:
            self.begin = self.end
            self.end = (self.end + self.case.steps) % self.LAP
            self.field = self.own.read()
        else:
            contender.write(self.field)
            contender.place(self.sites[self.begin], STRENGTH)

    def run(self, contender: Contender) -> None:
        """The batch."""
        if self.case.moving:
            for step in range(self.begin + 1, self.begin + self.case.steps + 1):
                contender.place(self.sites[step % self.LAP], STRENGTH)
                contender.step(1)
        else:
            contender.step(self.case.steps)

    def check(self) -> Check:
        """Run one batch with everybody and compare what they hold afterwards."""
        own = self.own
        others = self.others
        if self.case.start == "settled":
            floored = [opponents.Floored((self.case.size,) * 2, self.case.decay, MOMENTUM, FLOOR)]
        else:
            floored = []
        values = {}
        for contender in [own, *others, *floored]:
            self.prepare(contender)
            self.run(contender)
            values[contender.name] = contender.read()
        own.step(1)
        changing = float((own.read() != values[own.name])[self.free].mean())

        sources = self.sites[self.end].cells
        pinned = bool((values[own.name].flat[sources] == np.float32(STRENGTH)).all())
        for found in values.values():
            found.flat[sources] = 0
        if floored:
            beside_floor = float(np.abs(values[own.name] - values.pop(floored[0].name)).max())
        else:
            beside_floor = None
        judge = values.pop(others[0].name)
        differences = {name: float(np.abs(found - judge).max()) for name, found in values.items()}
        return Check(others[0].name, differences, beside_floor, pinned, changing)


@dataclass(frozen=True)
class Check:
    """How the values compare after a batch.

    `differences` are the largest to those of `judge`, the cells of sources left out: there the
    tutorial lets the value drop and fieldcraft holds it (`pinned`). Where cells lie below
    fieldcraft's floor, which the tutorial lacks, `floored` is fieldcraft's difference to the
    tutorial's step with that floor. `changing` is the share of fieldcraft's open cells that one
    more step changes.
    """

    judge: str
    differences: dict[str, float]
    floored: float | None
    pinned: bool
    changing: float

    def wrong(self) -> list[str]:
        """What must not be."""
        compared = dict(self.differences)
        if self.floored is not None:
            compared[Fieldcraft.name] = self.floored
        found = [
            f"{name} differs from {self.judge} by {difference:.3g}, allowed {ROUNDING:.3g}"
            for name, difference in compared.items()
            if not difference <= ROUNDING
        ]
        if self.pinned:
            return found
        return [*found, "fieldcraft: the cell of a source does not read its strength"]


def compare(
    case: Case, library: ctypes.CDLL | None, quick: bool, summary: Table
) -> tuple[Table, list[str], float]:
    """One case: its table, what was wrong, and fieldcraft's best seconds per step. What is required
    goes into `summary` too.
    """
    course = Course(case, library)
    check = course.check()
    everybody: list[Contender] = [course.own, *course.others]
    rounds = repeats(quick, 1, case.rounds)
    slow = min(rounds, 3)
    found = race(
        {
            each.name: (partial(course.prepare, each), partial(course.run, each))
            for each in everybody
        },
        case.steps,
        {
            each.name: rounds if each is course.own or isinstance(each, Cpp) else slow
            for each in everybody
        },
    )

    table = Table(
        case.title,
        (
            "contender",
            "best ms/step",
            "median",
            "best ratio",
            "median",
            "required",
            "aim",
            "verdict",
            "max diff",
        ),
    )
    own = found[course.own.name]
    for number, each in enumerate(everybody):
        name = each.name
        took = found[each.name]
        if name == check.judge:
            difference = "reference"
        else:
            difference = f"{check.differences[name]:.1e}"
        if each is course.own:
            table.add(
                name,
                milliseconds(took.best),
                milliseconds(took.median),
                "",
                "",
                "",
                "",
                "",
                difference,
            )
            continue
        if isinstance(each, Cpp):
            required = case.required[number - 1]
            aim = case.aim[number - 1]
        else:
            required = None
            aim = None
        ratio = took.best / own.best
        verdict = (
            times(ratio),
            times(took.median / own.median),
            target(required),
            target(aim),
            at_least(ratio, required, aim),
        )
        table.add(name, milliseconds(took.best), milliseconds(took.median), *verdict, difference)
        if required is not None:
            summary.add(f"{case.title}, against {name}", milliseconds(own.best), *verdict)
    if slow < rounds:
        few = f" ({slow} for NumPy, SciPy and OpenCV)"
    else:
        few = ""
    if case.start == "settled":
        start = "its own settled field"
    else:
        start = f"a field of {case.start}"
    table.notes.append(
        f"{rounds} round{'s' * (rounds > 1)} of {case.steps} steps from {start}{few}; "
        f"one more step changes {check.changing:.1%} of fieldcraft's open cells. "
        f"Differences are to {check.judge} after a batch, cells of sources left out."
    )
    if check.floored is not None:
        table.notes.append(
            f"The tutorial has no floor. With one added, fieldcraft differs by {check.floored:.1e}."
        )
    if check.changing == 0:
        table.notes.append(
            "Nothing changes any more, so fieldcraft skips the whole map; the others have no way to"
            " know."
        )
    return table, [f"{case.title}: {line}" for line in check.wrong()], own.best


def limit(library: ctypes.CDLL | None, reached: float | None, quick: bool) -> Table:
    """Cells per second of the row update in the first-level cache, on one core and on all at once,
    beside what fieldcraft reaches.
    """
    table = Table("Share of the physical limit", ("what", "Gcells/s", "fieldcraft's share"))
    if library is None:
        table.notes.append("Not measured: g++ is not on the path.")
        return table
    width = 2048
    updates = 20_000

    def work(best: list[float], ready: threading.Barrier) -> None:
        space = np.empty(4 * width + 16, np.float32)
        rows = space[(-space.ctypes.data % 64) // 4 :][: 4 * width]
        rows[:] = STRENGTH
        for _ in range(repeats(quick, 5, 40)):
            ready.wait()
            start = now()
            library.rows_in_cache(rows.ctypes.data, width, updates, exp(-0.26), MOMENTUM, FLOOR)
            best.append(width * updates / (now() - start) / 1e9)

    for threads in sorted({1, most_threads()}):
        speeds: list[list[float]] = [[] for _ in range(threads)]
        ready = threading.Barrier(threads)
        workers = [threading.Thread(target=work, args=(each, ready)) for each in speeds]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        most = max(sum(together) for together in zip(*speeds, strict=True))
        share = "" if reached is None else f"{reached / most:.0%}"
        table.add(
            f"3 maxima, multiply, lerp, floor in the first-level cache, {threads}"
            f" core{'s' * (threads > 1)}",
            f"{most:.2f}",
            share,
        )
    if reached is not None:
        table.add("fieldcraft, 4096 x 4096, step(16)", f"{reached:.2f}", "")
    table.notes.append(
        "The update in the cache is C++ with vectors as wide as the processor has them and fused"
        " multiply-add."
    )
    return table


def costs(quick: bool) -> Table:
    """Importing, compiling, memory."""
    table = Table(
        "Before the first frame, and memory", ("what", "measured", "median", "required", "verdict")
    )
    seconds, loaded = startup.import_times(repeats(quick, 2, 5))
    best = min(seconds)
    table.add(
        "import fieldcraft (best)",
        f"{best:.3f} s",
        f"{median(seconds):.3f} s",
        "0.6 s",
        at_most(best, 0.6),
    )
    table.add(
        "optional libraries it loads",
        ", ".join(loaded) or "none",
        "",
        "none",
        at_most(len(loaded), 0),
    )

    compiling, cached = startup.first_steps(repeats(quick, 1, 3))
    for what, runs, required in (
        ("compiling", compiling, 4.0),
        ("native library", cached, 0.7),
    ):
        step = [run["step"] for run in runs]
        whole = [run["step"] + run["import"] for run in runs]
        table.add(
            f"map, layer, source, first step, {what}",
            f"{min(step):.3f} s",
            f"{median(step):.3f} s",
            f"{required} s",
            at_most(min(step), required),
        )
        table.add(
            "  the same with the import",
            f"{min(whole):.3f} s",
            f"{median(whole):.3f} s",
            f"{required} s",
            at_most(min(whole), required),
        )

    if not quick:
        for what, run in zip(("compiling", "native library"), startup.warm_up(), strict=True):
            table.add(f"fc.warm_up(), {what}", f"{run['warm_up']:.3f} s", "", "", "")
            table.add(
                f"  longest stall after it ({run['where']})",
                milliseconds(run["stall"]) + " ms",
                "",
                "",
                "",
            )

    held = startup.memory()
    if held is None:
        table.notes.append(
            "Memory is not measured on this system: it has no /proc/self/clear_refs."
        )
    else:
        array = 4096 * 4096 * 4
        table.add(
            "4096 x 4096 layer, resident, in float32 arrays",
            f"{held['layer'] / array:.2f}",
            "",
            "2.2",
            at_most(held["layer"] / array, 2.2),
        )
        table.add(
            "  at its peak (writing, stepping, reading)", f"{held['peak'] / array:.2f}", "", "", ""
        )
        table.add("  the 4096 x 4096 grid itself", f"{held['grid'] / array:.2f}", "", "", "")
    return table


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    library: ctypes.CDLL | None = None
    try:
        library = opponents.compiled()
    except opponents.MissingCompilerError as missing:
        report.notes.append(
            f"{missing}. Their rows are missing below and nothing that is required was judged."
        )
    fc.warm_up()
    summary = Table(
        "What is required, against the tutorial in C++",
        ("case", "ms/step", "best ratio", "median", "required", "aim", "verdict"),
    )
    report.tables.append(summary)
    if library is not None:
        say("bench spread: small maps against an expert's C++")
        tables, wrong = spread_small.run(quick)
        report.tables += tables
        report.wrong += wrong
    reached = None
    for case in (case for case in CASES if case.smoke or not quick):
        say(f"bench spread: {case.title}")
        table, wrong, best = compare(case, library, quick, summary)
        report.tables.append(table)
        report.wrong += wrong
        if case.calls == "one call" and case.start == "hills":
            reached = case.size**2 / best / 1e9
    say("bench spread: the machine's limit")
    report.tables.append(limit(library, reached, quick))
    say("bench spread: import, compilation, memory (in new processes)")
    report.tables.append(costs(quick))
    return report
