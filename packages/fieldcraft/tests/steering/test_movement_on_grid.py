"""Moves never lead into walls, whatever their length, and slide along them; feelers see walls in
time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_matrix

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.steering import avoid_walls, move
from support.crowds import ENTER, World
from support.refusals import refused
from support.worlds import WRAPS

seeds = st.integers(0, 2**32 - 1)


def walled(*cells: tuple[int, int], width: int = 9, height: int = 7, **more: Any) -> fc.Grid:
    """A map with walls in these (column, row) cells."""
    walls = np.zeros((height, width), dtype=bool)
    for column, row in cells:
        walls[row, column] = True
    return fc.Grid(width, height, walls=walls, **more)


def reachable(space: fc.Grid) -> Any:
    """Which cells straight steps lead to from which: bool (N, N)."""
    straight = fc.Grid(
        space.width,
        space.height,
        walls=space.walls,
        terrain=space.terrain,
        wrap=space.wrap,
        y_up=space.y_up,
    )
    ends, starts = [], []
    for (dx, dy), mask in zip(straight.neighborhood.steps, straight.link_masks, strict=True):
        rows, columns = np.nonzero(straight.links() & mask)
        starts.append((rows - dy) % space.height * space.width + (columns - dx) % space.width)
        ends.append(rows * space.width + columns)
    begin, end = np.concatenate(starts), np.concatenate(ends)
    kept = ~space.walls.reshape(-1)[begin]
    graph = csr_matrix(
        (np.ones(kept.sum()), (begin[kept], end[kept])), shape=(len(space), len(space))
    )
    return np.isfinite(csgraph.shortest_path(graph, unweighted=True))


def clearance(space: fc.Grid, positions: Any) -> Any:
    """How far positions are from the nearest wall or the rim, in cells."""
    points = (positions - space.origin) / space.cell_size
    rows, columns = np.nonzero(space.walls[::-1] if space.y_up else space.walls)
    corners = np.stack([columns, rows], axis=1)
    size = np.array([space.width, space.height])
    around_x = (-1, 0, 1) if space.wraps_x else (0,)
    around_y = (-1, 0, 1) if space.wraps_y else (0,)
    corners = np.concatenate([corners + size * (i, j) for i in around_x for j in around_y])
    beyond = np.maximum(
        np.maximum(corners - points[:, np.newaxis], points[:, np.newaxis] - corners - 1), 0
    )
    nearest = np.sqrt((beyond**2).sum(axis=2)).min(axis=1, initial=np.inf)
    from_rim = np.minimum(points, size - points)
    from_rim[:, [space.wraps_x, space.wraps_y]] = np.inf
    return np.minimum(nearest, from_rim.min(axis=1))


@settings(max_examples=100)
@given(seeds, st.sampled_from([0.0, 0.2, 0.49]))
def test_a_hundred_thousand_moves_end_where_a_walk_leads(seed: int, radius: float) -> None:
    """On open ground, at most the displacement away, in a cell that straight steps lead to, and not
    nearer to walls than the radius.
    """
    world = World(seed, most=16)
    space = world.space
    at, shifts = world.agents(400, room=radius), world.shifts(400)
    after = move(space, at, shifts, radius=radius * world.size)
    start, end = space.cell_at(at), space.cell_at(after)
    assert not space.walls.reshape(-1)[end].any()
    assert reachable(space)[start, end].all()
    if space.terrain is None:
        assert (clearance(space, after) >= min(radius, 0.499999) - 1e-8).all()
    if not space.wrap:
        lengths = np.hypot(*(after - at).T)
        assert (lengths <= np.hypot(*shifts.T) * (1 + 1e-9) + 1e-9 * np.abs(at).max()).all()
    still = (shifts == 0).all(axis=1)
    np.testing.assert_array_equal(after[still], at[still])
    again = move(space, after, shifts[::-1], radius=radius * world.size)
    assert not space.walls.reshape(-1)[space.cell_at(again)].any()


@settings(max_examples=16)
@given(seeds)
def test_nothing_in_the_way_nothing_changes(seed: int) -> None:
    world = World(seed, terrain=False)
    space = world.space
    bare = space.with_walls(None)
    at = world.agents(100)
    targets = world.agents(100)
    after = move(bare, at, targets - at)
    np.testing.assert_allclose(
        after,
        np.clip(targets, None, np.add(space.origin, space.size)),
        rtol=0,
        atol=1e-5 * world.size,
    )


@settings(max_examples=16)
@given(seeds, st.sampled_from([0.0, 0.3]))
def test_which_way_rows_are_counted_changes_nothing(seed: int, radius: float) -> None:
    world = World(seed, terrain=False)
    space = world.space
    turned = fc.Grid(
        space.width,
        space.height,
        cell_size=space.cell_size,
        origin=space.origin,
        walls=space.walls[::-1],
        wrap=space.wrap,
        y_up=not space.y_up,
    )
    at, shifts = world.agents(100), world.shifts(100)
    one, other = (move(grid, at, shifts, radius=radius * world.size) for grid in (space, turned))
    assert one.tobytes() == other.tobytes()


def test_slides_along_a_wall() -> None:
    space = walled(*[(5, row) for row in range(7)])
    np.testing.assert_allclose(move(space, (3.5, 1.5), (4.0, 2.0), radius=0.25), (4.75, 3.5))
    np.testing.assert_allclose(move(space, (3.5, 1.5), (4.0, 2.0)), (5 - 1e-6, 3.5))
    np.testing.assert_allclose(move(space, (7.5, 1.5), (-400, 100), radius=0.25), (6.25, 6.75))


def test_slides_around_a_corner() -> None:
    """A disc that meets a corner goes on along the tangent with what is left of its
    displacement.
    """
    space = walled((4, 3))
    radius, start, corner = 0.4, np.array([2.5, 2.9]), np.array([4.0, 3.0])
    contact = np.array([4 - math.sqrt(radius**2 - 0.1**2), 2.9])
    normal = (contact - corner) / radius
    rest = np.array([2.5, 0]) - (contact - start)
    np.testing.assert_allclose(
        move(space, start, (2.5, 0), radius=radius),
        contact + rest - (rest @ normal) * normal,
        atol=1e-12,
    )


def test_stops_in_a_corner_and_leaves_it() -> None:
    space = walled((5, 2), (4, 3))
    stopped = move(space, (3.5, 1.5), (90, 90), radius=0.25)
    np.testing.assert_allclose(stopped, (4.75, 2.75))
    np.testing.assert_allclose(move(space, stopped, (-1, -1), radius=0.25), (3.75, 1.75))


def test_no_way_between_two_walls_that_touch() -> None:
    space = walled((3, 2), (2, 3))
    for radius in (0.0, 0.3):
        column, row = move(space, (2.5, 2.5), (1.0, 1.0), radius=radius)
        assert (column < 3, row < 3) == (True, True)


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.5])
def test_fits_through_a_corridor_one_cell_wide(radius: float) -> None:
    space = walled(*[(column, row) for column in (2, 3, 4) for row in (2, 4)])
    at = np.array([0.5, 3.5])
    for _ in range(8):
        at = move(space, at, (1.0, 0.0), radius=radius)
    np.testing.assert_allclose(at, (8.5, 3.5), atol=1e-6)
    at = np.array([1.5, 3.2])
    for _ in range(20):
        at = move(space, at, (0.5, 0.0), radius=radius)
    assert at[0] > 8


def test_nothing_is_jumped_over() -> None:
    walls = np.zeros((3, 5000), dtype=bool)
    walls[:, 4000] = True
    space = fc.Grid(5000, 3, walls=walls)
    after = move(space, np.tile([[0.5, 1.5]], (3, 1)), [(4200.0, 0.1), (1e6, 0.0), (1e6, -1e6)])
    assert (after[:, 0] < 4000).all()
    assert after[0, 0] == pytest.approx(4000, abs=2e-6)


@settings(max_examples=12)
@given(seeds)
def test_where_float64_hardly_tells_cells_apart(seed: int) -> None:
    """Far from the origin a millionth of a cell is nothing; who walks up to a wall is in its own
    cell still.
    """
    rng = np.random.default_rng(seed)
    space = fc.Grid(
        9,
        7,
        walls=rng.random((7, 9)) < 0.3,
        origin=(2.0**45, -(2.0**44)),
        wrap=WRAPS[int(rng.integers(4))],
    )
    at = space.position_of(rng.choice(np.flatnonzero(~space.walls.reshape(-1)), 200))
    for _ in range(3):
        before, at = at, move(space, at, rng.normal(size=at.shape) * 3)
        end = space.cell_at(at)
        assert not space.walls.reshape(-1)[end].any()
        assert reachable(space)[space.cell_at(before), end].all()


def test_goes_round_a_torus() -> None:
    space = fc.Grid(9, 7, wrap=True, cell_size=2.0, origin=(-3.0, 5.0))
    at = np.array([[-2.0, 6.0], [14.0, 18.0]])
    np.testing.assert_allclose(
        move(space, at, (18.0 * 5 + 1, -14.0 * 3 - 0.5)), [[-1, 5.5], [-3, 17.5]]
    )
    np.testing.assert_allclose(
        move(space, np.add(at, (54, -14)), (0.5, 0.5)), [[-1.5, 6.5], [14.5, 18.5]]
    )
    walls = np.zeros((7, 9), dtype=bool)
    walls[:, 4] = True
    ring = space.with_walls(walls)
    np.testing.assert_allclose(move(ring, at[:1], (-1000.0, 0.0), radius=0.5)[0], (7.5, 6.0))


def test_terrain_is_kept_to_one_way_too() -> None:
    """Class 0 may be left for 1, never the other way; class 2 can't be entered from 0."""
    space = fc.Grid(4, 1, terrain=fc.Terrain([[0, 1, 2, 0]], ENTER))
    np.testing.assert_allclose(move(space, (0.5, 0.5), (3.0, 0.0)), (2 - 1e-6, 0.5))
    np.testing.assert_allclose(move(space, (1.5, 0.5), (-3.0, 0.0)), (1 + 1e-6, 0.5))
    np.testing.assert_allclose(move(space, (2.5, 0.5), (-3.0, 0.0)), (1 + 1e-6, 0.5))
    np.testing.assert_allclose(move(space, (3.5, 0.5), (-3.0, 0.0)), (3 + 1e-6, 0.5))


