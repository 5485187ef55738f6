"""Brushes against every cell's distance, and without gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from fieldcraft import Grid
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.painting import brushed
from support.refusals import refused

GRIDS = (
    Grid(31, 17),
    Grid(31, 17, cell_size=2.5, origin=(-7.0, 4.0), y_up=True),
    Grid(31, 17, wrap=True),
)


def by_hand(space: Grid, points: np.ndarray, radius: float) -> set[int]:
    middles = space.position_of(np.arange(len(space)))
    found = np.zeros(len(space), dtype=bool)
    for start, end in zip(points, points[1:] if len(points) > 1 else points, strict=False):
        along = end - start
        length = float(along @ along)
        shares = (
            np.zeros(len(space))
            if length == 0
            else np.clip((middles - start) @ along / length, 0.0, 1.0)
        )
        found |= np.hypot(*(middles - start - shares[:, np.newaxis] * along).T) <= radius
    return set(np.flatnonzero(found).tolist())


@settings(max_examples=16, deadline=None)
@given(
    which=st.integers(0, len(GRIDS) - 1),
    shares=st.lists(st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)), min_size=1, max_size=4),
    radius=st.floats(0, 6),
)
def test_all_that_the_brush_passes_and_no_more_than_its_middle(
    which: int, shares: list[tuple[float, float]], radius: float
) -> None:
    space = GRIDS[which]
    points = np.array(space.origin) + np.array(shares) * np.array(space.size)
    cells = brushed(space, points, radius)
    assert (np.diff(cells) > 0).all()
    found = set(cells.tolist())
    reached = by_hand(space, points, radius)
    slack = by_hand(space, points, radius + 1e-9) - by_hand(space, points, max(radius - 1e-9, 0.0))
    assert reached - slack <= found
    assert found - slack <= reached | by_hand(space, points, 0.75 * space.cell_size)
    mask = np.zeros(space.shape, dtype=bool)
    mask.flat[cells] = True
    assert ndimage.label(mask, np.ones((3, 3)))[1] == 1


def test_a_point_is_its_cell() -> None:
    space = Grid(5, 4)
    assert brushed(space, (2.3, 1.9), 0).tolist() == [7]
    assert brushed(space, np.zeros((0, 2)), 3).tolist() == []


def test_beside_the_map_counts_as_its_rim() -> None:
    space = Grid(5, 4, wrap=True)
    assert brushed(space, (-3.0, 99.0), 0).tolist() == [15]
    assert brushed(space, (0.5, 0.5), 1).tolist() == [0, 1, 5]


def test_refusals() -> None:
    with refused(InvalidValue, "radius"):
        brushed(Grid(4, 4), (1, 1), -1)
    with pytest.raises(InvalidValue, match="finite"):
        brushed(Grid(4, 4), (1, np.nan), 1)
