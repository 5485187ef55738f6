"""Diffusion on squares whose neighbours lie around them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference.diffuse import AROUND
from fieldcraft.propagation.diffuse import Diffuse
from fieldcraft.propagation.diffuse_field import DiffuseField, ListedDiffuseField, Numbers
from fieldcraft.space import Grid
from fieldcraft.space.ways import inside, kept_until_walls_change

__all__ = ["grid_diffuse_field"]


class _Exchanges(NamedTuple):
    """From where offers arrive, as kernels take it."""

    links: NDArray[np.uint8]
    masks: NDArray[np.uint8]
    takers: NDArray[np.uint8]


@kept_until_walls_change
def _exchanges(grid: Grid) -> _Exchanges:
    links, masks = (
        grid.links(),
        dict(zip(grid.neighborhood.steps, grid.link_masks.tolist(), strict=True)),
    )
    takers = np.zeros(grid.shape, dtype=np.uint8)
    for (dx, dy), mask in masks.items():
        arrive = links & np.uint8(mask) != 0
        if grid.wrap:
            takers += np.roll(arrive, (-dy, -dx), axis=(0, 1))
        else:
            takers[inside(grid, -dx, -dy)] += arrive[inside(grid, dx, dy)]
    # A neighbour's offer arrives by the step from there.
    return _Exchanges(
        links, np.array([masks.get((-dx, -dy), 0) for dx, dy in AROUND], dtype=np.uint8), takers
    )


class GridDiffuseField(DiffuseField):
    """Values on squares, row by row; offers are kept with a rim."""

    _offers: Numbers | None = None

    def _prepare(self) -> None:
        height, width = self.space.shape
        if self._offers is None:
            self._offers = np.zeros((height + 2, width + 2), dtype=np.float32)
        offers = self._offers
        np.multiply(self.values, self._shares[0], out=offers[1:-1, 1:-1])
        if self.space.wrap:
            offers[0, 1:-1], offers[-1, 1:-1] = offers[-2, 1:-1], offers[1, 1:-1]
            offers[:, 0], offers[:, -1] = offers[:, -2], offers[:, 1]
        exchanges = _exchanges(self.space)
        if self._given is None:
            loses = self.diffuse.edges == "lose"
            self._given = (
                np.full_like(exchanges.takers, self._degrees[0]) if loses else exchanges.takers
            )
        self._arguments = (
            offers,
            exchanges.links,
            exchanges.masks,
            self._given,
            self._keep,
            self._floor,
        )

    def _call(self, values: Numbers, first: int, last: int) -> pool.Call:
        return kernels.diffuse.exchange, (*self._arguments, first, last, values)


def grid_diffuse_field(diffuse: Diffuse, grid: Grid, every: float) -> DiffuseField:
    """A field that diffuses on a grid of any neighbourhood."""
    steps = grid.neighborhood.steps
    kind = GridDiffuseField if set(steps) <= set(AROUND) else ListedDiffuseField
    return kind(diffuse, grid, every, np.full(len(grid), len(steps)))