def test_who_is_walled_in_is_put_out() -> None:
    space = fc.Grid(9, 7)
    at = np.array([[4.5, 3.5], [4.9, 3.9], [1.5, 1.5]])
    space.set_walls(space.cell_at([(x + 0.5, y + 0.5) for x in (3, 4, 5) for y in (2, 3, 4)]))
    after = move(space, at, (0.0, 0.0), radius=0.25)
    assert not space.walls.reshape(-1)[space.cell_at(after)].any()
    np.testing.assert_allclose(
        after[0], (4.5, 1.75)
    )  # of the cells around the tower the first of the nearest ones
    np.testing.assert_allclose(after[2], at[2])
    np.testing.assert_allclose(move(space, at, (-1.0, 0.0), radius=0.25)[0], (3.5, 1.75))


def test_who_is_too_near_a_wall_may_leave_it() -> None:
    space = walled((4, 3))
    np.testing.assert_allclose(move(space, (3.9, 3.5), (0.05, 0.5), radius=0.4), (3.9, 4.0))
    np.testing.assert_allclose(move(space, (3.9, 3.5), (-0.5, 0.0), radius=0.4), (3.4, 3.5))


def test_none_and_one() -> None:
    space = fc.Grid(9, 7)
    assert move(space, [], []).shape == (0, 2)
    assert move(space, np.empty((0, 2)), (1.0, 1.0)).shape == (0, 2)
    assert move(space, (1, 1), (1, 0)).tolist() == [2, 1]
    assert move(space, [(1, 1)], (1, 0)).tolist() == [[2, 1]]
    narrow = fc.Grid(1, 1)
    np.testing.assert_allclose(move(narrow, (0.3, 0.3), (5, -5), radius=0.5), (0.51, 0.3))


