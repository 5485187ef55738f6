"""The door between kinds of spaces: for each question what answers it on the space that a layer
lies on.

Each name stands in `on_grid` and `on_graph`. What needs no kernel of its own for each kind runs on
`Space.ways` and is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fieldcraft.query import on_graph, on_grid
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space import Space, picked

__all__ = ["along", "best", "gradient", "peaks", "sample", "serve", "steps"]

_Answer = TypeVar("_Answer")


def sample(layer: Readable) -> Callable[..., Any]:
    """The reader of a layer at positions: `(layer, positions, between, outside)`."""
    return _for(layer, "Sampling", grid=on_grid.sample, graph=on_graph.sample)


def gradient(layer: Readable) -> Callable[..., Any]:
    """The finder of slopes: `(layer, positions, smooth, outside)`."""
    return _for(layer, "A gradient", grid=on_grid.gradient, graph=on_graph.gradient)


def along(layer: Readable) -> Callable[..., Any]:
    """The sum along paths: `(layer, paths, outside)`."""
    return _for(layer, "A path", grid=on_grid.along, graph=on_graph.along)


def best(layer: Readable) -> Callable[..., Any]:
    """The chooser of cells around positions, each for itself; see `on_grid.best`."""
    return _for(layer, "A choice of cells", grid=on_grid.best, graph=on_graph.best)


def serve(layer: Readable) -> Callable[..., Any]:
    """The chooser of cells around positions, one after the other; see `on_grid.serve`."""
    return _for(layer, "Reservations", grid=on_grid.serve, graph=on_graph.serve)


def peaks(layer: Readable) -> Callable[..., Any]:
    """The finder of local maxima: `(layer, most, spacing, above)`."""
    return _for(layer, "Peaks", grid=on_grid.peaks, graph=on_graph.peaks)


def steps(space: Space) -> tuple[Any, ...]:
    """How to step from cell to cell, as `kernels.explore` takes it."""
    return picked(space, "Exploring", grid=on_grid.steps, graph=on_graph.steps)(space)


def _for(layer: Readable, what: str, **rooms: Callable[..., _Answer]) -> Callable[..., _Answer]:
    space = getattr(layer, "space", None)
    if not hasattr(space, "forms"):
        Ground(layer)  # says what is missing
    return picked(space, what, **rooms)
