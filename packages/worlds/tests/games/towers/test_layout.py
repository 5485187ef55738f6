"""Seeded layouts: fair, on open ground, in nobody's route."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft_worlds.games.towers import Settings, TowerRules, ground
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.layout import seeded
from fieldcraft_worlds.games.towers.orders import new_towers
from fieldcraft_worlds.games.walking import walking_grid
from support.refusals import refused

RULES = Settings(towers=5, tower=TowerRules(range=8))


def laid(space: fc.Grid, settings: Settings = RULES, seed: int = 0) -> list[np.ndarray]:
    return seeded(walking_grid(space), settings, np.random.default_rng(seed))


def blocked(space: fc.Grid, cells: list[np.ndarray], reach: int) -> np.ndarray:
    walls = space.walls.copy()
    walls.reshape(-1)[
        np.concatenate([ground.block(space, cell, reach) for cell in np.concatenate(cells)])
    ] = True
    return walls


@pytest.mark.parametrize("kind", ["cave", "open", "rooms"])
@pytest.mark.parametrize("seed", range(3))
def test_towers_stand_on_open_ground_apart_and_part_nothing(kind: str, seed: int) -> None:
    space = fc.generate_map(kind, 80, 56, seed=seed + 1)
    cells = laid(space, seed=seed)
    assert [len(own) for own in cells] == [5, 5]
    taken = np.concatenate([ground.block(space, cell, 1) for cell in np.concatenate(cells)])
    assert len(set(taken.tolist())) == len(taken) == 90
    assert not space.walls.reshape(-1)[taken].any()
    own, foe = (space.position_of(team) for team in cells)
    assert np.hypot(*(own[:, None] - foe).T).min() > RULES.tower.range
    _, parts = ndimage.label(~blocked(space, cells, 1))
    assert parts == 1  # 8 neighbors without cutting corners join what 4 do


def way_to_enemies(space: fc.Grid, cells: list[np.ndarray], own: np.ndarray, cell: int) -> float:
    enemies = np.concatenate([other for other in cells if other is not own])
    return float(distance_map(space, space.position_of(enemies)).sample(space.position_of(cell)))


@pytest.mark.parametrize("kind", ["cave", "open"])
def test_all_teams_have_about_the_same_ways(kind: str) -> None:
    for seed in range(4):
        space = fc.generate_map(kind, 96, 64, seed=seed + 1, neighbors=8)
        for teams in (2, 3):
            rules = replace(RULES, teams=("red", "blue", "green")[:teams], towers=3)
            cells = laid(space, rules, seed)
            routes = np.array(
                [
                    np.sort([way_to_enemies(space, cells, own, cell) for cell in own])
                    for own in cells
                ]
            )
            span = routes.max()
            assert np.ptp(routes, axis=0).mean() < 0.3 * span


@pytest.mark.parametrize(
    "turn",
    [np.s_[::-1, ::-1], np.s_[:, ::-1], np.s_[::-1]],
    ids=["turned", "left and right", "top and bottom"],
)
def test_on_a_map_of_two_equal_halves_the_layout_is_symmetric(turn: tuple[slice, ...]) -> None:
    rng = np.random.default_rng(1)
    walls = rng.random((44, 72)) < 0.01
    space = fc.Grid(72, 44, walls=walls | walls[turn])
    own, foe = laid(space)
    pictures = []
    for cells in (own, foe):
        picture = np.zeros(space.shape, dtype=bool)
        picture.reshape(-1)[cells] = True
        pictures.append(picture)
    assert np.array_equal(pictures[0], pictures[1][turn])


def test_the_same_seed_is_the_same_layout() -> None:
    space = fc.generate_map("cave", 80, 56, seed=2)
    first, second, other = laid(space, seed=1), laid(space, seed=1), laid(space, seed=2)
    assert all(np.array_equal(one, two) for one, two in zip(first, second, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(first, other, strict=True))


def test_in_narrow_halls_towers_leave_a_way() -> None:
    walls = np.ones((40, 60), dtype=bool)
    walls[2:38:9, 2:58] = walls[3:39:9, 2:58] = False
    walls[2:39, 2:4] = walls[2:39, 56:58] = False
    space = fc.Grid(60, 40, walls=walls)
    cells = laid(space, replace(RULES, towers=2, tower=TowerRules(size=1, range=6)))
    _, parts = ndimage.label(~blocked(space, cells, 0))
    assert parts == 1


@pytest.mark.parametrize(
    "space",
    [fc.Grid(12, 10), fc.Grid(1, 40), fc.Grid(9, 9, walls=np.ones((9, 9), dtype=bool))],
    ids=["small", "thin", "walls"],
)
def test_a_map_without_room_is_refused(space: fc.Grid) -> None:
    with refused(InvalidValue, "has room for 5 towers of size 3", "fewer towers"):
        laid(space)


def test_what_is_laid_may_also_be_placed() -> None:
    from fieldcraft_worlds.games.towers.orders import check_site

    space = fc.generate_map("cave", 80, 56, seed=2)
    derived = TowersDerived(space, RULES)
    cells = laid(space)
    placed = new_towers(RULES, 0, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for team, own in enumerate(cells):
        for cell in own.tolist():
            check_site(derived, placed, team, cell)
            placed = placed.joined(
                new_towers(RULES, len(placed), np.array([team]), np.array([cell]))
            )
