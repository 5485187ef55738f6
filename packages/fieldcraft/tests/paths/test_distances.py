"""Searches for distances: repairs, estimates, memory that is reused."""

import weakref
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.kernels.distances.search_arrays import RepairScratch, SearchSeeds
from fieldcraft.paths import distance_map
from fieldcraft.paths.search import distances

WALLS = np.random.default_rng(6).random((40, 61)) < 0.25
WALLS[20, 30] = False
SPACES = {
    "grid": fc.Grid(walls=WALLS, neighbors=8),
    "graph": fc.Grid(walls=WALLS, neighbors=4).to_graph(),
    "hexagons": fc.HexGrid(61, 40, walls=WALLS),
}


@pytest.mark.parametrize("cost", [None, 2.0 + WALLS], ids=["plain", "cost"])
@pytest.mark.parametrize("kind", SPACES)
def test_their_memory_is_reused_and_changes_no_value(kind, cost):
    space = SPACES[kind]
    cost = None if cost is None else cost.reshape(space.shape)
    goal = space.position_of(space.nearest_open(20 * 61 + 30))
    expected = fc.distance_map(space, goal, cost=cost).exact
    near = space.position_of(space.neighbors_of(space.cell_at(goal))[:1])
    for _ in range(3):
        dropped = fc.distance_map(space, goal, cost=cost)
        dropped.sample(near)
        assert not dropped.search.finished
        search = weakref.ref(dropped.search)
        del dropped
        assert search() is None  # no circle keeps it until the garbage is collected
        np.testing.assert_array_equal(fc.distance_map(space, goal, cost=cost).exact, expected)


@pytest.mark.parametrize("cost", [None, 1e9])
def test_a_repair_enters_no_wall_far_from_open_cells(cost: float | None) -> None:
    """A search does not write the distances of long rows of walls; anything may be there."""
    walls = np.zeros((6, 32), dtype=np.bool_)
    walls[:3] = True
    space = fc.Grid(walls=walls, neighbors=8)
    costs = None if cost is None else np.where(walls, cost, 1.0)
    field = distance_map(space, (0.5, 5.5), cost=costs)
    field.values
    assert field.search.ground.spans.tolist() == [[96, 192]]
    field.search.dist[:96] = field.search.far
    space.set_walls([110])
    changed = field.repair()
    assert changed is not None
    assert changed.min() >= 96
    assert np.array_equal(field.exact, distance_map(space, (0.5, 5.5), cost=costs).exact)


def test_a_repair_without_enough_buckets_is_refused(space: fc.Grid) -> None:
    """Kernels do not check the ends of arrays."""
    field = distance_map(space, (0.5, 0.5), cost=np.ones(space.shape))
    field.values
    field.cell_costs.greatest = 500.0
    space.set_walls([30])
    ground = field._ground.walled(space, np.array([30]))
    with pytest.raises(AssertionError, match="buckets"):
        field.search.repair(ground, np.array([30]))


@pytest.mark.parametrize("bad", [[-1], [84], [0.5]])
def test_cells_that_do_not_exist_are_refused(space: fc.Grid, bad: Any) -> None:
    field = distance_map(space, (0.5, 0.5), cost=np.ones(space.shape))
    with pytest.raises((OutsideMap, InvalidValue)):
        field.repair(bad, np.ones(space.shape))


def test_a_repair_is_exact_where_steps_are_lost_in_the_sum(space: fc.Grid) -> None:
    """Beside 1e20 a step of 1 is nothing: cells could support each other after their path is
    cut.
    """
    field = distance_map(space, (0.5, 0.5), start_costs=1e20)
    field.values
    space.set_walls(np.arange(7) * 12 + 5)
    assert field.repair() is not None
    assert np.array_equal(np.isfinite(field.values), np.broadcast_to(np.arange(12) < 5, (7, 12)))


def large_map(neighbors: int | str) -> fc.space.Space:
    """A map on which it matters whether distances are repaired or searched again."""
    walls = np.random.default_rng(4).random((60, 70)) < 0.2
    walls[0, 0] = False
    if neighbors == "hexagons":
        return fc.HexGrid(70, 60, walls=walls)
    if neighbors == "graph":
        places, edges = lattice(70, 60)
        graph = fc.Graph(places, edges)
        graph.set_walls(np.flatnonzero(walls))
        return graph
    return fc.Grid(walls=walls, neighbors=neighbors)


def lattice(width: int, height: int) -> tuple[Any, Any]:
    """The places and edges of a graph that is a grid with four neighbors."""
    cells = np.arange(width * height).reshape(height, width)
    along = np.stack([cells[:, :-1].reshape(-1), cells[:, 1:].reshape(-1)], axis=1)
    across = np.stack([cells[:-1].reshape(-1), cells[1:].reshape(-1)], axis=1)
    rows, columns = np.divmod(np.arange(width * height), width)
    return np.stack([columns, rows], axis=1) + 0.5, np.concatenate([along, across])


LARGE = [4, 8, "hexagons", "graph"]


