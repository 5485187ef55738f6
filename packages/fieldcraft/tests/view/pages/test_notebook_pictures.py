"""Pictures of maps in notebooks."""

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


def test_a_path_over_the_seam_is_broken_there() -> None:
    """Its start and goal lie beside the left and the right border; nothing is drawn between."""
    image = pytest.importorskip("PIL.Image")
    torus = fc.Grid(12, 5, wrap=True)
    drawn = []
    for shown in (torus, fc.shortest_path(torus, (0.5, 2.5), (11.5, 2.5))):
        with image.open(io.BytesIO(shown._repr_png_())) as picture:
            drawn.append(np.asarray(picture.convert("RGB")))
    columns = (drawn[0] != drawn[1]).any(axis=(0, 2))
    assert columns[20] and columns[460]
    assert not columns[60:420].any()


def test_without_a_path_the_map_is_shown() -> None:
    pytest.importorskip("PIL.Image")
    space = fc.Grid(walls=np.array([[0, 0, 1, 0, 0]], bool))
    nothing = fc.shortest_path(space, (0.5, 0.5), (4.5, 0.5))
    assert not nothing.found
    assert nothing._repr_png_() == space._repr_png_()
