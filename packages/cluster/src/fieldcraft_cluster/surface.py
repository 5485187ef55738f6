"""The surface of a world in blocks: which cell is where, and what is a wall."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.space import Grid
from fieldcraft_cluster.block import WorldPlan
from fieldcraft_cluster.plan import Box
from fieldcraft_cluster.terrain import Changes, walls_in

__all__ = ["Surface", "centers"]


_FARTHEST = 4000  # cells to look for open ground


class Surface:
    """A map too large to be held: positions, cells, and walls piece by piece."""

    plan: WorldPlan
    changes: Changes
    """The walls that have changed since it was made."""

    def cells(
        self, positions: ArrayLike, *, outside: str = "refuse"
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and columns of the map, (N,) each, in which world positions lie; as
        `Grid.cell_at`.
        """
        checks.choice("outside", outside, ("refuse", "clamp"))
        points, _ = checks.positions(positions)
        plan = self.plan
        with np.errstate(over="ignore"):
            columns = np.floor((points[:, 0] - plan.origin[0]) / plan.cell_size)
            rows = np.floor((points[:, 1] - plan.origin[1]) / plan.cell_size)
        if plan.wrap and np.isfinite(columns).all() and np.isfinite(rows).all():
            columns, rows = np.mod(columns, plan.width), np.mod(rows, plan.height)
        elif outside == "clamp":
            columns, rows = np.clip(columns, 0, plan.width - 1), np.clip(rows, 0, plan.height - 1)
        bad = ~((columns >= 0) & (columns < plan.width) & (rows >= 0) & (rows < plan.height))
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            far = tuple(
                start + count * plan.cell_size
                for start, count in zip(plan.origin, (plan.width, plan.height), strict=True)
            )
            raise OutsideMap(
                f"Positions lie on the map, from {plan.origin} up to but not including {far}",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy='Mend the position, or pass outside="clamp"',
            )
        if plan.y_up:
            rows = plan.height - 1 - rows
        return rows.astype(np.int64), columns.astype(np.int64)

    def box(self, low: ArrayLike, high: ArrayLike) -> Box:
        """The rows and columns between two world positions, whole cells; raises `OutsideMap`."""
        rows, columns = self.cells([checks.pair("low", low), checks.pair("high", high)])
        return Box(int(rows.min()), int(rows.max()) + 1, int(columns.min()), int(columns.max()) + 1)

    def grid(self, box: Box) -> Grid:
        """The rows and columns of a box of the map as a grid of its own, at its place in the world,
        with the walls as they are now.
        """
        plan = self.plan
        height, width = box.shape
        below = plan.height - box.bottom if plan.y_up else box.top
        origin = (
            plan.origin[0] + box.left * plan.cell_size,
            plan.origin[1] + below * plan.cell_size,
        )
        return Grid(
            width,
            height,
            cell_size=plan.cell_size,
            origin=origin,
            y_up=plan.y_up,
            neighbors=np.array(plan.neighbors),
            walls=walls_in(plan.walls, self.changes, box),
        )

    def walls_at(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether cells of the map are walls, (N,)."""
        found = np.zeros(len(rows), dtype=np.bool_)
        if self.plan.walls.source is None and not len(self.changes.cells):
            return found
        tile = min(self.plan.block, 256)
        keys = rows // tile * (self.plan.width // tile + 1) + columns // tile
        for key in np.unique(keys).tolist():
            here = keys == key
            down, right = rows[here], columns[here]
            box = Box(int(down.min()), int(down.max()) + 1, int(right.min()), int(right.max()) + 1)
            found[here] = walls_in(self.plan.walls, self.changes, box)[
                down - box.top, right - box.left
            ]
        return found

    def nearest_open(self, row: int, column: int) -> tuple[int, int]:
        """The row and column of the open cell whose center is nearest to that of a cell: as
        `Grid.nearest_open`, the first on a tie.

        Raises
        ------
        InvalidValue
            If there is none, or none within some thousand cells.
        """
        plan, reach = self.plan, 16
        while True:
            box = Box(row - reach, row + reach + 1, column - reach, column + reach + 1)
            if not plan.wrap:
                box = Box(
                    max(box.top, 0),
                    min(box.bottom, plan.height),
                    max(box.left, 0),
                    min(box.right, plan.width),
                )
            rows, columns = np.nonzero(~walls_in(plan.walls, self.changes, box))
            away = (rows + box.top - row) ** 2 + (columns + box.left - column) ** 2
            near = away.min(initial=reach**2 + 1)
            if near <= reach**2:
                here = away == near
                cells = (rows[here] + box.top) % plan.height * plan.width + (
                    columns[here] + box.left
                ) % plan.width
                return divmod(int(cells.min()), plan.width)
            if reach > min(2 * max(plan.height, plan.width), _FARTHEST):
                raise InvalidValue(
                    "Agents stand on open ground",
                    got=f"none within {reach:,} cells of row {row}, column {column}",
                    remedy="Open a cell",
                )
            reach *= 4

    def check_torus(self, cells: int, what: str) -> None:
        """Refuse what would meet itself on the other side of a torus."""
        if self.plan.wrap and 2 * cells + 1 > min(self.plan.width, self.plan.height):
            raise InvalidValue(
                "What a block is told of doesn't reach around a torus, where it would count twice",
                got=f"{what} on {self.plan.width} x {self.plan.height}",
                remedy="Use one fieldcraft.Grid: a map as small as this fits into an array",
            )


def centers(
    plan: WorldPlan, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The world positions of the centers of cells, (N, 2)."""
    down = plan.height - 1 - rows if plan.y_up else rows
    return np.stack([columns, down], axis=1) * plan.cell_size + (
        np.array(plan.origin) + 0.5 * plan.cell_size
    )
