"""Areas and fronts on graphs: those of the grid where a grid is made a graph, and what a graph has
besides.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

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


def yard(seed: int = 0) -> fc.Grid:
    return fc.Grid(13, 9, neighbors=8, walls=np.random.default_rng(seed).random((9, 13)) < 0.1)


class TestFronts:
    def test_without_polygons_each_open_edge_between_owners_is_a_point_of_equal_strength(
        self,
    ) -> None:
        road = fc.Graph([(0, 0), (4, 0), (8, 0), (8, 4)], [(0, 1), (1, 2), (2, 3)])
        teams = fc.InfluenceMap(road).add_teams(["red", "blue"], fc.Spread(decay=0.1, momentum=1.0))
        teams["red"].write(np.array([4, 3, 1, 0], dtype=np.float32))
        teams["blue"].write(np.array([0, 0, 2, 3], dtype=np.float32))
        (front,) = teams.front_lines()
        assert front.teams == ("red", "blue") and not front.is_closed and front.length == 0
        assert front.edges is not None and front.edges.tolist() == [[1, 2]]
        # red is 3 ahead at x = 4, blue 1 ahead at x = 8
        assert front.points.tolist() == [[4 + 4 * 3 / 4, 0]]
        road.set_edges((1, 2))
        assert teams.front_lines() == []

    @pytest.mark.parametrize(
        "space",
        [
            yard().to_graph(),
            fc.HexGrid(9, 7, size=2.0, y_up=True, walls=np.eye(7, 9, dtype=bool)),
            fc.HexGrid(8, 10, orientation="flat", origin=(1, -1)),
            fc.HexGrid(8, 6, wrap=True),
        ],
        ids=["graph", "pointy", "flat", "torus"],
    )
    def test_every_open_edge_between_hostile_owners_is_on_one_front(self, space) -> None:
        teams = teams_on(space)
        owner = teams.owner().reshape(-1)
        fronts = teams.front_lines()
        found = np.concatenate([front.edges for front in fronts if front.edges is not None])
        edges = np.sort(space.graph.open_edges, axis=1)
        owners = owner[edges]
        meet = (owners >= 0).all(axis=1) & (owners[:, 0] != owners[:, 1])
        assert meet.any()
        assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, edges[meet].tolist()))
        for front in fronts:
            assert {teams.names[i] for i in np.unique(owner[front.edges])} == set(front.teams)
            if isinstance(space, fc.HexGrid):  # one side of a hexagon for each edge
                steps = np.hypot(*np.diff(front.points, axis=0).T)
                assert steps == pytest.approx(space.size) and len(steps) == len(front.edges)
                assert front.length == pytest.approx(len(front.edges) * space.size)
                if not space.wrap:  # each side lies as far from the middles of both cells
                    middles = (front.points[1:] + front.points[:-1]) / 2
                    for k in range(2):
                        off = middles - space.position_of(front.edges[:, k])
                        assert np.hypot(*off.T) == pytest.approx(space.size * 3**0.5 / 2)

    def test_a_round_camp_on_hexagons_has_one_ring(self) -> None:
        space = fc.HexGrid(30, 24)
        teams = fc.InfluenceMap(space).add_teams(["camp", "wild"], fc.Radial(4))
        away = np.hypot(*(space.position_of(np.arange(len(space))) - space.position_of(375)).T)
        teams["camp"].write(np.where(away < 8, 2, 0).astype(np.float32).reshape(space.shape))
        teams["wild"].write(np.ones(space.shape, dtype=np.float32))
        (ring,) = teams.front_lines()
        assert ring.is_closed
        # Sides of hexagons run to and fro: a ring is up to 4 / 3 as long as the circle.
        assert 1 <= ring.length / (2 * np.pi * 8) <= 4 / 3

    def test_on_a_mesh_it_follows_the_sides_between_polygons(self) -> None:
        corners = [(x, y) for y in range(3) for x in (0, 4, 10)]
        polygons = [(k, k + 1, k + 4, k + 3) for k in (0, 1, 3, 4)]
        mesh = fc.Graph.from_polygons(corners, polygons)
        teams = fc.InfluenceMap(mesh).add_teams(["red", "blue"], fc.Radial(4))
        teams["red"].write(np.array([2, 0, 2, 0], dtype=np.float32))
        teams["blue"].write(np.array([0, 2, 0, 2], dtype=np.float32))
        (front,) = teams.front_lines()
        assert front.points.tolist() in ([[4, 0], [4, 1], [4, 2]], [[4, 2], [4, 1], [4, 0]])
        assert front.length == 2


def cells_beside(space, points):
    """For points given in the world, the cells whose centers are at most a cell away along both
    axes.
    """
    places = (points - space.origin) / space.cell_size - 0.5
    if space.y_up:
        places[:, 1] = space.height - 1 - places[:, 1]
    for x, y in places:
        yield [
            (row, column)
            for row in range(int(np.floor(y + 1e-9)), int(np.ceil(y - 1e-9)) + 1)
            for column in range(int(np.floor(x + 1e-9)), int(np.ceil(x - 1e-9)) + 1)
        ]


@pytest.mark.parametrize("by", ["total", "source"])
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("y_up", [False, True])
def test_front_lines_lie_between_cells_of_their_two_teams(by, count, y_up):
    space = a_space(3, 37, 52, walls=0.05, cell_size=0.5, origin=(10, -3), y_up=y_up)
    teams = a_battle(count, 3, space, units=12)
    owner = teams.owner(by)
    lines = teams.front_lines(by)
    assert len(lines) > 3
    seen = set()
    for line in lines:
        assert line.points.ndim == 2 and len(line.points) > 1 and line.points.dtype == np.float64
        wanted = {teams.names.index(name) for name in line.teams}
        for corners in cells_beside(space, line.points):
            # Points lie on the sides and diagonals of squares of four centers: cells of both teams,
            # on open ground.
            owners = {int(owner[row, column]) for row, column in corners}
            assert wanted <= owners or len(corners) == 1
            assert len(corners) == 4 or owners <= wanted
            if len(corners) == 2:
                seen.add(tuple(sorted(corners)))
    for row in range(space.height):
        for column in range(space.width - 1):
            here = owner[row : row + 1, column : column + 2].reshape(-1)
            around = owner[max(row - 1, 0) : row + 2, column : column + 2]
            # Each border amid nobody else's cells has its line.
            if (
                here[0] != here[1]
                and set(np.unique(around)) == set(here.tolist())
                and len(around) > 1
                and -1 not in here
            ):
                presences = [
                    abs(teams[teams.names[team]].values[row, column : column + 2]) for team in here
                ]
                if by == "total" and 0 not in (presences[0] - presences[1]):
                    assert ((row, column), (row, column + 1)) in seen


def test_a_front_between_two_equals_is_half_way():
    for y_up in (False, True):
        space = fc.Grid(16, 8, cell_size=2.0, origin=(100, 50), y_up=y_up)
        imap = fc.InfluenceMap(space)
        teams = imap.add_teams(["west", "east"], fc.Radial(20, "linear"))
        teams["west"].add_source((107, 53))
        teams["east"].add_source((125, 53))
        for layer in teams.layers.values():
            layer.step()
        (line,) = teams.front_lines()
        assert line.teams == ("west", "east") and not line.is_closed
        np.testing.assert_allclose(line.points[:, 0], 116, atol=1e-6)
        assert sorted(line.points[[0, -1], 1].tolist()) == [51, 65]
        for hostile, count in (({}, 0), ({"east": ["west"]}, 1)):
            assert len(Teams(imap, ["west", "east"], hostile=hostile).front_lines()) == count


def test_a_front_between_teams_that_are_level_runs_where_the_second_begins_to_own():
    imap = fc.InfluenceMap(fc.Grid(9, 4))
    for name, values in (
        ("first", [4, 3, 2, 2, 2, 2, 1, 1, 1]),
        ("second", [1, 1, 1, 2, 2, 2, 2, 3, 4]),
    ):
        imap.add_layer(name, values=np.tile(np.array(values, np.float32), (4, 1)))
    teams = Teams(imap, ["first", "second"])
    assert teams.owner()[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1]
    (line,) = teams.front_lines()
    assert (line.points[:, 0] == 5.5).all()
    assert line.__geo_interface__ == {"type": "LineString", "coordinates": line.points.tolist()}


def test_a_front_is_a_ring_around_a_pocket_and_crosses_the_seam_of_a_torus():
    space = fc.Grid(20, 14, wrap=True)
    imap = fc.InfluenceMap(space)
    ground = np.full(space.shape, 1.0, np.float32)
    pocket = np.zeros(space.shape, np.float32)
    pocket[4:7, 8:12] = 2
    imap.add_layer("around", values=ground)
    imap.add_layer("pocket", values=pocket)
    (ring,) = Teams(imap, ["around", "pocket"]).front_lines()
    assert ring.is_closed
    assert (ring.points.min(axis=0) == (8, 4)).all() and (ring.points.max(axis=0) == (12, 7)).all()
    imap["pocket"].write(np.roll(pocket, (9, 10), axis=(0, 1)))
    lines = Teams(imap, ["around", "pocket"]).front_lines()
    assert lines and all(not line.is_closed for line in lines)
    assert (
        max(line.points[:, 0].max() for line in lines) == 20.5
        or max(line.points[:, 1].max() for line in lines) == 14.5
    )


def test_no_front_runs_through_walls_or_where_nobody_is():
    walls = np.zeros((9, 9), np.bool_)
    walls[:, 4] = True
    walls[4, 4] = False
    imap = fc.InfluenceMap(fc.Grid(9, 9, walls=walls))
    left, right = np.zeros((9, 9), np.float32), np.zeros((9, 9), np.float32)
    left[:, :4], right[:, 5:] = 1, 1
    for name, values in (("left", left), ("right", right)):
        imap.add_layer(name, values=values)
    teams = Teams(imap, ["left", "right"])
    assert teams.front_lines() == []
    left[4, 4], right[4, 4] = 1, 0.5
    imap["left"].write(left)
    imap["right"].write(right)
    lines = teams.front_lines()
    assert all((np.abs(line.points - (5, 4.5)) <= 0.5).all() for line in lines)
    assert fc.InfluenceMap(fc.Grid(9, 1)).add_teams(["a", "b"], fc.Radial(2)).front_lines() == []


def a_fight(walls, west, east, **words):
    """The front lines between two teams of equal strength, and who owns the cells."""
    space = fc.Grid(walls=np.array(walls, np.bool_), **words)
    imap = fc.InfluenceMap(space)
    teams = imap.add_teams(["west", "east"], fc.Radial(20, "linear", metric="path"))
    teams["west"].add_source(west)
    teams["east"].add_source(east)
    imap.step()
    return teams.front_lines(), teams.owner()


@pytest.mark.parametrize("y_up", [False, True])
def test_a_front_in_a_corridor_runs_across_it(y_up):
    walls = np.zeros((5, 12), np.bool_)
    walls[:2, 4:8] = walls[3:, 4:8] = True
    (line,), _ = a_fight(walls, (1.5, 2.5), (10.5, 2.5), y_up=y_up)
    assert sorted(line.points.tolist()) == [[6.0, 2.0], [6.0, 3.0]]
    (line,), _ = a_fight(np.zeros((1, 9)), (0.5, 0.5), (8.5, 0.5))
    np.testing.assert_allclose(line.points, [[4.5, 0], [4.5, 1]])
    (line,), _ = a_fight(np.zeros((9, 1)), (0.5, 0.5), (0.5, 8.5))
    np.testing.assert_allclose(sorted(line.points.tolist()), [[0, 4.5], [1, 4.5]])
    assert line.teams == ("west", "east") and line.length == 1


def test_a_front_between_cells_that_meet_at_a_corner_lies_across_the_step():
    walls = [[0, 0, 1, 1], [1, 1, 0, 0]]
    (line,), owner = a_fight(walls, (0.5, 0.5), (3.5, 1.5), neighbors=8, corners="cut")
    assert owner[0, 1] == 0 and owner[1, 2] == 1
    np.testing.assert_allclose(line.points.mean(axis=0), (2, 1))
    assert np.isclose(line.length, 1) and np.isclose(*np.diff(line.points, axis=0)[0] * (1, -1))
    lines, _ = a_fight(walls, (0.5, 0.5), (3.5, 1.5), neighbors=8, corners="never")
    assert lines == []


def test_two_fronts_of_a_ring_one_cell_wide():
    lines, _ = a_fight(np.zeros((1, 8)), (0.5, 0.5), (4.5, 0.5), wrap=True)
    at = sorted(line.points[:, 0].mean() % 8 for line in lines)
    np.testing.assert_allclose(at, [2.5, 6.5])


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("wrap", WRAPS)
def test_every_step_between_two_teams_has_its_front(neighbors, wrap):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        walls = rng.random((9, 11)) < 0.4
        space = fc.Grid(walls=walls, neighbors=neighbors, wrap=wrap)
        imap = fc.InfluenceMap(space)
        teams = imap.add_teams(["a", "b", "c"], fc.Radial(20, "linear", metric="path"))
        for name in teams.names:
            for cell in rng.choice(np.flatnonzero(~walls), 3):
                layer = teams[name]
                layer.add_source(space.position_of(int(cell)), float(rng.uniform(1, 6)))
        imap.step()
        owner, ends = teams.owner(), {}
        for line in teams.front_lines():
            ends.setdefault(line.teams, []).append(line.points)
        for y, x in zip(*np.nonzero(owner >= 0), strict=True):
            for dy, dx in ((0, 1), (1, 0)):
                other = -1
                if (space.wraps_y or y + dy < 9) and (space.wraps_x or x + dx < 11):
                    other = owner[(y + dy) % 9, (x + dx) % 11]
                if other < 0 or other == owner[y, x]:
                    continue
                pair = tuple(teams.names[team] for team in sorted((owner[y, x], other)))
                assert any(
                    crosses(points, (x + 0.5, y + 0.5), (dx, dy), space) for points in ends[pair]
                )


def crosses(points, start, step, space):
    """Whether a line has a point on a step, or crosses it between two points."""
    around_x = (-11, 0, 11) if space.wraps_x else (0,)
    around_y = (-9, 0, 9) if space.wraps_y else (0,)
    for shift in itertools.product(around_x, around_y):
        away = points + shift - start
        along = away @ np.array(step)
        aside = away @ np.array([-step[1], step[0]])
        for k in range(len(points) - 1):
            if min(aside[k : k + 2]) <= 1e-6 and max(aside[k : k + 2]) >= -1e-6:
                span = aside[k + 1] - aside[k]
                share = 0.0 if span == 0 else -aside[k] / span
                if -1e-6 <= along[k] + share * (along[k + 1] - along[k]) <= 1 + 1e-6:
                    return True
    return False
