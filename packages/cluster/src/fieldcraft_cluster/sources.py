"""The sources of a layer of a world: known by ids of the whole map, told to the blocks on whose
ground they stand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import DeadSource, InvalidValue
from fieldcraft_cluster.block import BlockSources
from fieldcraft_cluster.plan import Plan

__all__ = ["WorldSources"]

_NEVER = np.iinfo(np.int64).max
_COLUMNS = ("alive", "rows", "columns", "strengths", "radii", "expires")
_IMAGES = 10  # bits for the places that one source has on the extended block of one block


class WorldSources:
    """The sources of one layer; an id is a row of these columns, and never used twice. Rows and
    columns are of the map.
    """

    def __init__(self, plan: Plan, radius: float | None) -> None:
        self._plan = plan
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
        """When the next lifetime ends, in ticks of the layer."""
        return int(self.expires[self.alive].min(initial=_NEVER))

    def add(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        strengths: NDArray[np.float32],
        radii: NDArray[np.float64] | None,
        expires: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        """Add sources on cells of the map, and answer their ids."""
        count, first = len(rows), len(self.alive)
        usual = np.nan if self._radius is None else self._radius
        new: dict[str, NDArray[Any]] = {
            "alive": np.ones(count, dtype=np.bool_),
            "rows": rows,
            "columns": columns,
            "strengths": strengths,
            "radii": np.full(count, usual) if radii is None else radii,
            "expires": np.full(count, _NEVER) if expires is None else expires,
        }
        for name in _COLUMNS:
            setattr(self, name, np.concatenate([getattr(self, name), new[name]]))
        self._touch(rows, columns)
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
        self._touch(self.rows[wanted], self.columns[wanted])
        self.rows[wanted], self.columns[wanted] = rows, columns
        self._touch(rows, columns)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Give sources other strengths: one number for all, or one each."""
        wanted = self.checked(ids)
        self.strengths[wanted] = checks.amounts("strengths", strengths, len(wanted))
        self._touch(self.rows[wanted], self.columns[wanted])

    def remove(self, ids: ArrayLike) -> None:
        """Take sources away."""
        wanted = self.checked(ids)
        self._touch(self.rows[wanted], self.columns[wanted])
        self.alive[wanted] = False

    def expire(self, now: int) -> None:
        """Remove the sources whose lifetime has ended."""
        self.remove(np.flatnonzero(self.alive & (self.expires <= now)))

    def checked(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Ids as an array, each of a live source, none twice."""
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
                "A source can be used until it is removed or its lifetime ends",
                got=f"id {int(wanted[~known][0])}, which is gone or was never there",
                remedy="Ask layer.sources.ids first",
            )
        if len(np.unique(wanted)) != len(wanted):
            raise InvalidValue(
                "Each id comes once",
                got=f"{len(wanted)} ids with repeats",
                remedy="Drop the repeats",
            )
        return wanted.astype(np.int64)

    def _touch(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        self._changed.update(np.unique(self._plan.holders(rows, columns).blocks).tolist())

    def take_changes(self) -> dict[int, BlockSources]:
        """The sources that stand now on the extended block where anything has changed since
        this was last asked.
        """
        changed, self._changed = self._changed, set()
        if not changed:
            return {}
        ids = self.ids
        which, blocks, rows, columns = self._plan.holders(self.rows[ids], self.columns[ids])
        some = np.isin(blocks, np.array(sorted(changed)))
        which, blocks, rows, columns = which[some], blocks[some], rows[some], columns[some]
        order = np.lexsort((columns, rows, which, blocks))
        which, blocks, rows, columns = which[order], blocks[order], rows[order], columns[order]
        begins = (
            np.flatnonzero(np.append(True, (which[1:] != which[:-1]) | (blocks[1:] != blocks[:-1])))
            if len(which)
            else which
        )
        image = np.arange(len(which)) - np.repeat(begins, np.diff(np.append(begins, len(which))))
        found = {}
        for number in sorted(changed):
            here = slice(*np.searchsorted(blocks, (number, number + 1)))
            own = ids[which[here]]
            box = self._plan.extended(number)
            found[number] = BlockSources(
                own << _IMAGES | image[here],
                rows[here] * box.shape[1] + columns[here],
                self.strengths[own],
                None if self._radius is None else self.radii[own],
            )
        return found

    def stand_on(self, plan: Plan) -> None:
        """Go on with blocks that have other halos."""
        self._plan = plan
        self._changed = set()

    def all_changed(self) -> None:
        """Tell every block about its sources."""
        self._touch(self.rows[self.alive], self.columns[self.alive])

    def state(self) -> dict[str, NDArray[Any]]:
        """The columns."""
        return {name: getattr(self, name) for name in _COLUMNS}

    def restore(self, columns: dict[str, NDArray[Any]]) -> None:
        """Go on from columns that `state` gave; ValueError for others."""
        rows = len(columns["alive"])
        for name in _COLUMNS:
            known = getattr(self, name)
            if columns[name].dtype != known.dtype or columns[name].shape != (rows,):
                raise ValueError(
                    f"sources with {name} of {columns[name].dtype} and shape {columns[name].shape}"
                )
        on_map = (columns["rows"] >= 0) & (columns["rows"] < self._plan.height)
        on_map &= (columns["columns"] >= 0) & (columns["columns"] < self._plan.width)
        sizes = columns["radii"] if self._radius is not None else np.ones(rows)
        strong = np.abs(columns["strengths"]) <= checks.LARGEST
        if not (on_map & strong & (sizes > 0) & (sizes <= (self._radius or math.inf))).all():
            raise ValueError("sources off the map, or with other sizes than the layer takes")
        for name in _COLUMNS:
            setattr(self, name, columns[name].copy())
