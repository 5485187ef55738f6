"""The history of a space's walls, and how everything that remembers walls follows it.

A change is one call that changes walls, blocked edges or opaque cells. `Space.walls_version` is the
number of changes so far, and `Space.walls_changed(since)` returns the cells that have changed since
a version. These rules hold for everything that remembers cells, walls, steps or sight:

- It stores the `walls_version` to which its state belongs, and compares it with that of the space
  before it uses the state. It uses no other sign of a change.
- If they differ, it takes over the cells of `walls_changed(since)` and stores the new version.
  These may be more cells than have changed: all cells, if the version is `UNKNOWN` or older than
  the history, which is bounded. A follower that cannot take over some cells begins anew.
- A cell that it remembers may be a wall by then. It moves to `Space.nearest_open`, or is dropped.
- Results that depend only on the space are cached with it (`cached.cached_until_walls_change`).

Copies: a pickle, a deep copy and a copy of a space have its version and its history, so that
followers that are copied with it continue where they were. With the walls of a parent
(`Grid.coarser`), the parent is copied as well.

Saves: a save has the walls as they are, and neither version nor history; the loaded space counts
with version 0. A follower that is restored takes the version `UNKNOWN` if its state may be older
than the walls, and takes over all cells when it is next used. What it saves must not depend on
walls that are gone: cells are saved by their number, not as indices of lists made from the walls.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.shared.arrays import Ints, read_only

UNKNOWN = -1
"""In place of a `walls_version`: the state may belong to any walls."""

_MOST_CHANGES = 1024


class WallChanges:
    """The number of changes of walls on a space of `size` cells, and the cells of the latest ones:
    at most as many cells as the space has, and at most 1,024 changes.
    """

    def __init__(self, size: int) -> None:
        self.version = 0
        self._size = size
        self._cells: list[Ints] = []
        self._total = 0

    def add(self, cells: Ints) -> None:
        """Count a change of some cells, ascending."""
        self._cells.append(read_only(cells))
        self._total += len(cells)
        self.version += 1
        while len(self._cells) > _MOST_CHANGES or self._total > self._size:
            self._total -= len(self._cells.pop(0))

    def since(self, version: int) -> Ints:
        """Return the cells of the changes since a version, ascending; all cells of the space for an
        older version than the first that is known.
        """
        count = self.version - version
        if version < 0 or count > len(self._cells):
            return np.arange(self._size, dtype=np.int64)
        if count == 1:
            return self._cells[-1]
        changes = self._cells[len(self._cells) - count :]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *changes]))

    def copy(self) -> WallChanges:
        """Return a copy that counts on its own."""
        twin = WallChanges(self._size)
        twin.version = self.version
        twin._total = self._total
        twin._cells = list(self._cells)
        return twin
