"""Results of queries: chosen cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.words import NoneFound
from fieldcraft.space.space import Space

NONE = ("nan", "stay", "refuse")
"""What a missing choice is: NaN, the agent's own cell, or an error."""


def checked_none(none: NoneFound) -> NoneFound:
    """Return `none` if it is one of `NONE`."""
    return checks.choice("none", none, NONE)


@dataclass(frozen=True, eq=False)
class ChosenCells(Suggesting):
    """Chosen cells: one for each of N positions, or one for a single position, without the first
    axis.

    `cells` (N,) int64 are their ids, `positions` (N, 2), or (N, 3) on a 3D graph, the world
    positions of their centers, `values` (N,) float32 the values there. Where no cell was found
    `found` (N,) is False; then the position and the value are NaN and the cell is -1, but an agent
    that could have stayed in its cell has its own cell. `bool(spot)` is whether the cell for a
    single position was found.

    With `count=k` a last axis holds k choices, the best first: `cells` (N, k), `positions` (N, k,
    2). `position`, `value` and `cell` are the first choices. `targets` are the cells that
    `explore_step` leads towards, else the same as `cells`.
    """

    positions: NDArray[np.float64]
    values: NDArray[np.float32]
    cells: NDArray[np.int64]
    found: NDArray[np.bool_]
    targets: NDArray[np.int64]
    ranked: bool = False

    @classmethod
    def at(
        cls,
        cells: NDArray[np.int64],
        space: Space,
        flat: NDArray[np.float32],
        *,
        ranked: bool = False,
    ) -> ChosenCells:
        """Return the choice of these cells, -1 for none; `flat` are the values by cell."""
        if cells.ndim == 0 and cells >= 0:
            return cls(
                space.position_of(int(cells)),
                flat[cells],
                cells[()],
                np.asarray(cells >= 0)[()],
                cells[()],
                ranked,
            )
        cells = np.asarray(cells)
        found = np.asarray(cells >= 0)
        positions = space._centers_of(cells.reshape(-1)).reshape(*found.shape, space.dimensions)
        if found.all():
            values = flat[cells]
        else:
            values = np.full(found.shape, np.nan, dtype=np.float32)
            values[found] = flat[cells[found]]
        return cls(positions, values[()], cells[()], found[()], cells[()], ranked)

    @classmethod
    def steps(
        cls,
        cells: NDArray[np.int64],
        starts: NDArray[np.int64],
        space: Space,
        flat: NDArray[np.float32],
        targets: NDArray[np.int64] | None = None,
    ) -> ChosenCells:
        """Return the cells that agents step to from the cells `starts`; they stay there if none is
        better.
        """
        if targets is None:
            targets = cells
        return cls(space.position_of(cells), flat[cells], cells, cells != starts, targets)

    @property
    def position(self) -> NDArray[np.float64]:
        """The first choices: (N, 2), or (2,) for one; NaN where nothing was found."""
        return np.asarray(self.positions[..., 0, :] if self.ranked else self.positions)

    @property
    def value(self) -> NDArray[np.float32]:
        """The values of the first choices: (N,), or one number."""
        return self.values[..., 0][()] if self.ranked else self.values

    @property
    def cell(self) -> NDArray[np.int64]:
        """The cells of the first choices: (N,), or one number."""
        return self.cells[..., 0][()] if self.ranked else self.cells

    def __bool__(self) -> bool:
        if np.ndim(self.found):
            raise InvalidValue(
                "Only the choice for a single position is true or false",
                got=repr(self),
                remedy="Use spots.found.any() or spots.found.all()",
            )
        return bool(self.found)

    def __repr__(self) -> str:
        return (
            f"<ChosenCells of shape {self.cells.shape}, {int(np.count_nonzero(self.found))} found>"
        )


def chosen(
    cells: NDArray[np.int64],
    own: int | NDArray[np.int64],
    single: bool,
    count: int | None,
    none: NoneFound,
    space: Space,
    flat: NDArray[np.float32],
) -> ChosenCells:
    """Return the result for cells (N, k) that were chosen: without the first axis for one position,
    without the second if `count` is None.

    `none` is what replaces a missing choice (-1), see `NONE`; `own` are the cells (N,) that the
    agents are in.
    """
    if none == "nan" or (cells >= 0).all():
        return ChosenCells.at(_shaped(cells, single, count), space, flat, ranked=count is not None)
    missing = cells < 0
    own = np.atleast_1d(own)
    if none == "refuse":
        agent = int(np.flatnonzero(missing.any(axis=1))[0])
        raise InvalidValue(
            "There is a cell to choose around each position",
            got=f"none, or too few, around {tuple(space.position_of(own[agent]).tolist())}"
            + ("" if single else f", position {agent}"),
            remedy='Use a larger radius, or none="stay"',
        )
    filled = np.where(missing, own[:, np.newaxis], cells)
    stays = ChosenCells.at(_shaped(filled, single, count), space, flat, ranked=count is not None)
    return replace(stays, found=~_shaped(missing, single, count))


def _shaped(array: NDArray[Any], single: bool, count: int | None) -> Any:
    lists = array if count is not None else array[:, 0]
    return lists[0] if single else lists
