"""Regions of a map, and the chokes between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.kernels.shared.arrays import Ints
from fieldcraft.space import Grid

__all__ = ["Choke", "Region", "Regions", "regions_of"]

NOTHING = -1
"""The label of cells in no basin or region."""


@dataclass(frozen=True, eq=False)
class Region:
    """A wide place: its `cells` (K,), the `center` (x, y) farthest from walls, and the distance to
    walls there, `clearance`.
    """

    cells: Ints
    center: NDArray[np.float64]
    clearance: float


@dataclass(frozen=True, eq=False)
class Choke:
    """A narrow place between two `regions` (numbers): the `cells` of its line (K,), the `position`
    (x, y) of its middle, and its `width`.
    """

    regions: tuple[int, int]
    cells: Ints
    position: NDArray[np.float64]
    width: float


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a map and its chokes; `of_cell` (N,) is the number of each cell's region, -1
    without one.

    A path from one region to another crosses the line of a choke between the two.
    """

    space: Grid
    regions: tuple[Region, ...]
    chokes: tuple[Choke, ...]
    of_cell: Ints

    def at(self, positions: ArrayLike) -> int | Ints:
        """Return the number of the region at a position, or at many: an int, or (N,)."""
        cells = self.space.cell_at(positions, outside="clamp")
        found: Ints = np.asarray(self.of_cell[np.asarray(cells)])
        if found.ndim == 0:
            return int(found)
        return found


def regions_of(
    space: Grid, *, narrowing: float = 0.7, smallest: int = 60, widest: float = 18.0
) -> Regions:
    """Return the regions of a grid, separated at its narrow places.

    A watershed of the distance to walls adds cells from the farthest to those beside walls. A cell
    in which two basins meet is the middle of a choke if both have at least `smallest` cells, and
    the map there is at most `widest` cells wide and `narrowing` times as wide as the narrower basin
    at its widest. The choke is the straight line over this cell from the nearest wall to the
    nearest wall on the other side. Lines that separate nothing, or fewer than `smallest` cells, are
    left out. The time is O(n log n).
    """
    from scipy import ndimage  # loading it takes longer than all of `import fieldcraft`

    far, nearest = ndimage.distance_transform_edt(np.pad(~space.walls, 1), return_indices=True)
    clearance = far[1:-1, 1:-1] - 0.5
    lines = []
    for cell in _meetings(clearance, narrowing, smallest, widest):
        row, column = divmod(cell, space.width)
        line = _line(space.walls, cell, nearest[:, row + 1, column + 1] - 1)
        if line is not None:
            lines.append(line)
    return _separated(space, clearance.reshape(-1), lines, smallest)


