"""What notebooks ask of things that have a picture."""

from __future__ import annotations

import pytest

import fieldcraft as fc
from fieldcraft.base import pictured


def test_notebooks_get_the_picture_that_the_view_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    space = fc.Grid(5, 3)
    imap = fc.InfluenceMap(space)
    drawn = []

    def draw(shown: pictured.Pictured) -> bytes:
        drawn.append(shown)
        return b"png"

    monkeypatch.setattr(pictured, "png_of", draw)
    things = [
        space,
        imap.add_layer("threat", fc.Radial(3)),
        imap.add_teams(["red", "blue"], fc.Radial(3)),
        fc.shortest_path(space, (0.5, 0.5), (4.5, 2.5)),
    ]
    for thing in things:
        assert thing._repr_png_() == b"png"
        assert drawn.pop() is thing
