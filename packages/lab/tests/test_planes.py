"""Planes of bytes and knobs: what a page gets of every kind of space and layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.dataclasses import needed_by
from fieldcraft.layers.propagation import PROPAGATIONS
from fieldcraft.layers.propagation.settings import declared
from fieldcraft.view import ColorScale
from fieldcraft.view.own_scales import share_table
from fieldcraft.view.pixels.pixel_plan import HIDDEN
from fieldcraft_lab import planes
from fieldcraft_lab.apply import apply
from fieldcraft_lab.controls import FIXED, controls
from fieldcraft_lab.controls import settings as settings_of
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.orders import Tune
from fieldcraft_lab.pictures import Renderer
from fieldcraft_lab.planes import Bins, nice, shape_of, tiles
from fieldcraft_lab.protocol import View
from fieldcraft_lab.session import Session


def some_spaces() -> dict[str, Any]:
    quads = [(float(x), float(y)) for y in range(4) for x in range(6)]
    polygons = [
        [y * 6 + x, y * 6 + x + 1, y * 6 + x + 7, y * 6 + x + 6] for y in range(3) for x in range(5)
    ]
    return {
        "grid": fc.Grid(13, 7, y_up=True),
        "hexes": fc.HexGrid(9, 5),
        "graph": fc.Grid(11, 6).to_graph(),
        "mesh": fc.Graph.from_polygons(quads, polygons),
    }


@pytest.mark.parametrize("name", ["grid", "hexes", "graph", "mesh"])
def test_every_cell_has_its_byte(name: str) -> None:
    space = some_spaces()[name]
    values = np.random.default_rng(3).normal(0, 3, space.shape).astype(np.float32)
    scale = ColorScale(-5, 5)
    shape = shape_of(space)
    drawn = shape.plane(None).bytes_of(values, scale)
    assert drawn.shape == (shape.meta["height"], shape.meta["width"])
    assert (drawn.reshape(-1)[: values.size] == scale.index(values).reshape(-1)).all()
    points = shape.meta.get("triangles") or shape.meta.get("dots") or 0
    assert len(shape.geometry) == 12 * points + 8 * shape.meta.get("edges", 0)
    if points:
        owners = np.frombuffer(shape.geometry, "<u4", points, 8 * points)
        assert set(owners.tolist()) == set(range(len(space)))


def test_a_map_of_very_many_cells_is_drawn_in_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pixel shows the strongest of its cells, and a part of the map is drawn finer than all of
    it.
    """
    monkeypatch.setattr(planes, "_MOST_POLYGONS", 1000)
    rng = np.random.default_rng(5)
    places = rng.random((5000, 2)) * (80, 50)
    graph = fc.Graph(places, np.stack([np.arange(4999), np.arange(1, 5000)], axis=1))
    shape = shape_of(graph)
    assert shape.meta["form"] == "pixels"
    values = np.zeros(5000, dtype=np.float32)
    values[1234] = -7.0
    whole, part = shape.plane(None), shape.plane((10.0, 10.0, 20.0, 20.0))
    assert np.count_nonzero(whole.bytes_of(values, ColorScale(-8, 8)) != 255) == 1
    assert part.extent is not None
    assert part.extent[2] - part.extent[0] < 12
    assert not whole.walls(graph.walls).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-9, 9, width=32)), max_size=40))
def test_the_strongest_wins_a_pixel(cells: list[tuple[int, float]]) -> None:
    pixels, values = (
        np.array([pixel for pixel, _ in cells], dtype=np.int64),
        np.array([value for _, value in cells], dtype=np.float32),
    )
    found = Bins(pixels, np.arange(len(cells)), 10).strongest(values)
    for pixel in range(10):
        here = values[pixels == pixel]
        assert abs(found[pixel]) == np.abs(here).max(initial=0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(1, 150), st.integers(0, 60))
def test_tiles_cover_all_that_differs(seed: int, width: int, height: int, changes: int) -> None:
    rng = np.random.default_rng(seed)
    old = rng.integers(0, 255, (height, width), dtype=np.uint8)
    new = old.copy()
    new.reshape(-1)[rng.integers(0, new.size, changes)] ^= 1
    found = tiles(new, old)
    if found is None:
        return
    mended = old.copy()
    for x, y, wide, high in found:
        assert (new[y : y + high, x : x + wide] != old[y : y + high, x : x + wide]).any()
        mended[y : y + high, x : x + wide] = new[y : y + high, x : x + wide]
    assert (mended == new).all()


@given(st.floats(1e-20, 1e20))
def test_nice_limits_are_at_or_above(value: float) -> None:
    assert value * (1 - 1e-5) <= nice(value) <= 2.01 * value


LAYERS = {
    "spread": fc.Spread(decay=0.2, momentum=0.5),
    "radial": fc.Radial(4.0, metric="straight"),
    "fade": fc.Fade(1.0),
    "forgets": fc.Fade(half_life=3.0),
    "trail": fc.Trail(keep=0.9),
    "fades": fc.Trail(half_life=4.0),
    "flood": fc.Flood(),
    "diffuse": fc.Diffuse(rate=0.5, edges="lose"),
    "drifts": fc.Diffuse(rate=0.25, drift=(0.0, 0.0)),
}


@pytest.mark.parametrize("kind", PROPAGATIONS.values())
def test_every_setting_of_every_propagation_has_a_control_or_a_reason(kind: Any) -> None:
    imap = fc.InfluenceMap(fc.Grid(20, 14))
    vectors = [name for name, setting in declared(kind).items() if setting.kind == "vector"]
    given = dict.fromkeys(needed_by(kind), 1.0) | dict.fromkeys(vectors, (0.0, 0.0))
    layer = imap.add_layer("a", kind(**given))
    offered = {control["name"]: control for control in controls(imap, layer)}
    for name, setting in declared(kind).items():
        assert name in FIXED or name in offered
        if name in offered and setting.kind == "number" and setting.high < checks.LARGEST:
            assert (offered[name]["low"], offered[name]["high"]) == (setting.low, setting.high)


