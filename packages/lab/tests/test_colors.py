"""The page of the lab and the live page draw walls and ground in the colors of pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fieldcraft_lab
from fieldcraft.view.pixels.themes import DARK, LIGHT, Theme

STYLE = (Path(fieldcraft_lab.__file__).parent / "page" / "style.css").read_text()
LIVE = Path(__file__).parents[3] / "docs" / "live" / "live.js"


def hexadecimal(color: tuple[int, int, int]) -> str:
    return "#" + bytes(color).hex()


@pytest.mark.parametrize(("line", "theme"), [(0, DARK), (1, LIGHT)])
def test_the_page_has_the_colors_of_pictures(line: int, theme: Theme) -> None:
    colors = dict(re.findall(r"(--[a-z-]+): (#[0-9a-f]{6})", STYLE.splitlines()[line]))
    assert colors["--ground"] == hexadecimal(theme.ground)
    assert colors["--wall"] == hexadecimal(theme.wall)
    assert colors["--wall-edge"] == hexadecimal(theme.wall_edge)


def test_the_live_page_has_the_colors_of_pictures() -> None:
    text = LIVE.read_text()
    assert f"WALL = 0xff{bytes(DARK.wall[::-1]).hex()}" in text
    assert f'WALL_EDGE = "{hexadecimal(DARK.wall_edge)}"' in text
