"""Flow fields: what they promise holds on random grounds and on real maps, and mended fields equal
new ones.
"""

from __future__ import annotations

import copy
import importlib
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from support import realdata
from support.crowds import World
from support.examples import examples
from support.refusals import refused

seeds = st.integers(0, 2**32 - 1)


def distances_of(world: World, goals: int = 2) -> Any:
    """A distance map with or without costs; in some, a few cells are dear or shut."""
    rng, shape = world.rng, world.space.shape
    cost = None if rng.random() < 0.4 else 1 + rng.choice([1, 5, 50]) * rng.random(shape) ** 3
    ends = rng.choice(world.open_cells, goals)
    if cost is not None and rng.random() < 0.6:
        cost[rng.random(shape) < 0.15] = rng.choice([1000.0, math.inf])
        cost.flat[ends] = 1
    limit = 6 * world.size if rng.random() < 0.2 else None
    return distance_map(world.space, world.space.position_of(ends), cost=cost, limit=limit)


def walk(field: Any, at: Any, length: float, most: int) -> Any:
    """Follow the field alone until all stand still."""
    space = field.space
    for _ in range(most):
        way = field.sample(at)
        if not way.any():
            break
        at = at + way * length
        at = space.wrapped(at)
    return at


@settings(max_examples=60)
@given(seeds, st.sampled_from([0.01, 0.4, 0.999]))
def test_a_step_leads_nearer_and_never_into_a_wall(seed: int, part: float) -> None:
    world = World(seed)
    distances = distances_of(world)
    field, space = flow_field(distances), world.space
    at = world.agents(150)
    way = field.sample(at)
    lengths = np.hypot(*way.T)
    assert ((np.abs(lengths - 1) < 1e-12) | (lengths == 0)).all()
    far = distances.exact.reshape(-1)
    start = space.cell_at(at)
    after = at + way * part * world.size
    after = space.wrapped(after)
    end = space.cell_at(after)
    assert not space.walls.reshape(-1)[end].any()
    pinched = field._pinched[::-1] if space.y_up else field._pinched
    plain = np.isfinite(far[start]) & ~pinched.reshape(-1)[start].astype(bool)
    assert ((far[end] < far[start]) | (end == start))[plain].all()
    goal = np.isin(start, distances.goals)
    assert ((lengths > 0) | goal)[np.isfinite(far[start])].all()
    assert (lengths[goal] == 0).all()


@examples(20)
@given(seeds, st.sampled_from([0.07, 0.7]))
def test_whoever_follows_it_arrives(seed: int, part: float) -> None:
    world = World(seed)
    distances = distances_of(world)
    field, space = flow_field(distances), world.space
    at = world.agents(80)
    at = at[np.isfinite(distances.sample(at))]
    end = walk(field, at, part * world.size, int(len(space) * 4 / part) + 10)
    assert np.isin(space.cell_at(end), distances.goals).all()


@examples(30)
@given(seeds)
def test_mended_fields_equal_new_ones(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            importlib.import_module("fieldcraft.paths.flow.flow_on_grid"), "_MENDED", seed % 2
        )  # cell by cell, or all if many
        _mend(World(seed))


def _mend(world: World) -> None:
    distances = distances_of(world)
    field, space, rng = flow_field(distances), world.space, world.rng
    shut = (
        np.zeros(len(space), dtype=bool)
        if space.terrain is None
        else space.terrain.walls.reshape(-1)
    )
    for turn in range(5):
        cells = rng.choice(len(space), min(len(space), int(rng.integers(1, 4))))
        space.set_walls(cells[~shut[cells]], bool(rng.random() < 0.6))
        if turn % 2:
            between = field.sample(world.agents(20)) if len(world.open_cells) else None
            assert between is None or np.isfinite(between).all()
            assert not field.vectors[space.walls].any()
        cost = distances.costs
        if cost is not None and rng.random() < 0.5:
            changed = cost.copy()
            changed.flat[rng.choice(len(space), 2)] = rng.choice([1.0, 3.0, 60.0], 2)
            changed[np.isinf(changed)] = 1.0
            distances.repair(cost=changed)
        else:
            distances.repair()
        new = GridFlow(distances)
        np.testing.assert_array_equal(field.vectors, new.vectors)
        np.testing.assert_array_equal(field._gates, new._gates)
        np.testing.assert_array_equal(field._pinched, new._pinched)


def test_never_through_a_new_wall_even_before_the_map_is_repaired() -> None:
    space = fc.Grid(12, 7, neighbors=8)
    field = flow_field(distance_map(space, (11.5, 3.5)))
    assert field.sample((4.5, 3.5))[0] > 0.9
    before = field.version
    space.set_walls(space.cell_at([(5.5, y + 0.5) for y in range(1, 6)]))
    assert field.version != before
    assert field.sample((4.9, 3.5)).tolist() == [0, 0]
    field.distance_map.repair()
    assert abs(field.sample((4.5, 3.5))[1]) > 0.5
    at = walk(field, np.array([[4.5, 3.5], [0.2, 6.9]]), 0.3, 500)
    assert (space.cell_at(at) == space.cell_at((11.5, 3.5))).all()


