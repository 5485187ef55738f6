"""The agents of a swarm on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import packages
from fieldcraft.kernels.agents import swarm_layout
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.trail.stamp_units import TILE_ROWS
from fieldcraft.layers.trail_layer import TrailLayer
from fieldcraft.space import Grid
from fieldcraft.steering.swarm.forage import Forage, Reversed
from fieldcraft.steering.swarm.swarm_plan import Emission, PlaneDeposit, SwarmPlan
from fieldcraft.values.readable import Values

_AGENTS = 10_000  # fewer agents do not pay for another thread
_CROWDED = 100_000  # fewer agents do not pay for sorting
_ORDERED = 16  # steps between two sorts
_NONE = read_only(swarm_layout.NO_LAYER)


class HostAgents:
    """Agents as arrays: in any order, with the number of each."""

    def __init__(self, agents: NDArray[np.int32]) -> None:
        self._agents = agents
        self._numbers = np.arange(agents.shape[1], dtype=np.uint32)
        self._spare: tuple[NDArray[np.int32], NDArray[np.uint32]] | None = None
        self._in_order = True
        self._walls: tuple[Grid, int, NDArray[np.uint32], bool] | None = None

    @property
    def count(self) -> int:
        """Number of agents."""
        return int(self._agents.shape[1])

    def read(self) -> NDArray[np.int32]:
        """Return all agents by their numbers, (3, N)."""
        if not self._in_order:
            agents = np.empty_like(self._agents)
            agents[:, self._numbers] = self._agents
            self.write(agents)
        return self._agents

    def write(self, agents: NDArray[np.int32]) -> None:
        """Replace all agents by as many."""
        self._agents = agents
        self._numbers = np.arange(agents.shape[1], dtype=np.uint32)
        self._in_order = True

    def run(self, plan: SwarmPlan, step: int, count: int) -> None:
        """Make `count` steps from number `step` on."""
        walls, no_walls = self._wall_bits(plan.space)
        constant = {
            id(flow): _flow_bits(flow)
            for flow in plan.flows
            if flow is not None and not isinstance(_layer_of(flow), TrailLayer)
        }
        for number in range(step, step + count):
            if self.count >= _CROWDED and number % _ORDERED == 0:
                self._sort(plan)
            self._walk(_inputs(plan, walls, constant), plan, no_walls, number)
            if plan.forage is not None:
                self._fetch(plan.forage)
            for deposit in plan.deposits:
                self._deposit(plan, deposit)
            for emission in plan.emissions:
                _emit(emission)
            for layer in plan.updated:
                layer.step()

    def _wall_bits(self, space: Grid) -> tuple[NDArray[np.uint32], bool]:
        """Return the walls, a bit per cell, and whether there are none."""
        version = space.walls_version
        if self._walls is None or self._walls[0] is not space or self._walls[1] != version:
            bits = read_only(swarm_layout.packed(space.walls))
            self._walls = (space, version, bits, not space.walls.any())
        return self._walls[2:]

    def _sort(self, plan: SwarmPlan) -> None:
        new = self._spare or (np.empty_like(self._agents), np.empty_like(self._numbers))
        size = (plan.rule.height, plan.rule.width)
        kernels.agents.swarm_steps.arrange(self._agents, self._numbers, *size, *new)
        self._spare = (self._agents, self._numbers)
        self._agents, self._numbers = new
        self._in_order = False

    def _walk(
        self, inputs: swarm_layout.Inputs, plan: SwarmPlan, no_walls: bool, step: int
    ) -> None:
        circle = swarm_layout.circle()
        common = (self._numbers, inputs, circle, plan.rule, no_walls, step)
        bands = pool.bands(self.count, self.count // _AGENTS)
        pool.run(
            [(kernels.agents.swarm_steps.walk, (*common, *band, self._agents)) for band in bands]
        )

    def _fetch(self, forage: Forage) -> None:
        food = forage.portions()
        width = forage.space.width
        arrays = (self._agents, food, forage.claims)
        forage.count(
            int(kernels.agents.swarm_steps.forage(self._numbers, forage.homes, width, *arrays))
        )

    def _deposit(self, plan: SwarmPlan, deposit: PlaneDeposit) -> None:
        layer: Any = deposit.layer
        if deposit.on_host:
            layer.deposit_at(*self._amounts_by_time(plan, deposit))
            return
        with layer.steps.lock:
            layer.steps.catch_up()
            inflow = layer.steps.field.inflow
            sums = inflow[deposit.plane]
            largest = np.abs(deposit.amounts).max() / swarm_layout.UNITS
            sums.reserve(np.array([largest]), float(self.count))
            common = (
                self._agents,
                deposit.amounts,
                plan.rule.width,
                deposit.role,
                deposit.by_heading,
            )
            bands = pool.bands(plan.rule.height, self.count // _AGENTS, TILE_ROWS)
            arrays = (sums.sums, sums.dirty)
            pool.run(
                [(kernels.agents.swarm_steps.leave, (*common, *rows, *arrays)) for rows in bands]
            )
            if hasattr(layer.steps.field, "set_inflow"):  # the field is on a device
                layer.steps.field.set_inflow(inflow)

    def _amounts_by_time(
        self, plan: SwarmPlan, deposit: PlaneDeposit
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells of the agents of a role, and their headings times amounts by time."""
        agents = self.read()
        role = deposit.role
        if role < 0:
            x, y, state = agents
        else:
            x, y, state = agents[:, (agents[2] >> 16 & 1) == role]
        since = np.minimum(state.view(np.uint32) >> swarm_layout.SINCE, len(deposit.amounts) - 1)
        vectors = swarm_layout.circle()[(state & 0xFFFF) >> 4] * (
            1.0 if not plan.rule.flip else (1, -1)
        )
        amounts = deposit.amounts[since] / (swarm_layout.UNITS * (1 << 14))
        return (y.astype(np.int64) >> 16) * plan.rule.width + (x >> 16), vectors * amounts[:, None]


