"""Checked arguments of a swarm's steps: all layers that it reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.swarm_layout import Rule
from fieldcraft.layers.sources.placing import open_ground
from fieldcraft.layers.trail_layer import TrailLayer
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering.swarm.forage import Deposit, Emitter, Forage, Reversed


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


def check_swarm_grid(space: Any) -> None:
    """Refuse anything but a grid that is small enough for a swarm."""
    grid_of(space, "A swarm", remedy="Pass fc.Grid(...), or use steering.Crowd on a mesh")
    if max(space.shape) > _MOST_SIDE:
        raise InvalidValue(
            f"A swarm moves on at most {_MOST_SIDE:,} cells a side",
            got=repr(space),
            remedy="Use larger cells",
        )