def test_bad_input_is_refused() -> None:
    space = fc.Grid(9, 7)
    for words, call in (
        ((OutsideMap, "(9.0, 1.0)"), lambda: move(space, [(1, 1), (9, 1)], (0, 0))),
        ((InvalidValue, "index 1"), lambda: move(space, [(1, 1), (2, 1)], [(0, 0), (math.nan, 0)])),
        ((InvalidValue, "inf"), lambda: move(space, (1, 1), (math.inf, 0))),
        ((InvalidValue, "1,000,000 cells"), lambda: move(space, (1, 1), (0, 1e9))),
        ((InvalidValue, "(3, 2)"), lambda: move(space, [(1, 1), (2, 1)], np.zeros((3, 2)))),
        ((InvalidValue, "half a cell"), lambda: move(space, (1, 1), (0, 0), radius=0.6)),
        ((InvalidValue, "radius"), lambda: move(space, (1, 1), (0, 0), radius=-1)),
        ((InvalidValue, "Grid"), lambda: move(None, (1, 1), (0, 0))),
        (
            (InvalidValue, "open cell"),
            lambda: move(fc.Grid(2, 1, walls=[[True, True]]), (0.5, 0.5), (0, 0)),
        ),
        (
            (OutsideMap,),
            lambda: move(fc.Grid(2, 1, wrap=True, cell_size=0.01), (1e307, 0.005), (0, 0)),
        ),
    ):
        with refused(*words):
            call()


