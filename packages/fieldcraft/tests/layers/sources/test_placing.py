from __future__ import annotations

import pytest

import fieldcraft as fc
from fieldcraft.base import checks
from fieldcraft.base.errors import OnWall, OutsideMap


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


WALLS = [[0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("space", "refused", "kind"),
    [
        (fc.Grid(walls=WALLS), (2.5, 0.5), OnWall),
        (fc.Grid(walls=WALLS), (-3.0, 0.5), OutsideMap),
        (fc.HexGrid(3, 2), (-9.0, 0.5), OutsideMap),
        (fc.Grid(walls=WALLS).to_graph(), (2.5, 0.5), OnWall),
        (fc.Graph([(0, 0, 0), (1, 0, 0)], [(0, 1)], max_height=2), (1.0, 0.0, 7.0), OutsideMap),
    ],
)
def test_an_error_numbers_the_position_only_among_several(space, refused, kind):
    layer = fc.InfluenceMap(space).add_layer("noise", fc.Spread(decay=0.3, momentum=0.5))
    free = tuple(space.position_of(0).tolist())
    for one in (lambda: layer.add_source(refused), lambda: layer.add_sources([refused])):
        with pytest.raises(kind) as error:
            one()
        assert error.value.got == str(refused)
    with pytest.raises(kind) as error:
        layer.add_sources([free, refused])
    assert error.value.got == f"{refused} at index 1"
