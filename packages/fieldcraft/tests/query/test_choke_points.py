"""Choke points: rooms with doors, meshes, waypoints, and ramps of real maps. Laws on every space are
in `laws/test_every_space.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query import choke_points
from fieldcraft.space.wrapping import Wrap
from support import realdata
from support.refusals import refused

Door = tuple[tuple[int, int], slice, slice]
"""The rooms on both sides, and the rows and columns of the opening."""


def rooms(dice: np.random.Generator, down: int, across: int) -> tuple[np.ndarray, list[Door]]:
    """The walls of rooms of 9 to 12 cells a side with doors of 1 to 3 cells between some of them."""
    heights = dice.integers(9, 13, down)
    widths = dice.integers(9, 13, across)
    tops = np.concatenate([[0], np.cumsum(heights + 1)])
    lefts = np.concatenate([[0], np.cumsum(widths + 1)])
    walls = np.ones((tops[-1] - 1, lefts[-1] - 1), dtype=bool)
    doors: list[Door] = []
    for r in range(down):
        for c in range(across):
            walls[tops[r] : tops[r] + heights[r], lefts[c] : lefts[c] + widths[c]] = False
    for r in range(down):
        for c in range(across):
            wide = int(dice.integers(1, 4))
            if c + 1 < across and dice.random() < 0.8:
                at = int(tops[r] + dice.integers(2, heights[r] - wide - 1))
                column = int(lefts[c + 1]) - 1
                doors.append(
                    (
                        (r * across + c, r * across + c + 1),
                        slice(at, at + wide),
                        slice(column, column + 1),
                    )
                )
            if r + 1 < down and dice.random() < 0.8:
                at = int(lefts[c] + dice.integers(2, widths[c] - wide - 1))
                if at + wide < lefts[c] + widths[c]:
                    row = int(tops[r + 1]) - 1
                    doors.append(
                        (
                            ((r * across + c), (r + 1) * across + c),
                            slice(row, row + 1),
                            slice(at, at + wide),
                        )
                    )
    for _, rows, columns in doors:
        walls[rows, columns] = False
    return walls, doors


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**16), st.booleans(), st.sampled_from([4, 8]))
def test_each_door_between_rooms_is_a_choke_point(seed: int, y_up: bool, neighbors: int) -> None:
    dice = np.random.default_rng(seed)
    walls, doors = rooms(dice, 2, 3)
    space = fc.Grid(walls=walls, neighbors=neighbors, y_up=y_up, cell_size=0.5, origin=(7, -3))
    found = choke_points(space)
    assert found.areas.max() == 5 and len(found.points) == len(doors)
    widths = []
    for _, rows, columns in doors:
        opening = np.zeros(space.shape, dtype=bool)
        opening[rows, columns] = True
        wide = int(opening.sum())
        near = ndimage.binary_dilation(opening, np.ones((3, 3)), iterations=2).reshape(-1)
        (point,) = [each for each in found.points if near[each.cells].all()]
        assert len(point.cells) == wide and point.width == pytest.approx(wide * 0.5)
        assert near[space.cell_at(point.position)]
        widths.append(point.width)
    assert [each.width for each in found.points] == sorted(widths, reverse=True)
    assert repr(found) == f"<ChokePoints: 6 areas, {len(doors)} points>"


def test_two_doors_between_two_rooms_are_two_points() -> None:
    walls = np.zeros((15, 21), dtype=bool)
    walls[:, 10] = True
    walls[2:4, 10] = walls[11, 10] = False
    found = choke_points(fc.Grid(walls=walls))
    assert [point.areas for point in found.points] == [(0, 1), (0, 1)]
    assert [point.width for point in found.points] == [2, 1]
    assert found.areas[0, 0] != found.areas[0, 20]


def test_what_is_no_choke_point() -> None:
    assert choke_points(fc.Grid(30, 20)).points == ()
    assert choke_points(fc.Grid(30, 20, wrap=True)).points == ()
    corridor = fc.Grid(walls=np.pad(np.zeros((3, 40), dtype=bool), 1, constant_values=True))
    assert choke_points(corridor).points == ()
    walls = np.zeros((15, 21), dtype=bool)
    walls[:, 10] = True
    walls[4:6, 10] = False
    grid = fc.Grid(walls=walls)
    assert len(choke_points(grid).points) == 1
    assert choke_points(grid, narrowing=0.05).points == ()
    assert choke_points(grid, smallest=200).points == ()
    nothing = choke_points(fc.Grid(walls=[[1, 1]]))
    assert (nothing.areas == -1).all() and repr(nothing) == "<ChokePoints: 0 areas, 0 points>"


def test_the_border_of_a_torus_is_no_wall() -> None:
    walls = np.zeros((12, 24), dtype=bool)
    walls[:, 12] = True
    walls[5:7, 12] = False
    found = choke_points(fc.Grid(walls=walls, wrap=True))
    assert found.points == () and found.areas.max() == 0
    walls[:, 0] = True
    walls[5, 0] = False
    found = choke_points(fc.Grid(walls=walls, wrap=True))
    assert [point.width for point in found.points] == [2, 1] and found.areas.max() == 1


def test_hexagons_have_doors() -> None:
    walls = np.zeros((13, 23), dtype=bool)
    walls[:, 11] = True
    walls[6, 11] = False
    for orientation in ("pointy", "flat"):
        space = fc.HexGrid(23, 13, walls=walls, orientation=orientation)
        (point,) = choke_points(space).points
        assert len(point.cells) <= 2 and point.width < 2 * space.typical_step
        assert (
            np.hypot(*(point.position - space.position_of(6 * 23 + 11))) < 1.5 * space.typical_step
        )


def test_a_passage_of_a_mesh_is_as_wide_as_its_side() -> None:
    corners = [
        (0, 0),
        (8, 0),
        (8, 3),
        (8, 5),
        (8, 8),
        (0, 8),
        (11, 3),
        (11, 5),
        (11, 0),
        (19, 0),
        (19, 8),
        (11, 8),
    ]
    polygons = [(0, 1, 2, 3, 4, 5), (2, 6, 7, 3), (8, 9, 10, 11, 7, 6)]
    halls = [
        (0, 1, 2),
        (0, 2, 3),
        (0, 3, 5),
        (3, 4, 5),
        (2, 6, 7),
        (2, 7, 3),
        (6, 8, 9),
        (6, 9, 10),
        (6, 10, 7),
        (7, 10, 11),
    ]
    mesh = fc.Graph.from_polygons(corners, halls)
    found = choke_points(mesh, smallest=10)
    (point,) = found.points
    assert point.width == pytest.approx(2) and found.areas.max() == 1
    assert found.areas[0] == found.areas[3] and found.areas[0] != found.areas[9]
    assert choke_points(fc.Graph.from_polygons(corners, polygons)).points == ()


def test_bridges_of_waypoints_are_choke_points() -> None:
    ring = [(k, (k + 1) % 6) for k in range(6)]
    edges = [*ring, *[(a + 8, b + 8) for a, b in ring], (0, 6), (6, 7), (7, 8), (3, 14)]
    angles = np.arange(6) * np.pi / 3
    round_ = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = np.concatenate([round_, [(3, 0), (5, 0)], round_ + np.array([8, 0]), [(-3, 0)]])
    found = choke_points(fc.Graph(places, edges), smallest=5)
    (point,) = found.points
    assert point.width == 0 and set(point.cells.tolist()) <= {6, 7}
    assert found.areas[14] == found.areas[3] and found.areas[3] != found.areas[9]
    line = fc.Graph([(k, 0) for k in range(50)], [(k, k + 1) for k in range(49)])
    assert choke_points(line).points == ()


RAMPS = {
    "2000AtmospheresAIE": (12, 12),
    "AbyssalReefLE": (14, 16),
    "AcropolisLE": (18, 20),
    "AutomatonLE": (20, 20),
    "BerlingradAIE": (12, 16),
    "BlackburnAIE": (16, 16),
    "EverDreamLE": (16, 16),
    "GlitteringAshesAIE": (20, 20),
    "GoldenWallLE": (16, 16),
    "HardwireAIE": (16, 18),
    "HonorgroundsLE": (12, 12),
    "LightshadeAIE": (16, 16),
    "LostandFoundLE": (10, 12),
    "OdysseyLE": (30, 32),
    "ProximaStationLE": (14, 14),
}
"""How many ramps of each map are at a choke point, and how many it has: 243 of 256 together."""


@pytest.mark.parametrize("path", realdata.files("sc2/grids", "*.npz"), ids=lambda path: path.stem)
def test_ramps_of_real_maps_are_at_choke_points(path: Path) -> None:
    arrays = np.load(path, allow_pickle=False)
    walked, built = arrays["pathing"] > 0, arrays["placement"] > 0
    height = arrays["terrain_height"].astype(int)
    space = fc.Grid(walls=~(walked | built), neighbors=8, y_up=False)
    found = choke_points(space)
    closed = np.zeros(len(space), dtype=bool)
    for point in found.points:
        closed[point.cells] = True
    parts, count = ndimage.label(walked & ~built, np.ones((3, 3)))
    ramps = passed = 0
    for number in range(1, count + 1):
        ramp = parts == number
        if ramp.sum() < 20 or np.ptp(height[ramp]) < 12:
            continue
        near = ndimage.binary_dilation(ramp, np.ones((3, 3)), iterations=3)
        ramps += 1
        passed += bool(closed[near.reshape(-1)].any())
    assert passed >= 0.75 * ramps
    assert (passed, ramps) == RAMPS.get(path.stem, (passed, ramps))
    mains = space.cell_at(arrays["start_locations"])
    assert len(set(found.areas.reshape(-1)[mains].tolist())) == len(mains)


def test_the_area_at_a_position_is_that_of_its_cell() -> None:
    walls = np.zeros((9, 19), dtype=bool)
    walls[:, 9] = True
    walls[4, 9] = False
    found = choke_points(fc.Grid(walls=walls))
    assert found.area_at((2.5, 4.5)) == found.areas[4, 2] != found.area_at((15.5, 4.5))
    assert found.area_at([(9.5, 1.5), (-3.0, 4.5)]).tolist() == [-1, found.areas[4, 0]]


def test_bad_arguments_are_refused() -> None:
    grid = fc.Grid(5, 4)
    with refused(InvalidValue, "narrowing", "1.5"):
        choke_points(grid, narrowing=1.5)
    with refused(InvalidValue, "smallest", "-1"):
        choke_points(grid, smallest=-1)


@pytest.mark.parametrize("wrap", [True, "x", "y"])
@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("seed", range(5))
def test_a_map_that_is_rolled_has_the_same_areas(seed: int, wrap: Wrap, neighbors: Any) -> None:
    """Most widths are equal to others, and no border depends on where the map begins. On 1 of 25
    denser maps it does, where all else is equal too.
    """
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(12, 30)), int(rng.integers(31, 45)))
    walls = rng.random(shape) < 0.08
    rows = int(rng.integers(shape[0])) if wrap in (True, "y") else 0
    columns = int(rng.integers(shape[1])) if wrap in (True, "x") else 0
    plain = choke_points(fc.Grid(walls=walls, wrap=wrap, neighbors=neighbors))
    rolled = choke_points(
        fc.Grid(walls=np.roll(walls, (rows, columns), (0, 1)), wrap=wrap, neighbors=neighbors)
    )
    back = np.roll(rolled.areas, (-rows, -columns), (0, 1))
    pairs = np.unique(np.stack([plain.areas.reshape(-1), back.reshape(-1)]), axis=1)
    # Areas of one size may have other numbers.
    assert pairs.shape[1] == len(np.unique(plain.areas)) == len(np.unique(back))
    assert len(rolled.points) == len(plain.points)
