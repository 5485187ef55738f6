from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.paths.path import Path
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from support.mazes import World
from support.worlds import KNIGHT

pytestmark = pytest.mark.reference

DIAGONAL = math.sqrt(2)


def legs(space: fc.Grid, path: Path) -> list[tuple[int, int, int, int]]:
    """Each leg as (row, column, rows, columns), on a torus the short way round."""
    found = []
    for one, other in zip(path.cells[:-1].tolist(), path.cells[1:].tolist(), strict=True):
        (y, x), (end_y, end_x) = divmod(one, space.width), divmod(other, space.width)
        dy, dx = end_y - y, end_x - x
        if space.wraps_y:
            dy = (dy + space.height // 2) % space.height - space.height // 2
        if space.wraps_x:
            dx = (dx + space.width // 2) % space.width - space.width // 2
        found.append((y, x, dy, dx))
    return found


def crossed(space: fc.Grid, leg: tuple[int, int, int, int]) -> list[tuple[int, int, float]]:
    """The cells (row, column) whose inside a leg crosses, with the share of the leg inside; slowly,
    by cutting it at every edge.
    """
    y, x, dy, dx = leg
    cuts = {0.0, 1.0}
    cuts |= {(k + 0.5) / abs(dx) for k in range(abs(dx))} | {
        (k + 0.5) / abs(dy) for k in range(abs(dy))
    }
    edges = sorted(cuts)
    found = []
    for before, after in itertools.pairwise(edges):
        if after - before > 1e-12:
            middle = (before + after) / 2
            row, column = math.floor(y + 0.5 + middle * dy), math.floor(x + 0.5 + middle * dx)
            found.append((row % space.height, column % space.width, after - before))
    return found


@given(st.integers(0, 2**32).map(World))
@settings(max_examples=60)
def test_legs_cross_no_wall_and_cost_no_more(world: World) -> None:
    space = world.space
    cells = world.open_cells()
    king = {4, 8} & {len(space.neighborhood)} and all(
        max(map(abs, step)) == 1 for step in space.neighborhood.steps
    )
    if not cells or not king or min(space.shape) < 3:
        return
    costs = np.ones(space.shape) if world.costs is None else world.costs
    classes = np.zeros(space.shape, dtype=int) if space.terrain is None else space.terrain.classes
    enter = np.ones((1, 1), dtype=bool) if space.terrain is None else space.terrain.enter
    for _ in range(4):
        start, goal = (space.position_of(cell) for cell in world.rng.choice(cells, 2))
        plain = shortest_path(space, start, goal, cost=world.costs)
        smooth = shortest_path(space, start, goal, cost=world.costs, smooth=True)
        assert plain.found == smooth.found
        if not plain.found:
            continue
        assert smooth.cost <= plain.cost * (1 + 1e-12)
        assert smooth.cells[0] == plain.cells[0] and smooth.cells[-1] == plain.cells[-1]
        assert set(smooth.cells.tolist()) <= set(plain.cells.tolist())
        length = cost = 0.0
        for leg in legs(space, smooth):
            parts = crossed(space, leg)
            world_length = math.hypot(leg[2], leg[3]) * space.cell_size
            length += world_length
            cost += world_length * sum(share * costs[row, column] for row, column, share in parts)
            for (row, column, _), (next_row, next_column, _) in itertools.pairwise(parts):
                assert not space.walls[next_row, next_column]
                assert enter[classes[row, column], classes[next_row, next_column]]
                if row != next_row and column != next_column:
                    for side in ((row, next_column), (next_row, column)):
                        assert not space.walls[side] and not math.isinf(costs[side])
        assert smooth.length == pytest.approx(length, rel=1e-9)
        assert smooth.cost == pytest.approx(cost, rel=1e-9)
        if not space.wrap and world.costs is not None:
            layer = fc.InfluenceMap(space).add_layer(
                "cost", values=np.where(np.isinf(costs), 1e6, costs).astype(np.float32)
            )
            assert fc.query.along(layer, smooth.positions).sum == pytest.approx(
                smooth.cost, rel=1e-4
            )


def test_open_ground_is_crossed_in_one_leg() -> None:
    for neighbors in (4, 8):
        path = shortest_path(
            fc.Grid(30, 20, neighbors=neighbors, cell_size=2.0),
            (1.0, 1.0),
            (57.0, 35.0),
            smooth=True,
        )
        assert path.cells.tolist() == [0, 17 * 30 + 28]
        assert path.length == path.cost == pytest.approx(math.hypot(56, 34))


def test_a_leg_does_not_squeeze_past_a_corner() -> None:
    walls = np.zeros((9, 12), dtype=bool)
    walls[4, 4:8] = True
    space = fc.Grid(12, 9, neighbors=8, walls=walls)
    path = shortest_path(space, (0.5, 4.5), (11.5, 4.5), smooth=True)
    assert len(path) == 4
    assert path.length < shortest_path(space, (0.5, 4.5), (11.5, 4.5)).length


def test_danger_is_walked_round_though_one_can_see_across() -> None:
    costs = np.ones((11, 21))
    costs[3:11, 8:13] = 50
    space = fc.Grid(21, 11, neighbors=8)
    path = shortest_path(space, (0.5, 9.5), (20.5, 9.5), cost=costs, smooth=True)
    plain = shortest_path(space, (0.5, 9.5), (20.5, 9.5), cost=costs)
    assert path.cost < plain.cost < 60
    assert len(path) < len(plain)
    scaled = shortest_path(space, (0.5, 9.5), (20.5, 9.5), cost=costs * 3, smooth=True)
    assert scaled.cells.tolist() == path.cells.tolist()


def test_a_path_without_corners_stays_as_it_is() -> None:
    for start, goal, count in (((3.5, 2.5), (3.5, 2.5), 1), ((0.5, 2.5), (9.5, 2.5), 2)):
        path = shortest_path(fc.Grid(10, 5, neighbors=8), start, goal, smooth=True)
        assert len(path) == count
        assert path.length == path.cost == goal[0] - start[0]


def test_on_a_torus_each_leg_is_the_short_way_round() -> None:
    walls = np.zeros((6, 20), dtype=bool)
    walls[:, 0] = True
    space = fc.Grid(20, 6, neighbors=8, wrap=True, walls=walls)
    path = shortest_path(space, (1.5, 2.5), (19.5, 2.5), smooth=True)
    assert path.length == 18
    assert max(abs(dx) for *_, dx in legs(space, path)) < 10


def test_batches_are_smoothed_alike() -> None:
    rng = np.random.default_rng(4)
    space = fc.Grid(50, 40, neighbors=8, walls=rng.random((40, 50)) < 0.2)
    cells = rng.choice(np.flatnonzero(~space.walls.reshape(-1)), (2, 90))
    starts, goals = (space.position_of(each) for each in cells)
    for one, other in zip(
        (shortest_path(space, *pair, smooth=True) for pair in zip(starts, goals, strict=True)),
        shortest_paths(space, starts, goals, smooth=True),
        strict=True,
    ):
        assert one.cells.tolist() == other.cells.tolist() and one.cost == other.cost


def test_knights_may_walk_where_that_is_cheaper() -> None:
    space = fc.Grid(12, 12, neighbors=KNIGHT)
    path = shortest_path(space, (0.5, 0.5), (9.5, 9.5), smooth=True)
    assert path.length == pytest.approx(9 * DIAGONAL)
