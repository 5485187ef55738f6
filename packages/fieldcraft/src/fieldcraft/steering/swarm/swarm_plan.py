"""Checked arguments of a swarm's steps: all layers that it reads and writes; and its CPU agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks, packages
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents import swarm_layout
from fieldcraft.kernels.agents.swarm_layout import Rule
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.sources.placing import open_ground
from fieldcraft.layers.trail_layer import TrailLayer
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering.swarm.forage import Deposit, Emitter, Forage, Reversed
from fieldcraft.values.readable import Values


class PlaneDeposit(NamedTuple):
    """What agents of a role (-1: all) add to one plane of a layer, in units of 2**-24."""

    layer: TrailLayer
    plane: int
    role: int
    amounts: NDArray[np.int64]
    by_heading: bool
    on_host: bool = False
    """Whether the amounts go by time and headings are multiplied by them in Python."""


class Emission(NamedTuple):
    """What an emitter adds to its layer: amounts (N,) or (N, 2) in cells (N,), or one amount, (),
    in cells that have food.
    """

    emitter: Emitter
    layer: TrailLayer
    places: NDArray[np.int64] | Forage
    amounts: NDArray[np.float64]


class SwarmPlan(NamedTuple):
    """Checked arguments of `Swarm.run`; layers that are not read are None."""

    space: Grid
    rule: Rule
    trails: tuple[Any, Any]
    flows: tuple[Any, Any]
    crowd: Any
    group: Any
    deposits: list[PlaneDeposit]
    emissions: list[Emission]
    updated: list[TrailLayer]
    """The layers of deposits and emissions, each once."""
    forage: Forage | None

    @property
    def needs_host(self) -> bool:
        """Whether only the CPU can make the steps."""
        return any(isinstance(flow, Reversed) for flow in self.flows) or any(
            deposit.on_host for deposit in self.deposits
        )

    @classmethod
    def of(
        cls,
        space: Grid,
        rule: Rule,
        trail: Any,
        flow: Any,
        crowd: Any,
        group: Any,
        deposits: Sequence[Deposit],
        emitters: Sequence[Emitter],
        forage: Forage | None,
    ) -> SwarmPlan:
        """Return a plan of arguments of `Swarm.run`; raise `InvalidValue`, `OutsideMap` or
        `OnWall`.
        """
        trails = [
            _readable(space, "follow", rule.follow, each) for each in _by_role("trail", trail)
        ]
        flows = [_flow(space, rule.align, each) for each in _by_role("flow", flow)]
        by_plane = [part for deposit in deposits for part in _by_plane(space, deposit)]
        emissions = [_emission(space, emitter) for emitter in emitters]
        layers = [part.layer for part in by_plane] + [part.layer for part in emissions]
        updated = {id(layer): layer for layer in layers}
        if forage is not None and (
            not isinstance(forage, Forage) or not space.same_cells(forage.space)
        ):
            raise InvalidValue(
                "forage is a Forage on the ground of the agents",
                got=repr(forage),
                remedy="Pass steering.Forage(space, food, home)",
            )
        return cls(
            space,
            rule,
            (trails[0], trails[-1]),
            (flows[0], flows[-1]),
            _readable(space, "separate", rule.separate, crowd),
            _readable(space, "cohere", rule.cohere, group),
            by_plane,
            emissions,
            list(updated.values()),
            forage,
        )


def _by_role(name: str, given: Any) -> list[Any]:
    """Return the layer that all agents read, or the two layers of the roles 0 and 1."""
    if not isinstance(given, (list, tuple)):
        return [given]
    if len(given) != 2:
        raise InvalidValue(
            f"{name} is one layer, or two",
            got=f"{len(given)}",
            remedy="Pass one layer per role, 0 and 1",
        )
    return list(given)


def _by_plane(space: Grid, deposit: Any) -> list[PlaneDeposit]:
    rule = "deposits are a Deposit, or a list"
    remedy = "Pass steering.Deposit(layer, amount)"
    checks.instance(deposit, Deposit, rule, remedy)
    layer = _updated(space, deposit.layer)
    if deposit.role is None:
        role = -1
    else:
        role = int(deposit.role)
    if layer.steps.field.vector and np.size(deposit.amount) == 1:
        return [
            PlaneDeposit(layer, plane, role, units, True)
            for plane, units in enumerate(deposit.units_by_heading(space.y_up))
        ]
    vector = layer.steps.field.vector
    return [PlaneDeposit(layer, 0, role, deposit.units(), by_heading=vector, on_host=vector)]


def _emission(space: Grid, emitter: Any) -> Emission:
    rule = "emitters are an Emitter, or a list"
    remedy = "Pass steering.Emitter(layer, cells)"
    checks.instance(emitter, Emitter, rule, remedy)
    layer = _updated(space, emitter.layer)
    places = emitter.places
    if not isinstance(places, Forage):
        cells = np.atleast_1d(open_ground(layer.space, places))
        return Emission(emitter, layer, cells, layer._parts(emitter.amount, len(cells)))
    if layer.steps.field.vector or not space.same_cells(places.space):
        raise InvalidValue(
            "Food adds to a layer of numbers on its grid",
            got=repr(layer)[:60],
            remedy="Choose another layer",
        )
    return Emission(emitter, layer, places, np.asarray(emitter.amount))


def _updated(space: Grid, layer: Any) -> TrailLayer:
    """Return a layer that agents or places add to; raise `InvalidValue` for other ones."""
    rule = "Agents deposit on layers with fc.Trail"
    found: TrailLayer = checks.instance(layer, TrailLayer, rule, "Add it with fc.Trail()")
    _check_cells(space, found.space)
    return found


def _readable(space: Grid, name: str, weight: int, layer: Any) -> Any:
    """Return a layer that is read, or None if its weight is 0."""
    if weight == 0:
        return None
    if layer is None:
        raise InvalidValue(
            f"{name} needs a layer that it reads",
            got=f"{name}={weight / 256:g} and no layer",
            remedy="Pass it, or a weight of 0",
        )
    rule = f"A layer or expression that {name} reads"
    grid_of(getattr(layer, "space", layer), rule, remedy="Pass imap[name] of a grid")
    _check_cells(space, layer.space)
    return layer


def _flow(space: Grid, weight: int, layer: Any) -> Any:
    """Return a layer of vectors that is read, or None if its weight is 0."""
    if weight == 0:
        return None
    if isinstance(layer, Reversed):
        return Reversed(_flow(space, weight, layer.layer))
    if isinstance(layer, TrailLayer) and layer.steps.field.vector:
        _check_cells(space, layer.space)
        return layer
    if isinstance(layer, TrailLayer):
        vectors = None
    else:
        vectors = getattr(layer, "vectors", None)
    if not isinstance(vectors, np.ndarray):
        raise InvalidValue(
            "align reads a layer of vectors",
            got=repr(layer)[:80],
            remedy="Add it with fc.Trail(vector=True)",
        )
    _check_cells(space, layer.space)
    if vectors.shape != (*space.shape, 2):
        raise InvalidValue(
            "vectors are (x, y) in the space's shape (height, width, 2)",
            got=f"shape {vectors.shape} on a space of {space.shape}",
            remedy="Let `vectors` be an array indexed [row, column]",
        )
    return layer


def _check_cells(space: Grid, other: Any) -> None:
    if not space.same_cells(other):
        raise InvalidValue(
            "Layers that lead agents are on their ground",
            got=f"{other!r} for {space!r}",
            remedy="Use layers of that map",
        )


_MOST_SIDE = 16_384
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
        size = plan.rule.height, plan.rule.width
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
        arrays = self._agents, food, forage.claims
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
            bands = pool.bands(
                plan.rule.height, self.count // _AGENTS, kernels.trail.stamp_sums.TILE_ROWS
            )
            arrays = sums.sums, sums.dirty
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


def check_swarm_grid(space: Any) -> None:
    """Refuse anything but a grid that is small enough for a swarm."""
    grid_of(space, "A swarm", remedy="Pass fc.Grid(...), or use steering.Crowd on a mesh")
    if max(space.shape) > _MOST_SIDE:
        raise InvalidValue(
            f"A swarm moves on at most {_MOST_SIDE:,} cells a side",
            got=repr(space),
            remedy="Use larger cells",
        )
