"""A step of a StarCraft II bot's danger maps, beside the step of ares-sc2 and MapAnalyzer, written
here anew from their method.

Neither is on a package index. ares-sc2 (its `GridManager`, 2025) copies eight clean float32 grids
of [x, y] in each step, builds two of
them anew in every eighth, and has MapAnalyzer add a disc for each enemy to one to four of them: the
cells of the disc are found by NumPy in the box around it, each grid is added to by index, and
checked for costs below 1. MapAnalyzer of 2026 keeps the cells of discs by center and radius. Times
are CPU time. Enemies are python-sc2's own `Unit` objects, made anew in each step, as in a game.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import nothing, race, repeats, say
from bench.table import Report, Table, at_least
from fieldcraft.formats.adapters.sc2 import Battlefield, Threat

ENEMIES = (20, 60, 150)
ASKED = {20: 3.0, 60: 8.0, 150: 20.0}
STEPS = 20
BUFFER = 4.0
ARMY = {
    "MARINE": (10, 5.0, 10, 5.0, False),
    "ZEALOT": (18, 0.0, 0, 0.0, False),
    "SIEGETANKSIEGED": (30, 13.0, 0, 0.0, False),
    "STALKER": (10, 6.0, 10, 6.0, False),
    "BANSHEE": (12, 6.0, 0, 0.0, True),
    "VIKINGFIGHTER": (0, 0.0, 14, 9.0, True),
    "THOR": (28, 7.0, 28, 11.0, False),
    "HYDRALISK": (20, 6.0, 20, 6.0, False),
}
"""Cost and range against ground and air, and whether it flies, as ares has them."""


def ground() -> Any:
    """A map of 200 x 176 cells, [y, x] with y up, 1 where one can walk."""
    return (~fc.generate_map("cave", 200, 176, seed=3).walls).astype(np.uint8)


def bot(pathing: Any, enemies: int, seed: int) -> Any:
    """A bot, as far as its maps are read, with enemies that move when `step()` is called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from s2clientprotocol import common_pb2, raw_pb2
        from sc2.ids.unit_typeid import UnitTypeId
        from sc2.unit import Unit

    rng = np.random.default_rng(seed)
    height, width = pathing.shape
    open_cells = np.argwhere(pathing)[:, ::-1] + 0.5
    teller = SimpleNamespace(state=SimpleNamespace(game_loop=1))

    def proto(tag: int, kind: Any, place: Any, flying: bool = False) -> Any:
        at = common_pb2.Point(x=place[0], y=place[1], z=10.0)
        return raw_pb2.Unit(
            unit_type=kind.value, tag=tag, pos=at, radius=1.0, is_flying=flying, build_progress=1.0
        )

    kinds = [UnitTypeId[name] for name in ARMY]
    told = [
        proto(
            10_000 + n,
            kinds[n % len(kinds)],
            open_cells[rng.integers(len(open_cells))],
            ARMY[kinds[n % len(kinds)].name][4],
        )
        for n in range(enemies)
    ]
    depots = [
        proto(n, UnitTypeId.SUPPLYDEPOT, np.floor(open_cells[rng.integers(len(open_cells))]))
        for n in range(60)
    ]
    minerals = [
        proto(500 + n, UnitTypeId.MINERALFIELD, (10.0 + 2 * (n % 40), 20.5 + n // 40))
        for n in range(120)
    ]
    info = SimpleNamespace(
        pathing_grid=SimpleNamespace(data_numpy=pathing),
        placement_grid=SimpleNamespace(data_numpy=np.zeros_like(pathing)),
        terrain_height=SimpleNamespace(data_numpy=pathing * 191),
        playable_area=SimpleNamespace(x=0, y=0, width=width, height=height),
    )
    made = SimpleNamespace(
        game_info=info,
        state=SimpleNamespace(effects=[], game_loop=1),
        enemy_structures=[],
        destructables=[],
        vespene_geyser=[],
    )

    def step() -> None:
        for each in told:
            x, y = rng.normal((each.pos.x, each.pos.y), 0.3).tolist()
            each.pos.x, each.pos.y = min(max(x, 1.0), width - 1.0), min(max(y, 1.0), height - 1.0)
        for name, protos in (
            ("enemy_units", told),
            ("structures", depots),
            ("mineral_field", minerals),
        ):
            setattr(made, name, [Unit(each, teller) for each in protos])

    made.step = step
    step()
    return made


def disc(x: float, y: float, radius: float, shape: tuple[int, int]) -> Any:
    """The cells whose corners lie within a radius, found in the box around it."""
    low = np.maximum(np.ceil(np.array([x, y]) - radius).astype(int), 0)
    high = np.minimum(np.floor(np.array([x, y]) + radius).astype(int) + 1, shape)
    u, v = np.ogrid[: high[0] - low[0], : high[1] - low[1]]
    rows, columns = np.nonzero((u - (x - low[0])) ** 2 + (v - (y - low[1])) ** 2 <= radius**2)
    return rows + low[0], columns + low[1]


class Ares:
    """The eight grids of ares-sc2, of which effects alone would touch three."""

    NAMES = (
        "air",
        "air_vs_ground",
        "climber",
        "ground",
        "air_avoidance",
        "ground_avoidance",
        "priority_ground_avoidance",
        "ground_to_air",
    )

    def __init__(self, made: Any, discs: Callable[..., Any]) -> None:
        self.bot = made
        self.discs = discs
        self.turn = 0
        free = made.game_info.pathing_grid.data_numpy.T > 0
        self.walkable = free.copy()
        for mineral in made.mineral_field:
            x, y = int(mineral.position.x), int(mineral.position.y)
            self.walkable[x - 1 : x + 1, y] = False
        self.flyable = np.ones(free.shape, dtype=np.float32)
        self.over = np.where(free, 10, 1).astype(np.float32)
        self.clean = self.cut()

    def cut(self) -> Any:
        """The ground, without what stands on it."""
        grid = self.walkable.copy()
        for building in self.bot.structures:
            left = int(building.position.x - 1)
            low = int(building.position.y - 1)
            grid[left : left + 2, low : low + 2] = False
        return np.where(grid, 1, np.inf).astype(np.float32)

    def step(self) -> dict[str, Any]:
        """All grids of a step."""
        if self.turn % 8 == 0:
            self.clean, self.climbed = self.cut(), self.cut()
        self.turn += 1
        ground = self.clean
        flown = self.flyable
        kinds = (flown, self.over, self.climbed, ground, flown, ground, ground, flown)
        grids = dict(zip(self.NAMES, (each.copy() for each in kinds), strict=True))
        for unit in self.bot.enemy_units:
            cost, reach, air_cost, air_reach, _ = ARMY[unit.type_id.name]
            both = (cost, reach) == (air_cost, air_reach)
            if both:
                self.add(
                    unit, cost, reach + BUFFER, grids, ("air", "air_vs_ground", "climber", "ground")
                )
            if air_cost and not both:
                self.add(unit, air_cost, air_reach + BUFFER, grids, ("air", "air_vs_ground"))
            if cost and not both:
                self.add(unit, cost, reach + BUFFER, grids, ("climber", "ground"))
            if air_cost and not unit.is_flying:
                self.add(unit, air_cost, air_reach + BUFFER, grids, ("ground_to_air",))
        return grids

    def add(
        self, unit: Any, cost: float, radius: float, grids: dict[str, Any], names: tuple[str, ...]
    ) -> None:
        """Add a disc to grids."""
        cells = self.discs(int(unit.position.x), int(unit.position.y), radius, self.flyable.shape)
        for name in names:
            grid = grids[name]
            grid[cells] += cost
            if np.any(grid[cells] < 1):
                grid[cells] = np.where(grid[cells] < 1, 1, grid[cells])


def table_of_threats() -> dict[str, Threat]:
    """The same, for a battlefield."""
    return {
        name: Threat(cost, reach + BUFFER if cost else 0.0, air, air_reach + BUFFER if air else 0.0)
        for name, (cost, reach, air, air_reach, _) in ARMY.items()
    }


def run(quick: bool) -> Report:
    """Measure."""
    report = Report()
    columns = [
        "enemies",
        "fieldcraft, ms",
        "ares' way, ms",
        "ratio",
        "asked",
        "",
        "with discs kept, ms",
        "ratio",
    ]
    table = Table("A bot's step: all danger maps", columns)
    pathing = ground()
    for enemies in ENEMIES[:1] if quick else ENEMIES:
        say(f"bench sc2: {enemies} enemies")
        made = bot(pathing, enemies, enemies)
        field = Battlefield(made, threat=table_of_threats())
        plain = Ares(made, disc)
        kept = Ares(made, functools.lru_cache(8192)(disc))
        check(field, plain)

        def batch(step: Callable[[], Any], made: Any = made) -> Callable[[], None]:
            def batched() -> None:
                for _ in range(STEPS):
                    made.step()
                    step()

            return batched

        contenders = {
            name: (nothing, batch(step))
            for name, step in (
                ("ours", field.update),
                ("plain", plain.step),
                ("kept", kept.step),
                ("moving", lambda: None),
            )
        }
        for _, warm in contenders.values():
            warm()
        times = race(
            contenders, STEPS, dict.fromkeys(contenders, repeats(quick, 3, 15)), time.process_time
        )
        ours, other, memo = (
            times[name].best - times["moving"].best for name in ("ours", "plain", "kept")
        )
        table.add(
            f"{enemies}",
            f"{ours * 1e3:.2f}",
            f"{other * 1e3:.2f}",
            f"{other / ours:.1f}x",
            f"{ASKED[enemies]:g}x",
            at_least(other / ours, ASKED[enemies]),
            f"{memo * 1e3:.2f}",
            f"{memo / ours:.1f}x",
        )
    table.notes.append(
        "200 x 176 cells, 180 buildings and minerals; every enemy moves in each step. ares' eight"
        " grids are three layers here, of the ground, the air and fighters, which agree with its"
        " grids in every cell. Discs kept: by center and radius, as MapAnalyzer of 2026."
    )
    report.tables.append(table)
    report.tables.append(questions(pathing, repeats(quick, 3, 15)))
    return report


def check(field: Battlefield, theirs: Ares) -> None:
    """Refuse to time what does not agree."""
    field.is_safe((5.0, 5.0), "fighters")
    for _ in range(3):
        theirs.bot.step()
        field.update()
        grids = theirs.step()
        for kind, name in (("ground", "ground"), ("air", "air"), ("fighters", "ground_to_air")):
            if not np.array_equal(field.grid(kind), grids[name]):
                raise AssertionError(f"the {name} grids differ")


def questions(pathing: Any, rounds: int) -> Table:
    """Ask where to go among 150 enemies, beside what ares asks."""
    import pyastar2d
    from scipy import spatial

    say("bench sc2: questions")
    made = bot(pathing, 150, 1)
    field = Battlefield(made, threat=table_of_threats())
    field.update()
    grid = field.grid("ground")
    rng = np.random.default_rng(2)
    units = np.array([unit.position for unit in made.enemy_units])
    starts = field.ground.position_of(
        field.ground.nearest_open(np.asarray(field.ground.cell_at(units)))
    )
    pairs = list(zip(starts[:16], starts[rng.permutation(16) + 16], strict=True))

    def spot(at: Any) -> Any:
        rows, columns = disc(at[0], at[1], 11, grid.shape)
        lowest = grid[rows, columns] == grid[rows, columns].min()
        places = np.column_stack([rows[lowest], columns[lowest]])
        return places[np.argmin(spatial.distance.cdist(places, [at], "sqeuclidean"))]

    def their_paths() -> None:
        for start, goal in pairs:
            pyastar2d.astar_path(
                grid, tuple(start.astype(int)), tuple(goal.astype(int)), allow_diagonal=True
            )

    rows: list[tuple[str, int, Callable[[], Any], Callable[[], Any] | None, float | None]] = [
        (
            "a path across the map (pyastar2d)",
            len(pairs),
            lambda: [field.pathfind(*pair) for pair in pairs],
            their_paths,
            8.0,
        ),
        (
            "one safe spot, radius 11",
            len(starts),
            lambda: [field.safe_spots(at) for at in starts],
            lambda: [spot(at) for at in starts],
            1.0,
        ),
        (
            "150 safe spots, each",
            len(starts),
            lambda: field.safe_spots(starts),
            lambda: [spot(at) for at in starts],
            15.0,
        ),
        ("150 positions safe?, each", len(starts), lambda: field.is_safe(starts), None, None),
        ("nothing new stands on the ground", 1, field._obstacles.follow, None, None),
    ]
    table = Table(
        "Questions among 150 enemies",
        ["question", "fieldcraft, us", "ares' way, us", "ratio", "asked", ""],
    )
    for name, count, ours, theirs, asked in rows:
        contenders = {"ours": (nothing, ours)}
        if theirs is not None:
            contenders["theirs"] = (nothing, theirs)
        for _, warm in contenders.values():
            warm()
        times = race(contenders, count, dict.fromkeys(contenders, rounds), time.process_time)  # type: ignore[arg-type]
        mine = times["ours"].best
        if theirs is None or asked is None:
            table.add(name, f"{mine * 1e6:.1f}", "", "", "", "")
            continue
        ratio = times["theirs"].best / mine
        table.add(
            name,
            f"{mine * 1e6:.1f}",
            f"{times['theirs'].best * 1e6:.1f}",
            f"{ratio:.1f}x",
            f"{asked:g}x",
            at_least(ratio, asked),
        )
    table.notes.append(
        "Costs are 1 + danger. Safe spots as ares finds them: NumPy over the disc, the nearest of"
        " the lowest by SciPy."
    )
    return table
