"""Pictures of maps whose values alone do not tell what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from support.pictures import map_of, walled_grid


def differ(shown: Any, plain: Any, place: view.Placement) -> set[tuple[int, int]]:
    """The cells (row, column) in whose middle two pictures differ."""
    rows, columns = place.space.shape
    found = set()
    for row in range(rows):
        for column in range(columns):
            x, y = place.pixel_of((column + 0.5, row + 0.5)).astype(int)
            if (shown[y, x] != plain[y, x]).any():
                found.add((row, column))
    return found


def test_a_distance_map_shows_its_goals_and_a_flow_field_its_arrows() -> None:
    grid = walled_grid()
    distances = fc.distance_map(grid, [(2.5, 2.5), (14.5, 8.5)])
    place = view.Placement(grid, size=170)
    plain = view.frame(distances, size=170)
    shown = map_of(view.picture(distances, size=170), place)
    assert differ(shown, plain, place) == {(2, 2), (8, 14)}
    field = map_of(view.picture(fc.flow_field(distances), size=170), place)
    assert len(differ(field, plain, place)) > 20
    bare = map_of(view.picture(distances, size=170, sources=False), place)
    np.testing.assert_array_equal(bare, plain)


@pytest.mark.parametrize(
    "space", [fc.HexGrid(9, 6), fc.Graph([(0, 0), (3, 0), (3, 3)], [(0, 1), (1, 2)])]
)
def test_a_flow_field_of_any_space_is_drawn(space: Any) -> None:
    distances = fc.distance_map(space, space.position_of(0))
    shown = view.picture(fc.flow_field(distances), size=200)
    assert (shown != view.picture(distances, size=200, title="flow field")).any()


def test_a_pursuit_shows_its_barrier() -> None:
    grid = fc.Grid(41, 21, neighbors=8)
    hunt = fc.Pursuit(grid, (20.5, 10.5), (1.0, 0.0), tail=6.0, barrier_angle=90.0)
    hunt.step(3)
    drawn = view.picture(hunt, size=410)
    plain = view.picture(hunt, size=410, sources=False)
    changed = np.argwhere((drawn != plain).any(axis=2))
    cells = np.argwhere(hunt.barrier)
    assert len(cells)
    top, left = changed.min(axis=0)
    low, right = changed.max(axis=0)
    spread = (cells.max(axis=0) - cells.min(axis=0) + 1) * 10
    assert (low - top + 1, right - left + 1) == tuple(spread.tolist())


def test_a_patrol_says_what_gray_cells_are() -> None:
    seen = fc.LastSeen(fc.Grid(12, 6))
    seen.observe([0, 1, 2])
    fog = view.picture(seen, size=120)
    gray = view.picture(seen, size=120, caption="Gray: cells that were never seen.")
    np.testing.assert_array_equal(fog, gray)
    seen.observe(np.arange(72))
    assert view.picture(seen, size=120).shape[0] < fog.shape[0]
