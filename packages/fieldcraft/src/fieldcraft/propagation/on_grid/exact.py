"""Exact sources on a grid: the squares around each are known without a search."""

from __future__ import annotations

import numpy as np

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.exact import Cells, ExactRadialField, Floats, Placements
from fieldcraft.propagation.on_grid.walks import GridWalks
from fieldcraft.space import Grid

__all__ = ["ExactGridRadialField"]


class _GridPlacements(Placements):
    """See `Placements`; on a torus a large radius meets itself, so all cells are looked at
    there.
    """

    space: Grid

    def around(self, numbers: Cells) -> tuple[Cells, Cells, Floats]:
        """See `Placements.around`; sources of one radius are looked at together."""
        space = self.space
        if space.wrap:
            return super().around(numbers)
        radii = np.array([self.shapes[number][1] for number in numbers.tolist()])
        places = np.array([self.shapes[number][2] for number in numbers.tolist()])
        owners: list[Cells] = []
        cells: list[Cells] = []
        away: list[Floats] = []
        for radius in np.unique(radii).tolist():
            own = np.flatnonzero(radii == radius)
            columns, rows, squares = self._squares(places[own], radius)
            which, right, down = np.nonzero(squares <= radius * radius)
            owners.append(own[which])
            cells.append(rows[which, down] * space.width + columns[which, right])
            away.append(np.sqrt(squares[which, right, down]))
        owner, cell, share = np.concatenate(owners), np.concatenate(cells), np.concatenate(away)
        weights = np.empty(len(owner))
        kinds: dict[tuple[Falloff, float], list[int]] = {}
        for i, number in enumerate(numbers.tolist()):
            falloff, radius, _ = self.shapes[number]
            kinds.setdefault((falloff, radius), []).append(i)
        for (falloff, radius), members in kinds.items():
            of_kind = np.isin(owner, members)
            weights[of_kind] = falloff(share[of_kind] / radius)
        return owner, cell, weights

    def _squares(self, places: Floats, radius: float) -> tuple[Cells, Cells, Floats]:
        """Columns (S, W) and rows (S, H) around places, and the squared distances (S, W, H),
        infinite off the map.
        """
        space = self.space
        found = []
        squares = []
        for axis, count, turned in ((0, space.width, False), (1, space.height, space.y_up)):
            low, at = space.origin[axis], places[:, axis]
            first = np.clip(np.ceil((at - radius - low) / space.cell_size - 0.5), -1, count).astype(
                np.int64
            )
            last = np.clip(np.floor((at + radius - low) / space.cell_size - 0.5), -1, count).astype(
                np.int64
            )
            indices = first[:, np.newaxis] + np.arange(-1, int((last - first).max(initial=0)) + 2)
            centers = low + (indices + 0.5) * space.cell_size
            inside = (indices >= 0) & (indices < count)
            squares.append(np.where(inside, (centers - at[:, np.newaxis]) ** 2, np.inf))
            found.append(count - 1 - indices if turned else indices)
        return found[0], found[1], squares[0][:, :, np.newaxis] + squares[1][:, np.newaxis, :]

    def most_around(self, number: int) -> int:
        """See `Placements.most_around`."""
        if self.space.wrap:
            return len(self.space)
        side = 2 * self.shapes[number][1] / self.space.cell_size + 4
        return int(min(side, self.space.width + 3) * min(side, self.space.height + 3))


class ExactGridRadialField(ExactRadialField[GridWalks]):
    """See `ExactRadialField`."""

    space: Grid

    def _no_footprints(self) -> Placements:
        return _GridPlacements(self.space)

    def _walks_now(self) -> GridWalks:
        return GridWalks.of(self.space)
