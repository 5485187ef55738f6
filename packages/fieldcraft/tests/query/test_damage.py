"""The damage of the next turn: ranges, maps and bad arguments. Laws against brute force are in
`laws/test_every_space.py`.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.query import damage_next_turn
from support.refusals import refused


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
