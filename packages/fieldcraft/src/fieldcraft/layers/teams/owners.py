"""The owner of each cell, and the regions of each owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.words import IfOutside
from fieldcraft.layers import Layer
from fieldcraft.layers.teams.survey import Survey
from fieldcraft.space import Space
from fieldcraft.space.regions import Regions, regions_owned
from fieldcraft.values.exclusion import Near
from fieldcraft.values.sampling import sample

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


class Owners(np.ndarray[Any, np.dtype[np.int32]]):
    """The owner of each cell: a read-only array of numbers of teams, and a map with `values`,
    `space` and `sample`. Slices and results of arithmetic are plain arrays.
    """

    space: Space
    survey: Survey
    margin: float

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if return_scalar:
            return array[()]
        return np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    @property
    def values(self) -> Numbers:
        """The numbers as a plain array."""
        return np.asarray(self)

    @property
    def maps(self) -> tuple[Layer, ...]:
        """The layers of the teams, of which this is computed."""
        return self.survey.layers

    def values_near(self, near: Near) -> Floats:
        """Return the owners of cells near agents as they are now, (N, k), each without the agent's
        own sources.
        """
        return self.survey.leaders_of(self.survey.maps_near(near), self.margin)

    def sample(
        self, positions: ArrayLike, *, without: object = None, outside: IfOutside = "refuse"
    ) -> int | Numbers:
        """Return the owners at world positions: an int for one (x, y) pair, (N,) int32 for many.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        without : hashable or sequence of hashable, optional
            Keys whose influence is left out, one for each position or one for all; see
            `fieldcraft.best`.
        outside : str, optional
            "refuse" positions off the map, or "clamp" them to the rim.
        """
        if without is not None:
            left = sample(self, positions, without=without, outside=outside)
            if isinstance(left, float):
                return int(left)
            return left.astype(np.int32)
        cells = self.space.cell_at(positions, outside=outside)
        found = self.values.reshape(-1)[cells]
        if isinstance(cells, int):
            return int(found)
        return np.asarray(found)


def owners(numbers: Numbers, survey: Survey, margin: float) -> Owners:
    """Return numbers of teams, those that lead by a margin, as a map."""
    made = numbers.view(Owners)
    made.space = survey.space
    made.survey = survey
    made.margin = margin
    return made


def regions(
    space: Space, names: Sequence[str], owner: Numbers, presence: Callable[[int], Floats]
) -> Regions:
    """Return the connected cells of each owner; -1 is none. See `Teams.regions`."""
    strength = np.zeros(space.shape, dtype=np.float32)
    for team in np.unique(owner[owner >= 0]).tolist():
        cells = owner == team
        strength[cells] = presence(team)[cells]
    strength.flags.writeable = False  # one kind of array, so that each kernel is compiled once
    return regions_owned(space, strength, owner, names)
