"""The door between kinds of space: each function here picks once what serves a space."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.canvas import Blots, GridBlots
from fieldcraft.propagation.diffuse import Diffuse
from fieldcraft.propagation.diffuse_field import (
    DiffuseField,
    graph_diffuse_field,
    hex_diffuse_field,
)
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.footprints import Found
from fieldcraft.propagation.on_graph import exact as graph_exact
from fieldcraft.propagation.on_graph import fade as graph_fade
from fieldcraft.propagation.on_graph import radial as graph_radial
from fieldcraft.propagation.on_graph import spread as graph_spread
from fieldcraft.propagation.on_grid import exact as grid_exact
from fieldcraft.propagation.on_grid import fade as grid_fade
from fieldcraft.propagation.on_grid import footprints
from fieldcraft.propagation.on_grid import radial as grid_radial
from fieldcraft.propagation.on_grid import spread as on_squares
from fieldcraft.propagation.on_grid.diffuse import grid_diffuse_field
from fieldcraft.propagation.on_hex.stamps import HexBlots
from fieldcraft.propagation.on_hex.trail import HexTrailField
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.propagation.spread import Spread
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.propagation.trail import Trail, TrailField
from fieldcraft.space import Space, picked

if TYPE_CHECKING:
    from fieldcraft.propagation.radial import Radial

__all__ = [
    "Surroundings",
    "blots_on",
    "diffuse_field",
    "radial_field",
    "spread_field",
    "surroundings_of",
    "too_large",
    "trail_field",
]


class Surroundings(Protocol):
    """The surroundings of the cells of a space, as its walls are at one moment; `layout` is the
    shape in which tiles of cells are kept.
    """

    layout: tuple[int, int]

    def forget(self) -> None:
        """Look at the walls anew when something is next asked."""
        ...

    def most_around(self, radius: float) -> int:
        """At least as many cells as lie within a radius."""
        ...

    def around(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        radius: float,
        falloff: Falloff,
        metric: str,
    ) -> Found:
        """The open cells within a radius of each cell, by a metric, and the share of its strength
        that each takes.
        """
        ...

    def bleeding(
        self, bleed: float, cells: NDArray[np.int64], strengths: NDArray[np.float64], least: float
    ) -> tuple[str, tuple[Any, ...]]:
        """The kernel of `kernels.fade` by which marks bleed, and its arguments."""
        ...


def spread_field(spread: Spread, space: Space, every: float) -> Field:
    """A field that spreads."""
    kind: Callable[..., Field] = picked(
        space, "Spread", grid=on_squares.SpreadField, graph=graph_spread.GraphSpreadField
    )
    return kind(spread, space, every)


def diffuse_field(diffuse: Diffuse, space: Space, every: float) -> Field:
    """A field that diffuses."""
    make: Callable[..., DiffuseField] = picked(
        space, "Diffuse", grid=grid_diffuse_field, hex=hex_diffuse_field, graph=graph_diffuse_field
    )
    return make(diffuse, space, every)


def radial_field(radial: Radial, space: Space) -> RadialField[Any]:
    """A field that radiates."""
    kind: Callable[..., RadialField[Any]]
    if radial.exact:
        kind = picked(
            space,
            "Radial",
            grid=grid_exact.ExactGridRadialField,
            graph=graph_exact.ExactGraphRadialField,
        )
    else:
        kind = picked(
            space, "Radial", grid=grid_radial.GridRadialField, graph=graph_radial.GraphRadialField
        )
    return kind(radial, space)


def trail_field(trail: Trail, space: Space, every: float) -> Field:
    """A field in which stamps and deposits gather."""
    kind: Callable[..., Field] = picked(
        space, "A layer with fc.Trail", grid=TrailField, hex=HexTrailField
    )
    return kind(trail, space, every)


def blots_on(
    space: Space,
    stamp: Stamp,
    points: NDArray[np.float64],
    *,
    rotations: NDArray[np.float64],
    scales: NDArray[np.float64],
    between: bool,
) -> Blots:
    """Stamps at places (N, 2), each turned by degrees (N,) and sized (N,)."""
    kind: Callable[..., Blots] = picked(space, "stamp()", grid=GridBlots, hex=HexBlots)
    return kind(space, stamp, points, rotations=rotations, scales=scales, between=between)


def surroundings_of(space: Space) -> Surroundings:
    """The ground round marks."""
    kind: Callable[..., Surroundings] = picked(
        space, "Fade", grid=grid_fade.Surroundings, graph=graph_fade.Surroundings
    )
    return kind(space)


def too_large(space: Space) -> float:
    """The smallest radius, in world units, that a radial layer on this space refuses: infinity on
    all but huge grids.
    """
    return picked(space, "Radial", grid=footprints.too_large, graph=lambda space: math.inf)(space)
