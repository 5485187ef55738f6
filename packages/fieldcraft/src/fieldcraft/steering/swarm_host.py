"""The agents of a swarm in the memory of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import extensions, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool, swarm_layout
from fieldcraft.kernels.arrays import read_only
from fieldcraft.query.values import Values
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering.leaving import Forage, Reversed
from fieldcraft.steering.swarm_plan import Mark, Scent, SwarmPlan, trail_field
from fieldcraft.steering.walk import checked_key

__all__ = ["HostAgents", "checked_swarm_key", "held"]

MOST_SIDE = 16_384
_AGENTS = 10_000  # as many pay for waking a thread
_CROWDED = 100_000  # as many pay for being put in order
_ORDERED = 16  # steps from one time to the next


class HostAgents:
    """Agents as arrays: in any order, with the number of each."""

    def __init__(self, agents: NDArray[np.int32]) -> None:
        self._agents = agents
        self._numbers = np.arange(agents.shape[1], dtype=np.uint32)
        self._spare: tuple[NDArray[np.int32], NDArray[np.uint32]] | None = None
        self._in_order = True
        self._walls: tuple[Any, int, NDArray[np.uint32], bool] | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self._agents.shape[1])

    def read(self) -> NDArray[np.int32]:
        """All of them by their numbers, (3, N)."""
        if not self._in_order:
            agents = np.empty_like(self._agents)
            agents[:, self._numbers] = self._agents
            self.write(agents)
        return self._agents

    def write(self, agents: NDArray[np.int32]) -> None:
        """Others in their place, as many."""
        self._agents = agents
        self._numbers = np.arange(agents.shape[1], dtype=np.uint32)
        self._in_order = True

    def run(self, plan: SwarmPlan, step: int, count: int) -> None:
        """Make `count` steps from number `step` on."""
        ops = kernels.swarm
        closed, blank = self._closed(plan.space)
        steady = {
            id(layer): _planes(layer)
            for layer in plan.flows
            if layer is not None
            and trail_field(layer.layer if isinstance(layer, Reversed) else layer) is None
        }
        for number in range(step, step + count):
            if self.count >= _CROWDED and number % _ORDERED == 0:
                self._put_in_order(ops, plan)
            self._walk(ops, _sights(plan, closed, steady), plan, blank, number)
            if plan.forage is not None:
                food = plan.forage.portions()
                plan.forage.count(
                    int(
                        ops.forage(
                            self._numbers,
                            plan.forage.homes,
                            plan.space.width,
                            self._agents,
                            food,
                            plan.forage.claims,
                        )
                    )
                )
            for mark in plan.marks:
                self._leave(ops, plan, mark)
            for scent in plan.scents:
                _smell(scent)
            for layer in plan.updated:
                layer.step()

    def _closed(self, space: Grid) -> tuple[NDArray[np.uint32], bool]:
        """The walls, a bit a cell, and whether there are none."""
        version = space.walls_version
        if self._walls is None or self._walls[0] is not space or self._walls[1] != version:
            self._walls = (
                space,
                version,
                read_only(swarm_layout.packed(space.walls)),
                not space.walls.any(),
            )
        return self._walls[2:]

    def _put_in_order(self, ops: Any, plan: SwarmPlan) -> None:
        new = self._spare or (np.empty_like(self._agents), np.empty_like(self._numbers))
        ops.arrange(self._agents, self._numbers, plan.rule.height, plan.rule.width, *new)
        self._spare = (self._agents, self._numbers)
        self._agents, self._numbers = new
        self._in_order = False

    def _walk(
        self, ops: Any, sights: swarm_layout.Sights, plan: SwarmPlan, blank: bool, step: int
    ) -> None:
        common = (
            self._numbers,
            tuple(sights),
            swarm_layout.circle(),
            tuple(plan.rule),
            blank,
            step,
        )
        pool.run(
            [
                (ops.walk, (*common, *band, self._agents))
                for band in pool.bands(self.count, self.count // _AGENTS)
            ]
        )

    def _leave(self, ops: Any, plan: SwarmPlan, mark: Mark) -> None:
        layer = mark.layer
        if mark.fading:
            layer.deposit_at(*self._faded(plan, mark))
            return
        with layer._lock:
            layer._catch_up()
            field = trail_field(layer)
            canvases = field.inflow
            canvas = canvases[mark.plane]
            canvas.book(
                np.array([np.abs(mark.amounts).max() / swarm_layout.UNITS]), float(self.count)
            )
            height = plan.rule.height
            bands = pool.bands(height, self.count // _AGENTS, kernels.stamps.TILE_ROWS)
            pool.run(
                [
                    (
                        ops.leave,
                        (
                            self._agents,
                            mark.amounts,
                            plan.rule.width,
                            mark.role,
                            mark.by_heading,
                            top,
                            bottom,
                            canvas.sums,
                            canvas.dirty,
                        ),
                    )
                    for top, bottom in bands
                ]
            )
            if hasattr(field, "set_inflow"):  # the field is on a device
                field.set_inflow(canvases)

    def _faded(self, plan: SwarmPlan, mark: Mark) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return cells of the agents of a role, and their headings times amounts by time."""
        agents = self.read()
        x, y, mind = agents if mark.role < 0 else agents[:, (agents[2] >> 16 & 1) == mark.role]
        since = np.minimum(mind.view(np.uint32) >> swarm_layout.SINCE, len(mark.amounts) - 1)
        vectors = swarm_layout.circle()[(mind & 0xFFFF) >> 4] * (
            1.0 if not plan.rule.flip else (1, -1)
        )
        amounts = mark.amounts[since] / (swarm_layout.UNITS * (1 << 14))
        return (y.astype(np.int64) >> 16) * plan.rule.width + (x >> 16), vectors * amounts[:, None]


