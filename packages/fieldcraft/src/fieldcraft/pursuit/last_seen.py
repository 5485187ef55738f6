"""How long ago each cell was last seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.interruption import atomic
from fieldcraft.layer.operand import Operand
from fieldcraft.pursuit.arguments import not_of_a_memory, plain_numbers, plain_whole
from fieldcraft.pursuit.estimates import assigned
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space

__all__ = ["LastSeen"]


class LastSeen(Operand):
    """Seconds since each cell was last seen: where a patrol should look next.

    It is a map like a layer, so that `fc.best` finds the place that has waited longest, and
    `staleness - 2 * threat` is a map too.

    Parameters
    ----------
    space : Space
        A grid or a graph.
    unseen : float, optional
        What a cell that was never seen counts as, in seconds on top of the time that has passed.
    most : float, optional
        Seconds beyond which it makes no difference, or None.
    """

    name = "last_seen"

    def __init__(self, space: Space, *, unseen: float = 0.0, most: float | None = None) -> None:
        self.space = checked_space(space)
        self.most = None if most is None else checks.positive("most", most)
        self._changes = 0
        self._now = clock.ticks("unseen", unseen)
        self._began = self._now
        self._seen = np.zeros(len(space), dtype=np.int64)
        self._met = np.zeros(len(space), dtype=np.bool_)
        self._shown: tuple[int, NDArray[np.float32]] | None = None

    def __repr__(self) -> str:
        return f"<LastSeen after {self.time:g} s on {self.space!r}>"

    @property
    def time(self) -> float:
        """Seconds that have passed."""
        return clock.seconds(self._now - self._began)

    @atomic
    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        self._now += clock.ticks("dt", dt)
        self._changes += 1

    @atomic
    def observe(self, view: ArrayLike) -> None:
        """See cells: bool in the space's shape, or cells."""
        cells = self.space.cell_ids(view)
        self._seen[cells] = self._now
        self._met[cells] = True
        self._changes += 1

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_shown": None}

    @property
    def version(self) -> int:
        """Changes whenever what it says may have changed."""
        return self._changes + self.space.walls_version

    @property
    def never(self) -> NDArray[np.bool_]:
        """Which open cells were never seen, in the space's shape; pictures show them as fog.

        After a memory is taken over a look at time 0 is forgotten.
        """
        return np.asarray(~self._met.reshape(self.space.shape) & ~self.space.walls)

    @property
    def values(self) -> NDArray[np.float32]:
        """Seconds since each cell was seen, float32 in the space's shape; 0 on walls. Read-only,
        valid until the next change.
        """
        if self._shown is None or self._shown[0] != self.version:
            waited = (self._now - self._seen) / clock.TICKS_PER_SECOND
            if self.most is not None:
                np.minimum(waited, self.most, out=waited)
            found: NDArray[np.float32] = waited.astype(np.float32).reshape(self.space.shape)
            found[self.space.walls] = 0
            found.flags.writeable = False
            self._shown = (self.version, found)
        return self._shown[1]

    @property
    def knowledge(self) -> Operand:
        """How well each cell is known, for `explore_step`: 0 where it was never seen, 1 at a look,
        1 / (1 + seconds) later. Live.
        """
        return _Knowledge(self)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: str = "refuse"
    ) -> NDArray[np.float64]:
        """A place of its own for each patrol, those that have waited longest first; see
        `Pursuit.assign`.
        """
        waited = np.asarray(self.values, dtype=np.float64).reshape(-1)
        cells = np.flatnonzero(~self.space.walls.reshape(-1))
        weights = waited[cells] if waited.any() else np.ones(len(cells))
        return assigned(self.space, cells, weights, agents, spacing, outside)

    def snapshot(self) -> dict[str, Any]:
        """The memory of looks as plain data to save: `restore` goes on from there bit for bit."""
        return {"seen": self._seen.copy(), "now": self._now, "began": self._began}

    @atomic
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Remember what another `LastSeen` on this space did: its `snapshot()`. Raises
        `InvalidValue` for others.
        """
        seen = plain_numbers(memory, "seen", (len(self.space),), kinds="i")
        now = plain_whole(memory, "now")
        began = plain_whole(memory, "began", below=now + 1)
        if int(seen.min(initial=0)) < 0 or int(seen.max(initial=0)) > now:
            raise not_of_a_memory(
                "seen of a memory are ticks up to now",
                f"{int(seen.min())} to {int(seen.max())} at {now}",
            )
        self._seen, self._now, self._began = seen.astype(np.int64), now, began
        self._met = self._seen > 0
        self._changes += 1


class _Knowledge(Operand):
    """The seconds of a `LastSeen` turned round: the longer ago, the less is known."""

    name = "knowledge"

    def __init__(self, seen: LastSeen) -> None:
        self.space, self._of = seen.space, seen

    def __repr__(self) -> str:
        return f"<knowledge of {self._of!r}>"

    @property
    def version(self) -> int:
        return self._of.version

    @property
    def values(self) -> NDArray[np.float32]:
        waited = self._of.values
        found: NDArray[np.float32] = np.where(
            self._of.never | self.space.walls, np.float32(0), 1 / (1 + waited)
        )
        found.flags.writeable = False
        return found
