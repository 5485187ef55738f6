"""Diffusion: each cell gives part of its value to its neighbors, as heat, gas and smells do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fieldcraft import kernels
from fieldcraft.base.words import Edges
from fieldcraft.layers.propagation.diffuse.diffuse_field import GridDiffuseField, ListedDiffuseField
from fieldcraft.layers.propagation.propagation import Field, Spreading
from fieldcraft.layers.propagation.settings import choice, number, one_evaporation
from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.hexagons.hex_layout import STEPS
from fieldcraft.space.kinds import graph_of

EDGES = ("conserve", "lose")


@dataclass(frozen=True)
class Diffuse(Spreading):
    """Diffuse what sources and deposits bring: each update, every cell divides part of its value
    among its neighbors.

    Each neighbor gets an equal part: an eighth, a quarter or a sixth on grids and hexagons, on
    graphs by the number of edges that leave a vertex. Then all values are multiplied by `keep`.
    Cells of sources are pinned at their strength, such as a stove; what is released once, such as a
    scent, is a deposit. Nothing passes walls, blocked edges or corners. The value under a new wall
    moves to its open neighbors.

    Parameters
    ----------
    rate : float, optional
        Part of its value that a cell gives away at an update, in [0, 1].
    keep : float, optional
        Part of a value that is left after an update, in [0, 1]; 1 by default.
    half_life : float, optional
        Seconds in which values halve, in place of `keep`. Updates that `advance` drops do not
        count.
    edges : str, optional
        What happens to the parts for walls and beyond the rim. "conserve": the cell keeps them, so
        that the sum of all values changes only by `keep`, sources and rounding. "lose": they
        vanish.
    floor : float, optional
        Smaller values become exactly 0.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> gas = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("gas", fc.Diffuse(rate=0.5))
    >>> gas.deposit((0.5, 0.5), 16.0)
    >>> gas.step(2)
    >>> gas.values
    array([[12.5 ,  3.25,  0.25,  0.  ,  0.  ]], dtype=float32)
    >>> gas.values.sum()
    np.float32(16.0)

    References
    ----------
    `diffuse` and `diffuse4` of NetLogo. With `rate=8/9` and eight neighbors each cell becomes the
    mean of 3 x 3 cells.
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
    edges: Edges = dataclasses.field(
        default="conserve",
        metadata=choice("What happens to shares for walls and beyond the rim.", EDGES),
    )
    floor: float = dataclasses.field(
        default=1e-6, metadata=number("Smaller values become 0.", unit="value")
    )

    _verb = "diffuses"

    replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("What diffuses evaporates", self.keep, self.half_life)

    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        if isinstance(space, Grid):
            steps, here = space.neighborhood.steps, kernels.spread.diffuse_steps.AROUND
            kind = GridDiffuseField if set(steps) <= set(here) else ListedDiffuseField
            return kind(self, space, every, np.full(len(space), len(steps)))
        # On graphs closed edges count as neighbors, too.
        if isinstance(space, HexGrid):
            degrees = np.full(len(space), len(STEPS))
        else:
            degrees = np.diff(graph_of(space).topology.leaving[0])
        return ListedDiffuseField(self, space, every, degrees)
