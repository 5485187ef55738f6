from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from fieldcraft_worlds.games.columns import Columns, ReadOnly


@dataclass(frozen=True, eq=False)
class Birds(Columns):
    ids: NDArray[np.int64]
    places: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sky(ReadOnly):
    step: int
    wind: NDArray[np.float64]
    name: str | None


def test_arrays_cannot_be_written_to() -> None:
    sky = Sky(3, np.zeros(2), None)
    with pytest.raises(ValueError, match="read-only"):
        sky.wind[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        Birds(np.arange(2), np.zeros((2, 2))).places[0] = 1


def test_rows_are_taken_and_joined() -> None:
    birds = Birds(np.array([4, 7, 9]), np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    some = birds.at(np.array([True, False, True]))
    assert len(birds) == 3
    assert some.ids.tolist() == [4, 9]
    both = some.joined(birds.at(np.array([1])))
    assert both.ids.tolist() == [4, 9, 7]
    assert both.places.tolist() == [[0.0, 1.0], [4.0, 5.0], [2.0, 3.0]]
    assert not both.places.flags.writeable
