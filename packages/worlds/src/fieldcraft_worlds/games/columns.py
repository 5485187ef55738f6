"""The columns of states: frozen dataclasses whose arrays cannot be written to."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "ReadOnly"]


class ReadOnly:
    """A base of frozen dataclasses: the arrays among their fields are made read-only."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


class Columns(ReadOnly):
    """A base of frozen dataclasses of arrays of the same length, a row for each thing."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def at(self, rows: NDArray[Any]) -> Self:
        """Some of the rows: those at these places, or where these are True."""
        return type(self)(**{name: column[rows] for name, column in vars(self).items()})

    def joined(self, other: Self) -> Self:
        """These rows and then those."""
        columns = zip(vars(self).items(), vars(other).values(), strict=True)
        return type(self)(
            **{name: np.concatenate([here, there]) for (name, here), there in columns}
        )
