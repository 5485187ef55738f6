"""Swarms on worlds in blocks: agents that cross from block to block, with the bits of a swarm on
one array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.files import damaged
from fieldcraft.kernels.swarm_layout import ROLE, SINCE, Rule
from fieldcraft.steering import Leave, Walk
from fieldcraft.steering.walk import MOST_AGENTS, by_role, minds_of, places_of, rule_of
from fieldcraft_cluster import stepping
from fieldcraft_cluster.agents import Group, Mark, StepPlan, spread_over
from fieldcraft_cluster.coordinator import Report
from fieldcraft_cluster.layers import WorldSpreadLayer, WorldTrailLayer
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.transfer import WorldPlan

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

__all__ = ["WorldSwarm"]

_MOST_GROUND = 16_384  # cells a side of a block and its halo
_TRIES = 64


class WorldSwarm:
    """Agents on a world in blocks; made by `World.add_swarm` or `World.scatter_swarm`.

    It is `steering.Swarm` on a map of any size: agents keep their numbers wherever they go, and
    each throws the dice of the seed, its number and the step, so that block size, workers and
    losses of these change no bit. Each block holds the agents that stand on it, 16 bytes each,
    always in memory. They walk one step at a time, since layers that they lead each other by change
    with each: halos are exchanged at every step, whatever the world's `halo_steps`.
    """

    def __init__(self, world: World, name: str, key: int, count: int, step: int = 0) -> None:
        self.name = name
        self._world, self.key, self._count = world, key, count
        self.step = step
        self._walls_seen: Any = None

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        plan = self._world.plan
        return (
            f"<WorldSwarm {self.name!r}: {self._count:,} agents on {plan.width} x {plan.height},"
            f" after {self.step:,} steps>"
        )

    # What it holds

    def _gathered(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """The places on the map and the minds of all agents by their numbers, (N,) each: columns,
        rows, minds.
        """
        x, y = np.zeros(self._count, dtype=np.int64), np.zeros(self._count, dtype=np.int64)
        minds = np.zeros(self._count, dtype=np.int32)
        plan = _interiors(self._world.plan)
        groups = self._world.coordinator.of_agents("agents", self.name)
        listed = np.concatenate([[], *(numbers for _, numbers in groups.values())])
        if not np.array_equal(np.sort(listed), np.arange(self._count)):
            raise damaged(self._world.folder, f"other agents than the {self._count:,} of a swarm")
        for number, (agents, numbers) in groups.items():
            interior = plan.interior(number)
            x[numbers] = agents[0].astype(np.int64) + (interior.left << 16)
            y[numbers] = agents[1].astype(np.int64) + (interior.top << 16)
            minds[numbers] = agents[2]
        return x, y, minds

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where they are, (N, 2) in world units, by their numbers."""
        x, y, _ = self._gathered()
        world = self._world.plan
        places = (np.stack([x, y], axis=1) + 0.5) / 65536
        if world.y_up:
            places[:, 1] = world.height - places[:, 1]
        return np.asarray(places * world.cell_size + np.array(world.origin))

    @property
    def headings(self) -> NDArray[np.float64]:
        """Where they head, (N, 2), unit vectors in world axes."""
        angles = (self._gathered()[2] & 0xFFFF) * (2 * np.pi / 65536)
        return np.stack(
            [np.cos(angles), np.sin(-angles if self._world.plan.y_up else angles)], axis=1
        )

    @property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and the columns of the map that they are in, (N,) each."""
        x, y, _ = self._gathered()
        return y >> 16, x >> 16

    @property
    def roles(self) -> NDArray[np.int8]:
        """Their roles, (N,), 0 or 1."""
        return np.asarray((self._gathered()[2] & ROLE) >> 16, dtype=np.int8)

    @property
    def since(self) -> NDArray[np.int64]:
        """How many steps ago each last took or brought anything, (N,), as
        `steering.Swarm.since`.
        """
        return np.asarray(self._gathered()[2].view(np.uint32).astype(np.int64) >> SINCE)

    # Steps

    def run(
        self,
        how: Walk,
        dt: float,
        *,
        steps: int = 1,
        trail: Any = None,
        flow: Any = None,
        crowd_layer: Any = None,
        group_layer: Any = None,
        deposit: float | None = None,
        leave: Leave | Sequence[Leave] = (),
    ) -> Report:
        """Make steps of `dt` seconds each: agents look, turn, move and leave something; then the
        layers they leave it on are updated.

        As `steering.Swarm.run`, with layers of the world: those that are read have `Trail` or
        `Spread`, a flow `Trail(vector=True)`, those that something is left on `Trail`. What is read
        has halos that reach as far as agents look and step; `add_layer(..., reach=)` widens them.

        Ctrl-C ends many steps between two of them.

        Raises
        ------
        InvalidValue
            For settings beyond what whole numbers hold, where a weight has no layer, and for halos
            that are too narrow; then nothing has happened.
        """
        step_plan = self.step_plan_of(
            how,
            dt,
            trail=trail,
            flow=flow,
            crowd_layer=crowd_layer,
            group_layer=group_layer,
            deposit=deposit,
            leave=leave,
        )
        return stepping.walk(self._world, self, step_plan, steps)

    def step_plan_of(
        self,
        how: Walk,
        dt: float,
        *,
        trail: Any = None,
        flow: Any = None,
        crowd_layer: Any = None,
        group_layer: Any = None,
        deposit: float | None = None,
        leave: Any = (),
    ) -> StepPlan:
        """The arguments of `run`, checked and in whole numbers."""
        world = self._world.plan
        rule = rule_of(
            how,
            dt,
            (world.height, world.width),
            cell_size=world.cell_size,
            y_up=world.y_up,
            wrap=world.wrap,
            key=self.key,
        )
        marks = [leave] if isinstance(leave, Leave) else checks.sequence("leave", leave)
        if deposit is not None:
            marks.insert(0, Leave(trail, deposit))
        trails = [self._readable("follow", rule.follow, each) for each in by_role("trail", trail)]
        flows = [
            self._readable("align", rule.align, each, vectors=True)
            for each in by_role("flow", flow)
        ]
        step_plan = StepPlan(
            rule,
            _reach(rule),
            (trails[0], trails[-1]),
            (flows[0], flows[-1]),
            self._readable("separate", rule.separate, crowd_layer),
            self._readable("cohere", rule.cohere, group_layer),
            tuple(mark for leaf in marks for mark in self._marks(leaf)),
        )
        self._check_halos(step_plan)
        return step_plan

    def _readable(self, name: str, weight: int, layer: Any, *, vectors: bool = False) -> str | None:
        """The name of a layer that is read, None if its weight is 0."""
        if weight == 0:
            return None
        kind = "fc.Trail(vector=True)" if vectors else "fc.Trail or fc.Spread"
        fits = (
            isinstance(layer, WorldTrailLayer) and layer.propagation.settings()["vector"]
            if vectors
            else isinstance(layer, (WorldTrailLayer, WorldSpreadLayer))
        )
        if not fits or layer._world is not self._world:
            raise InvalidValue(
                f"{name} reads a layer of this world with {kind}, of which blocks tell each other",
                got=f"{name}={weight / 256:g} and {layer!r}"[:80],
                remedy="Pass such a layer, or a weight of 0",
            )
        return str(layer.name)

    def _marks(self, leaf: Any) -> list[Mark]:
        rule, remedy = "leave is a Leave, or a list of them", "Pass steering.Leave(layer, amount)"
        layer = checks.instance(leaf, Leave, rule, remedy).layer
        if not isinstance(layer, WorldTrailLayer) or layer._world is not self._world:
            raise InvalidValue(
                "Agents leave something on layers of their world with fc.Trail",
                got=repr(layer)[:80],
                remedy="Add it with fc.Trail()",
            )
        role = -1 if leaf.role is None else int(leaf.role)
        how, plan = layer.propagation.settings(), layer.plan
        beyond = (
            0 if how["accumulate"] else plan.kind.inset(layer.propagation, plan.world.neighborhood)
        )
        if how["vector"]:
            ways = leaf.by_heading(self._world.plan.y_up)
            return [
                Mark(layer.name, plane, role, amounts, True, beyond)
                for plane, amounts in enumerate(ways)
            ]
        return [Mark(layer.name, 0, role, leaf.amounts(), False, beyond)]

    def _check_halos(self, step_plan: StepPlan) -> None:
        widest = self._world.plan.block + 2 * step_plan.reach
        for name in step_plan.read:
            halo = self._world.layer(name).cut.halo
            widest = max(widest, self._world.plan.block + 2 * halo)
            if halo < step_plan.reach:
                raise InvalidValue(
                    f"Agents look and step within the halos of the layers that they read, {halo}"
                    f" cells of {name!r}",
                    got=f"{step_plan.reach} cells",
                    remedy=(
                        f"Pass add_layer(..., reach="
                        f"{step_plan.reach * self._world.plan.cell_size:g}), or look less far"
                    ),
                )
        if widest > _MOST_GROUND:
            raise InvalidValue(
                f"Blocks that agents walk on have at most {_MOST_GROUND:,} cells a side with their"
                " halos",
                got=f"{widest:,}",
                remedy="Open a world with a smaller block=",
            )

    # Walls that were built on them

    def out_of_walls(self) -> None:
        """Put those who stand in walls that were built since into the nearest open cell."""
        if self._walls_seen is self._world.changes.cells:
            return
        plan = _interiors(self._world.plan)
        found = self._world.coordinator.of_agents("in_walls", self.name)
        for number, (agents, numbers) in sorted(found.items()):
            interior, group = plan.interior(number), Group(agents, numbers)
            columns, rows = (agents[:2].astype(np.int64) >> 16) + [[interior.left], [interior.top]]
            cells = rows * plan.width + columns
            for cell in np.unique(cells).tolist():
                some = group.part(cells == cell)
                row, column = self._world.nearest_open(*divmod(cell, plan.width))
                x, y = np.full((2, len(some.numbers)), ((column,), (row,))) * 65536 + 32768
                moved = spread_over(plan, x, y, some.agents[2], some.numbers)
                self._world.coordinator.relocate(self.name, moved)
        self._walls_seen = self._world.changes.cells


def born(
    world: World,
    points: NDArray[np.float64],
    headings: ArrayLike | None,
    roles: ArrayLike | None,
    key: int,
) -> dict[int, Group]:
    """Agents at world positions (N, 2), as the groups of the blocks that they stand on; raises
    `OutsideMap`, `OnWall` or `InvalidValue`.
    """
    if len(points) > MOST_AGENTS:
        raise InvalidValue(
            f"A swarm has at most {MOST_AGENTS:,} agents",
            got=f"{len(points):,}",
            remedy="Add several swarms",
        )
    plan = world.plan
    rows, columns = world.cells(points)
    world.refuse_walls(rows, columns, points, "Agents stand")
    places = places_of(
        points,
        rows,
        columns,
        (plan.height, plan.width),
        cell_size=plan.cell_size,
        origin=plan.origin,
        y_up=plan.y_up,
        wrap=plan.wrap,
    )
    minds = minds_of(headings, roles, len(points), plan.y_up, key)
    return spread_over(
        _interiors(plan), places[0], places[1], minds, np.arange(len(points), dtype=np.uint32)
    )


def scattered(world: World, count: int, key: int) -> dict[int, Group]:
    """So many agents anywhere on open ground, heading anywhere, by the dice of a key; raises
    `InvalidValue` where there is hardly any.
    """
    rng = np.random.default_rng(key)
    plan = world.plan
    places = np.zeros((2, count), dtype=np.int64)
    left = np.arange(count)
    for _ in range(_TRIES):
        if not len(left):
            break
        places[0, left] = rng.integers(plan.width << 16, size=len(left))
        places[1, left] = rng.integers(plan.height << 16, size=len(left))
        left = left[world.walls_at(places[1, left] >> 16, places[0, left] >> 16)]
    if len(left):
        raise InvalidValue(
            "Agents stand on open ground",
            got=f"hardly any, after {_TRIES} tries",
            remedy="Pass positions to add_swarm",
        )
    minds = rng.integers(1 << 16, size=count).astype(np.int32)
    return spread_over(
        _interiors(plan), places[0], places[1], minds, np.arange(count, dtype=np.uint32)
    )


def _interiors(world: WorldPlan) -> Plan:
    """The blocks of a world without halos."""
    return Plan(world.width, world.height, world.block, 0, world.wrap)


def _reach(rule: Rule) -> int:
    """How many cells away an agent looks or goes in a step."""
    senses = rule.follow or rule.avoid or rule.align
    return max(
        math.ceil(rule.distance / 4) + 1 if senses else 1,
        math.ceil(rule.stride * rule.pieces / 65536) + 1,
        2 if rule.separate or rule.cohere else 1,
    )