def test_straight_at_the_goal_in_the_open() -> None:
    space = fc.Grid(21, 15, neighbors=8)
    field = flow_field(distance_map(space, (10.5, 7.5)))
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)):
        np.testing.assert_allclose(
            field.sample((10.5 - 5 * dx, 7.5 - 5 * dy)),
            np.array([dx, dy]) / math.hypot(dx, dy),
            atol=1e-6,
        )
    for x, y in ((2.5, 4.5), (18.2, 12.9), (10.1, 0.3)):
        way, straight = field.sample((x, y)), np.array([10.5 - x, 7.5 - y])
        assert way @ straight / np.hypot(*straight) > math.cos(math.radians(23))


@pytest.mark.parametrize("y_up", [False, True])
def test_vectors_are_those_of_the_cells_and_point_along_the_world(y_up: bool) -> None:
    space = fc.Grid(9, 6, neighbors=8, y_up=y_up, cell_size=2.0, origin=(-5, 3))
    goal = space.cell_at((11.0, 4.0))
    field = flow_field(distance_map(space, (11.0, 4.0)))
    assert field.vectors.shape == (6, 9, 2)
    centers = space.position_of(np.arange(54))
    np.testing.assert_allclose(field.vectors.reshape(-1, 2)[3], field.sample(centers[3]), atol=1e-6)
    straight = space.position_of(goal) - centers
    assert ((field.vectors.reshape(-1, 2) * straight).sum(axis=1) >= 0).all()
    with pytest.raises(ValueError, match="read-only"):
        field.vectors[0, 0] = 1


def test_undercut_goals_and_goals_in_new_walls_do_not_end_the_way() -> None:
    space = fc.Grid(12, 3, neighbors=8)
    field = flow_field(distance_map(space, [(2.5, 1.5), (9.5, 1.5)], start_costs=[50, 0]))
    assert field.sample((2.5, 1.5))[0] > 0.9
    field = flow_field(distance_map(space, [(2.5, 1.5), (9.5, 1.5)]))
    assert field.sample((2.5, 1.5)).tolist() == [0, 0]
    space.set_walls(space.cell_at((9.5, 1.5)))
    field.distance_map.repair()
    assert field.sample((8.5, 1.5))[0] < -0.9


def test_a_copied_field_follows_its_own_map() -> None:
    space = fc.Grid(9, 6, neighbors=8)
    field = flow_field(distance_map(space, (1, 1)))
    before = field.vectors.copy()
    for other in (copy.deepcopy(field), pickle.loads(pickle.dumps(field))):
        np.testing.assert_array_equal(other.vectors, before)
        assert other.space is other.distance_map.space
        other.space.set_walls([12, 21])
        other.distance_map.repair()
        assert (other.vectors != before).any()
        expected = flow_field(distance_map(other.space, (1, 1)))
        np.testing.assert_array_equal(other.vectors, expected.vectors)
    np.testing.assert_array_equal(field.vectors, before)


def test_bad_input_is_refused() -> None:
    with refused(InvalidValue, "straight"):
        flow_field(
            distance_map(fc.Grid(9, 6, neighbors=[(1, 2), (2, 1), (-1, -2), (1, 0)]), (1, 1))
        )
    field = flow_field(distance_map(fc.Grid(9, 6), (1, 1)))
    with refused(OutsideMap, "index 1"):
        field.sample([(1, 1), (9, 1)])
    with refused(InvalidValue, "nan"):
        field.sample((math.nan, 1))
    with refused(InvalidValue, "outside"):
        field.sample((1, 1), outside="wrap")
    np.testing.assert_allclose(
        field.sample((99, -99), outside="clamp"), np.array([-1, 1]) / math.sqrt(2), atol=1e-6
    )
    assert field.sample([]).shape == (0, 2)
    tiny = flow_field(distance_map(fc.Grid(9, 6, cell_size=0.01), (0.015, 0.015)))
    with refused(InvalidValue, "1e+307"):
        tiny.sample((1e307, 0.01), outside="clamp")
    single = flow_field(distance_map(fc.Grid(1, 1), (0.5, 0.5)))
    assert single.vectors.tolist() == [[[0, 0]]]


MAPS = (
    "dao/brc202d",
    "mazes/maze512-4-0",
    "cities/Berlin_1_256",
    "random/random512-25-6",
    "rooms/32room_004",
    "sc1/AcrosstheCape",
)


@pytest.mark.parametrize(("name", "priced"), [(name, k % 2 == 1) for k, name in enumerate(MAPS)])
def test_on_real_maps_everybody_arrives(name: str, priced: bool) -> None:
    space = fc.load_map(realdata.folder("gridmaps") / "maps" / f"{name}.map", neighbors=8)
    rng = np.random.default_rng(7)
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    cost = 1 + 9 * rng.random(space.shape) ** 4 if priced else None
    distances = distance_map(space, space.position_of(rng.choice(open_cells)), cost=cost)
    at = space.position_of(rng.choice(open_cells, 150)) + rng.random((150, 2)) - 0.5
    at = at[np.isfinite(distances.sample(at))]
    end = walk(flow_field(distances), at, 0.9, 20_000)
    assert np.isin(space.cell_at(end), distances.goals).all()
