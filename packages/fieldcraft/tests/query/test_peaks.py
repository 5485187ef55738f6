"""Local maxima: what SciPy's filters find on open maps, and walls keep hills apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue
from support.fields import CROSS, SQUARE, Field, distances, noise
from support.refusals import refused


@given(st.integers(0, 10**6), st.sampled_from([4, 8]), st.sampled_from([-5.0, 0.0, 0.4]))
@settings(max_examples=16)
def test_peaks_are_scipys_maxima_with_each_plateau_once(
    seed: int, neighbors: int, threshold: float
) -> None:
    field = noise(fc.Grid(19, 12, neighbors=neighbors), seed, levels=4)
    around = CROSS if neighbors == 4 else SQUARE
    values = field.values
    flats, count = np.zeros(values.shape, int), 0
    for level in np.unique(values):
        labels, found = ndimage.label(values == level, structure=around)
        flats[labels > 0] = labels[labels > 0] + count
        count += found
    highest = ndimage.maximum_filter(values, footprint=around, mode="nearest")
    tops = [
        n
        for n in range(1, count + 1)
        if (highest[flats == n] == values[flats == n]).all() and values[flats == n][0] > threshold
    ]

    spots = query.peaks(field, threshold=threshold)
    assert sorted(flats.flat[spots.cells]) == tops
    assert spots.found.all()
    order = list(zip(-spots.values, spots.cells, strict=True))
    assert order == sorted(order)
    assert query.peaks(field, 3, threshold=threshold).cells.tolist() == spots.cells[:3].tolist()
    for cell in spots.cells:
        rows, columns = np.nonzero(flats == flats.flat[cell])
        away = np.hypot(rows - rows.mean(), columns - columns.mean())
        row, column = divmod(cell, 19)
        assert np.hypot(row - rows.mean(), column - columns.mean()) <= away.min() + 1e-9


def test_spacing_keeps_the_stronger() -> None:
    field = noise(fc.Grid(30, 20, cell_size=0.5, wrap=True), 1)
    everything, spots = query.peaks(field), query.peaks(field, spacing=2.5)
    kept: list[int] = []
    centers = field.space.position_of(everything.cells)
    for i in range(len(centers)):
        if all(distances(field.space, centers[i], centers[j]) >= 2.5 - 1e-9 for j in kept):
            kept.append(i)
    assert spots.cells.tolist() == everything.cells[kept].tolist()
    assert 1 < len(kept) < len(centers)
    assert query.peaks(field, 2, spacing=2.5).cells.tolist() == spots.cells[:2].tolist()


def test_walls_part_hills_and_a_torus_joins_them() -> None:
    values = np.array([[1.0, 2.0, 9.0, 3.0, 1.0]], np.float32)
    assert query.peaks(Field(fc.Grid(5, 1), values)).cells.tolist() == [2]
    walls = np.array([[False, False, True, False, False]])
    assert query.peaks(Field(fc.Grid(5, 1, walls=walls), values)).cells.tolist() == [3, 1]
    rim = np.array([[4.0, 1.0, 0.0, 1.0, 5.0]], np.float32)
    assert query.peaks(Field(fc.Grid(5, 1), rim)).cells.tolist() == [4, 0]
    assert query.peaks(Field(fc.Grid(5, 1, wrap=True), rim)).cells.tolist() == [4]


def test_a_plateau_across_the_rim_of_a_torus_counts_once_in_its_middle() -> None:
    values = np.array([[3.0, 3.0, 0.0, 0.0, 0.0, 3.0]], np.float32)
    assert query.peaks(Field(fc.Grid(6, 1, wrap=True), values)).cells.tolist() == [0]


def test_the_neighborhood_decides_what_lies_beside() -> None:
    values = np.array([[5.0, 0.0], [0.0, 4.0]], np.float32)
    assert query.peaks(Field(fc.Grid(2, 2), values)).cells.tolist() == [0, 3]
    assert query.peaks(Field(fc.Grid(2, 2, neighbors=8), values)).cells.tolist() == [0]
    # A diagonal never cuts a corner.
    corner = fc.Grid(2, 2, neighbors=8, walls=[[False, True], [False, False]])
    assert query.peaks(
        Field(corner, np.array([[5.0, 0.0], [0.0, 4.0]], np.float32))
    ).cells.tolist() == [0, 3]
    knight = fc.Grid(3, 2, neighbors=[(2, 1)])  # one way only, and still beside each other
    assert query.peaks(
        Field(knight, np.array([[5.0, 0, 0], [0, 0, 4.0]], np.float32))
    ).cells.tolist() == [0]


def test_nothing_above_the_threshold() -> None:
    spots = query.peaks(Field(fc.Grid(4, 3), np.zeros((3, 4), np.float32)))
    assert spots.positions.shape == (0, 2) and spots.values.shape == spots.cells.shape == (0,)
    assert query.peaks(
        Field(fc.Grid(4, 3), np.zeros((3, 4), np.float32)), threshold=-1
    ).cells.shape == (1,)


def test_positions_are_the_worlds() -> None:
    values = np.zeros((3, 4), np.float32)
    values[0, 1] = 1
    assert query.peaks(
        Field(fc.Grid(4, 3, cell_size=2.0, y_up=True), values)
    ).positions.tolist() == [[3.0, 5.0]]
    assert query.peaks(Field(fc.Grid(4, 3, cell_size=2.0), values)).positions.tolist() == [
        [3.0, 1.0]
    ]


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"count": 0}, "count"),
        ({"count": 2.0}, "count"),
        ({"spacing": -1}, "spacing"),
        ({"threshold": np.nan}, "threshold"),
    ],
)
def test_refusals(wrong: dict[str, float], name: str) -> None:
    with refused(InvalidValue, name):
        query.peaks(noise(fc.Grid(4, 3), 2), **wrong)  # type: ignore[arg-type]
