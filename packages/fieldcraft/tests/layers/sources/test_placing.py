from __future__ import annotations

import pytest

import fieldcraft as fc
from fieldcraft.base import checks


@pytest.mark.parametrize(
    "space",
    [fc.Grid(7, 5), fc.HexGrid(7, 5), fc.Grid(7, 5).to_graph()],
    ids=["grid", "hex", "graph"],
)
def test_a_position_is_checked_once_on_its_way_to_a_cell(space, monkeypatch):
    layer = fc.InfluenceMap(space).add_layer("noise", fc.Spread(decay=0.3, momentum=0.5))
    checked = []
    positions = checks.positions
    monkeypatch.setattr(
        checks,
        "positions",
        lambda *given, **options: checked.append(given) or positions(*given, **options),
    )
    for put in (
        lambda: layer.add_source((3.0, 2.5)),
        lambda: layer.add_source((3.0, 2.5), lifetime=2.0, outside="clamp"),
        lambda: layer.add_sources([(3.0, 2.5), (2.0, 2.0)], lifetimes=[1.0, 2.0]),
        lambda: layer.deposit((3.0, 2.5), 1.0),
    ):
        checked.clear()
        put()
        assert len(checked) == 1
