"""Shots over grids and meshes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base import errors
from fieldcraft.space import incoming
from support.meshes import CORNERS, ROOMS, a_grid, squares
from support.shots import SPACE, a_map


class TestShots:
    def test_over_squares_as_over_cells(self) -> None:
        for seed in range(10):
            grid = a_grid(seed, 0.15)
            graph, cells = squares(grid)
            rng = np.random.default_rng(seed)
            start, end = graph.positions[rng.choice(len(graph))], rng.random(2) * grid.size
            over_cells, over_squares = (
                incoming(space, start, end, speed=2.0) for space in (grid, graph)
            )
            assert set(cells[over_squares.cells]) == set(over_cells.cells)
            assert over_squares.blocked == over_cells.blocked
            np.testing.assert_allclose(over_squares.end, over_cells.end, atol=0.01)
            assert (np.diff(over_squares.seconds) >= 0).all()

    def test_stops_at_the_rim_and_sweeps_what_is_near(self) -> None:
        graph = fc.Graph.from_polygons(CORNERS, ROOMS)
        shot = incoming(graph, (1, 1.5), (20, 1.5), speed=10)
        assert shot.cells.tolist() == [0, 1, 2] and shot.blocked
        np.testing.assert_allclose(shot.end, (13, 1.5), atol=1e-3)
        np.testing.assert_allclose(shot.seconds, (graph.positions[:, 0] - 1) / 10, atol=1e-3)
        assert incoming(graph, (1, 3), (8, 3), speed=1, width=9).cells.tolist() == [
            0
        ]  # the passage lies behind the wall
        assert incoming(graph, (1, 1.1), (3.9, 1.1), speed=1, width=9).cells.tolist() == [0, 1]
        assert not incoming(graph, (1, 1.1), (3.9, 1.1), speed=1, width=9).blocked
        graph.set_walls(1)
        assert incoming(graph, (1, 1.5), (20, 1.5), speed=10).cells.tolist() == [0]
        assert incoming(graph, (1, 1.5), (1, 1.5), speed=10).cells.tolist() == [0]

    def test_without_a_mesh_nothing_stops_it(self) -> None:
        graph = fc.Graph([(0, 0, 0), (3, 0.2, 0), (6, 0, 4), (9, 0, 0)], [])
        shot = incoming(graph, (0, 0, 0), (6, 0, 0), speed=2, width=0.5)
        assert shot.cells.tolist() == [0, 1] and shot.seconds.tolist() == [0, 1.5]
        assert shot.end == (6, 0, 0) and not shot.blocked


def test_a_shot_in_world_units():
    walls = np.zeros((4, 10), dtype=bool)
    walls[1, 8] = True
    space = fc.Grid(10, 4, cell_size=2, origin=(100, 50), walls=walls)
    shot = incoming(space, (101, 53), (119, 53), speed=4)
    assert shot.cells.tolist() == [10, 11, 12, 13, 14, 15, 16, 17]
    assert shot.seconds == pytest.approx(np.append(np.arange(0, 4, 0.5), [])[:8])
    assert shot.end == pytest.approx((116, 53))
    assert shot.blocked
    missed = incoming(space, (101, 51), (119, 51), speed=4, width=2)
    assert not missed.blocked
    assert missed.end == (119, 51)
    assert missed.cells[:2].tolist() == [0, 1]
    wide = incoming(space, (101, 51), (119, 51), speed=4, width=4)
    assert set(wide.cells.tolist()) == {*range(20)} - {18}
    assert (np.diff(wide.seconds) >= 0).all()
    assert wide.cells[:4].tolist() == [0, 10, 1, 11]


def test_a_shot_with_y_up_and_on_a_torus():
    up = fc.Grid(6, 4, y_up=True)
    assert incoming(up, (0.5, 0.5), (0.5, 3.5), speed=1).cells.tolist() == [18, 12, 6, 0]
    torus = fc.Grid(6, 4, wrap=True)
    assert incoming(torus, (4.5, 1.5), (7.5, 1.5), speed=1).cells.tolist() == [10, 11, 6, 7]
    assert incoming(
        torus, (4.5 + 600, 1.5 - 40), (7.5 + 600, 1.5 - 40), speed=1
    ).cells.tolist() == [10, 11, 6, 7]


@settings(max_examples=16, deadline=None)
@given(st.integers(0, 99), st.booleans())
def test_a_shot_starts_in_its_own_cell_at_once(seed, y_up):
    space = a_map(seed, cell_size=0.3, origin=(0.1, -7.7), y_up=y_up)
    rng = np.random.default_rng(seed)
    start, end = rng.random((2, 2)) * np.array(space.size) + space.origin
    shot = incoming(space, start, end, speed=3.0)
    here = space.cell_at(start)
    assert space.walls.reshape(-1)[here] or here in shot.cells
    assert not space.walls.reshape(-1)[shot.cells].any()
    assert (shot.seconds <= np.hypot(*(end - start)) / 3.0).all()


@pytest.mark.parametrize(
    ("start", "end", "options", "says"),
    [
        ((1, 1), (2, 2), {"speed": 0}, "speed is above 0"),
        ((1, 1), (2, 2), {"speed": 1e-320}, "finite time"),
        ((1, 1), (2, 2), {"speed": 1, "width": -1}, "at least 0"),
        ((1, 1), (2, 2), {"speed": 1, "width": 1e300}, "2,048 cells wide"),
        ((1, 1), (1e9, 2), {"speed": 1}, "at most 262,144 cells"),
        ((-1, 1), (2, 2), {"speed": 1}, "on the map"),
        ((1, 1), (np.nan, 2), {"speed": 1}, "finite"),
        ([(1, 1), (2, 2)], (2, 2), {"speed": 1}, "start is one"),
    ],
)
def test_bad_shots_are_refused(start, end, options, says):
    with pytest.raises(errors.InvalidValue, match=says):
        incoming(SPACE, start, end, **options)