def _smell(scent: Scent) -> None:
    layer, places, amounts = scent.layer, scent.smell.places, scent.amounts
    if isinstance(places, Forage):
        places = places.smelling()
        amounts = np.full(len(places), float(amounts))
    with layer._lock:
        layer._catch_up()
        layer._field.add(places, amounts)


def _sights(
    plan: SwarmPlan, closed: NDArray[np.uint32], steady: dict[int, list[NDArray[np.int32]]]
) -> swarm_layout.Sights:
    """The layers that agents read at this moment."""
    none = read_only(swarm_layout.NO_LAYER)
    trails = [none if layer is None else _bits(Values(layer).flat) for layer in plan.trails]
    flows: list[NDArray[np.int32]] = []
    for layer in plan.flows:
        flows += [none, none] if layer is None else steady.get(id(layer)) or _flow_bits(layer)
    around = [
        none if layer is None else _bits(Values(layer).flat) for layer in (plan.crowd, plan.group)
    ]
    return swarm_layout.Sights(closed, *trails, *flows, *around)


def _flow_bits(layer: Any) -> list[NDArray[np.int32]]:
    """Return x and y of a layer of vectors at this moment."""
    if isinstance(layer, Reversed):
        return [_bits(-plane.reshape(-1)) for plane in trail_field(layer.layer).planes]
    return [_bits(plane.reshape(-1)) for plane in trail_field(layer).planes]


def _planes(layer: Any) -> list[NDArray[np.int32]]:
    """Return x and y of vectors that don't change meanwhile."""
    if isinstance(layer, Reversed):
        return [_bits(-plane.view(np.float32)) for plane in _planes(layer.layer)]
    return [
        _bits(np.ascontiguousarray(layer.vectors[..., k], dtype=np.float32).reshape(-1))
        for k in (0, 1)
    ]


def _bits(values: NDArray[np.float32]) -> NDArray[np.int32]:
    return read_only(values.view(np.int32))


def held(agents: NDArray[np.int32], device: Any) -> Any:
    """The agents in the memory of the CPU, or of a device."""
    if device is None:
        return HostAgents(agents)
    return extensions.devices().agents(device, agents)


def checked_swarm_key(space: Any, seed: Any) -> int:
    """The key of the random numbers of a swarm on a grid that is not too large for one."""
    grid_of(space, "A swarm", remedy="Pass fc.Grid(...), or use steering.Crowd on a mesh")
    if max(space.shape) > MOST_SIDE:
        raise InvalidValue(
            f"A swarm moves on at most {MOST_SIDE:,} cells a side",
            got=repr(space),
            remedy="Use larger cells",
        )
    return checked_key(seed)
