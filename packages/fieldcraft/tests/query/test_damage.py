"""The damage of the next turn: ranges, maps and bad arguments. Laws against brute force are in
`laws/test_every_space.py`.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.paths.search import reach
from fieldcraft.query import damage_next_turn
from support.examples import examples
from support.refusals import refused
from support.worlds import WRAPS


@pytest.mark.parametrize("size", [0.1, 0.3, 1.0, 7.7])
def test_a_cell_just_within_range_is_hit(size: float) -> None:
    lane = fc.Grid(12, 1, cell_size=size)
    damage = damage_next_turn(lane, lane.position_of(2), 4.0, moves=3 * size, ranges=3 * size)
    assert damage.total.values[0].tolist() == [4] * 9 + [0] * 3


def test_walls_stop_walks_and_with_sight_attacks() -> None:
    room = fc.Grid(walls=[[0, 0, 1, 0, 0]])
    for sight, hit in ((False, [1, 1, 0, 1, 0]), (True, [1, 1, 0, 0, 0])):
        damage = damage_next_turn(room, (0.5, 0.5), 1.0, moves=3, ranges=2, sight=sight)
        assert damage.total.values[0].tolist() == hit


@examples(20)
@given(
    seed=st.integers(0, 10**6),
    wrap=st.sampled_from(WRAPS),
    as_graph=st.booleans(),
    opaque=st.booleans(),
    largest=st.sampled_from([0, 1, 3, 12]),
)
def test_attacks_in_sight_are_the_fields_of_view_of_all_cells_in_reach(
    seed: int, wrap: Any, as_graph: bool, opaque: bool, largest: int
) -> None:
    """Without heights, which `largest=0` is, and over them."""
    dice = np.random.default_rng(seed)
    shape = (int(dice.integers(3, 45)), int(dice.integers(45, 150)))
    walls = dice.random(shape) < dice.choice([0.0, 0.03, 0.2])
    grid = fc.Grid(walls=walls, cell_size=0.5, origin=(3, -2), wrap=wrap, neighbors=8)
    space: fc.Space = grid
    if as_graph and wrap is False:
        space = grid.to_graph()
    if opaque:
        space.set_opaque(np.flatnonzero(dice.random(shape) < 0.1))
        space.set_opaque(np.flatnonzero(walls)[:20], False)
    over: dict[str, Any] = {}
    if largest:
        # Many heights are those of lines between others: whether they block is a close call.
        heights = dice.integers(0, largest + 1, shape) / dice.choice([1, 2, 3])
        over = {"heights": heights.reshape(space.shape), "eye": float(dice.choice([0.0, 0.5, 1.0]))}
    places = space.position_of(dice.choice(np.flatnonzero(~walls), 5))
    moves = dice.choice([0.0, 1.0, 3.0, 40.0], 5, p=[0.2, 0.4, 0.3, 0.1])
    ranges = dice.choice([0.0, 0.4, 0.5, 1.9, 4.0, 9.9, 10.0, 10.3, 15.0], 5)
    strengths = dice.choice([0.5, 1.0, 2.0], 5)
    damage = damage_next_turn(
        space, places, strengths, moves=moves, ranges=ranges, sight=True, **over
    )
    total, most = np.zeros(space.shape), np.zeros(space.shape)
    for place, strength, move, far in zip(places, strengths, moves, ranges, strict=True):
        reached = fc.reach(space, tuple(place), move, ranges=far, sight=True, **over)
        hit = fc.visible(space, reached.positions, max(far, 1e-9), **over)
        np.testing.assert_array_equal(reached.hits, hit)
        total += strength * hit
        most = np.maximum(most, strength * hit)
    np.testing.assert_array_equal(damage.total.values, total)
    np.testing.assert_array_equal(damage.most.values, most)


def test_attacks_over_ground_are_tested_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field of view from each cell in reach takes ten times as long."""
    field = fc.Grid(31, 17)
    heights = np.zeros(field.shape)
    heights[:, 15] = 3.0
    looks: list[int] = []
    monkeypatch.setattr(reach, "visible", lambda *_, **__: looks.append(1))
    damage = damage_next_turn(
        field, (9.5, 8.5), 2.0, moves=2, ranges=20, sight=True, heights=heights
    )
    assert not looks and damage.total.values[8].tolist() == [2.0] * 16 + [0.0] * 15


def test_the_maps_are_maps() -> None:
    lane = fc.Grid(9, 1)
    damage = damage_next_turn(lane, [(1.5, 0.5), (6.5, 0.5)], [3, 5], moves=1, ranges=2)
    assert damage.total.sample((3.5, 0.5)) == 8 and damage.most.sample((3.5, 0.5)) == 5
    assert fc.best(-damage.total, (4.5, 0.5), 9).value == -3
    assert repr(damage) == "<DamageNextTurn: 9 cells, at most 8>"
    copy = pickle.loads(pickle.dumps(damage))
    assert (copy.total.values == damage.total.values).all() and copy.most.name == "strongest attack"
    path = fc.shortest_path(lane, (0.5, 0.5), (8.5, 0.5), cost=1 + damage.total)
    assert path.cost > path.length
    none = damage_next_turn(lane, np.empty((0, 2)), [], moves=1, ranges=2)
    assert not none.total.values.any() and repr(none).endswith("at most 0>")


def test_bad_arguments_are_refused() -> None:
    room = fc.Grid(walls=[[0, 0, 1]])
    with refused(InvalidValue, "strengths lie from 0", "-1"):
        damage_next_turn(room, (0.5, 0.5), -1.0, moves=1, ranges=1)
    with refused(InvalidValue, "moves"):
        damage_next_turn(room, (0.5, 0.5), 1.0, moves=[1, 2], ranges=1)
    with refused(InvalidValue, "ranges"):
        damage_next_turn(room, (0.5, 0.5), 1.0, moves=1, ranges=-2)
    with refused(OnWall, "walker"):
        damage_next_turn(room, (2.5, 0.5), 1.0, moves=1, ranges=1)
