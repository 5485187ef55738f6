"""Colors of teams, as people with and without color blindness see them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.view.palettes import (
    COLOR_WORDS,
    distance_between,
    lab_of,
    parse_color,
    seen_with,
    team_colors,
)
from fieldcraft.view.pixels.plan import DARK, LIGHT

TEAMS = [parse_color(color) for color in view.TEAM_COLORS]


def test_twelve_colors_of_teams_differ_for_all_eyes():
    """At least 13 in CIELAB for protanopia and deuteranopia, 24 for people who see all colors."""
    assert len(TEAMS) == 12
    for first, second in itertools.combinations(TEAMS, 2):
        assert distance_between(first, second) > 13
        assert np.linalg.norm(lab_of(first) - lab_of(second)) > 24
    for ground, color in itertools.product((DARK.ground, LIGHT.ground), TEAMS):
        assert distance_between(ground, color) > 13


def test_a_simulation_keeps_grays_and_merges_what_is_confused():
    grays = np.repeat(np.linspace(0, 255, 9), 3).reshape(9, 3)
    for blindness in ("protanopia", "deuteranopia"):
        assert np.abs(seen_with(grays, blindness) - grays).max() < 0.01
        red, green = lab_of(seen_with([[178, 77, 64], [94, 110, 61]], blindness))
        blue, yellow = lab_of(seen_with([[60, 90, 220], [230, 200, 60]], blindness))
        assert np.linalg.norm(blue - yellow) > 60
        assert np.hypot(*(red - green)[1:]) < 25
    with pytest.raises(fc.errors.FieldcraftError, match="deuteranopia"):
        seen_with([0, 0, 0], "tritanopia")


def test_a_color_that_looks_like_one_in_use_is_left_out():
    """Team "violet" has a default color as its own; one that resembles it is not given away."""
    names = ["north", "gold", "violet", "south", "east", "west"]
    found = team_colors(names, [None] * 6)
    assert found[1] == parse_color(COLOR_WORDS["gold"])
    assert len(set(found)) == 6
    for first, second in itertools.combinations(found, 2):
        assert distance_between(first, second) > 7
    near_blue = team_colors(["a", "b"], ["#45a9f2", None])
    assert near_blue == [(0x45, 0xA9, 0xF2), TEAMS[1]]


def test_more_than_twelve_teams_need_colors_of_their_own():
    """No color comes twice: a thirteenth team without a color is refused."""
    names = [f"team {number}" for number in range(13)]
    assert team_colors(names[:12], [None] * 12) == TEAMS
    with pytest.raises(fc.errors.InvalidValue, match=r"12 teams .* 13 teams .* Choose"):
        team_colors(names, [None] * 13)
    assert team_colors(names, ["#102030", *[None] * 12])[0] == (16, 32, 48)
    teams = fc.InfluenceMap(fc.Grid(7, 5)).add_teams(names, fc.Radial(2.0))
    with pytest.raises(fc.errors.InvalidValue, match="Choose their colors"):
        view.frame_teams(teams)
