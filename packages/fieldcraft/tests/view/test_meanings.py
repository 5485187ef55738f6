"""Pictures of maps whose values alone do not tell what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.view.palettes import lab_of, parse_color
from fieldcraft.view.pixels.themes import DARK


def ground() -> fc.Grid:
    walls = np.zeros((11, 17), dtype=bool)
    walls[3:8, 8] = True
    return fc.Grid(17, 11, walls=walls, neighbors=8)


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


def map_of(picture: Any, place: view.Placement) -> Any:
    """The part of a page with a title that shows the map."""
    height, width = place.shape
    return picture[-18 - height : -18, 18 : 18 + width]


def test_a_share_runs_from_the_color_of_the_others_to_its_own() -> None:
    """Ground of the others looks unlike ground of nobody; with three teams the others are gray."""
    imap = fc.InfluenceMap(ground())
    teams = imap.add_teams(["red", "blue"], fc.Radial(7.0, "linear", metric="path"))
    teams["red"].add_source((2.5, 5.5), 4.0)
    teams["blue"].add_source((14.5, 5.5), 4.0)
    imap.step()
    place = view.Placement(imap.space, size=170)
    shown = map_of(view.picture(teams.share("red"), size=170, sources=False), place)
    ends = view.between(
        parse_color("blue"),
        parse_color("red"),
    )
    for x, expected in ((2.5, ends[254]), (14.5, ends[0])):
        column, row = place.pixel_of((x, 5.5)).astype(int)
        assert shown[row, column, :3].tolist() == expected.tolist()
    np.testing.assert_array_equal(shown, view.frame(teams.share("red"), size=170, sources=False))
    share = teams.share("red").values
    alone = np.argwhere((teams.tension().values == 0) & ~imap.space.walls)
    assert len(alone) and (share[tuple(alone.T)] == 0).all()
    for row, column in alone.tolist():
        x, y = place.pixel_of((column + 0.5, row + 0.5)).astype(int)
        assert tuple(shown[y, x, :3].tolist()) == DARK.ground


def test_a_distance_map_shows_its_goals_and_a_flow_field_its_arrows() -> None:
    grid = ground()
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


def test_equal_beliefs_everywhere_are_faint() -> None:
    belief = fc.Belief(ground(), 2.0)
    place = view.Placement(belief.space, size=170)
    fresh = map_of(view.picture(belief, size=170), place)
    assert lab_of(fresh[5, 5, :3])[0] < 45


def test_weakest_influence_is_no_darker_than_none() -> None:
    tables = [view.sequential(), view.diverging(), *map(view.tinted, view.TEAM_COLORS)]
    for table in tables:
        assert lab_of(table)[:, 0].min() > lab_of(DARK.ground)[0]
