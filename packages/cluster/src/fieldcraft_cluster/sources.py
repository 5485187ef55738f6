"""The sources of a layer of a world, with ids that are unique on the whole map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import DeadSource, InvalidValue
from fieldcraft_cluster.block import BlockSources
from fieldcraft_cluster.partition import Partition

_NEVER = np.iinfo(np.int64).max
_COLUMNS = ("alive", "rows", "columns", "strengths", "radii", "expires")
_IMAGES = 32  # bits for the number of a copy of one source on one extended block of a torus


class WorldSources:
    """The sources of one layer, as columns; an id is an index that is never used twice. Rows and
    columns are those of the map.
    """

    def __init__(self, partition: Partition, radius: float | None) -> None:
        self._partition = partition
        self._radius = radius
        self.alive = np.zeros(0, dtype=np.bool_)
        self.rows = np.zeros(0, dtype=np.int64)
        self.columns = np.zeros(0, dtype=np.int64)
        self.strengths = np.zeros(0, dtype=np.float32)
        self.radii = np.zeros(0, dtype=np.float64)
        self.expires = np.zeros(0, dtype=np.int64)
        self._changed: set[int] = set()

    def __len__(self) -> int:
        return int(np.count_nonzero(self.alive))

    def __repr__(self) -> str:
        return f"<WorldSources: {len(self)} alive>"

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all live sources, (N,)."""
        return np.flatnonzero(self.alive)

    @property
    def next_expiry(self) -> int:
        """The end of the next lifetime, in ticks of the layer."""
        return int(self.expires[self.alive].min(initial=_NEVER))

    def add(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        strengths: NDArray[np.float32],
        radii: NDArray[np.float64] | None,
        expires: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        """Add sources on cells of the map, and return their ids."""
        count = len(rows)
        first = len(self.alive)
        if radii is None:
            radii = np.full(count, np.nan)
            if self._radius is not None:
                radii[:] = self._radius
        if expires is None:
            expires = np.full(count, _NEVER)
        new: dict[str, NDArray[Any]] = {
            "alive": np.ones(count, dtype=np.bool_),
            "rows": rows,
            "columns": columns,
            "strengths": strengths,
            "radii": radii,
            "expires": expires,
        }
        for name in _COLUMNS:
            setattr(self, name, np.concatenate([getattr(self, name), new[name]]))
        self._mark_changed(rows, columns)
        return np.arange(first, first + count)

    def move(self, ids: ArrayLike, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Move sources to cells of the map."""
        wanted = self.checked(ids)
        if len(rows) != len(wanted):
            raise InvalidValue(
                "Moving takes one position per source",
                got=f"{len(rows)} positions for {len(wanted)} sources",
                remedy="Pass as many positions as ids",
            )
        self._mark_changed(self.rows[wanted], self.columns[wanted])
        self.rows[wanted] = rows
        self.columns[wanted] = columns
        self._mark_changed(rows, columns)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Set strengths: one number for all, or one each."""
        wanted = self.checked(ids)
        self.strengths[wanted] = checks.amounts("strengths", strengths, len(wanted))
        self._mark_changed(self.rows[wanted], self.columns[wanted])

    def remove(self, ids: ArrayLike) -> None:
        """Remove sources."""
        wanted = self.checked(ids)
        self._mark_changed(self.rows[wanted], self.columns[wanted])
        self.alive[wanted] = False

    def expire(self, now: int) -> None:
        """Remove the sources whose lifetime has ended."""
        self.remove(np.flatnonzero(self.alive & (self.expires <= now)))

    def checked(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Return ids as an array; each must be of a live source, and none may repeat."""
        wanted = np.atleast_1d(checks.array("Ids", ids))
        if wanted.size == 0:
            return np.zeros(0, dtype=np.int64)
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1:
            raise InvalidValue(
                "Ids are what add_sources() returned",
                got=f"{wanted.dtype} of shape {wanted.shape}",
                remedy="Pass whole numbers, (N,)",
            )
        known = (wanted >= 0) & (wanted < len(self.alive))
        known[known] = self.alive[wanted[known]]
        if not known.all():
            raise DeadSource(
                "A source exists until it is removed or its lifetime ends",
                got=f"id {int(wanted[~known][0])}, which does not exist",
                remedy="Use layer.sources.ids",
            )
        if len(np.unique(wanted)) != len(wanted):
            raise InvalidValue(
                "Each id is passed once",
                got=f"{len(wanted)} ids with repeats",
                remedy="Drop the repeats",
            )
        return wanted.astype(np.int64)

    def _mark_changed(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        self._changed.update(np.unique(self._partition.holders(rows, columns).blocks).tolist())

    def take_changes(self) -> dict[int, BlockSources]:
        """Return all sources of each extended block where sources have changed since the last
        call.
        """
        changed = self._changed
        self._changed = set()
        if not changed:
            return {}
        ids = self.ids
        which, blocks, rows, columns = self._partition.holders(self.rows[ids], self.columns[ids])
        some = np.isin(blocks, np.array(sorted(changed)))
        which = which[some]
        blocks = blocks[some]
        rows = rows[some]
        columns = columns[some]
        order = np.lexsort((columns, rows, which, blocks))
        which = which[order]
        blocks = blocks[order]
        rows = rows[order]
        columns = columns[order]
        if len(which):
            begins = np.flatnonzero(
                np.append(True, (which[1:] != which[:-1]) | (blocks[1:] != blocks[:-1]))
            )
        else:
            begins = which
        image = np.arange(len(which)) - np.repeat(begins, np.diff(np.append(begins, len(which))))
        found = {}
        for number in sorted(changed):
            here = slice(*np.searchsorted(blocks, (number, number + 1)))
            own = ids[which[here]]
            box = self._partition.extended(number)
            radii = None
            if self._radius is not None:
                radii = self.radii[own]
            found[number] = BlockSources(
                own << _IMAGES | image[here],
                rows[here] * box.shape[1] + columns[here],
                self.strengths[own],
                radii,
            )
        return found

    def set_partition(self, partition: Partition) -> None:
        """Use blocks with other halos."""
        self._partition = partition
        self._changed = set()

    def mark_all_changed(self) -> None:
        """Mark the sources of all blocks as changed."""
        self._mark_changed(self.rows[self.alive], self.columns[self.alive])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the columns."""
        return {name: getattr(self, name) for name in _COLUMNS}

    def restore(self, columns: dict[str, NDArray[Any]]) -> None:
        """Restore the columns of `state`; raises ValueError for others."""
        rows = len(columns["alive"])
        for name in _COLUMNS:
            known = getattr(self, name)
            if columns[name].dtype != known.dtype or columns[name].shape != (rows,):
                raise ValueError(
                    f"sources with {name} of {columns[name].dtype} and shape {columns[name].shape}"
                )
        on_map = (columns["rows"] >= 0) & (columns["rows"] < self._partition.height)
        on_map &= (columns["columns"] >= 0) & (columns["columns"] < self._partition.width)
        if self._radius is not None:
            sizes = columns["radii"]
        else:
            sizes = np.ones(rows)
        strong = np.abs(columns["strengths"]) <= checks.LARGEST
        if not (on_map & strong & (sizes > 0) & (sizes <= (self._radius or math.inf))).all():
            raise ValueError("sources off the map, or with invalid sizes")
        for name in _COLUMNS:
            setattr(self, name, columns[name].copy())
