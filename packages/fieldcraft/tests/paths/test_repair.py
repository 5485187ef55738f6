"""Repair: whatever happens to walls and costs, a repaired map equals a new one bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import DistanceMap, distance_map
from support import grids
from support.worlds import KNIGHT_AND_CORNER


class Repairs(RuleBasedStateMachine):
    """A map on changing ground, beside another that is only asked now and then, and one that
    follows the changes named.
    """

    @initialize(world=grids.worlds(16))
    def begin(self, world: grids.World) -> None:
        self.world = world
        self.space = world.grid()
        self.rng = np.random.default_rng(world.seed + 2)
        arguments = world.arguments(self.space)
        self.field: DistanceMap | None = None
        if arguments is None:
            return
        self.goals, self.arguments = arguments
        self.field = distance_map(self.space, self.goals, **self.arguments)
        self.lazy = distance_map(self.space, self.goals, **self.arguments)
        self.aims = np.asarray(self.space.cell_at(self.goals))
        self.starts = np.broadcast_to(self.arguments.get("start_costs", 0.0), len(self.aims))
        self.followed = self.field.exact.reshape(-1).copy()
        self.seen = 0
        self.cost = self.arguments.get("cost")
        self.repaired = True

    def open_now(self) -> np.ndarray[Any, Any]:
        terrain = self.space.terrain
        return (
            np.arange(len(self.space))
            if terrain is None
            else np.flatnonzero(~terrain.walls.reshape(-1))
        )

    @rule(count=st.integers(1, 5), blocked=st.booleans())
    def wall(self, count: int, blocked: bool) -> None:
        if self.field is not None:
            self.space.set_walls(self.rng.choice(self.open_now(), count), blocked)
            self.repaired = False

    @rule(size=st.integers(1, 4), blocked=st.booleans())
    def tower(self, size: int, blocked: bool) -> None:
        if self.field is None:
            return
        row, column = (
            int(self.rng.integers(self.world.height)),
            int(self.rng.integers(self.world.width)),
        )
        box = np.zeros(self.space.shape, dtype=bool)
        box[row : row + size, column : column + size] = True
        if not blocked and self.space.terrain is not None:
            box &= ~self.space.terrain.walls
        self.space.set_walls(np.flatnonzero(box), blocked)
        self.repaired = False

    @rule(share=st.sampled_from([0.02, 0.3, 1.0]), named=st.booleans())
    def costs(self, share: float, named: bool) -> None:
        if self.field is None or not isinstance(self.cost, np.ndarray):
            return
        where = self.rng.random(self.space.shape) < share
        self.cost = np.where(where, self.world.cost(self.rng, self.space.shape), self.cost)
        for field in (self.field, self.lazy):
            field.repair(np.flatnonzero(where) if named else None, self.cost)
        self.repaired = True

    @rule(number=st.sampled_from([1.0, 3.0]))
    def number(self, number: float) -> None:
        if self.field is not None:
            self.cost = number
            self.field.repair(cost=number)
            self.lazy.repair(cost=number)
            self.repaired = True

    @rule()
    def back_to_an_array(self) -> None:
        if self.field is not None and self.world.costs not in ("none", "even"):
            self.cost = self.world.cost(self.rng, self.space.shape)
            self.field.repair(cost=self.cost)
            self.lazy.repair(cost=self.cost)
            self.repaired = True

    @rule(place=st.integers(0, 10_000))
    def ask(self, place: int) -> None:
        if self.field is not None and self.repaired:
            cell = np.array([place % len(self.space)])
            assert self.lazy.measured(cell)[0] == self.field.measured(cell)[0]

    @rule()
    def repair(self) -> None:
        if self.field is None:
            return
        before, version = self.field.exact, self.field.version
        stale = self.field.outdated
        changed = self.field.repair()
        self.lazy.repair()
        self.repaired = True
        assert not self.field.outdated
        if changed is not None:
            assert np.array_equal(changed, np.flatnonzero(before != self.field.exact))
            assert np.array_equal(self.field.changed_since(version), changed)
        assert stale or self.field.version == version

    @rule()
    def follow(self) -> None:
        if self.field is None:
            return
        changed = self.field.changed_since(self.seen)
        now = self.field.exact.reshape(-1)
        if changed is None:
            self.followed = now.copy()
        else:
            self.followed[changed] = now[changed]
        assert np.array_equal(self.followed, now)
        self.seen = self.field.version

    @invariant()
    def equals_a_new_one(self) -> None:
        if getattr(self, "field", None) is None or not self.repaired:
            return
        assert self.field is not None
        shut = (
            self.space.walls.reshape(-1)
            if not isinstance(self.cost, np.ndarray)
            else (self.space.walls | np.isinf(self.cost)).reshape(-1)
        )
        kept = ~shut[self.aims]
        if not kept.any():
            assert np.isinf(self.field.values).all()
            return
        arguments: dict[str, Any] = {"cost": self.cost, "limit": self.world.limit}
        if "start_costs" in self.arguments:
            arguments["start_costs"] = self.starts[kept]
        # In one case sums are counted, in the other not: a goal in a wall is still a goal with
        # something to begin with.
        if self.starts.any() == self.starts[kept].any():
            new = distance_map(self.space, self.space.position_of(self.aims[kept]), **arguments)
            assert np.array_equal(self.field.exact, new.exact)
            assert np.array_equal(self.field.values, new.values)


Repairs.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestRepairs = Repairs.TestCase


def test_the_view_follows(space: fc.Grid) -> None:
    field = distance_map(space, (0.5, 0.5))
    values = field.values
    space.set_walls([5, 17, 29])
    changed = field.repair()
    assert values is field.values
    assert changed is not None
    assert {5, 17, 29} <= set(changed.tolist())
    assert not changed.flags.writeable
    assert field.version == 1


def test_nothing_to_do(space: fc.Grid) -> None:
    field = distance_map(space, (0.5, 0.5))
    field.values
    assert len(field.repair()) == 0
    assert field.version == 0
    assert len(field.changed_since(0)) == 0


def test_a_goal_in_a_new_wall_does_not_count_until_it_opens(space: fc.Grid) -> None:
    field = distance_map(space, [(0.5, 0.5), (11.5, 0.5)])
    before = field.exact
    space.set_walls([0])
    field.repair()
    assert field.sample((1.5, 0.5)) == 10
    space.set_walls([11])
    field.repair()
    assert np.isinf(field.values).all()
    space.set_walls([0, 11], False)
    field.repair()
    assert np.array_equal(field.exact, before)


def test_ground_and_cost_change_together(space: fc.Grid) -> None:
    cost = np.ones(space.shape)
    field = distance_map(space, (0.5, 0.5), cost=cost)
    field.values
    space.set_walls([14, 15])
    fire = cost + np.random.default_rng(0).random(space.shape)
    assert field.repair(cost=fire) is not None
    assert np.array_equal(field.exact, distance_map(space, (0.5, 0.5), cost=fire).exact)


def test_a_layer_is_read_again(space: fc.Grid) -> None:
    imap = fc.InfluenceMap(space)
    threat = imap.add_layer("threat", fc.Spread(0.5, 1.0))
    source = threat.add_source((3.5, 3.5), 5.0)
    imap.step(4)
    field = distance_map(space, (11.5, 6.5), cost=1 + threat)
    field.values
    assert not field.outdated
    source.move((8.5, 3.5))
    imap.step(4)
    assert field.outdated
    field.repair()
    assert not field.outdated
    assert np.array_equal(field.exact, distance_map(space, (11.5, 6.5), cost=1 + threat).exact)


def test_an_opened_wall_needs_a_cost(space: fc.Grid) -> None:
    space.set_walls([30])
    cost = np.ones(space.shape)
    cost.flat[30] = 0
    field = distance_map(space, (0.5, 0.5), cost=cost)
    before = field.exact
    space.set_walls([30], False)
    with pytest.raises(InvalidValue, match="cell 30"):
        field.repair()
    assert np.array_equal(field.exact, before)
    cost.flat[30] = 2
    field.repair(cost=cost)
    assert np.array_equal(field.exact, distance_map(space, (0.5, 0.5), cost=cost).exact)


SPACES_WITH_A_WALL = {
    "4 neighbors": lambda: fc.Grid(9, 5),
    "8 neighbors": lambda: fc.Grid(9, 5, neighbors=8),
    "knight": lambda: fc.Grid(9, 5, neighbors=KNIGHT_AND_CORNER),
    "hexagons": lambda: fc.HexGrid(9, 5),
    "graph": lambda: fc.Grid(9, 5, neighbors=8).to_graph(),
}


@pytest.mark.parametrize("kind", SPACES_WITH_A_WALL)
@pytest.mark.parametrize("cost_of_the_door", [1e-3, 20.0, 1e9, math.inf])
def test_a_wall_opens_whose_cell_costs_more_than_all_others(
    kind: str, cost_of_the_door: float
) -> None:
    """Its steps need more buckets than all steps before, although no cost has changed."""
    space = SPACES_WITH_A_WALL[kind]()
    wall = np.arange(5) * 9 + 4
    space.set_walls(wall)
    cost = np.ones(space.shape)
    cost.flat[wall] = cost_of_the_door
    field = distance_map(space, space.position_of(0), cost=cost)
    assert np.isinf(field.values).any()
    space.set_walls(wall, False)
    field.repair()
    new = distance_map(space, space.position_of(0), cost=cost)
    assert np.array_equal(field.exact, new.exact)


@pytest.mark.parametrize("names_cells", [False, True])
def test_a_wall_opens_together_with_a_cost_that_is_the_same(
    space: fc.Grid, names_cells: bool
) -> None:
    space.set_walls([30])
    cost = np.ones(space.shape)
    cost.flat[30] = 500.0
    field = distance_map(space, (0.5, 0.5), cost=cost)
    field.values
    space.set_walls([30], False)
    field.repair(cells=[0] if names_cells else None, cost=cost)
    assert np.array_equal(field.exact, distance_map(space, (0.5, 0.5), cost=cost).exact)


def test_a_flee_map_has_traffic_of_its_own(space: fc.Grid) -> None:
    traffic = with_traffic(space)
    danger = distance_map(space, (11.5, 0.5), traffic=traffic)
    flight, twin = fc.flee_map(danger, strength=20), fc.flee_map(danger, strength=20)
    expected = twin.exact
    go_right(traffic)
    danger.repair()
    assert flight.outdated
    assert np.array_equal(flight.exact, expected)
    flight.repair()
    assert np.array_equal(flight.exact, fc.flee_map(danger, strength=20).exact)


@pytest.mark.parametrize("is_read_before", [False, True])
def test_expressions_read_an_outdated_map_with_the_walls_of_now(is_read_before: bool) -> None:
    """An opened wall is no goal, and reads the same whenever the map was read before."""
    space = fc.Grid(walls=[[0, 0, 1, 0, 1]])
    field = distance_map(space, (0.5, 0.5))
    if is_read_before:
        field.finite_values()
    space.set_walls([2], False)
    space.set_walls([1])
    expected = np.float32([[0, 0, 1e20, 1e20, 0]])
    assert np.array_equal(field.finite_values(), expected)
    assert np.array_equal((1 * field).values, expected)
    space.set_walls([1], False)
    field.repair()
    assert field.finite_values().tolist() == [[0, 1, 2, 3, 0]]


@pytest.mark.parametrize("bad", [0.0, math.nan, np.zeros((7, 12)), np.ones((12, 7)), "cheap"])
def test_a_refused_cost_changes_nothing(space: fc.Grid, bad: Any) -> None:
    field = distance_map(space, (0.5, 0.5), cost=np.full(space.shape, 1.5))
    before = field.exact
    with pytest.raises(InvalidValue):
        field.repair(cost=bad)
    assert np.array_equal(field.exact, before)
    assert field.version == 0
    assert len(field.repair()) == 0


def test_what_is_long_past_may_be_anything(space: fc.Grid) -> None:
    field = distance_map(space, (0.5, 0.5))
    field.values
    for turn in range(80):
        space.set_walls([40], turn % 2 == 0)
        field.repair()
    assert field.changed_since(0) is None
    assert field.changed_since(99) is None
    assert (
        field.changed_since(field.version - 2).tolist()
        == field.changed_since(field.version - 1).tolist()
    )


def test_a_new_wall_that_no_goal_reached_has_not_changed() -> None:
    """Not even where the repair that closes a corridor is abandoned."""
    walls = np.zeros((60, 70), dtype=np.bool_)
    walls[:, 60] = True
    walls[1:, 1] = True
    space = fc.Grid(walls=walls, neighbors=8)
    field = distance_map(space, (0.5, 0.5))
    before = field.exact.reshape(-1)
    search = field.search
    unreached = 65
    space.set_walls([1, unreached])
    changed = field.repair()
    assert field.search is not search
    assert changed is not None and unreached not in changed
    assert np.array_equal(changed, np.flatnonzero(before != field.exact.reshape(-1)))


COSTS: list[Any] = [None, 2.0, np.full((7, 12), 3.0), np.arange(1.0, 85.0).reshape(7, 12)]


def with_traffic(space: fc.Grid) -> fc.layers.TrailLayer:
    """A layer of vectors to which agents in all cells add a step to the right."""
    layer = fc.InfluenceMap(space).add_layer("traffic", fc.Trail(vector=True, keep=1.0, blur=1))
    go_right(layer)
    return layer


def go_right(layer: fc.layers.TrailLayer) -> None:
    layer.deposit(layer.space.positions, [(1.0, 0.0)] * len(layer.space))
    layer.step()


@pytest.mark.parametrize("cost", COSTS)
def test_new_traffic_is_read_with_the_costs_of_before(space: fc.Grid, cost: Any) -> None:
    traffic = with_traffic(space)
    field = distance_map(space, (0.5, 0.5), cost=cost, traffic=traffic)
    before = field.exact
    go_right(traffic)
    assert field.outdated
    field.repair()
    assert not field.outdated
    new = distance_map(space, (0.5, 0.5), cost=cost, traffic=traffic)
    assert np.array_equal(field.exact, new.exact)
    assert (field.exact > before).any()


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("new_cost", COSTS[1:])
def test_new_traffic_is_read_with_a_new_cost(space: fc.Grid, cost: Any, new_cost: Any) -> None:
    traffic = with_traffic(space)
    field = distance_map(space, (0.5, 0.5), cost=cost, traffic=traffic)
    field.values
    go_right(traffic)
    field.repair(cost=new_cost)
    assert not field.outdated
    new = distance_map(space, (0.5, 0.5), cost=new_cost, traffic=traffic)
    assert np.array_equal(field.exact, new.exact)


def test_a_wall_is_built_under_traffic(space: fc.Grid) -> None:
    cost = np.full(space.shape, 3.0)
    traffic = with_traffic(space)
    field = distance_map(space, (0.5, 0.5), cost=cost, traffic=traffic)
    field.values
    space.set_walls([30])
    field.repair()
    new = distance_map(space, (0.5, 0.5), cost=cost, traffic=traffic)
    assert np.array_equal(field.exact, new.exact)


def test_traffic_is_that_of_the_time_when_the_map_was_made(space: fc.Grid) -> None:
    """Nothing is searched before a value is read; the layer has moved on by then."""
    traffic = with_traffic(space)
    field = distance_map(space, (0.5, 0.5), traffic=traffic)
    expected = distance_map(space, (0.5, 0.5), traffic=traffic).exact
    go_right(traffic)
    assert field.outdated
    assert np.array_equal(field.exact, expected)
