"""Expressions against the same formula in NumPy, and what a formula that was never seen before
costs.
"""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np

import fieldcraft as fc
from bench.race import now, race, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, target, times

SIZE = 2048
FORMULAS = (
    "clamp(ally - 0.5*enemy, 0, 1)",
    "normalize(clamp(ally - 0.5*enemy, 0, 1))",
    "where(enemy < 1, ally, -enemy) * invert(cover)",
    "lerp(ally, enemy, smoothstep(cover, 0, 2)) / (1 + abs(ally - enemy))",
    "logistic(ally + enemy, 0, 3) - points(cover, 0, 0, 1, 3, 2, 1)",
    "min(ally, enemy, cover) + max(ally, enemy, cover) >= normalize(ally * enemy)",
    "smooth(ally - enemy) * normalize(smooth(cover, 2))",
)


def hills(size: int) -> fc.InfluenceMap:
    """Three layers of random values in [0, 3]."""
    imap = fc.InfluenceMap(fc.Grid(size, size))
    rng = np.random.default_rng(0)
    for name in ("ally", "enemy", "cover"):
        imap.add_layer(
            name,
            fc.Spread(decay=0.1, momentum=0.0),
            values=3 * rng.random((size, size), dtype=np.float32),
        )
    return imap


class Plain:
    """The formula as it is written down."""

    def __init__(self, imap: fc.InfluenceMap) -> None:
        self.ally = imap["ally"].values
        self.enemy = imap["enemy"].values

    def __call__(self) -> None:
        net = np.clip(self.ally - 0.5 * self.enemy, 0, 1)
        low = net.min()
        self.result = (net - low) / (net.max() - low)


class InPlace(Plain):
    """The same with `out=` everywhere and its arrays made beforehand."""

    def __init__(self, imap: fc.InfluenceMap) -> None:
        super().__init__(imap)
        self.result = np.ones_like(self.ally)

    def __call__(self) -> None:
        net = self.result
        np.multiply(self.enemy, np.float32(0.5), out=net)
        np.subtract(self.ally, net, out=net)
        np.clip(net, 0, 1, out=net)
        low = net.min()
        span = net.max() - low
        np.subtract(net, low, out=net)
        np.divide(net, span, out=net)


class Ours:
    """The expression; a cell of an input changes before each call, which is part of what is
    timed.
    """

    def __init__(self, imap: fc.InfluenceMap) -> None:
        self.ally = imap["ally"]
        self.net = (imap["ally"] - 0.5 * imap["enemy"]).clamp(0, 1).normalize()

    def __call__(self) -> None:
        self.ally.deposit((0.5, 0.5), 0.0)
        self.result = self.net.values


def combined(report: Report, quick: bool) -> None:
    """`ally - 0.5*enemy`, clamped and normalized: several times in a row, and once after all of an
    input was written anew.
    """
    imap = hills(SIZE)
    kept = imap["ally"].read()
    contenders: dict[str, Plain | InPlace | Ours] = {
        "fieldcraft": Ours(imap),
        "NumPy, plain": Plain(imap),
        "NumPy, out= everywhere": InPlace(imap),
    }
    for run in contenders.values():
        run()
    for name, run in contenders.items():
        if not np.array_equal(run.result, contenders["fieldcraft"].result):
            report.wrong.append(f"{name} and fieldcraft differ")

    table = Table(
        f"ally - 0.5*enemy, clamped and normalized, {SIZE} x {SIZE}",
        ("contender", "best ms", "median", "fieldcraft is, best", "median", "required", "verdict"),
    )
    rounds = repeats(quick, 3, 40)
    required = {"NumPy, plain": 3.0, "NumPy, out= everywhere": 1.3}
    for steps in (5, 1):

        def batch(run: Plain | InPlace | Ours, steps: int = steps) -> None:
            for _ in range(steps):
                run()

        def prepare(steps: int = steps) -> None:
            if steps == 1:
                imap["ally"].write(kept)

        found = race(
            {name: (prepare, partial(batch, run)) for name, run in contenders.items()},
            steps,
            dict.fromkeys(contenders, rounds),
        )
        own = found["fieldcraft"]
        for name, took in found.items():
            cells = [
                name if steps > 1 else f"{name}, input just rewritten",
                milliseconds(took.best),
                milliseconds(took.median),
            ]
            if name == "fieldcraft":
                table.add(*cells, "", "", "", "")
                continue
            ratio = took.best / own.best
            least = required[name] if steps > 1 else None
            cells += [
                times(ratio),
                times(took.median / own.median),
                target(least),
                at_least(ratio, least),
            ]
            table.add(*cells)
    tracemalloc.start()
    contenders["fieldcraft"]()
    peak = tracemalloc.get_traced_memory()[1] / (4 * SIZE * SIZE)
    tracemalloc.stop()
    table.notes.append(
        f"{rounds} rounds of 5 in a row, or of 1; same bits. Memory made on the way: {peak:.3f}"
        " float32 arrays of the map's size."
    )
    if peak > 0.1:
        report.wrong.append(f"an evaluation made {peak:.2f} arrays of the map's size")
    report.tables.append(table)


def unseen(report: Report, quick: bool) -> None:
    """The first answer of formulas that were not there before."""
    imap = hills(256)
    table = Table(
        "A new formula's first answer, 256 x 256",
        ("formula", "best ms", "median", "required", "verdict"),
    )
    for text in FORMULAS:
        spent = []
        for turn in range(repeats(quick, 3, 30)):
            start = now()
            fc.formula(f"{text} + {turn}", imap).read()
            spent.append(now() - start)
        best = min(spent)
        table.add(
            text,
            milliseconds(best),
            milliseconds(sorted(spent)[len(spent) // 2]),
            "5 ms",
            at_most(best, 5e-3),
        )
    table.notes.append(
        "Reading the text, planning, making the array and computing it; another number stands in"
        " each."
    )
    report.tables.append(table)


def around(report: Report, quick: bool) -> None:
    """Windows around many agents."""
    imap = hills(1024)
    net = imap["ally"] - 0.5 * imap["enemy"]
    at = np.random.default_rng(1).uniform(0, 1024, (1000, 2))
    layers = [imap["ally"], imap["enemy"], net]
    table = Table("Windows, 1024 x 1024", ("what", "best ms"))
    for what, cut in (
        ("cut 1,000 windows of radius 10 from an expression", lambda: fc.window(net, at, 10)),
        ("observe 3 maps, 1,000 agents, 21 x 21", lambda: fc.observe(layers, at, 21)),
    ):
        spent = []
        for _ in range(repeats(quick, 2, 10)):
            imap["ally"].write(imap["ally"].values)
            start = now()
            cut()
            spent.append(now() - start)
        table.add(what, milliseconds(min(spent)))
    report.tables.append(table)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    fc.warm_up()
    say("bench compose: clamp and normalize")
    combined(report, quick)
    say("bench compose: new formulas")
    unseen(report, quick)
    say("bench compose: windows")
    around(report, quick)
    return report
