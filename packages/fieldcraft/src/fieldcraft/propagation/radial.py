"""Radial: each source adds a weight that falls with distance, out to a radius."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import CURVES, Falloff, Ring
from fieldcraft.propagation.exact import ExactGraphRadialField, ExactGridRadialField
from fieldcraft.propagation.graph_radial import GraphRadialField
from fieldcraft.propagation.grid_footprints import too_large
from fieldcraft.propagation.grid_radial import GridRadialField
from fieldcraft.propagation.kinds import Radiating
from fieldcraft.propagation.radial_field import MOST_STRENGTH, RadialField
from fieldcraft.propagation.settings import Setting, checked, choice, curve, flag, number
from fieldcraft.space import Grid, Space

__all__ = ["METRICS", "Radial"]

METRICS = ("straight", "connected", "path", "sight")


@dataclass(frozen=True)
class Radial(Radiating):
    """Let each source radiate `strength * falloff(distance / radius)`, out to a radius.

    Amounts are whole multiples of 2**-24 (6e-8) inside, so that a layer is exact under change:
    after any sequence of adding, moving, resizing and removing it equals a fresh one bit for bit,
    and empty means 0. Strengths lie within +-2**20 and a layer has at most 2**18 sources, so that
    no sum can overflow; what would pass that is refused.

    Parameters
    ----------
    radius : float, optional
        World units, above 0; sources may have their own.
    falloff : str, Ring, Falloff, Sequence[float] or Callable[[ndarray of float64], Any], optional
        "constant", "linear", "parabolic" (`B - B d^2 / R^2`), "cubic", "exponential", "gaussian",
        "smoothstep", a `Ring`, a table or a callable, see `Falloff.of`; sources may have their own.
    metric : str, optional
        How distance is measured. "straight": walls don't matter. "connected": straight, but only on
        cells joined to the source by a walk within the radius. "path": along the walk. "sight":
        straight, but only where the source sees; see `visible`: on a graph of waypoints nothing
        hides.
    blend : str, optional
        "sum", or "max": the strongest magnitude wins, the positive one of equals.
    thickness : float, optional
        How thick the walls are that sources may be built into, world units from the center of their
        cell. A source in a wall, put there with `on_wall="through"`, acts as if the walls joined to
        its own were open to it that far: it goes out of its walls on all sides. With 0 only its own
        cell is open to it.
    exact : bool, optional
        With "straight", measure from where a source is, not from the center of its cell: what it
        gives changes smoothly while it moves within a cell. Each source that moves costs more.
        Chosen when a layer is made.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.
    """

    radius: float = dataclasses.field(
        metadata=number("Distance that a source reaches.", above=True, unit="world units")
    )
    falloff: str | Ring | Falloff | Sequence[float] | Callable[[NDArray[np.float64]], Any] = (
        dataclasses.field(
            default="parabolic",
            metadata=checked(
                Setting(
                    "Curve by which influence falls from the source to the radius.",
                    curve,
                    "curve",
                    choices=tuple(CURVES),
                )
            ),
        )
    )
    metric: str = dataclasses.field(
        default="connected", metadata=choice("How distance is measured.", METRICS)
    )
    blend: str = dataclasses.field(
        default="sum", metadata=choice("How several sources combine in a cell.", ("sum", "max"))
    )
    thickness: float = dataclasses.field(
        default=0.0,
        metadata=number("How far a source in a wall reaches through it.", unit="world units"),
    )
    exact: bool = dataclasses.field(
        default=False,
        metadata=flag("Whether distance is measured from the source's very position."),
    )

    _largest, _smallest = MOST_STRENGTH, -MOST_STRENGTH

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact and self.metric != "straight":
            raise InvalidValue(
                "Exact distances are straight ones",
                got=f"metric={self.metric!r}",
                remedy='Pass metric="straight"',
                about="exact",
            )

    def _check(self, space: Space) -> None:
        """Refuse a radius that takes too much memory on this space."""
        if self.radius >= too_large(space):
            raise InvalidValue(
                f"A radius on a map as large as this is below {too_large(space):g}",
                got=f"radius={self.radius:g}",
                remedy="Give the layer a larger cell_size",
            )

    def _field(self, space: Space, every: float) -> RadialField[Any]:
        """Values of this propagation on a space, all 0."""
        self._check(space)
        if isinstance(space, Grid):
            kind = ExactGridRadialField if self.exact else GridRadialField
            return kind(self, space)
        return (ExactGraphRadialField if self.exact else GraphRadialField)(self, space)
