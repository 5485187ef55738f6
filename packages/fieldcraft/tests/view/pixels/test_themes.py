"""The colors of everything in a picture but values."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.palettes import lab_of
from fieldcraft.view.pixels.themes import DARK, LIGHT, Theme, theme_of
from support.refusals import refused


def test_a_ground_names_its_theme() -> None:
    assert theme_of("dark") is DARK
    assert theme_of("light") is LIGHT
    assert theme_of(None) is DARK
    with refused(InvalidValue, "ground is one of 'dark', 'light'"):
        theme_of("bluish")


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """The contrast ratio of two colors as WCAG 2 defines it, 1 to 21."""
    parts = np.array([one, other]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    low, high = np.sort(linear @ [0.2126, 0.7152, 0.0722])
    return float((high + 0.05) / (low + 0.05))


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_text_can_be_read_on_its_page(theme: Theme) -> None:
    assert contrast(theme.text, theme.page) >= 7
    assert contrast(theme.faint_text, theme.page) >= 4.5


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_walls_their_edges_and_what_was_never_seen_differ_from_the_ground(theme: Theme) -> None:
    ground, *others = lab_of([theme.ground, theme.wall, theme.wall_edge, theme.never_seen])
    for other in others:
        assert np.linalg.norm(other - ground) > 5
