"""The plan of a run of a swarm: all it reads and writes, checked before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.swarm_layout import Rule
from fieldcraft.propagation.field import GatheringField
from fieldcraft.space import Grid, grid_of
from fieldcraft.steering.leaving import Forage, Leave, Reversed, Smell
from fieldcraft.steering.walk import by_role

__all__ = ["Mark", "Scent", "SwarmPlan", "trail_field"]


class Mark(NamedTuple):
    """The amount that agents of a role (-1: of any) leave on a plane of a layer, in units of
    2**-24.
    """

    layer: Any
    plane: int
    role: int
    amounts: NDArray[np.int64]
    by_heading: bool
    fading: bool = False
    """Whether each amount is one of time, and headings are multiplied by it on the host."""


class Scent(NamedTuple):
    """The amounts that places put on a layer: one for each, (N,) or (N, 2); or one for all cells
    that have food.
    """

    layer: Any
    smell: Smell
    amounts: NDArray[np.float64]


class SwarmPlan(NamedTuple):
    """A checked run: things that are not read are None."""

    space: Grid
    rule: Rule
    trails: tuple[Any, Any]
    flows: tuple[Any, Any]
    crowd: Any
    group: Any
    marks: list[Mark]
    scents: list[Scent]
    updated: list[Any]
    """The layers that are left something on, or that places smell on, each once."""
    forage: Forage | None

    @property
    def needs_host(self) -> bool:
        """Whether only the CPU makes such steps."""
        return any(isinstance(flow, Reversed) for flow in self.flows) or any(
            mark.fading for mark in self.marks
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
        leaves: Sequence[Leave],
        smells: Sequence[Smell],
        forage: Forage | None,
    ) -> SwarmPlan:
        """A plan of what `Swarm.run` was given; raises `InvalidValue`."""
        trails = [_readable(space, "follow", rule.follow, each) for each in by_role("trail", trail)]
        flows = [_flow(space, rule.align, each) for each in by_role("flow", flow)]
        marks: list[Mark] = []
        updated: list[Any] = []
        for leaf in leaves:
            marks += _marks(space, leaf)
        scents = [_scent(space, smell) for smell in smells]
        for layer in (*(mark.layer for mark in marks), *(scent.layer for scent in scents)):
            if not any(layer is each for each in updated):
                updated.append(layer)
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
            marks,
            scents,
            updated,
            forage,
        )


def trail_field(layer: Any) -> Any:
    """The field of a layer with `fc.Trail`, or None."""
    field = getattr(layer, "_field", None)
    return field if isinstance(field, GatheringField) else None


def _scent(space: Grid, smell: Any) -> Scent:
    checks.instance(
        smell,
        Smell,
        "smell is a Smell, or a list of them",
        "Pass steering.Smell(layer, cells, amount)",
    )
    field = _left_on(space, smell.layer)
    return Scent(smell.layer, smell, smell.on(space, vector=field.trail.vector))


def _left_on(space: Grid, layer: Any) -> Any:
    """The field of a layer on which something is left; raises `InvalidValue`."""
    field = trail_field(layer)
    if field is None:
        raise InvalidValue(
            "Agents leave something on layers with fc.Trail",
            got=repr(layer)[:80],
            remedy="Add it with fc.Trail()",
        )
    _same_ground(space, layer.space)
    return field


def _marks(space: Grid, leaf: Any) -> list[Mark]:
    checks.instance(
        leaf, Leave, "leave is a Leave, or a list of them", "Pass steering.Leave(layer, amount)"
    )
    field = _left_on(space, leaf.layer)
    role = -1 if leaf.role is None else int(leaf.role)
    if field.trail.vector and np.size(leaf.amount) > 1:
        return [Mark(leaf.layer, 0, role, leaf.amounts(), True, fading=True)]
    if field.trail.vector:
        return [
            Mark(leaf.layer, plane, role, amounts, True)
            for plane, amounts in enumerate(leaf.by_heading(space.y_up))
        ]
    return [Mark(leaf.layer, 0, role, leaf.amounts(), False)]


def _readable(space: Grid, name: str, weight: int, layer: Any) -> Any:
    """A layer that is read, or None if its weight is 0."""
    if weight == 0:
        return None
    if layer is None:
        raise InvalidValue(
            f"{name} needs a layer that it reads",
            got=f"{name}={weight / 256:g} and no layer",
            remedy="Pass it, or a weight of 0",
        )
    grid_of(
        getattr(layer, "space", layer),
        f"A layer or expression that {name} reads",
        remedy="Pass imap[name] of a grid",
    )
    _same_ground(space, layer.space)
    return layer


def _flow(space: Grid, weight: int, layer: Any) -> Any:
    """Return a layer of vectors that is read, or None if nothing aligns."""
    if weight == 0:
        return None
    if isinstance(layer, Reversed):
        return Reversed(_flow(space, weight, layer.layer))
    field = trail_field(layer)
    if field is not None and field.trail.vector:
        _same_ground(space, layer.space)
        return layer
    vectors: Any = getattr(layer, "vectors", None) if field is None else None
    if layer is None or not isinstance(vectors, np.ndarray):
        raise InvalidValue(
            "align reads a layer of vectors",
            got=repr(layer)[:80],
            remedy="Add it with fc.Trail(vector=True)",
        )
    _same_ground(space, layer.space)
    if vectors.shape != (*space.shape, 2):
        raise InvalidValue(
            "vectors are (x, y) in the space's shape (height, width, 2)",
            got=f"shape {vectors.shape} on a space of {space.shape}",
            remedy="Let `vectors` be an array indexed [row, column]",
        )
    return layer


def _same_ground(space: Grid, other: Any) -> None:
    if not space.same_cells(other):
        raise InvalidValue(
            "Layers that lead agents lie on their ground",
            got=f"{other!r} for {space!r}",
            remedy="Use layers of that map",
        )
