"""One step towards what is best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation import Fade
from fieldcraft.query import explore_step
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused
from support.roads import open_cells
from support.worlds import WRAPS


def hill(space: fc.Grid | fc.Graph, seed: int = 0) -> fc.Layer:
    values = np.random.default_rng(seed).integers(0, 6, space.shape).astype(np.float32)
    return fc.InfluenceMap(space).add_layer("hill", values=values)


@settings(max_examples=14)
@given(st.integers(0, 2**16), st.sampled_from([4, 8]), st.booleans())
def test_the_best_cell_one_step_away(seed: int, neighbors: int, as_graph: bool) -> None:
    rng = np.random.default_rng(seed)
    grid = fc.Grid(17, 11, walls=rng.random((11, 17)) < 0.3, neighbors=neighbors)
    space = grid.to_graph() if as_graph else grid
    layer, ways = hill(space, seed), space.adjacency
    flat, cells = layer.values.reshape(-1), rng.integers(0, len(space), 40)
    found = fc.query.uphill(layer, space.position_of(cells))
    expected = np.array(found.cells)
    assert found.found.tolist() == (expected != cells).tolist()
    assert found.values.tolist() == flat[expected].tolist()
    for cell, end in zip(cells.tolist(), expected.tolist(), strict=True):
        beside = [cell, *ways.ends[ways.starts[cell] : ways.starts[cell + 1]].tolist()]
        assert end in beside
        assert flat[end] == flat[beside].max()
        assert end == cell or flat[end] > flat[cell]
    np.testing.assert_array_equal(found.positions, space.position_of(expected))


def test_kinds_of_arguments() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer(
        "a", values=np.broadcast_to(np.arange(9), (5, 9))
    )
    for where in ((2, 3), [2, 3], (2.5, 3.5)):  # whatever holds them, these are positions
        assert fc.query.uphill(layer, where).positions.tolist() == [3.5, 3.5]
    assert fc.query.uphill(-layer, [(2.5, 3.5), (0.5, 0.5)]).positions.tolist() == [
        [1.5, 3.5],
        [0.5, 0.5],
    ]
    assert fc.query.uphill(layer, (1.5, 1.5)) and not fc.query.uphill(layer, (8.5, 0.5))
    array = fc.query.uphill(layer.values, (1.5, 1.5), space=layer.space)
    assert array.cell == 11
    assert fc.query.uphill(layer, np.zeros((0, 2))).positions.shape == (0, 2)


def test_bad_input() -> None:
    layer = hill(fc.Grid(9, 5))
    with pytest.raises(OutsideMap):
        fc.query.uphill(layer, (9.5, 1.0))
    assert fc.query.uphill(layer, (9.5, 1.0), outside="clamp").positions.shape == (2,)
    for where in (10, [10, 11, 12], np.array(["a"]), [(0.5, float("nan"))]):
        with pytest.raises(InvalidValue):
            fc.query.uphill(layer, where)
    with refused(InvalidValue, "space"):
        fc.query.uphill(np.zeros((5, 9)), (1, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "occupied", [[2], [(2.5, 0.5)], np.array([2]), np.array([[0, 0, 1, 0, 0]], bool)]
)
def test_agents_keep_off_cells_that_others_hold(occupied: Any) -> None:
    grid = fc.Grid(5, 1)
    hunt = fc.distance_map(grid, (4.5, 0.5))
    for one_per_cell in (False, True):
        step = hunt.step([(1.5, 0.5), (3.5, 0.5)], one_per_cell=one_per_cell, occupied=occupied)
        assert step.cells.tolist() == [1, 4]
    hunters = [(1.5, 0.5), (3.5, 0.5)]
    food = fc.InfluenceMap(grid).add_layer("food", values=[[0, 1, 2, 3, 4]])
    assert fc.query.uphill(food, hunters, occupied=occupied).cells.tolist() == [1, 4]
    known = [[9, 9, 9, 9, 0]]
    step = fc.query.explore_step(
        known, hunters, 3, one_per_cell=True, occupied=occupied, space=grid
    )
    assert step.cells.tolist() == [0, 4]


def test_an_explorer_between_occupied_cells_stays() -> None:
    grid = fc.Grid(5, 1)
    step = fc.query.explore_step(
        [[9, 9, 9, 9, 0]], [(1.5, 0.5)], 3, one_per_cell=True, occupied=[0, 2], space=grid
    )
    assert step.cells.tolist() == [1] and step.targets.tolist() == [1]
    assert not step.found.any()


def test_an_agent_in_an_occupied_cell_stays_if_no_step_is_better() -> None:
    grid = fc.Grid(3, 1)
    food = fc.InfluenceMap(grid).add_layer("food", values=[[1, 5, 2]])
    assert fc.query.uphill(food, (1.5, 0.5), occupied=[1]).cells == 1


def test_occupied_cells_take_the_long_way_round() -> None:
    grid = fc.Grid(3, 2)
    hunt = fc.distance_map(grid, (2.5, 0.5))
    assert hunt.step((0.5, 1.5), occupied=[(0.5, 0.5)]).cells == 4
    assert hunt.step((0.5, 1.5), occupied=[(1.5, 1.5)]).cells == 0


def test_what_occupies_cells_is_checked() -> None:
    grid = fc.Grid(3, 1)
    hunt = fc.distance_map(grid, (2.5, 0.5))
    assert hunt.step((0.5, 0.5), occupied=[]).cells == 1
    with pytest.raises(fc.errors.OutsideMap):
        hunt.step((0.5, 0.5), occupied=[(9.5, 0.5)])
    with pytest.raises(fc.errors.OutsideMap):
        hunt.step((0.5, 0.5), occupied=[7])
    with pytest.raises(fc.errors.InvalidValue):
        hunt.step((0.5, 0.5), occupied="everywhere")
    with pytest.raises(fc.errors.InvalidValue, match="one_per_cell=True"):
        fc.query.explore_step([[0, 1, 2]], (0.5, 0.5), occupied=[1], space=grid)


def corridor(values: list[float]) -> fc.Layer:
    """A map of one row."""
    return fc.InfluenceMap(fc.Grid(len(values), 1)).add_layer("memory", values=[values])


class TestChoice:
    def test_takes_the_least_known_neighbor(self) -> None:
        layer = corridor([5, 9, 3, 7])
        assert explore_step(layer, (1.5, 0.5)).cells == 2
        assert explore_step(layer, (2.5, 0.5)).cells == 3
        np.testing.assert_array_equal(explore_step(layer, (1.5, 0.5)).positions, (2.5, 0.5))

    def test_looks_as_far_as_it_sees(self) -> None:
        layer = corridor([2, 3, 9, 8, 7, 1])
        assert explore_step(layer, (2.5, 0.5), 2).targets == 0
        assert explore_step(layer, (2.5, 0.5), 2).cells == 1
        assert explore_step(layer, (2.5, 0.5), 3).targets == 5
        assert explore_step(layer, (2.5, 0.5), 3).cells == 3

    def test_prefers_the_nearest_of_equals(self) -> None:
        layer = corridor([1, 4, 9, 1, 8])
        assert explore_step(layer, (2.5, 0.5), 2).targets == 3

    def test_goes_to_the_frontier_when_all_in_sight_is_known(self) -> None:
        layer = corridor([0, 3, 9, 9, 9, 2, 9, 0, 0])
        assert explore_step(layer, (4.5, 0.5), 1).targets == 7
        assert explore_step(layer, (4.5, 0.5), 1).cells == 5
        assert explore_step(layer, (4.5, 0.5), 1, unknown=2.0).targets == 5
        assert explore_step(layer, (4.5, 0.5), 2, unknown=None).targets == 5
        assert explore_step(corridor([4, 3, 9]), (1.5, 0.5)).targets == 0

    def test_stays_where_it_is_walled_in(self) -> None:
        walls = np.zeros((3, 4), bool)
        walls[0, 1] = walls[1, 0] = True
        layer = fc.InfluenceMap(fc.Grid(4, 3, walls=walls, neighbors=8)).add_layer("memory", Fade())
        steps = explore_step(layer, [(0.5, 0.5), (2.5, 2.5)], 3)
        assert steps.found.tolist() == [False, True]
        assert steps.cells[0] == steps.targets[0] == 0

    def test_dice_break_ties_evenly_and_repeat(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("memory", Fade())
        center = np.tile([2.5, 1.5], (2000, 1))
        one = explore_step(layer, center, rng=np.random.default_rng(7))
        again = explore_step(layer, center, rng=np.random.default_rng(7))
        other = explore_step(layer, center, rng=np.random.default_rng(8))
        np.testing.assert_array_equal(one.cells, again.cells)
        assert (one.cells != other.cells).any()
        counts = np.unique(one.cells, return_counts=True)[1]
        assert len(counts) == 4
        assert counts.min() > 400

    def test_those_who_meet_part_again(self) -> None:
        space = fc.Grid(9, 5)
        values = np.add.outer(10.0 * np.arange(5), np.arange(9)) + 1
        layer = fc.InfluenceMap(space).add_layer("known", values=values)
        crowd = np.tile(space.position_of(22), (6, 1))
        together = fc.query.explore_step(layer, crowd, 3)
        assert (
            len(np.unique(together.cells)) == 1
        )  # nothing is as little known as what lies there: as one from now on
        one_per_cell = fc.query.explore_step(layer, crowd, 3, one_per_cell=True)
        assert one_per_cell.cells[0] == together.cells[0]
        assert sorted(one_per_cell.cells[:4].tolist()) == [13, 21, 23, 31]
        assert one_per_cell.found.all()  # two too many go where others go
        alone = fc.query.explore_step(layer, crowd[:1], 3, one_per_cell=True)
        assert alone.cells.tolist() == together.cells[:1].tolist()
        hall = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("known", values=np.array([[1, 9, 9, 9, 9]]))
        assert fc.query.explore_step(
            hall, [(4.5, 0.5)] * 2, 4, one_per_cell=True
        ).cells.tolist() == [3, 3]

    def test_a_crowd_with_one_memory_spreads(self) -> None:
        maze = fc.generate_map("maze", 31, 23, seed=2, loops=0.6)
        seen = {}
        for one_per_cell in (False, True):
            world = fc.InfluenceMap(maze)
            memory = world.add_layer("memory", fc.Fade(1.0, 1.0, 5000.0))
            rng = np.random.default_rng(0)
            places = np.tile(maze.position_of(maze.nearest_open(0)), (4, 1))
            been = np.full(len(maze), -1)
            ages = []
            for now in range(1200):
                memory.mark(places)
                been[maze.cell_at(places)] = now
                places = fc.query.explore_step(
                    memory, places, 3, rng=rng, one_per_cell=one_per_cell
                ).positions
                world.advance(1.0)
                ages.append((now - been)[~maze.walls.reshape(-1)].max() if now > 600 else 0)
            seen[one_per_cell] = np.mean(ages[600:])
        assert seen[True] < 0.8 * seen[False]

    def test_threads_change_nothing(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(40, 31, neighbors=8)).add_layer("memory", Fade())
        rng = np.random.default_rng(0)
        layer.mark(rng.uniform(0, 31, (60, 2)), radius=4.0)
        points, before, seen = rng.uniform(0, 31, (300, 2)), pool.threads(), []
        for count in (1, 2, 5):
            pool.set_threads(count)
            seen.append(
                explore_step(layer, points, 2, rng=np.random.default_rng(1)).cells.tobytes()
            )
        pool.set_threads(before)
        assert len(set(seen)) == 1

    @settings(max_examples=16)
    @given(
        seed=st.integers(0, 10**6),
        neighbors=st.sampled_from([4, 8]),
        wrap=st.sampled_from(WRAPS),
        sight=st.integers(1, 5),
    )
    def test_is_a_step_along_a_shortest_way(
        self, seed: int, neighbors: int, wrap: Wrap, sight: int
    ) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(12, 7, walls=rng.random((7, 12)) < 0.3, neighbors=neighbors, wrap=wrap)
        layer = fc.InfluenceMap(grid).add_layer("memory", values=rng.integers(0, 5, (7, 12)))
        cells = rng.choice(open_cells(grid), 4)
        found = explore_step(layer, grid.position_of(cells), sight, rng=rng)
        flat = layer.values.reshape(-1)
        for start, step, target in zip(cells, found.cells, found.targets, strict=True):
            away = steps_from(grid, int(start))
            seen = {cell: n for cell, n in away.items() if 0 < n <= sight}
            unknown = {cell: n for cell, n in away.items() if n > 0 and flat[cell] == 0}
            lowest = min((flat[cell] for cell in seen), default=None)
            if lowest is None:
                assert step == target == start
            elif lowest > 0 and unknown:
                assert flat[target] == 0
                assert away[target] == min(unknown.values())
            else:
                assert flat[target] == lowest
                assert away[target] == min(n for cell, n in seen.items() if flat[cell] == lowest)
            if step != start:
                assert away[step] == 1
                assert steps_from(grid, int(step))[target] == away[target] - 1

    @settings(max_examples=12)
    @given(seed=st.integers(0, 10**6), neighbors=st.sampled_from([4, 8]), sight=st.integers(1, 5))
    def test_a_grid_written_as_a_graph_is_explored_alike(
        self, seed: int, neighbors: int, sight: int
    ) -> None:
        rng = np.random.default_rng(seed)
        grid = fc.Grid(12, 7, walls=rng.random((7, 12)) < 0.3, neighbors=neighbors)
        values = rng.integers(0, 5, (7, 12))
        cells, found = rng.choice(open_cells(grid), 4), []
        for space, known in ((grid, values), (grid.to_graph(), values.reshape(-1))):
            layer = fc.InfluenceMap(space).add_layer("memory", values=known)
            found.append(
                explore_step(
                    layer, space.position_of(cells), sight, rng=np.random.default_rng(seed)
                )
            )
        np.testing.assert_array_equal(found[0].targets, found[1].targets)
        np.testing.assert_array_equal(found[0].found, found[1].found)
        assert explore_step(layer, space.position_of(int(cells[0])), sight).positions.shape == (2,)


def steps_from(grid: fc.Grid, start: int) -> dict[int, int]:
    """How many steps away each reachable cell is."""
    away, waiting = {start: 0}, [start]
    for cell in waiting:
        y, x = divmod(cell, grid.width)
        for k, (dx, dy) in enumerate(grid.neighborhood.steps):
            v, u = (y + dy) % grid.height, (x + dx) % grid.width
            if (v != y + dy and not grid.wraps_y) or (u != x + dx and not grid.wraps_x):
                continue
            if grid.links()[v, u] >> k & 1 and v * grid.width + u not in away:
                away[v * grid.width + u] = away[cell] + 1
                waiting.append(v * grid.width + u)
    return away


def test_an_explorer_with_memory_covers_a_maze() -> None:
    """It visits every cell within a few times their number of steps."""
    space = fc.generate_map("cave", 41, 23, seed=3)
    imap = fc.InfluenceMap(space)
    memory = imap.add_layer("memory", Fade(amount=0.25, interval=5.0))
    rng = np.random.default_rng(0)
    cell = open_cells(space)[0]
    visited = {cell}
    steps = 0
    while len(visited) < len(open_cells(space)):
        position = space.position_of(cell)
        memory.mark(position)
        cell = int(explore_step(memory, position, rng=rng).cells)
        visited.add(cell)
        imap.advance(0.1)
        steps += 1
        assert steps < 8 * len(open_cells(space))


class TestRefusals:
    def test_of_arguments(self) -> None:
        walls = np.zeros((4, 5), bool)
        walls[1, 1] = True
        layer = fc.InfluenceMap(fc.Grid(5, 4, walls=walls)).add_layer("memory", Fade())
        with refused(OnWall):
            explore_step(layer, (1.5, 1.5))
        with refused(OutsideMap):
            explore_step(layer, (9.5, 1.5))
        for bad in (0, -1, 1.5, True):
            with refused(InvalidValue):
                explore_step(layer, (0.5, 0.5), bad)
        with refused(InvalidValue, "one_per_cell"):
            explore_step(layer, (0.5, 0.5), one_per_cell=1)
        with refused(InvalidValue, "Generator"):
            explore_step(layer, (0.5, 0.5), rng=7)
        with refused(InvalidValue):
            explore_step(layer, (0.5, 0.5), unknown=float("nan"))
        with refused(InvalidValue):
            explore_step(np.zeros((4, 5)), (0.5, 0.5))

    @pytest.mark.filterwarnings("error")
    def test_not_of_numbers_beyond_all_others(self) -> None:
        layer = corridor([1, 2, 3])
        assert (
            explore_step(layer, (0.5, 0.5), 10**18, unknown=None).targets
            == explore_step(layer, (0.5, 0.5), 3, unknown=None).targets
        )
        assert (
            explore_step(layer, (0.5, 0.5), unknown=1e300).targets
            == explore_step(layer, (0.5, 0.5), unknown=None).targets
            == 1
        )

    @pytest.mark.parametrize("empty", [[], np.zeros((0, 2))])
    def test_no_explorers_take_no_steps(self, empty: object) -> None:
        layer = corridor([1, 2, 3])
        assert explore_step(layer, empty).cells.shape == (0,)


def test_seconds_since_a_look_lead_to_what_was_never_seen():
    space = fc.generate_map("rooms", 40, 26, seed=4, neighbors=8)
    seen = fc.LastSeen(space)
    at = space.position_of(space.nearest_open(0))
    for _ in range(260):
        seen.advance(1.0)
        seen.observe(fc.visible(space, at, radius=7))
        if not seen.never.any():
            break
        at = fc.query.explore_step(seen, at).positions
    assert not seen.never.any()
    known = seen.knowledge
    assert known.values.max() == 1  # at this look
    seen.advance(3.0)
    assert known.values.max() == pytest.approx(0.25)
    assert fc.query.explore_step(known, at).cells == fc.query.explore_step(seen, at).cells
