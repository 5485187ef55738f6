"""Diffusion: each cell gives part of its value to its neighbors, as heat, gas and smells do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.words import Edges
from fieldcraft.layers.propagation.diffuse.drift import Drifts, Vector
from fieldcraft.layers.propagation.propagation import Field, Spreading
from fieldcraft.layers.propagation.settings import choice, number, one_evaporation, vector
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
    drift : array_like of shape (2,) or (height, width, 2), optional
        World units a second in which all moves, such as the wind or the current of a river: (x, y)
        for all cells, or a vector for each, (N, 2) on a graph. Each update every cell gives parts
        of its value to the neighbors downwind; what would drift into a wall stays, or is lost with
        `edges="lose"`. On squares and hexagons the mean of what is on open ground moves by exactly
        the drift, on meshes about so. On waypoints each edge carries the component in its
        direction. A cell gives away at most its value: `rate + every * (|x| +
        |y|) / cell_size <= 1` on squares. Parts that move spread on the way by up to half a cell an
        update (upwind scheme). Chosen when a layer is made; (0, 0) can be changed later by `tune`.

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

    Wind of five cells a second, half a cell in each update of a tenth of a second:

    >>> smoke = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("smoke", fc.Diffuse(rate=0, drift=(5, 0)))
    >>> smoke.deposit((0.5, 0.5), 16.0)
    >>> smoke.step(2)
    >>> smoke.values
    array([[4., 8., 4., 0., 0.]], dtype=float32)

    References
    ----------
    `diffuse` and `diffuse4` of NetLogo. With `rate=8/9` and eight neighbors each cell becomes the
    mean of 3 x 3 cells.
    R. Courant, E. Isaacson, M. Rees, "On the solution of nonlinear hyperbolic differential
    equations by finite differences", Communications on Pure and Applied Mathematics 5 (1952).
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

    drift: Vector | Drifts | NDArray[np.float64] | None = dataclasses.field(
        default=None, metadata=vector("Wind or current that moves all.", unit="world units / s")
    )

    _verb = "diffuses"

    replaces: ClassVar[Mapping[str, tuple[str, ...]]] = {"half_life": ("keep",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        one_evaporation("What diffuses evaporates", self.keep, self.half_life)

    def field(self, space: Space, every: float) -> Field:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        from fieldcraft.layers.propagation.diffuse.diffuse_field import (
            GridDiffuseField,
            ListedDiffuseField,
        )
        from fieldcraft.layers.propagation.diffuse.drifting_field import DriftingField

        # On graphs closed edges count as neighbors, too.
        if isinstance(space, Grid):
            degrees = np.full(len(space), len(space.neighborhood.steps))
        elif isinstance(space, HexGrid):
            degrees = _neighbors_of_hexagons(space)
        else:
            degrees = np.diff(graph_of(space).topology.leaving[0])
        if self.drift is not None:
            return DriftingField(self, space, every, degrees)
        if isinstance(space, Grid):
            here = kernels.spread.diffuse_steps.AROUND
            if set(space.neighborhood.steps) <= set(here):
                return GridDiffuseField(self, space, every, degrees)
        return ListedDiffuseField(self, space, every, degrees)


def _neighbors_of_hexagons(hexes: HexGrid) -> NDArray[np.int64]:
    """Return the number of neighbors of each hexagon, those beyond the rim too: six, or fewer where
    a narrow map wraps, and two steps lead to the same cell or one leads back.
    """
    cells = np.arange(len(hexes))
    ends, inside = hexes.steps_from(cells)
    beyond = -1 - np.arange(len(STEPS))
    ends = np.sort(np.where(inside, ends, beyond), axis=1)
    different = 1 + np.count_nonzero(np.diff(ends, axis=1), axis=1)
    leads_back = (ends == cells[:, np.newaxis]).any(axis=1)
    return np.asarray(different - leads_back, dtype=np.int64)
