"""Answers that are places of a space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space.protocol import Space

__all__ = ["NONE", "Spots", "checked_none", "chosen"]

NONE = ("nan", "stay", "refuse")
"""The stand-ins for a choice that is not there: NaN, the agent's own cell, or an error."""


def checked_none(none: str) -> str:
    """One of `NONE`."""
    return checks.choice("none", none, NONE)


@dataclass(frozen=True, eq=False)
class Spots:
    """Cells that answer a question: one for each of N positions, or for one position, without the
    first axis.

    `cells` (N,) int64 are their ids, `positions` (N, 2), or (N, 3) on a 3D graph, the world
    positions of their centers, `values` (N,) float32 what they read. Where there is no answer
    `found` (N,) is False; then the position and the value are NaN and the cell is -1, but an agent
    that could have stayed where it is has its own cell. `if spot:` asks whether the one spot for
    one position was found.

    Where choices were asked for, with `count=k`, a last axis holds them, the best first: `cells`
    (N, k), `positions` (N, k, 2). `position`, `value` and `cell` are the first choices then, and
    else the only ones. `targets` are the cells that `explore_step` leads towards, else the same as
    `cells`.
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
    ) -> Spots:
        """The spots at cells, -1 where there is none; `flat` are the values by cell."""
        if cells.ndim == 0 and cells >= 0:
            return cls(
                space.position_of(int(cells)),
                flat[cells],
                cells[()],
                np.asarray(cells >= 0)[()],
                cells[()],
                ranked,
            )
        found = np.asarray(cells >= 0)
        positions = np.full((*found.shape, space.dimensions), np.nan)
        positions[found] = space.position_of(np.asarray(cells)[found])
        values = np.full(found.shape, np.nan, dtype=np.float32)
        values[found] = flat[np.asarray(cells)[found]]
        return cls(positions, values[()], cells[()], found[()], cells[()], ranked)

    @classmethod
    def steps(
        cls,
        cells: NDArray[np.int64],
        starts: NDArray[np.int64],
        space: Space,
        flat: NDArray[np.float32],
        targets: NDArray[np.int64] | None = None,
    ) -> Spots:
        """The spots that agents step to from the cells `starts`, where they stay if there is none
        that is better.
        """
        return cls(
            space.position_of(cells),
            flat[cells],
            cells,
            cells != starts,
            cells if targets is None else targets,
        )

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
                "One spot is there or not, many are neither",
                got=repr(self),
                remedy="Ask spots.found.any() or spots.found.all()",
            )
        return bool(self.found)

    def __repr__(self) -> str:
        return f"<Spots of shape {self.cells.shape}, {int(np.count_nonzero(self.found))} found>"


def chosen(
    cells: NDArray[np.int64],
    own: Callable[[], NDArray[np.int64]],
    single: bool,
    count: int | None,
    none: str,
    space: Space,
    flat: NDArray[np.float32],
) -> Spots:
    """The spots of a choice (N, k) among cells: without the first axis for one position, without
    the second if no `count` was asked for.

    `none` says what stands for a choice that is not there (-1): see `NONE`; `own` gives the cells
    (N,) that the agents are in.
    """
    if none == "nan" or (cells >= 0).all():
        return Spots.at(_shaped(cells, single, count), space, flat, ranked=count is not None)
    missing = cells < 0
    if none == "refuse":
        agent = int(np.flatnonzero(missing.any(axis=1))[0])
        raise InvalidValue(
            "There is a cell to choose around each position",
            got=f"none, or too few, around {tuple(space.position_of(own()[agent]).tolist())}"
            + ("" if single else f", position {agent}"),
            remedy='Use a larger radius, or none="stay"',
        )
    filled = np.where(missing, own()[:, np.newaxis], cells)
    stays = Spots.at(_shaped(filled, single, count), space, flat, ranked=count is not None)
    return replace(stays, found=~_shaped(missing, single, count))


def _shaped(array: NDArray[Any], single: bool, count: int | None) -> Any:
    kept = array if count is not None else array[:, 0]
    return kept[0] if single else kept
