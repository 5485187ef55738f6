"""A step of a StarCraft II bot's danger maps, beside the loop that bots write: clean grids copied, a disc added for each enemy and grid.

ares-sc2 and MapAnalyzer are on no package index, so the peer is that loop, written plainly here from what they document: eight
float32 grids of [x, y], two to seven of which take a unit's disc, tested at the corners of cells.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import nothing, race, say
from bench.table import Report, Table, at_least
from fieldcraft.adapters.sc2 import Battlefield, Threat

ENEMIES = (20, 60, 150)
ASKED = {20: 3.0, 60: 8.0, 150: 20.0}
GRIDS, STEPS = 8, 20


class Kind(enum.Enum):
    """The types of units here."""

    UNIT = 1
    DEPOT = 2


def ground() -> Any:
    """A map of 200 x 176 cells, [y, x] with y up, 1 where one can walk."""
    return (~fc.generate_map("cave", 200, 176, seed=3).walls).astype(np.uint8)


def bot(pathing: Any, enemies: int, seed: int) -> Any:
    """What an adapter reads of a bot, with enemies that move when `step()` is called."""
    rng = np.random.default_rng(seed)
    height, width = pathing.shape
    places = np.argwhere(pathing)[rng.integers(int(pathing.sum()), size=enemies)][:, ::-1] + 0.5
    kinds = rng.integers(4, size=enemies)
    units = [
        SimpleNamespace(tag=10_000 + n, position=tuple(place), kind=int(kind), is_flying=bool(kind == 3), type_id=Kind.UNIT)
        for n, (place, kind) in enumerate(zip(places.tolist(), kinds, strict=True))
    ]
    things = [
        SimpleNamespace(tag=n, position=(float(x), float(y)), radius=1.0, is_flying=False, type_id=Kind.DEPOT)
        for n, (y, x) in enumerate(np.argwhere(pathing)[rng.integers(int(pathing.sum()), size=60)])
    ]
    info = SimpleNamespace(
        pathing_grid=SimpleNamespace(data_numpy=pathing),
        placement_grid=SimpleNamespace(data_numpy=np.zeros_like(pathing)),
        terrain_height=SimpleNamespace(data_numpy=pathing * 191),
        playable_area=SimpleNamespace(x=4, y=4, width=width - 8, height=height - 8),
    )
    made = SimpleNamespace(
        game_info=info, state=SimpleNamespace(effects=[]), enemy_units=units, structures=things, enemy_structures=[], destructables=[],
        mineral_field=[SimpleNamespace(tag=500 + n, position=(10.0 + 2 * (n % 40), 20.0 + n // 40)) for n in range(120)],
        vespene_geyser=[],
    )  # fmt: skip

    def step() -> None:
        for unit in units:
            x, y = (np.array(unit.position) + rng.normal(0, 0.3, 2)).tolist()
            unit.position = min(max(x, 1.0), width - 1.0), min(max(y, 1.0), height - 1.0)

    made.step = step
    return made


COSTS = ((10.0, 10.0), (12.0, 6.0), (20.0, 17.0), (9.0, 9.0))
"""The cost and radius of four kinds of units."""
TOUCHED = ((0, 1, 2, 3, 4, 7), (0, 1, 2), (0, 1, 2, 5), (0, 1, 2, 3, 4, 5, 7))
"""The grids that take each kind's disc."""


def loop(made: Any) -> Callable[[], Any]:
    """The loop that bots write."""
    height, width = made.game_info.pathing_grid.data_numpy.shape
    clean = np.where(made.game_info.pathing_grid.data_numpy.T > 0, 1, np.inf).astype(np.float32)
    discs: dict[float, Any] = {}
    for _, radius in COSTS:
        reach = int(np.ceil(radius))
        dx, dy = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        discs[radius] = np.stack([dx, dy])[:, dx**2 + dy**2 <= radius**2]

    def step() -> Any:
        grids = [clean.copy() for _ in range(GRIDS)]
        for unit in made.enemy_units:
            cost, radius = COSTS[unit.kind]
            x, y = discs[radius] + np.array([[int(unit.position[0])], [int(unit.position[1])]])
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            x, y = x[inside], y[inside]
            for number in TOUCHED[unit.kind]:
                grids[number][x, y] += cost
        return grids

    return step


def run(quick: bool) -> Report:
    """Measure."""
    report = Report()
    table = Table("A bot's step: all danger maps", ["enemies", "fieldcraft, ms", "the loop, ms", "ratio", "asked", ""])
    pathing = ground()

    def threat(unit: Any) -> Threat:
        cost, radius = COSTS[unit.kind]
        return Threat(cost, radius, cost if unit.kind != 1 else 0.0, radius)

    for enemies in ENEMIES[:1] if quick else ENEMIES:
        say(f"bench sc2: {enemies} enemies")
        made = bot(pathing, enemies, enemies)
        field = Battlefield(made, threat=threat)
        theirs = loop(made)

        def batch(step: Callable[[], Any], made: Any = made) -> Callable[[], None]:
            def batched() -> None:
                for _ in range(STEPS):
                    made.step()
                    step()

            return batched

        moving = batch(lambda: None)
        contenders = {"ours": (nothing, batch(field.update)), "theirs": (nothing, batch(theirs)), "moving": (nothing, moving)}
        for _, warm in contenders.values():
            warm()
        times = race(contenders, STEPS, dict.fromkeys(contenders, 3 if quick else 15))
        ours, other = (times[name].best - times["moving"].best for name in ("ours", "theirs"))
        table.add(
            f"{enemies}",
            f"{ours * 1e3:.2f}",
            f"{other * 1e3:.2f}",
            f"{other / ours:.1f}x",
            f"{ASKED[enemies]:g}x",
            at_least(other / ours, ASKED[enemies]),
        )
    table.notes.append(
        f"200 x 176 cells; {GRIDS} grids in the loop, two layers here, which all kinds of movement read; every enemy moves in each step."
    )
    report.tables.append(table)

    say("bench sc2: questions")
    made = bot(pathing, 150, 1)
    field = Battlefield(made, threat=threat)
    field.update()
    units = np.array([unit.position for unit in made.enemy_units])
    asked = Table("Questions among 150 enemies", ["question", "microseconds"])
    questions: dict[str, tuple[Callable[[], Any], int]] = {
        "a path across the map": (lambda: field.pathfind(units[0], units[1]), 1),
        "one safe spot, radius 11": (lambda: field.safe_spots(units[0]), 1),
        "150 safe spots, each": (lambda: field.safe_spots(units), len(units)),
        "is 150 positions safe, each": (lambda: field.is_safe(units), len(units)),
        "a step with nothing changed in the walls": (field._standing.follow, 1),
    }
    for name, (ask, count) in questions.items():
        ask()
        best = race({name: (nothing, lambda ask=ask: [ask() for _ in range(20)])}, 20 * count, {name: 3 if quick else 15})[name].best  # type: ignore[misc]
        asked.add(name, f"{best * 1e6:.1f}")
    report.tables.append(asked)
    return report
