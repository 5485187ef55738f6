"""What notebooks ask of maps and spaces."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import fieldcraft as fc


def _world():
    walls = np.zeros((6, 10), dtype=bool)
    walls[:2, 7] = walls[2, 7:] = True
    space = fc.Grid(walls=walls)
    imap = fc.InfluenceMap(space)
    imap.add_layer("threat <b>", fc.Radial(4)).add_source((2.5, 2.5))
    imap.step()
    return imap


def test_maps_and_spaces_have_a_picture():
    image = pytest.importorskip("PIL.Image")
    imap = _world()
    layer = imap["threat <b>"]
    for shown in (
        layer,
        2 * layer,
        fc.distance_map(imap.space, (0.5, 0.5)),
        fc.Belief(imap.space, 1.0),
        imap.space,
    ):
        with image.open(io.BytesIO(shown._repr_png_())) as picture:
            assert picture.format == "PNG"
            assert max(picture.size) >= 300
            assert len(np.unique(np.asarray(picture.convert("L")))) >= 3
    teams = imap.add_teams(["red", "blue"], fc.Radial(3))
    teams["blue"].add_source((8.5, 4.5))
    imap.step()
    way = fc.shortest_path(fc.Grid(walls=imap.space.walls, wrap=True), (0.5, 0.5), (9.5, 5.5))
    for shown in (teams, way):
        with image.open(io.BytesIO(shown._repr_png_())) as picture:
            assert len(np.unique(np.asarray(picture.convert("L")))) >= 4
    page = imap._repr_html_()
    assert page.count("data:image/png;base64,") == 3
    assert "threat &lt;b&gt;" in page
    assert "<b>" not in page


def test_without_pillow_there_is_text(monkeypatch):
    imap = _world()
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert imap["threat <b>"]._repr_png_() is None
    assert imap.space._repr_png_() is None
    assert "threat &lt;b&gt;" in imap._repr_html_()
    assert "img" not in imap._repr_html_()
