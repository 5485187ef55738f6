"""Layers that take stamps."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.refusals import refused

WALLS = np.pad(np.zeros((10, 18), dtype=bool), 1, constant_values=True)
BOARD = np.zeros(WALLS.shape)


def board() -> fc.layer.ArrayLayer:
    return fc.InfluenceMap(fc.Grid(walls=WALLS)).add_layer("board", values=BOARD)


def test_only_stamps_are_stamped() -> None:
    with refused(InvalidValue, "fieldcraft.Stamp"):
        board().stamp("disc", (5.5, 5.5))  # type: ignore[arg-type]
    trail = fc.InfluenceMap(fc.Grid(20, 12)).add_layer("trail", fc.Trail())
    for layer in (board(), trail):
        with refused(InvalidValue, "Stamps for a time"):
            layer.stamp(fc.Stamp.disc(2), (5.5, 5.5), blend="max", seconds=3.0)


def test_cells_are_put_once() -> None:
    layer = board()
    layer.put([25, 26], [1.0, 2.0])
    assert layer.values.reshape(-1)[[25, 26]].tolist() == [1, 2]
    with refused(InvalidValue, "Each cell comes once"):
        layer.put([25, 25], 1.0)
    with refused(InvalidValue, "at most 1e+30"):
        layer.put([25], 1e31)


def test_a_stamp_off_the_map_is_refused_with_the_ways_out() -> None:
    layer = board()
    with refused(OutsideMap, 'outside="cut"', 'or "clamp"'):
        layer.stamp(fc.Stamp.disc(2), [(5, 5), (99, 5)])
    assert not layer.values.any()
    layer.stamp(fc.Stamp.disc(2), [(99, 5)], outside="cut")
    assert not layer.values.any()
    layer.stamp(fc.Stamp.disc(2), [(99, 5)], outside="clamp")
    assert layer.values[:, 17:].any()
    layer.stamp(fc.Stamp.disc(1e9), (5, 5))
    assert (layer.values >= 1).all()
