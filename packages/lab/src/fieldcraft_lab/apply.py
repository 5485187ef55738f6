"""Orders applied to an influence map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue, UnknownName, WrongLayer
from fieldcraft.layers import Layer, MemoryLayer, SourceLayer, SpreadLayer, TrailLayer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.sources import Source
from fieldcraft.space import Space
from fieldcraft.space.space_ranges import within_range
from fieldcraft_lab.controls import replaced_by
from fieldcraft_lab.orders import Deposit, Move, Order, Paint, Place, Remove, Strengthen, Tune

Release = Callable[[str, int], None]


def apply(
    order: Order, imap: InfluenceMap, *, release: Release = lambda layer, source: None
) -> None:
    """Apply an order, or raise a `FieldcraftError` and change nothing.

    `release` is called with the layer and the id of a source that is moved or removed.
    """
    match order:
        case Tune():
            _tune(order, imap)
        case Place():
            position = _of(imap.space, order.position)
            layer = _layer(imap, order.layer, "placing a source")
            layer.add_source(position, order.strength, on_wall="nearest", outside="clamp")
        case Move():
            source = _source(imap, order.layer, order.source)
            source.move(_of(imap.space, order.position), on_wall="nearest", outside="clamp")
            release(order.layer, order.source)
        case Strengthen():
            _source(imap, order.layer, order.source).strength = order.strength
        case Remove():
            _source(imap, order.layer, order.source).remove()
            release(order.layer, order.source)
        case Deposit():
            _deposit(order, imap)
        case Paint():
            _paint(order, imap)


def covered(
    space: Space, stroke: tuple[tuple[float, ...], ...], radius: float
) -> NDArray[np.int64]:
    """Return the ids of the cells under a stroke, ascending: those of its positions, and those with
    centers within `radius`.
    """
    points = np.array([_of(space, point) for point in stroke])
    cells = np.atleast_1d(np.asarray(space.cell_at(points, outside="clamp")))
    if radius > 0:
        near = np.zeros(len(space), dtype=np.bool_)
        places = space.positions
        limit = within_range(space, radius)
        for point in points:
            near |= (space.shortest_vectors(places - point) ** 2).sum(axis=1) <= limit * limit
        cells = np.concatenate([cells, np.flatnonzero(near)])
    return np.unique(cells)


def _of(space: Space, position: tuple[float, ...]) -> tuple[float, ...]:
    """Return a position on a space; refuse one of other dimensions."""
    if len(position) != space.dimensions:
        raise InvalidValue(
            f"Positions on this map have {space.dimensions} numbers",
            got=f"{position}",
            remedy="Pass (x, y), or (x, y, z) on maps in 3D",
        )
    return position


def _layer(imap: InfluenceMap, name: str, verb: str) -> SourceLayer:
    """Return a layer that takes sources."""
    layer = imap[name]
    if not isinstance(layer, SourceLayer):
        raise WrongLayer(
            verb,
            "layers that take sources",
            f"{name!r}, of class {type(layer).__name__}",
            "Deposit on it instead",
        )
    return layer


def _source(imap: InfluenceMap, name: str, source: int) -> Source:
    """Return a source; refuse one that a recording or `sync` moves."""
    layer = _layer(imap, name, "changing a source")
    found = layer.source(source)
    key = layer.sources.key_of(source)
    if key is not None:
        raise InvalidValue(
            "Sources that a recording or sync() moves cannot be changed by hand",
            got=f"source {key!r}",
            remedy="Add a source of your own",
        )
    return found


def _tune(order: Tune, imap: InfluenceMap) -> None:
    layer: Layer = imap[order.layer]
    if order.name == "every":
        layer.every = order.value  # type: ignore[assignment]
    elif isinstance(layer, PropagatedLayer) and layer.propagation is not None:
        if order.value is None:
            others = []
        else:
            others = replaced_by(layer.propagation, order.name)
        layer.tune(**dict.fromkeys(others), **{order.name: order.value})
    else:
        raise UnknownName(f"setting of layer {order.layer!r}", order.name, ("every",))


def _deposit(order: Deposit, imap: InfluenceMap) -> None:
    layer: Layer = imap[order.layer]
    if not isinstance(layer, SpreadLayer | MemoryLayer | TrailLayer):
        raise WrongLayer(
            "depositing",
            "layers that spread, remember or gather",
            f"{order.layer!r}",
            "Place a source instead",
        )
    layer.deposit(_of(imap.space, order.position), order.amount, on_wall="nearest", outside="clamp")


def _paint(order: Paint, imap: InfluenceMap) -> None:
    cells = covered(imap.space, order.stroke, order.radius)
    walls = imap.space.walls.reshape(-1).copy()
    walls[cells] = order.blocked
    if walls.all():
        raise InvalidValue(
            "A map has open cells", got="walls everywhere", remedy="Paint with a smaller brush"
        )
    imap.space.set_walls(cells, order.blocked)
