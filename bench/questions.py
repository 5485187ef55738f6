"""The twelve classic questions of examples/questions.toml over several frames, and clearance."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import now, repeats, say
from bench.table import Report, Table, at_most

QUESTIONS = Path(__file__).resolve().parents[1] / "examples" / "questions.toml"
SIDE = 256
SEED = 20261127
# microseconds a slice: what is asked for, what it may take
BUDGET = 100.0
REQUIRED = 200.0


def scene() -> tuple[fc.InfluenceMap, dict[str, Any]]:
    """Return a map of many small buildings, and what the questions name."""
    rng = np.random.default_rng(SEED)
    walls = np.zeros((SIDE, SIDE), dtype=bool)
    for _ in range(SIDE * SIDE // 60):
        (x, y), (width, height) = rng.integers(0, SIDE - 8, 2), rng.integers(1, 6, 2)
        walls[y : y + height, x : x + width] = True
    middle = SIDE // 2
    walls[middle - 6 : middle + 6, middle - 6 : middle + 6] = False
    space = fc.Grid(walls=walls, neighbors=8)
    imap = fc.InfluenceMap(space)

    def near(*offsets: tuple[float, float]) -> Any:
        return space.open_near(np.array(offsets) + middle + 0.5)

    given: dict[str, Any] = {
        "me": near((0, 0))[0],
        "enemies": near((-14, -6), (12, -12)),
        "target": near((10, 8))[0],
        "facing": (-1.0, 0.0),
        "allies": near((-12, 12), (8, 16)),
        "kits": space.open_near(rng.integers(-20, 20, (8, 2)) + middle + 0.5),
        "ammo": space.open_near(rng.integers(-20, 20, (8, 2)) + middle + 0.5),
        "corner": near((5, -8))[0],
        "coming": near((20, -8), (16, -8)),
        "base": near((-10, 10))[0],
        "ore": near((-20, 16))[0],
        "room": fc.question.Clearance(space),
    }
    threat = imap.add_layer("threat", fc.Radial(12, "linear", metric="straight"))
    threat.add_sources(given["enemies"])
    seen = imap.add_layer("seen", fc.Fade(amount=1, interval=60, maximum=1))
    seen.mark(fc.visible(space, given["me"], 20))
    imap.step()
    return imap, given


def fastest_ask(
    question: fc.Question, imap: fc.InfluenceMap, given: dict[str, Any], rounds: int
) -> float:
    """Return the least time of an answer at once, in microseconds."""
    took = []
    for _ in range(rounds):
        begin = now()
        question.ask(imap, rng=np.random.default_rng(SEED), **given)
        took.append((now() - begin) * 1e6)
    return min(took)


def run(quick: bool) -> Report:
    """Return the tables of this suite."""
    report = Report()
    fc.warm_up()
    imap, given = scene()
    table = Table(
        f"Questions on {SIDE} x {SIDE} in slices of {BUDGET:g} microseconds, all in microseconds",
        [
            "question",
            "candidates",
            "slices",
            "all of it",
            "ask() at once",
            "longest slice, best",
            "median",
            "allowed",
            "verdict",
        ],
    )
    for name, question in fc.Question.read(QUESTIONS).items():
        say(f"bench questions: {name}")
        longest = []
        whole = []
        for _ in range(repeats(quick, 20, 200)):
            answer = question.start(imap, rng=np.random.default_rng(SEED), **given)
            slices: list[float] = []
            while not answer.done:
                begin = now()
                answer.advance(microseconds=BUDGET)
                slices.append((now() - begin) * 1e6)
            longest.append(max(slices))
            whole.append(sum(slices))
        best = min(longest)
        median = statistics.median(longest)
        at_once = fastest_ask(question, imap, given, rounds=len(whole))
        numbers = (
            f"{min(whole):.0f}",
            f"{at_once:.0f}",
            f"{best:.0f}",
            f"{median:.0f}",
            f"{REQUIRED:g}",
        )
        count = str(len(answer.explain()))
        table.add(name, count, str(len(slices)), *numbers, at_most(best, REQUIRED))
    report.tables += [table, clearance(imap.space, quick)]
    return report


def clearance(space: Any, quick: bool) -> Table:
    """Return what the footprints that fit take, at first and after a wall has changed."""
    rng = np.random.default_rng(SEED)
    table = Table("Clearance", ["map", "first ms", "repair us"])
    open_cells = np.flatnonzero(~space.walls)
    for label, each in (("grid", space), ("hexagons", fc.HexGrid(SIDE, SIDE, walls=space.walls))):
        begin = now()
        room = fc.question.Clearance(each.with_walls(each.walls))
        room.values  # noqa: B018
        first = now() - begin
        took = []
        for cell in rng.choice(open_cells, repeats(quick, 10, 100)):
            for blocked in (True, False):
                room.space.set_walls(cell, blocked=blocked)
                begin = now()
                room.values  # noqa: B018
                took.append((now() - begin) * 1e6)
        table.add(label, f"{first * 1e3:.1f}", f"{statistics.median(took):.0f}")
    return table
