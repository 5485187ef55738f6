"""Would a tower here shut a way off?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths import distance_map, would_block
from support import grids
from support.examples import examples


@examples(25, deadline=None)
@given(world=grids.worlds(14), size=st.integers(1, 6), seed=st.integers(0, 1000))
def test_it_is_what_building_there_would_do(world: grids.World, size: int, seed: int) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    goals = arguments[0]
    rng = np.random.default_rng(seed)
    row, column = int(rng.integers(world.height)), int(rng.integers(world.width))
    box = np.zeros(space.shape, dtype=bool)
    box[row : row + size, column : column + max(1, size // 2)] = True
    cells = np.flatnonzero(box)
    known = distance_map(space, goals, **arguments[1])
    plain = distance_map(space, goals)
    starts = rng.choice(np.flatnonzero(~known.walls), 2)
    before = np.isfinite(plain.exact).reshape(-1)
    by_known = np.isfinite(
        distance_map(space, goals, cost=np.where(known.walls, np.inf, 1.0)).exact
    ).reshape(-1)
    kept = known.exact
    answers = [
        would_block(space, cells, goals),
        would_block(space, cells, known),
        would_block(space, cells, plain),
    ]
    named = [would_block(space, cells, each, space.position_of(starts)) for each in (goals, known)]
    assert np.array_equal(known.exact, kept)
    assert not known.outdated
    space.set_walls(cells)
    aims = np.asarray(space.cell_at(goals))
    open_aims = aims[~space.walls.reshape(-1)[aims]]
    inf = np.isinf(known.costs) if known.costs is not None else np.zeros(space.shape, dtype=bool)
    if len(open_aims):
        after = np.isfinite(distance_map(space, space.position_of(open_aims)).exact).reshape(-1)
        by_known_after = np.isfinite(
            distance_map(space, space.position_of(open_aims), cost=np.where(inf, np.inf, 1.0)).exact
        ).reshape(-1)
    else:
        after = by_known_after = np.zeros(len(space), dtype=bool)
    outside = ~box.reshape(-1)
    assert answers[0] == answers[2] == bool((before & ~after & outside).any())
    assert answers[1] == bool((by_known & ~by_known_after & outside).any())
    assert named == [
        bool((before & ~after)[starts].any()),
        bool((by_known & ~by_known_after)[starts].any()),
    ]


@pytest.fixture
def gate() -> fc.Grid:
    walls = np.zeros((5, 9), dtype=bool)
    walls[:, 4] = True
    walls[2, 4] = False
    return fc.Grid(9, 5, walls=walls, neighbors=8)


def test_a_gate(gate: fc.Grid) -> None:
    goal = (8.5, 2.5)
    assert would_block(gate, [22], goal)
    assert would_block(gate, 22, goal)
    assert would_block(gate, [22], distance_map(gate, goal))
    assert not would_block(gate, [0], goal)
    assert not would_block(gate, [4], goal)
    assert not would_block(gate, [], goal)
    assert not would_block(gate, [22], [(0.5, 0.5), goal])


def test_starts_are_all_that_counts_where_given(gate: fc.Grid) -> None:
    assert not would_block(gate, [22], (8.5, 2.5), starts=(7.5, 0.5))
    assert would_block(gate, [22], (8.5, 2.5), starts=[(7.5, 0.5), (0.5, 0.5)])
    assert would_block(gate, [0], (8.5, 2.5), starts=(0.5, 0.5))
    assert not would_block(gate, [0], (8.5, 2.5), starts=(1.5, 0.5))


def test_building_on_the_only_goal_cuts_everything_off(gate: fc.Grid) -> None:
    assert would_block(gate, [26], (8.5, 2.5))
    assert not would_block(gate, [26], [(8.5, 2.5), (7.5, 2.5)])


def test_it_tells_which_cells_are_cut_off(gate: fc.Grid) -> None:
    field = distance_map(gate, (8.5, 2.5))
    lost = field.cut_off([22])
    assert np.array_equal(lost, np.flatnonzero(np.arange(45) % 9 < 4))


def test_bad_input(gate: fc.Grid) -> None:
    field = distance_map(gate, (8.5, 2.5))
    other = fc.Grid(9, 5)
    refusals: list[tuple[type[Exception], tuple[Any, ...]]] = [
        (OutsideMap, (gate, [99], (8.5, 2.5))),
        (InvalidValue, (gate, [1.5], (8.5, 2.5))),
        (OnWall, (gate, [0], (4.5, 0.5))),
        (OutsideMap, (gate, [0], (9.5, 0.5))),
        (OnWall, (gate, [0], (8.5, 0.5), (4.5, 0.5))),
        (InvalidValue, (gate, [0], [])),
        (InvalidValue, (other, [0], field)),
        (InvalidValue, ("map", [0], field)),
    ]
    for kind, arguments in refusals:
        with pytest.raises(kind):
            would_block(*arguments)
    gate.set_walls([0])
    with pytest.raises(InvalidValue, match="repair"):
        would_block(gate, [1], field)
