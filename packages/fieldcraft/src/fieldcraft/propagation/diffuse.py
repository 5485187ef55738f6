"""Diffuse: each cell shares a part of what it holds with its neighbours: heat, gas, smells."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fieldcraft import kernels
from fieldcraft.propagation.diffuse_field import GridDiffuseField, ListedDiffuseField
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.kinds import Spreading
from fieldcraft.propagation.settings import choice, number, one_evaporation
from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.hex_layout import STEPS

__all__ = ["Diffuse"]

EDGES = ("conserve", "lose")


@dataclass(frozen=True)
class Diffuse(Spreading):
    """Diffuse what sources and deposits bring: in each update a cell divides the part `rate` of
    what it holds among its neighbours.

    Each neighbour gets an equal share: an eighth, a quarter or a sixth on grids and hexagons, by
    the number of edges that leave a vertex on graphs. Afterwards all hold the part `keep` of what
    they have. Cells of sources are held at their strength, as a stove is; what is dropped once, as
    a scent, is a deposit. Nothing passes walls, closed edges or corners.

    Parameters
    ----------
    rate : float, optional
        What part of it a cell gives away in each update, in [0, 1].
    keep : float, optional
        What part stays at each update, in [0, 1]: 1 is all of it, less evaporates.
    half_life : float, optional
        Seconds in which what is there halves, in place of `keep`; updates that `advance` drops do
        not count.
    edges : str, optional
        What becomes of a share for a neighbour that is not there, a wall or beyond the rim.
        "conserve": the cell keeps it, so that the sum of all values stays but for `keep`, sources
        and rounding. "lose": it is gone.
    floor : float, optional
        Values smaller than this become exactly 0.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    References
    ----------
    NetLogo's `diffuse` and `diffuse4`; with `rate=8/9` and eight neighbours it is the mean of 3 x 3
    cells.
    """

    rate: float = dataclasses.field(
        default=0.5,
        metadata=number("Part of its value that a cell gives away at an update.", high=1.0),
    )
    keep: float | None = dataclasses.field(
        default=None,
        metadata=number("Part of a value that is left after an update.", high=1.0, optional=True),
    )
    half_life: float | None = dataclasses.field(
        default=None,
        metadata=number("Time in which values halve.", above=True, unit="s", optional=True),
    )
    edges: str = dataclasses.field(
        default="conserve",
        metadata=choice("What happens to shares for walls and beyond the rim.", EDGES),
    )
    floor: float = dataclasses.field(
        default=1e-6, metadata=number("Smaller values become 0.", unit="value")
    )

    _verb = "diffuses"

    _replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("What diffuses evaporates", self.keep, self.half_life)

    def _field(self, space: Space, every: float) -> Field:
        """Values of this propagation on a space, all 0, that are updated `every` so many
        seconds.
        """
        if isinstance(space, Grid):
            steps, here = space.neighborhood.steps, kernels.diffuse.AROUND
            kind = GridDiffuseField if set(steps) <= set(here) else ListedDiffuseField
            return kind(self, space, every, np.full(len(space), len(steps)))
        # On graphs closed edges count as neighbors, too.
        degrees = (
            np.full(len(space), len(STEPS))
            if isinstance(space, HexGrid)
            else np.diff(space.graph.topology.leaving[0])
        )
        return ListedDiffuseField(self, space, every, degrees)
