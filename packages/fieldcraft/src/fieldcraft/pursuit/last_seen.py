"""Maps of the time since each cell was last seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.interruption import atomic
from fieldcraft.base.missing_names import SuggestingArguments
from fieldcraft.base.words import IfOutside
from fieldcraft.pursuit.likely_places import assigned
from fieldcraft.pursuit.pursuit_checks import (
    check_shape,
    not_a_state,
    plain_integer,
    plain_numbers,
)
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.values.operand import Operand

_NEVER = -1  # in a state: when a cell was seen that was never seen


class LastSeen(Operand, SuggestingArguments):
    """Seconds since each cell was last seen, for patrols.

    It is a map like a layer: `fc.best` finds the cell that was not seen for longest, and
    `last_seen - 2 * threat` is a live expression.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        The map.
    unseen : float, optional
        Seconds that cells count as unseen at the beginning.
    most : float, optional
        Largest value, in seconds.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> last_seen = fc.LastSeen(fc.Grid(4, 1), unseen=60)
    >>> last_seen.observe([0, 1])
    >>> last_seen.advance(2.5)
    >>> last_seen.values
    array([[ 2.5,  2.5, 62.5, 62.5]], dtype=float32)
    """

    name = "last_seen"

    def __init__(self, space: Space, *, unseen: float = 0.0, most: float | None = None) -> None:
        self.space = checked_space(space)
        if most is None:
            self.most = None
        else:
            self.most = checks.positive("most", most)
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
        """The seconds that were advanced."""
        return clock.seconds(self._now - self._began)

    @atomic
    def advance(self, dt: float) -> None:
        """Advance time by `dt` seconds."""
        passed = clock.ticks("dt", dt)
        clock.check_time(self._now, passed)
        self._now += passed
        self._changes += 1

    @atomic
    def observe(self, view: ArrayLike) -> None:
        """Record that cells are in view now: bool in the space's shape, or cell ids."""
        cells = self.space.cell_ids(view)
        self._seen[cells] = self._now
        self._met[cells] = True
        self._changes += 1

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_shown": None}

    @property
    def version(self) -> int:
        """A number that changes when the values may have changed."""
        return self._changes + self.space.walls_version

    @property
    def never(self) -> NDArray[np.bool_]:
        """The open cells that were never seen, bool in the space's shape.

        Pictures show fog there.
        """
        return np.asarray(~self._met.reshape(self.space.shape) & ~self.space.walls)

    @property
    def values(self) -> NDArray[np.float32]:
        """The seconds since each cell was seen, float32 in the space's shape, 0 on walls;
        read-only.
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
        """A live map for `explore_step`: 0 for cells that were never seen, else
        1 / (1 + seconds since then).
        """
        return _Knowledge(self)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: IfOutside = "refuse"
    ) -> NDArray[np.float64]:
        """Return a place for each patrol, cells not seen for longest first.

        Parameters
        ----------
        agents : array_like of shape (N, 2)
            World positions of the patrols; on a 3D graph of shape (N, 3).
        spacing, outside
            As in `Pursuit.assign`.

        Returns
        -------
        ndarray of shape (N, 2)
            World positions in the order of the agents.
        """
        waited = np.asarray(self.values, dtype=np.float64).reshape(-1)
        cells = np.flatnonzero(~self.space.walls.reshape(-1))
        if waited.any():
            weights = waited[cells]
        else:
            weights = np.ones(len(cells))
        return assigned(self.space, cells, weights, agents, spacing, outside)

    def state(self) -> dict[str, Any]:
        """Return the state as plain data to save: whole numbers, and arrays of them.

        Examples
        --------
        >>> import numpy as np
        >>> import fieldcraft as fc
        >>> seen = fc.LastSeen(fc.Grid(4, 1))
        >>> seen.observe([0, 1])
        >>> np.savez("seen.npz", **seen.state())
        >>> again = fc.LastSeen(seen.space)
        >>> with np.load("seen.npz") as file:
        ...     again.restore(file)
        >>> again.never
        array([[False, False,  True,  True]])
        """
        return {
            "shape": np.array(self.space.shape, dtype=np.int64),
            "seen": np.where(self._met, self._seen, _NEVER),
            "now": self._now,
            "began": self._began,
        }

    @atomic
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue bit for bit from the `state` of another `LastSeen` on this space.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        check_shape(state, self.space)
        seen = plain_numbers(state, "seen", (len(self.space),), kinds="i")
        now = plain_integer(state, "now")
        began = plain_integer(state, "began", below=now + 1)
        if int(seen.min(initial=0)) < _NEVER or int(seen.max(initial=0)) > now:
            raise not_a_state(
                f"seen of a state are ticks up to now, or {_NEVER}",
                f"{int(seen.min())} to {int(seen.max())} at {now}",
            )
        self._met = seen != _NEVER
        self._seen = np.where(self._met, seen, 0).astype(np.int64)
        self._now = now
        self._began = began
        self._changes += 1


class _Knowledge(Operand):
    """The map `LastSeen.knowledge`."""

    name = "knowledge"

    def __init__(self, seen: LastSeen) -> None:
        self.space = seen.space
        self._of = seen

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