class TestFeelers:
    def test_nothing_ahead_or_standing_still(self) -> None:
        space = walled((6, 3))
        still = avoid_walls(
            space, [(2.5, 3.5), (5.5, 3.5), (5.5, 3.5)], [(1, 0), (0, 0), (-1, 0)], 2.0
        )
        assert still.tolist() == [[0, 0], [0, 0], [0, 0]]

    def test_head_on_brakes_and_turns_to_the_freer_side(self) -> None:
        space = walled((5, 3))
        above, below = avoid_walls(space, [(4.4, 3.3), (4.4, 3.7)], (2.0, 0.0), 2.0)
        side = 1 - 0.6 / math.sqrt(
            0.75
        )  # one of the side feelers ends at the wall too, the other passes it
        np.testing.assert_allclose(above, (-2 * (0.7 + side), -2 * 0.7))
        np.testing.assert_allclose(below, (-2 * (0.7 + side), 2 * 0.7))

    def test_pushes_off_a_wall_beside(self) -> None:
        space = walled(*[(column, 4) for column in range(9)])
        force = avoid_walls(space, (4.5, 3.8), (1.0, 0.0), 2.0)
        reach = 0.2 / 0.5
        np.testing.assert_allclose(force, (0, -(1 - reach)), atol=1e-12)

    def test_grows_with_speed_and_nearness(self) -> None:
        space = walled((6, 3))
        far, near = avoid_walls(space, [(4.5, 3.5), (5.5, 3.5)], (1.0, 0.0), 2.0)
        assert 0 > far[0] > near[0]
        np.testing.assert_allclose(avoid_walls(space, (5.5, 3.5), (3.0, 0.0), 2.0), near * 3)

    def test_sees_the_rim_and_over_that_of_a_torus(self) -> None:
        assert avoid_walls(fc.Grid(9, 7), (8.5, 3.5), (1, 0), 2.0)[0] < 0
        ring = walled((1, 3), wrap=True)
        assert avoid_walls(ring, (8.5, 3.5), (1, 0), 2.0)[0] < 0
        assert avoid_walls(ring, (8.5, 1.5), (1, 0), 2.0).tolist() == [0, 0]

    def test_bad_input_is_refused(self) -> None:
        space = fc.Grid(9, 7)
        with refused(InvalidValue, "ahead"):
            avoid_walls(space, (1, 1), (1, 0), 0)
        with refused(InvalidValue, "cells"):
            avoid_walls(space, (1, 1), (1, 0), 1e9)
        with refused(OutsideMap):
            avoid_walls(space, (-1, 1), (1, 0), 1)
        assert avoid_walls(space, [], [], 1.0).shape == (0, 2)
