from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.sc2 import EFFECTS, Battlefield, Threat
from fieldcraft.formats.adapters.sc2.enemies import by_weapons
from fieldcraft.formats.adapters.sc2.obstacles import Obstacles
from support import realdata
from support.sc2 import (
    BANSHEE,
    DEPOT,
    LOWERED,
    MARINE,
    STORM,
    WARNINGS,
    ZEALOT,
    Game,
    common_pb2,
    raw_pb2,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from sc2.position import Point2

pytestmark = WARNINGS


def test_cells_are_those_of_the_game(game: Game) -> None:
    field = Battlefield(game.bot)
    assert field.ground.shape == (30, 44)
    for x, y, wall in (
        (6.5, 12.5, True),
        (6.5, 11.5, False),
        (6.5, 14.5, False),
        (19.2, 20.4, True),
        (20.9, 20.4, True),
        (21.1, 20.4, False),
    ):
        assert bool(field.ground.walls.flat[field.ground.cell_at((x, y))]) == wall
    assert field.air.walls.flat[field.air.cell_at((1.5, 10.0))]
    assert not field.air.walls.flat[field.air.cell_at((2.5, 12.5))]
    assert field.grid("ground")[6, 12] == np.inf
    assert field.grid("ground")[6, 11] == 1


def test_grids_are_those_of_ares(game: Game) -> None:
    """The cost of a cell as ares-sc2 adds it up: a disc about the cell of a unit, tested from
    corner to corner.
    """
    rng = np.random.default_rng(4)
    kinds = {
        MARINE: (10.0, 9.0, 10.0, 9.0),
        BANSHEE: (12.0, 10.0, 0.0, 0.0),
        ZEALOT: (18.0, 4.0, 0.0, 0.0),
    }
    for number in range(25):
        kind = list(kinds)[number % 3]
        game.place(kind, *rng.uniform((3, 4), (41, 26)).tolist(), flying=kind == BANSHEE)
    game.step()
    names = {MARINE: "MARINE", BANSHEE: "BANSHEE", ZEALOT: "ZEALOT"}
    field = Battlefield(game.bot, threat={names[kind]: Threat(*row) for kind, row in kinds.items()})
    x, y = np.ogrid[:44, :30]
    for _ in range(4):
        field.update()
        for column, kind in ((0, "ground"), (0, "climber"), (2, "air")):
            theirs = np.where(field.space(kind).walls[::-1].T, np.inf, 1).astype(np.float32)
            for unit in game.bot.enemy_units:
                cost, radius = kinds[unit.type_id.value][column : column + 2]
                theirs[
                    (x - int(unit.position.x)) ** 2 + (y - int(unit.position.y)) ** 2 <= radius**2
                ] += cost
            assert np.array_equal(field.grid(kind), theirs)
        for unit in game.units:
            unit.pos.x, unit.pos.y = np.clip(
                rng.normal((unit.pos.x, unit.pos.y), 0.7), (3, 4), (41, 26)
            ).tolist()
        game.step()


def test_effects_and_a_table_of_threats(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.effects.append(
        raw_pb2.Effect(
            effect_id=STORM,
            pos=[common_pb2.Point2D(x=35.5, y=20.5)],
            alliance=4,
            owner=2,
            radius=1.5,
        )
    )
    game.step()
    field = Battlefield(
        game.bot,
        threat=lambda unit: Threat(7.0, 2.0) if unit.type_id.name == "MARINE" else by_weapons(unit),
    )
    field.update()
    assert field.danger_at((10.5, 6.5)) == 7
    assert field.danger_at((10.5, 6.5), "air") == 0
    for kind in ("ground", "air"):
        assert field.danger_at((35.5, 20.5), kind) == EFFECTS["PSISTORMPERSISTENT"].cost


def test_sight_goes_into_beliefs(game: Game) -> None:
    game.visibility[5:9, 10:20] = 2
    game.step()
    field = Battlefield(game.bot)
    assert field.seen.sum() == 40
    assert field.seen.ravel()[field.ground.cell_at((12.5, 6.5))]
    belief = fc.Belief(field.ground, speed=3.0)
    belief.observe(field.seen)
    assert belief.values[field.seen].sum() == 0


def test_a_battlefield_is_that_of_a_bot() -> None:
    with pytest.raises(InvalidValue, match="bot"):
        Battlefield("bot")


def test_the_block_of_the_guide_leads_units(game: Game) -> None:
    guide = Path(__file__).resolve().parents[6] / "docs" / "coming_from.md"
    section = guide.read_text().split("\n## StarCraft II\n")[1]
    block = section.split("```py\n")[1].split("```")[0]
    game.place(MARINE, 8.5, 8.5, alliance=1)
    game.place(MARINE, 30.5, 20.5, alliance=1)
    game.place(ZEALOT, 9.5, 8.5)
    game.step()
    near, far = sorted(game.bot.units, key=lambda unit: unit.position.x)
    goal, zealot = Point2((38.5, 24.5)), game.bot.enemy_units.first.position
    for unit in (near, far):
        names: dict[str, Any] = {"self": game.bot, "unit": unit, "goal": goal}
        exec(block, names)
        target = Point2(names["target"])
        if unit is near:
            assert target.distance_to(zealot) > unit.position.distance_to(zealot)
        else:
            assert target.distance_to(goal) < unit.position.distance_to(goal)


@pytest.mark.parametrize("path", realdata.files("sc2/grids", "*.npz"), ids=lambda path: path.stem)
def test_real_maps(path: Any) -> None:
    stored = np.load(path, allow_pickle=False)
    minerals = tuple(map(tuple, stored["unit_xy"][stored["unit_resource"] == 1].tolist()))
    field = Battlefield(Game(stored["pathing"], minerals).bot)
    ours = fc.load_map(path, neighbors=8)
    assert (
        field.ground.walls != ours.walls
    ).mean() < 0.02  # geysers, which this game does not have
    ends = stored["start_locations"]
    assert field.pathfind(ends[0], ends[1]).length > np.hypot(*(ends[0] - ends[1]))


def test_only_changes_are_stamped(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    field = Battlefield(game.bot)
    kinds = ("ground", "large", "climber", "rocks")
    for kind in kinds:
        field.space(kind)
    blocked = []
    for _ in range(30):
        if game.units and rng.random() < 0.4:
            del game.units[int(rng.integers(len(game.units)))]
        else:
            game.place(
                (DEPOT, LOWERED)[int(rng.integers(2))],
                *rng.integers(4, 26, 2).tolist(),
                alliance=int(rng.choice([1, 4])),
                radius=1.0,
            )
            game.units[-1].tag = int(rng.integers(10**9))
        game.step()
        field.update()
        fresh = Battlefield(game.bot)
        assert all(
            np.array_equal(field.space(kind).walls, fresh.space(kind).walls) for kind in kinds
        )
        blocked.append(int(field.ground.walls.sum()))
    assert (np.diff(blocked) > 0).any() and (np.diff(blocked) < 0).any()
    stamped = []
    monkeypatch.setattr(Obstacles, "_boxes", lambda self: stamped.append(self) or [])
    game.step()
    field.update()
    assert stamped == []


@pytest.mark.parametrize(
    "path", realdata.files("sc2/grids", "*.npz")[:4], ids=lambda path: path.stem
)
def test_choke_points_of_real_maps_divide_the_ground(path: Any) -> None:
    arrays = np.load(path, allow_pickle=False)
    field = Battlefield(Game(arrays["pathing"]).bot)
    found = field.choke_points
    assert 8 <= len(found.points) <= 80
    assert found.space.walls.sum() == field.space().walls.sum()
    a, b = found.area_at(arrays["start_locations"][:2])
    assert a != b
