"""Random changes of walls, edges, costs and traffic under distance maps, and new maps to compare
the repaired ones with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import DistanceMap, FleeMap, FlowField
from fieldcraft.space import Grid, Space
from support.worlds import EVERY

Ids = NDArray[np.int64]

DEAREST = 0.3
"""The share of changes of walls that open the closed cell with the highest cost."""


class Repairs:
    """A world that changes, and maps on it that are repaired after each change.

    Everything depends on `kind` and `seed` only, so a shorter run is the beginning of a longer one.
    """

    def __init__(self, kind: str, seed: int) -> None:
        self.dice = dice = np.random.default_rng([seed, *kind.encode()])
        self.space: Space = EVERY[kind](dice)
        self.log: list[str] = []
        terrain = self.space.terrain if isinstance(self.space, Grid) else None
        can_open = np.ones(len(self.space), dtype=np.bool_)
        if terrain is not None:
            can_open = ~terrain.walls.reshape(-1)
        self.ids = np.flatnonzero(can_open)
        self.imap = fc.InfluenceMap(self.space)
        self.layer = self.imap.add_layer("cost", values=self._random_costs(finite=True))
        self.traffic = None
        if dice.random() < 0.25:
            self.traffic = self.imap.add_layer("moves", fc.Trail(vector=True, keep=0.5, blur=1))
        self.options = self._random_options()
        self.cost: Any = self._random_cost()
        self._make()

    # What a world is made of

    def _chance(self, share: float) -> bool:
        return bool(self.dice.random() < share)

    def _some(self, count: int) -> Ids:
        return np.unique(self.dice.choice(self.ids, count))

    def _random_costs(self, finite: bool = False) -> NDArray[Any]:
        """One cost per cell; the costs of walls are higher or lower than all others."""
        shape, dice = self.space.shape, self.dice
        ways = [
            np.ones(shape),
            dice.choice([1.0, 2.0, 5.0], shape),
            dice.uniform(1, 5, shape),
            10.0 ** dice.uniform(-5, 6, shape),
        ]
        costs: NDArray[Any] = ways[int(dice.integers(len(ways)))]
        walls = self.space.walls
        special = [1e-6, 1e-3, 15.0, 300.0, 1e9, 1e30]
        if not finite:
            special.append(np.inf)
            costs[dice.random(shape) < dice.choice([0.0, 0.0, 0.1])] = np.inf
        costs[walls] = dice.choice(special, int(walls.sum()))
        if finite or self._chance(0.2):
            costs = np.minimum(costs, 1e30).astype(np.float32)
            costs = np.clip(costs, np.float32(1.1e-6), np.float32(4e29))
        return costs

    def _random_cost(self) -> Any:
        which = int(self.dice.integers(8))
        if which == 0:
            return None
        if which == 1:
            return float(self.dice.choice([1.0, 0.25, 3.0, 700.0]))
        if which == 2:
            return self.layer
        if which == 3:
            return 1 + 2 * self.layer
        return self._random_costs()

    def _random_options(self) -> dict[str, Any]:
        dice, options = self.dice, dict[str, Any]()
        if self._chance(0.3):
            options["limit"] = float(dice.choice([0.0, 1.1, 4.0, 100.0]))
        if self._chance(0.2):
            options["charge"] = "enter"
        if self._chance(0.15):
            options["outward"] = True
        if self.traffic is not None:
            options["traffic"] = self.traffic
            options["weight"] = float(dice.choice([0.5, 4.0, 200.0]))
        return options

    def _make(self) -> None:
        """Make the maps on open goals."""
        self.goals = self._some(int(self.dice.integers(1, 5)))
        self.space.set_walls(self.goals, False)
        if isinstance(self.cost, np.ndarray):
            self.cost.flat[self.goals] = np.minimum(self.cost.flat[self.goals], 1e9)
        self.starts = np.zeros(len(self.goals))
        if self._chance(0.3):
            self.starts = self.dice.choice([0.0, 0.7, 1.4, 3.3, 1e5], len(self.goals))
        self.strength = float(self.dice.choice([1.2, 1.5, 3.0]))
        self.flee_limit = self.dice.choice([None, None, 2.0])
        goals = self.space.position_of(self.goals)
        arguments = {"cost": self.cost, "start_costs": self.starts, **self.options}
        self.map = fc.distance_map(self.space, goals, **arguments)
        self.lazy = fc.distance_map(self.space, goals, **arguments)
        self.flee: FleeMap | None = None
        if not self.options.get("outward"):
            danger = fc.distance_map(self.space, goals, **arguments)
            self.flee = fc.flee_map(danger, strength=self.strength, limit=self.flee_limit)
        self.flows = [self._flow_of(each) for each in (self.map, self.flee)]
        self.seen = self.map.version
        self.followed = self.map.exact

    @staticmethod
    def _flow_of(distances: DistanceMap | None) -> FlowField | None:
        if distances is None or distances.outward:
            return None
        try:
            return fc.flow_field(distances)
        except InvalidValue:  # steps that flow fields do not follow
            return None

    # Changes

    def change(self) -> None:
        """Make a random change of the world, mostly repair the maps, and compare them."""
        changes = [
            *[self._open_or_close] * 4,
            *[self._new_cost] * 2,
            self._swap_costs,
            self._swap_costs,
            self._write_layer,
            self._move_agents,
            self._edges,
        ]
        new_cost = changes[int(self.dice.integers(len(changes)))]()
        if self._chance(0.3):
            self._read_between()
        if new_cost is None and self._chance(0.2):
            self.log.append("no repair")
            return
        self._repair(new_cost)
        self.compare()

    def _open_or_close(self) -> None:
        """Open or close some cells."""
        walls = self.space.walls.reshape(-1)
        closed = self.ids[walls[self.ids]]
        if len(closed) and self._chance(DEAREST):
            costs = self.map.cell_costs.values
            dearest = closed[-1] if costs is None else closed[np.argmax(costs[closed])]
            self.log.append(f"open {dearest}, the dearest")
            self.space.set_walls([int(dearest)], False)
            return
        count = int(self.dice.choice([1, 1, 2, 5, len(self.ids)]))
        cells, blocked = self._some(count), self._chance(0.5)
        self.log.append(f"{'close' if blocked else 'open'} {cells.tolist()}")
        self.space.set_walls(cells, blocked)

    def _edges(self) -> None:
        """Block or open edges of a graph."""
        graph = self.space
        if not isinstance(graph, fc.Graph) or graph.mesh is not None or not len(graph.edges):
            return
        edges = graph.edges[self.dice.random(len(graph.edges)) < 0.2]
        if len(edges):
            blocked = self._chance(0.5)
            self.log.append(f"{'block' if blocked else 'open'} edges {edges.tolist()}")
            graph.set_edges(edges, blocked)

    def _new_cost(self) -> tuple[Any, Ids | None] | None:
        """A cost of any kind in place of the one before."""
        cost = self._random_cost()
        if cost is None:
            return None
        self.log.append(f"cost {cost!r}")
        return cost, None

    def _swap_costs(self) -> tuple[Any, Ids | None] | None:
        """The same costs elsewhere: of two goals, two cells, or all in reverse. On spaces that are
        the same from both sides many distances stay equal.
        """
        if not isinstance(self.cost, np.ndarray):
            return None
        cost = self.cost.copy()
        which = int(self.dice.integers(3))
        if which == 0:
            cost = np.ascontiguousarray(cost.reshape(-1)[::-1]).reshape(cost.shape)
            self.log.append("all costs in reverse")
            return cost, None
        cells = self.dice.choice(self.goals if which == 1 else self.ids, 2)
        cost.flat[cells] = cost.flat[cells[::-1]].copy()
        self.log.append(f"swap the costs of {cells.tolist()}")
        return cost, np.unique(cells) if self._chance(0.5) else None

    def _write_layer(self) -> None:
        """New values of the layer that is a cost, or a part of one."""
        self.log.append("write the layer")
        self.layer.write(self._random_costs(finite=True))

    def _move_agents(self) -> None:
        """Moves of agents, and a step of all layers."""
        if self.traffic is not None:
            cells = np.flatnonzero(~self.space.walls.reshape(-1))
            if len(cells):
                cells = self.dice.choice(cells, 8)
                steps = self.dice.normal(size=(8, self.space.dimensions))
                self.traffic.deposit(self.space.position_of(cells), steps)
        self.log.append("step")
        self.imap.step()

    def _read_between(self) -> None:
        """Read maps that may be outdated: later results must not depend on it."""
        for flow in self.flows:
            if flow is not None:
                flow.vectors
        cell = np.array([int(self.dice.integers(len(self.space)))])
        self.lazy.measured(cell)
        self.map.finite_values()

    def _repair(self, new_cost: tuple[Any, Ids | None] | None) -> None:
        cost, cells = (None, None) if new_cost is None else new_cost
        if cost is not None:
            self.cost = cost
        before, version = self.map.exact.reshape(-1), self.map.version
        changed = self.map.repair(cells, cost)
        self.lazy.repair(cells, cost)
        if self.flee is not None:
            self.flee.repair(cells, cost)
        now = self.map.exact.reshape(-1)
        assert not self.map.outdated and not self.lazy.outdated
        assert self.flee is None or not self.flee.outdated
        if changed is not None:
            assert np.array_equal(changed, np.flatnonzero(before != now))
            assert np.array_equal(changed, self.map.changed_since(version))
        if self._chance(0.3):
            self._follow()

    def _follow(self) -> None:
        """Read the changes of some repairs as one."""
        now = self.map.exact
        changed = self.map.changed_since(self.seen)
        if changed is not None:
            self.followed.reshape(-1)[changed] = now.reshape(-1)[changed]
            assert np.array_equal(self.followed, now)
        self.followed, self.seen = now, self.map.version

    # Comparison

    def compare(self) -> None:
        """Compare all maps with new ones."""
        walls = self.space.walls.reshape(-1)
        costs = self.map.cell_costs.values
        if costs is not None:
            walls = walls | np.isinf(costs)
        usable = ~walls[self.goals]
        if not usable.any():
            assert np.isinf(self.map.exact).all() and np.isinf(self.lazy.exact).all()
            assert not self.flows[0] or not self.flows[0].vectors.any()
            return
        places = self.space.position_of(self.goals[usable])
        arguments = {"cost": self.cost, "start_costs": self.starts[usable], **self.options}
        new = fc.distance_map(self.space, places, **arguments)
        # A goal in a wall still has a start cost: with one, distances are sums; without any they
        # are whole numbers of steps, rounded once.
        if self.starts.any() != self.starts[usable].any():
            assert np.allclose(self.map.exact, new.exact, rtol=1e-12)
            return
        for repaired in (self.map, self.lazy):
            assert np.array_equal(repaired.exact, new.exact), "distances"
            assert np.array_equal(repaired.values, new.values), "values"
            assert np.array_equal(repaired.finite_values(), new.finite_values()), "finite values"
        self._compare_flows(self.flows[0], new)
        if self.flee is not None:
            flee = fc.flee_map(new, strength=self.strength, limit=self.flee_limit)
            assert np.array_equal(self.flee.exact, flee.exact), "flee map"
            assert np.array_equal(self.flee.goals, flee.goals), "goals of the flee map"
            self._compare_flows(self.flows[1], flee)

    def _compare_flows(self, flow: FlowField | None, new: DistanceMap) -> None:
        if flow is None:
            return
        expected = fc.flow_field(new)
        assert np.array_equal(flow.vectors, expected.vectors), "directions"
        if not isinstance(self.space, Grid):
            assert np.array_equal(flow.next, expected.next), "next cells"  # type: ignore[attr-defined]
            assert np.array_equal(flow.arcs, expected.arcs), "arcs"  # type: ignore[attr-defined]
        places = self.space.position_of(self.goals)
        assert np.array_equal(flow.sample(places), expected.sample(places)), "samples"