def _emit(emission: Emission) -> None:
    layer = emission.layer
    places = emission.places
    amounts = emission.amounts
    if isinstance(places, Forage):
        places = places.cells()
        amounts = np.full(len(places), float(amounts))
    with layer.steps.lock:
        layer.steps.catch_up()
        layer.steps.field.add(places, amounts)


def _inputs(
    plan: SwarmPlan, walls: NDArray[np.uint32], constant: dict[int, list[NDArray[np.int32]]]
) -> swarm_layout.Inputs:
    """Return the layers that agents read, at this moment."""
    flows: list[NDArray[np.int32]] = []
    for layer in plan.flows:
        flows += [_NONE, _NONE] if layer is None else constant.get(id(layer)) or _flow_bits(layer)
    trails = map(_value_bits, plan.trails)
    around = map(_value_bits, (plan.crowd, plan.group))
    return swarm_layout.Inputs(walls, *trails, *flows, *around)


def _value_bits(layer: Any) -> NDArray[np.int32]:
    if layer is None:
        return _NONE
    return read_only(Values(layer).flat.view(np.int32))


def _flow_bits(flow: Any) -> list[NDArray[np.int32]]:
    """Return x and y of a layer of vectors, at this moment."""
    vectors = np.moveaxis(_layer_of(flow).vectors, -1, 0)
    planes = np.ascontiguousarray(vectors, dtype=np.float32)
    if isinstance(flow, Reversed):
        planes = -planes
    return [read_only(plane.reshape(-1).view(np.int32)) for plane in planes]


def _layer_of(flow: Any) -> Any:
    return flow.layer if isinstance(flow, Reversed) else flow


def agents_on(device: Any, agents: NDArray[np.int32]) -> Any:
    """Move agents to a device, and return them; None for the CPU."""
    if device is None:
        return HostAgents(agents)
    return packages.devices().agents(device, agents)