@pytest.mark.parametrize("neighbors", LARGE)
@pytest.mark.parametrize("is_read", [False, True])
def test_few_changes_are_repaired_and_many_are_searched_again(
    neighbors: int | str, is_read: bool
) -> None:
    dice = np.random.default_rng(5)
    space = large_map(neighbors)
    costs = dice.uniform(1, 3, len(space))
    field = distance_map(space, (0.5, 0.5), cost=costs.reshape(space.shape))
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    for count, is_repaired in ((1, True), (150, False), (len(open_cells), False)):
        before = field.exact.reshape(-1)
        shown = field.values if is_read else None
        search = field.search
        costs[dice.choice(open_cells, count, replace=False)] += dice.uniform(0.5, 2, count)
        cost = costs.reshape(space.shape)
        changed = field.repair(cost=cost)
        assert (field.search is search) == is_repaired
        new = distance_map(space, (0.5, 0.5), cost=cost)
        assert np.array_equal(field.exact, new.exact)
        assert np.array_equal(changed, np.flatnonzero(before != new.exact.reshape(-1)))
        if shown is not None:
            assert np.array_equal(shown, new.values)


@pytest.mark.parametrize("neighbors", [4, 8])
def test_costs_are_repaired_in_one_place_and_searched_again_where_they_are_scattered(
    neighbors: int,
) -> None:
    """Scattered costs change far more distances than as many in one place."""
    space = fc.Grid(70, 60, neighbors=neighbors)
    costs = np.random.default_rng(5).uniform(1, 3, space.shape)
    corner = np.zeros(space.shape, dtype=np.bool_)
    corner[50:56, 60:65] = True
    for mask, is_repaired in ((corner, True), (np.roll(corner, 1), True), (scattered(30), False)):
        field = distance_map(space, (0.5, 0.5), cost=costs)
        field.values
        search = field.search
        changed = field.repair(cost=costs + mask)
        assert (field.search is search) == is_repaired
        new = distance_map(space, (0.5, 0.5), cost=costs + mask)
        assert np.array_equal(field.exact, new.exact)
        assert changed is not None and len(changed) > 0


def scattered(count: int) -> Any:
    """Return a mask (60, 70) of cells that have none beside them."""
    mask = np.zeros(60 * 70, dtype=np.bool_)
    mask[35 :: 60 * 70 // count] = True
    return mask.reshape(60, 70)


def test_an_estimate_ends_where_far_too_many_cells_lose_their_path() -> None:
    space = fc.Grid(70, 60, neighbors=8)
    field = distance_map(space, (0.5, 0.5))
    field.values
    walls = np.arange(1, 40) * 70 + 20
    walls.flags.writeable = False
    search = field.search
    search.ground = field._ground.walled(space, walls)
    scratch = search.scratch.take(distances._REPAIR_COUNTED)
    found = {}
    for enough in (0.0, 0.2, 1.0):
        found[enough] = kernels.distances.distance_repair.sample(
            *search.steps,
            search.ground.walls,
            SearchSeeds(search.goals, search.starts),
            search.dist,
            distances._samples(space),
            search.far,
            len(space),
            enough,
            RepairScratch(*scratch[:4]),
        )
    assert found[1.0] == (20, 11)
    assert found[0.0][1] == found[0.2][1] == 4
    assert not scratch[0].any()


def test_a_repair_that_opens_a_short_way_for_most_cells_is_abandoned() -> None:
    """An open door is one changed cell, whatever lies behind it."""
    walls = np.zeros((60, 70), dtype=np.bool_)
    walls[:59, 10] = True
    space = fc.Grid(walls=walls, neighbors=8)
    field = distance_map(space, (0.5, 0.5), cost=np.ones(space.shape))
    field.values
    search = field.search
    space.set_walls([10], False)
    changed = field.repair()
    assert field.search is not search
    new = distance_map(space, (0.5, 0.5), cost=np.ones(space.shape))
    assert np.array_equal(field.exact, new.exact)
    assert changed is not None and len(changed) > 2000


@pytest.mark.parametrize("neighbors", LARGE)
@pytest.mark.parametrize("has_costs", [False, True])
def test_the_estimate_knows_which_cells_lose_their_path(
    neighbors: int | str, has_costs: bool
) -> None:
    """Where costs only rise, these are the cells with another distance."""
    dice = np.random.default_rng(6)
    space = large_map(neighbors)
    costs = dice.uniform(1, 3, space.shape) if has_costs else None
    field = distance_map(space, (0.5, 0.5), cost=costs)
    old = field.exact.reshape(-1)
    new_walls = dice.choice(np.flatnonzero(~space.walls.reshape(-1))[1:], 20, replace=False)
    space.set_walls(new_walls)
    new = distance_map(space, (0.5, 0.5), cost=costs).exact.reshape(-1)
    search = field.search
    search.ground = field._ground.updated(space, None, np.sort(new_walls))
    kinds = distances._REPAIR_SUMS
    if search.dist.dtype.kind == "i":
        kinds = distances._REPAIR_COUNTED
    scratch = search.scratch.take(kinds)
    cells = np.setdiff1d(np.flatnonzero(np.isfinite(old)), new_walls)
    for cell in cells[::7]:
        one = np.array([cell])
        one.flags.writeable = False
        counts = kernels.distances.distance_repair.sample(
            *search.steps,
            search.ground.walls,
            SearchSeeds(search.goals, search.starts),
            search.dist,
            one,
            search.far,
            len(space),
            1.0,
            RepairScratch(*scratch[:4]),
        )
        is_valid = old[cell] == new[cell]
        assert counts == (int(is_valid), int(not is_valid))
    assert not scratch[0].any()