def test_every_knob_can_be_turned() -> None:
    imap = fc.InfluenceMap(fc.Grid(20, 14))
    for name, propagation in LAYERS.items():
        layer = imap.add_layer(name, propagation)
        for control in controls(imap, layer):
            options: list[Any] = list(control.get("words", [True, False]))
            if control["kind"] == "number":
                low, high, value = control["low"], control["high"], control["value"]
                assert low <= high
                assert value is None or low <= value <= high
                options = [low, high, (low + high) / 2, *([None] if control["optional"] else [])]
                if control["step"]:
                    options = [int(each) // 2 * 2 + 1 for each in options if each is not None]
            if control["kind"] == "vector":
                low, high = control["low"], control["high"]
                assert all(low <= part <= high for part in control["value"])
                options = [(low, 0.0), (0.0, high), (low / 2, high / 2), (0.0, 0.0)]
            for option in (*options, control["value"]):
                apply(Tune(name, control["name"], option), imap)
                now = (
                    layer.every
                    if control["name"] == "every"
                    else settings_of(layer)[control["name"]]
                )
                assert now == option
        imap.step(2)


def drifting(space: Any, drift: Any) -> fc.InfluenceMap:
    imap = fc.InfluenceMap(space)
    imap.add_layer("smoke", fc.Diffuse(rate=0.25, drift=drift), every=0.2)
    return imap


def vectors_of(imap: fc.InfluenceMap) -> list[dict[str, Any]]:
    return [each for each in controls(imap, imap["smoke"]) if each["kind"] == "vector"]


def test_the_sliders_of_a_drift_end_where_the_layer_refuses_more() -> None:
    imap = drifting(fc.Grid(20, 14, cell_size=2.0), (2.0, 0.0))
    layer: Any = imap["smoke"]
    [control] = vectors_of(imap)
    assert (control["low"], control["high"]) == (-7.5, 7.5)
    assert control["unit"] == "world units / s"
    apply(Tune("smoke", "drift", [0.0, 7.5]), imap)  # a page sends lists
    assert layer.propagation.drift == (0.0, 7.5)
    for refused in ((7.6, 0.0), (5.0, 5.0), (1.0, 1.0, 1.0), (np.nan, 0.0)):
        with pytest.raises(InvalidValue):
            apply(Tune("smoke", "drift", refused), imap)
    for other in (None, 1.0, "east"):
        with pytest.raises(InvalidValue):
            apply(Tune("smoke", "drift", other), imap)
    with pytest.raises(InvalidValue):
        apply(Tune("smoke", "rate", (0.1, 0.2)), imap)
    assert layer.propagation.drift == (0.0, 7.5)


@pytest.mark.parametrize(
    "space",
    [
        fc.HexGrid(8, 6),
        fc.Graph([(0, 0), (4, 0), (4, 3)], [(0, 1), (1, 2)]),
        fc.Graph([(0, 0, 0), (4, 0, 1), (4, 3, 0)], [(0, 1), (1, 2)]),
    ],
    ids=["hex", "graph", "graph in 3D"],
)
def test_a_drift_has_a_slider_for_each_axis_on_other_spaces(space: Any) -> None:
    imap = drifting(space, (0.0,) * space.dimensions)
    [control] = vectors_of(imap)
    assert len(control["value"]) == space.dimensions
    apply(Tune("smoke", "drift", (control["high"] / 4,) * space.dimensions), imap)
    imap.step()


def test_a_layer_without_one_drift_for_all_cells_has_no_slider_for_it() -> None:
    grid = fc.Grid(5, 3)
    for drift in (None, np.zeros((3, 5, 2))):
        assert vectors_of(drifting(grid, drift)) == []


def test_a_share_to_keep_replaces_a_half_life() -> None:
    imap = fc.InfluenceMap(fc.Grid(20, 14))
    layer = imap.add_layer("a", fc.Diffuse(half_life=2.0))
    apply(Tune("a", "keep", 0.5), imap)
    assert layer.propagation == fc.Diffuse(keep=0.5)
    apply(Tune("a", "half_life", 3.0), imap)
    assert layer.propagation == fc.Diffuse(half_life=3.0)


def test_shares_show_the_ground_of_others_in_their_color() -> None:
    imap = fc.InfluenceMap(fc.Grid(12, 1))
    teams = imap.add_teams(["red", "blue"], fc.Radial(4, "linear"))
    teams["red"].add_source((0.5, 0.5), 4.0)
    teams["blue"].add_source((6.5, 0.5), 4.0)
    imap.step()
    session = Session(LiveMap(imap))
    view = View("share red")
    renderer = Renderer()
    renderer.render({"a": session}, [view], shape_of(imap.space))
    found = renderer.pictures[view]
    assert (found.meta["low"], found.meta["high"], found.meta["below"]) == (0.0, 1.0, False)
    (row,) = found.plane
    assert row[0] == row[2] == 254 and 0 < row[3] < 254
    assert row[5] == row[6] == 0 and row[11] == HIDDEN
    colors = [color for _, color in session.live.teams()]
    for light in (False, True):
        table = session.live.tables(light=light)["share red"]
        expected = share_table(["red", "blue"], colors, "red", light=light)
        np.testing.assert_array_equal(table, expected)
