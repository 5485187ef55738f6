"""Stamps on hexagons."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.canvas import MOST_CELLS, Canvas
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.space import HexGrid
from fieldcraft.space.hex_layout import distances, rounded

__all__ = ["HexBlots"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class HexBlots:
    """Stamps at places on hexagons, checked: of each the `cells` (K,) that it covers, and its
    `weights` (K,) there.

    Steps are the same from everywhere, so one table of weights serves all stamps that are turned
    and sized alike. Those that are put
    `between` cells are weighed for each place: every cell takes the weight at its own middle.
    """

    def __init__(
        self,
        space: HexGrid,
        stamp: Stamp,
        points: Floats,
        *,
        rotations: Floats,
        scales: Floats,
        between: bool,
    ) -> None:
        reaches = stamp.reach * scales
        steps = min(
            float(reaches.max(initial=0.0)) / space.layout.step + 2, 2.0 * max(space.shape) + 2
        )
        if 3 * steps * steps > MOST_CELLS:
            raise InvalidValue(
                f"A stamp covers at most {MOST_CELLS:,} cells",
                got=f"{stamp!r} on {space!r}",
                remedy="Use a smaller stamp, or larger cells",
            )
        around = _disc(math.ceil(steps))
        if space.wrap:
            around = _once(space, around)
        middles = rounded(space.layout.axial(space.wrapped(points)))
        offsets = np.zeros_like(points)
        if between:
            offsets = space.wrapped(points) - space.layout.places(middles)
        places = space.layout.places(around) - space.layout.places(np.zeros(2, dtype=np.int64))
        turns = np.stack([np.mod(rotations, 360.0), scales], axis=1)
        kinds, which = np.unique(turns, axis=0, return_inverse=True)
        which = which.reshape(-1)
        cells, weights, owners = [], [], []
        for number, (turn, scale) in enumerate(kinds.tolist()):
            mine = np.flatnonzero(which == number)
            groups = [mine[k : k + 1] for k in range(len(mine))] if between else [mine]
            for group in groups:
                found = stamp.at(places - offsets[group[0]], rotation=turn, scale=scale)
                covered = np.flatnonzero(found)
                if (
                    not len(covered)
                    and not between
                    and not math.isinf(stamp.reach)
                    and stamp.reach * scale < steps * space.layout.step
                ):
                    raise InvalidValue(
                        "A stamp covers the middle of a cell",
                        got=f"{stamp!r} on {space!r}",
                        remedy="Make it larger, or use smaller cells",
                    )
                ids, inside = space.reached(middles[group][:, np.newaxis] + around[covered])
                cells.append(ids[inside])
                weights.append(np.broadcast_to(found[covered], inside.shape)[inside])
                owners.append(np.broadcast_to(group[:, np.newaxis], inside.shape)[inside])
        self.covered: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *cells])
        self.weights: Floats = np.concatenate([np.zeros(0), *weights])
        self.owners: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
        self.peak = float(np.abs(self.weights).max(initial=0.0))

    def put(self, canvas: Canvas, amounts: Floats, blend: str) -> None:
        """Put the stamps on a canvas that has let their amounts pass."""
        parts = amounts[self.owners] * self.weights
        if blend == "add":
            kernel, arguments = canvas.scattering(self.covered, parts)
            kernel(*arguments)
            return
        new = np.rint(parts * kernels.stamps.SCALE).astype(np.int64)
        cells, sums = self.covered, canvas.sums.reshape(-1)
        if blend == "max":
            cells, new = (
                np.concatenate([cells, np.unique(cells)]),
                np.concatenate([new, sums[np.unique(cells)]]),
            )
            order = np.lexsort((new, np.abs(new), cells))
        else:
            some = new != 0
            cells, new, owners = cells[some], new[some], self.owners[some]
            order = np.lexsort((owners, cells))
        last = order[np.append(np.diff(cells[order]) != 0, True)] if len(order) else order
        sums[cells[last]] = new[last]
        rows, columns = np.divmod(cells[last], canvas.sums.shape[1])
        canvas.dirty[rows // kernels.stamps.TILE_ROWS, columns // kernels.stamps.TILE_COLUMNS] = (
            kernels.stamps.ALL_ROWS
        )


def _disc(steps: int) -> Ints:
    """The axial differences of all cells at most so many steps away, (K, 2)."""
    span = np.arange(-steps, steps + 1)
    axial = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
    return axial[distances(axial) <= steps]


def _once(space: HexGrid, around: Ints) -> Ints:
    """On a torus each cell once, on its near side."""
    ids, _ = space.reached(around)
    places = space.layout.places(around) - space.layout.places(np.zeros(2, dtype=np.int64))
    order = np.lexsort((np.arange(len(ids)), (places**2).sum(axis=1), ids))
    first = order[np.append(True, np.diff(ids[order]) != 0)]
    return np.asarray(around[np.sort(first)])
