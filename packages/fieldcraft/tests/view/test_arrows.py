from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import Placement, draw_arrows

GRID = fc.Grid(12, 8)


def drawn(vectors: np.ndarray, grid: fc.Grid = GRID, **options: object) -> np.ndarray:
    place = Placement(grid, scale=10)
    canvas = np.zeros((*place.shape, 4), dtype=np.uint8)
    canvas[..., 3] = 255
    draw_arrows(canvas, place, grid, vectors, **options)
    return canvas[..., :3].sum(axis=2) > 400


def everywhere(x: float, y: float) -> np.ndarray:
    return np.broadcast_to(np.array([x, y]), (*GRID.shape, 2)).copy()


def test_arrows_lie_along_their_vectors_and_point_ahead():
    shown = drawn(everywhere(1, 0), spacing=120)
    rows, columns = np.nonzero(shown)
    assert np.ptp(columns) > 2 * np.ptp(rows)
    # The barbs are at the tip.
    assert np.ptp(rows[columns > columns.mean() + 10]) > np.ptp(rows[columns < columns.mean() - 10])


def test_y_up_turns_them_and_nothing_else():
    up = fc.Grid(12, 8, y_up=True)
    np.testing.assert_array_equal(drawn(everywhere(0.6, -0.8), up), drawn(everywhere(0.6, 0.8)))


def test_there_are_as_many_as_the_spacing_allows_and_none_below_the_threshold():
    few, many = drawn(everywhere(1, 0), spacing=40).sum(), drawn(everywhere(1, 0), spacing=20).sum()
    assert many > 1.5 * few > 0
    assert not drawn(everywhere(0, 0)).any()
    assert not drawn(everywhere(0.1, 0), threshold=0.2).any()
    half = everywhere(1, 0)
    half[:, 6:] = 0
    assert drawn(half)[:, :55].any()
    assert not drawn(half)[:, 70:].any()


def test_short_vectors_are_drawn_shorter_down_to_a_half():
    whole, half, tiny = (
        np.ptp(np.nonzero(drawn(everywhere(size, 0), spacing=60, limit=1.0))[1][:400])
        for size in (1, 0.5, 0.01)
    )
    assert whole >= half == tiny


def test_refusals():
    place = Placement(GRID, scale=10)
    canvas = np.zeros((*place.shape, 4), dtype=np.uint8)
    for bad in (
        lambda: draw_arrows(canvas[1:], place, GRID, everywhere(1, 0)),
        lambda: draw_arrows(canvas, place, GRID, np.zeros((8, 12))),
        lambda: draw_arrows(canvas, place, GRID, np.zeros((12, 8, 2))),
        lambda: draw_arrows(canvas, place, GRID, everywhere(1, 0), spacing=0),
        lambda: draw_arrows(canvas, place, GRID, everywhere(1, 0), limit=-1),
    ):
        with pytest.raises(InvalidValue):
            bad()
