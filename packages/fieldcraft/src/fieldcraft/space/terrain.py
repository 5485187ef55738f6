"""Kinds of ground, and which may be entered from which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["Terrain"]


class Terrain:
    """A class of ground per cell and a table of which class may be entered from which.

    Parameters
    ----------
    classes: whole numbers of shape (height, width), [row, column], each an index into the table, at
        most 255.
    enter: bool, shape (K, K); `enter[a, b]` says whether a step from class `a` into class `b` is
        allowed. A class that may not be entered from itself is a wall.
    names: K names, for messages and pictures; numbered if absent.

    Raises `InvalidValue` where the arrays don't fit together.
    """

    def __init__(
        self, classes: ArrayLike, enter: ArrayLike, names: Sequence[str] | None = None
    ) -> None:
        kinds = checks.array("The classes of a terrain", classes)
        table = checks.array("The rows of a terrain's table", enter)
        if (
            table.ndim != 2
            or table.shape[0] != table.shape[1]
            or not 1 <= len(table) <= 256
            or table.dtype != np.bool_
        ):
            raise InvalidValue(
                "The table of a terrain is a square array of bool with 1 to 256 rows",
                got=f"shape {table.shape}, dtype {table.dtype}",
                remedy="Pass enter[a, b] = may class b be entered from class a",
            )
        if kinds.ndim != 2 or kinds.dtype.kind not in "iu":
            raise InvalidValue(
                "The classes of a terrain are whole numbers of shape (height, width)",
                got=f"shape {kinds.shape}, dtype {kinds.dtype}",
                remedy="Pass an array indexed [row, column]",
            )
        if kinds.size and (kinds.min() < 0 or kinds.max() >= len(table)):
            raise InvalidValue(
                f"The classes of this terrain lie in 0 to {len(table) - 1}, the rows of its table",
                got=f"{int(kinds.min())} to {int(kinds.max())}",
                remedy="Add rows to the table, or mend the classes",
            )
        named = (
            [str(k) for k in range(len(table))]
            if names is None
            else checks.array("The names of a terrain", names).reshape(-1).tolist()
        )
        if len(named) != len(table) or not all(isinstance(name, str) for name in named):
            raise InvalidValue(
                "A terrain has one name, a string, per class",
                got=f"{named!r} for {len(table)} classes",
                remedy="Name each row of the table",
            )
        self.classes: NDArray[np.uint8] = kinds.astype(np.uint8)
        self.classes.flags.writeable = False
        self.enter: NDArray[np.bool_] = table.copy()
        self.enter.flags.writeable = False
        self.names: tuple[str, ...] = tuple(named)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Which cells are walls: those of a class that may not be entered from itself."""
        return np.asarray(~self.enter.diagonal()[self.classes])

    @property
    def is_plain(self) -> bool:
        """Whether every open class may be entered from every other, so that walls say it all."""
        is_open = self.enter.diagonal()
        return bool(self.enter[np.ix_(is_open, is_open)].all())
