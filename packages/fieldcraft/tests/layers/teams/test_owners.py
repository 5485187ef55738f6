"""Owners of cells, and their regions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.layers.teams.teams import Teams
from support.teams import a_battle, a_space
from support.worlds import WRAPS


def teams_on(space: fc.Grid | fc.Graph) -> fc.Teams:
    teams = fc.InfluenceMap(space).add_teams(
        ["red", "blue", "green"], fc.Spread(decay=0.2, momentum=1.0)
    )
    for team, place, strength in (
        ("red", (2.5, 4.5), 5.0),
        ("blue", (10.5, 3.5), 4.0),
        ("green", (6.5, 8.5), 4.0),
    ):
        teams[team].add_source(place, strength=strength)
        teams[team].settle()
    return teams


def flooded(space, owner):
    """Connected cells of one owner, by walking."""
    parts, left = (
        [],
        {(r, c) for r in range(space.height) for c in range(space.width) if owner[r, c] >= 0},
    )
    while left:
        part, waiting = set(), [min(left)]
        while waiting:
            row, column = waiting.pop()
            if (row, column) in part:
                continue
            part.add((row, column))
            for dx, dy in space.neighborhood.steps:
                y, x = row + dy, column + dx
                if space.wraps_y:
                    y %= space.height
                if space.wraps_x:
                    x %= space.width
                if (y, x) in left and owner[y, x] == owner[row, column] and (y, x) not in part:
                    diagonal = dx != 0 and dy != 0
                    sides = [(row % space.height, x), (y, column % space.width)]
                    if diagonal and any(space.walls[side] for side in sides):
                        continue
                    waiting.append((y, x))
        parts.append(part)
        left -= part
    return parts


class TestAreas:
    def test_they_are_those_of_the_grid(self) -> None:
        grid = fc.Grid(13, 9, neighbors=8)
        here, there = teams_on(grid).regions(), teams_on(grid.to_graph()).regions()
        np.testing.assert_array_equal(there.labels, here.labels.reshape(-1))
        assert there.owners == here.owners
        np.testing.assert_allclose(there.totals, here.totals)
        np.testing.assert_allclose(there.areas, here.areas)
        np.testing.assert_allclose(there.centers, here.centers)

    def test_on_a_mesh_they_have_its_areas_and_in_3d_centres_a_height(self) -> None:
        corners = [(0, 0, 1), (4, 0, 1), (4, 2, 1), (0, 2, 1), (10, 0, 1), (10, 2, 1)]
        mesh = fc.Graph.from_polygons(corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
        teams = fc.InfluenceMap(mesh).add_teams(["red", "blue"], fc.Spread(decay=0.2, momentum=1.0))
        for team, vertex in (("red", 0), ("blue", 1)):
            teams[team].add_source(mesh.positions[vertex], strength=1.0)
            teams[team].settle()
        areas = teams.regions()
        assert sorted(areas.areas.tolist()) == [8, 12]
        assert areas[0].center == tuple(
            mesh.positions[0 if areas[0].owner == "red" else 1].tolist()
        )


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10_000),
    neighbors=st.sampled_from([4, 8]),
    wrap=st.sampled_from(WRAPS),
    by=st.sampled_from(["total", "source"]),
)
def test_areas_are_connected_ground_of_one_owner(seed, neighbors, wrap, by):
    space = a_space(
        seed, 31, 19, walls=0.15, neighbors=neighbors, wrap=wrap, cell_size=2.0, y_up=True
    )
    teams = a_battle(3, seed, space, units=5)
    owner = teams.owner(by, margin=0.05)
    areas = teams.regions(by, margin=0.05)
    expected = flooded(space, owner)
    assert {
        frozenset(zip(*np.nonzero(areas.labels == each.label), strict=True)) for each in areas
    } == {frozenset(p) for p in expected}
    assert (areas.labels == 0).sum() == (owner == -1).sum()
    assert areas.totals.tolist() == sorted(areas.totals.tolist(), reverse=True)
    for each in areas:
        cells = areas.labels == each.label
        assert (owner[cells] == teams.names.index(each.owner)).all()
        assert each.area == cells.sum() * 4.0
        if by == "total":
            assert each.total == pytest.approx(
                teams[each.owner].values[cells].sum(dtype=np.float64), rel=1e-6
            )
        cell = space.cell_at(each.center)
        assert cells.reshape(-1)[cell] and not space.walls.reshape(-1)[cell]


def test_an_area_s_centre_is_the_cell_nearest_to_its_middle():
    imap = fc.InfluenceMap(fc.Grid(12, 7, wrap=True))
    values = np.zeros((7, 12), np.float32)
    values[2:5, 3:8] = 1
    imap.add_layer("red", values=values)
    teams = Teams(imap, ["red"])
    (area,) = teams.regions()
    assert (area.label, area.owner, area.area, area.total, area.center) == (
        1,
        "red",
        15.0,
        15.0,
        (5.5, 3.5),
    )
    imap["red"].write(np.roll(values, 6, axis=1))  # over the seam
    assert teams.regions()[0].center == (11.5, 3.5)
    imap["red"].write(np.zeros((7, 12)))
    assert len(teams.regions()) == 0 and not teams.regions().labels.any()
    assert repr(teams.regions()) == "<Regions: 0, area 0>"


def test_the_owner_is_an_array_and_a_map() -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 2))
    red = imap.add_layer("red", values=[[3, 2, 0, 0, 0]] * 2)
    imap.add_layer("blue", values=[[0, 0, 0, 2, 3]] * 2)
    owner = fc.Teams(imap, ["red", "blue"]).owner()
    assert owner.values.tolist() == [[0, 0, -1, 1, 1]] * 2
    assert type(owner.values) is np.ndarray and not owner.flags.writeable
    assert owner.sample((4.5, 0.5)) == 1
    assert owner.sample([(0.5, 0.5), (2.5, 1.5)]).tolist() == [0, -1]
    assert fc.sample(owner, (4.5, 0.5)) == 1
    assert fc.best(owner, (2.5, 0.5), 3).cell == 3
    assert (owner * red).values.tolist() == (red * owner.values).values.tolist()
    # As an array it is what it was: results are plain arrays.
    for plain in (owner == 1, owner[0], owner + 1, np.unique(owner), np.where(owner == 1, 1, 0)):
        assert type(plain) is np.ndarray
    assert owner.max() == 1 and repr(owner) == repr(owner.values)
    assert type(pickle.loads(pickle.dumps(owner))) is np.ndarray
