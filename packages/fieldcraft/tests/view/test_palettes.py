"""Colors of teams, as people with and without color blindness see them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.view import palettes
from fieldcraft.view.palettes import (
    COLOR_WORDS,
    distance_between,
    lab_of,
    parse_color,
    seen_with,
    team_colors,
)
from fieldcraft.view.pixels.themes import DARK, LIGHT

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


def test_the_sequential_table_is_perceptually_uniform():
    lab = lab_of(view.sequential())
    assert (np.diff(lab[::4, 0]) > 0).all()
    assert lab[0, 0] < 15
    assert lab[-1, 0] > 90
    # Over 16 rows at a time, since single colors are rounded to whole numbers of red, green and
    # blue.
    steps = np.linalg.norm(lab[16::16] - lab[:-16:16], axis=1)
    assert steps.max() / steps.min() < 1.1


@pytest.mark.parametrize("light", [False, True])
def test_the_diverging_table_is_symmetrical_about_its_middle(light: bool):
    table = view.diverging(light=light)
    assert len(table) % 2 == 1
    lightness = lab_of(table)[:, 0]
    assert np.abs(lightness - lightness[::-1]).max() < 0.6
    middle = len(table) // 2
    assert (np.diff(lightness[middle::4]) < 0).all() == light
    assert (lightness[middle] > 95) == light
    assert lab_of(table[middle])[1:] == pytest.approx([0, 0], abs=4)
    assert table[0, 2] > table[0, 0]  # blue
    assert table[-1, 0] > table[-1, 2]  # orange


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("color", view.TEAM_COLORS)
def test_tinted_tables_grow_lighter_and_keep_their_hue(color: str, light: bool):
    lab = lab_of(view.tinted(color, light=light))
    lab = lab[::-1] if light else lab
    assert (np.diff(lab[::8, 0]) > 0).all()
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))[80:-20]
    wanted = lab_of([int(color[i : i + 2], 16) for i in (1, 3, 5)])
    off = (hue - np.degrees(np.arctan2(wanted[2], wanted[1])) + 180) % 360 - 180
    assert np.abs(off).max() < 25


def test_the_colors_of_light_pages_differ_for_color_blind_readers():
    # Deuteranopia by Vienot, Brettel and Mollon (1999): red and green cones see the same.
    seen = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])
    for table in (view.sequential(light=True), view.diverging(light=True)):
        linear = (table[::32] / 255) ** 2.2 @ seen.T
        lab = lab_of(255 * np.clip(linear, 0, 1) ** (1 / 2.2))
        assert np.linalg.norm(np.diff(lab, axis=0), axis=1).min() > 5
        apart = np.linalg.norm(lab[0] - lab[-1])
        assert apart > 40


def test_the_table_between_two_colors_is_dark_in_the_middle():
    table = view.between("#3fa7f5", "#ff8a3c").astype(int)
    assert len(table) % 2 == 1
    middle = len(table) // 2
    assert table[middle].max() < 50
    assert table[-1, 0] > table[-1, 2] + 50
    assert table[0, 2] > table[0, 0] + 50


def test_colors_of_the_same_teams_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture asks for them each time, and comparing them takes longer than the picture."""
    first = team_colors(["a", "b", "c"], ["#010203", None, None])
    compared = []
    monkeypatch.setattr(palettes, "distance_between", lambda *pair: compared.append(pair) or 99.0)
    again = team_colors(["x", "y", "z"], ["#010203", None, None])
    assert again == first and again is not first
    assert not compared


def test_weakest_influence_is_no_darker_than_none() -> None:
    tables = [view.sequential(), view.diverging(), *map(view.tinted, view.TEAM_COLORS)]
    for table in tables:
        assert lab_of(table)[:, 0].min() > lab_of(DARK.ground)[0]
