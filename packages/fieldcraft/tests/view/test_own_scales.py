"""The colors of shares of teams and of beliefs."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.view.own_scales import own_scale, share_table
from fieldcraft.view.palettes import lab_of, parse_color
from fieldcraft.view.pixels.themes import DARK
from support.pictures import map_of, walled_grid


def test_a_share_runs_from_the_color_of_the_others_to_its_own() -> None:
    """Ground of the others looks unlike ground of nobody."""
    imap = fc.InfluenceMap(walled_grid())
    teams = imap.add_teams(["red", "blue"], fc.Radial(7.0, "linear", metric="path"))
    teams["red"].add_source((2.5, 5.5), 4.0)
    teams["blue"].add_source((14.5, 5.5), 4.0)
    imap.step()
    place = view.Placement(imap.space, size=170)
    shown = map_of(view.picture(teams.share("red"), size=170, sources=False), place)
    ends = view.between(parse_color("blue"), parse_color("red"))
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


@pytest.mark.parametrize("light", [False, True])
def test_a_share_against_several_others_runs_from_gray(light: bool) -> None:
    names = ["red", "blue", "green"]
    colors = [parse_color(name) for name in names]
    table = share_table(names, colors, "blue", light=light)
    others, own = lab_of([table[0], table[-1]])
    assert np.hypot(*others[1:]) < 10
    assert np.hypot(*own[1:]) > 20
    assert tuple(table[-1]) == tuple(view.between(colors[0], colors[1], light=light)[-1])


def test_equal_beliefs_everywhere_are_faint() -> None:
    belief = fc.Belief(walled_grid(), 2.0)
    place = view.Placement(belief.space, size=170)
    fresh = map_of(view.picture(belief, size=170), place)
    assert lab_of(fresh[5, 5, :3])[0] < 45


def test_a_belief_in_one_place_is_brightest_there() -> None:
    belief = fc.Belief(walled_grid(), 2.0)
    belief.see((3.5, 2.5))
    scale = own_scale(belief, light=False)
    assert scale is not None
    assert scale.high == belief.values.max()


def test_other_maps_have_no_scale_of_their_own() -> None:
    imap = fc.InfluenceMap(walled_grid())
    assert own_scale(imap.add_layer("threat", fc.Radial(4)), light=False) is None
    names = [f"team {number}" for number in range(len(view.TEAM_COLORS) + 1)]
    many = imap.add_teams(names, fc.Radial(3))
    assert own_scale(many.share(names[0]), light=False) is None