def _meetings(
    clearance: NDArray[np.float64], narrowing: float, smallest: int, widest: float
) -> list[int]:
    """Return the cells in which two separate basins meet: the first of each border.

    Cells join basins from the widest to the narrowest place. Basins that don't stay separate are
    joined in a union-find structure, `parent`.
    """
    high, wide = clearance.shape
    values = clearance.reshape(-1).tolist()
    open_cells = int(np.count_nonzero(clearance > 0))
    order = np.argsort(-clearance.reshape(-1), kind="stable")[:open_cells]
    # Places are cells in a frame, so that each has eight neighbors.
    places = (order // wide + 1) * (wide + 2) + order % wide + 1
    labels = [NOTHING] * ((high + 2) * (wide + 2))
    steps = tuple(dy * (wide + 2) + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
    parent: list[int] = []
    size: list[int] = []
    peak: list[float] = []
    found: list[int] = []
    border = [False] * len(labels)  # cells in which separate basins meet

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for cell, place in zip(order.tolist(), places.tolist(), strict=True):
        here = values[cell]
        beside = sorted(
            {root(labels[place + step]) for step in steps if labels[place + step] != NOTHING},
            key=lambda basin: (-peak[basin], basin),
        )
        if not beside:
            labels[place] = len(parent)
            parent.append(len(parent))
            size.append(1)
            peak.append(here)
            continue
        first = beside[0]
        for other in beside[1:]:
            if (
                here <= narrowing * min(peak[first], peak[other])
                and 2 * here <= widest
                and min(size[first], size[other]) >= smallest
            ):
                if not border[place] and not any(border[place + step] for step in steps):
                    found.append(cell)
                border[place] = True
            else:
                parent[other] = first
                size[first] += size[other]
        labels[place] = first
        size[first] += 1
    return found


def _line(walls: NDArray[np.bool_], cell: int, wall: Ints) -> tuple[Ints, float] | None:
    """Return the open cells of a line over a cell from its nearest wall (row, column) to the
    nearest on the other side, and its length.
    """
    here = np.array(divmod(cell, walls.shape[1]))
    to_wall = wall - here
    reach = int(np.ceil(3 * np.hypot(*to_wall))) + 3
    low = np.maximum(here - reach, -1)
    top = np.minimum(here + reach + 1, np.array(walls.shape) + 1)
    padded = np.pad(walls, 1, constant_values=True)
    others = np.argwhere(padded[low[0] + 1 : top[0] + 1, low[1] + 1 : top[1] + 1]) + low - here
    lengths = np.hypot(others[:, 0], others[:, 1])
    across = others @ to_wall < -0.5 * lengths * np.hypot(*to_wall)
    if not across.any():
        return None
    lengths[~across] = np.inf
    other = others[int(np.argmin(lengths))]
    cells: list[Ints] = []
    for end in (to_wall, other):
        count = int(np.abs(end).max())
        cells.append(
            here + np.rint(np.arange(count + 1)[:, None] / max(count, 1) * end).astype(np.int64)
        )
    places = np.concatenate(cells)
    places = places[((places >= 0) & (places < walls.shape)).all(axis=1)]
    ids = np.unique(places[:, 0] * walls.shape[1] + places[:, 1])
    return ids[~walls.reshape(-1)[ids]], float(np.hypot(*(to_wall - other))) - 1


def _separated(
    space: Grid, clearance: NDArray[np.float64], lines: list[tuple[Ints, float]], smallest: int
) -> Regions:
    """Return the regions between lines, the largest first, and the chokes."""
    from scipy import ndimage

    while True:
        closed = space.walls.copy()
        for cells, _ in lines:
            closed.reshape(-1)[cells] = True
        parts = ndimage.label(~closed)[0]
        sizes = np.bincount(parts.reshape(-1))
        sides = [_beside(parts, sizes, cells) for cells, _ in lines]
        useless = [
            number
            for number, side in enumerate(sides)
            if len(side) < 2 or sizes[side[1]] < smallest
        ]
        if not useless:
            break
        # One at a time: the narrower of two lines in a row may be needed once the other is gone.
        worst = max(useless, key=lambda number: (lines[number][1], number))
        del lines[worst]
    beside = np.array(sides, dtype=np.int64).reshape(-1)
    names = np.union1d(beside, np.flatnonzero(sizes >= smallest))
    names = names[names > 0]
    names = names[np.argsort(-sizes[names], kind="stable")]
    number = np.full(len(sizes), NOTHING, dtype=np.int64)
    number[names] = np.arange(len(names))
    of_cell = number[parts.reshape(-1)]
    chokes = []
    for (cells, width), side in zip(lines, sides, strict=True):
        a, b = sorted(int(number[each]) for each in side[:2])
        of_cell[cells] = a
        middle = int(cells[np.argmax(clearance[cells])])
        chokes.append(Choke((a, b), cells, space.position_of(middle), width))
    regions = []
    for region in range(len(names)):
        own = np.flatnonzero(of_cell == region)
        center = int(own[np.argmax(clearance[own])])
        regions.append(Region(own, space.position_of(center), float(clearance[center])))
    chokes.sort(key=lambda choke: -choke.width)
    return Regions(space, tuple(regions), tuple(chokes), of_cell)


def _beside(parts: NDArray[Any], sizes: Ints, cells: Ints) -> list[int]:
    """Return the parts that touch some cells, the largest first."""
    rows, columns = np.divmod(cells, parts.shape[1])
    found: set[int] = set()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            y = np.clip(rows + dy, 0, parts.shape[0] - 1)
            x = np.clip(columns + dx, 0, parts.shape[1] - 1)
            found.update(parts[y, x].tolist())
    return sorted(found - {0}, key=lambda part: (-int(sizes[part]), part))
