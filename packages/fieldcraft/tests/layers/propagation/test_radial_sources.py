"""The sources of a radial field, as its sums contain them."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.radial_sources import Emitters, Taken


def test_rows_are_chosen_and_joined() -> None:
    three = Emitters(np.array([4, 5, 6]), np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    some = three.at(np.array([True, False, True]))
    assert list(some.rows()) == [(4, 1.0, 0), (6, 3.0, 0)]
    both = Emitters.joined([some, three.at(np.s_[1:2]), Emitters.zeros(1)])
    assert both.cells.tolist() == [4, 6, 5, 0]
    assert len(both) == 4


def test_sources_come_back_with_what_was_applied() -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 2)).add_layer("a", fc.Radial(2.0))
    layer.add_source((0.5, 0.5), 2.0)
    gone = layer.add_source((1.5, 0.5), 3.0)
    layer.add_source((4.5, 1.5), 4.0, radius=1.0, falloff="linear")
    gone.remove()
    taken = Taken.of(layer.sources, exact=False)
    rows = layer.sources.rows
    strengths = np.where(rows.alive, rows.strengths, 0.0).astype(np.float64)
    applied = Emitters(rows.cells, strengths, np.zeros(len(rows.alive), dtype=np.int64))
    again = taken.with_applied(layer.space, applied)
    assert again.ids.tolist() == layer.sources.ids.tolist()
    assert again.strengths.tolist() == [2, 4]
    assert again.cells.tolist() == layer.sources.cells.tolist()
    assert again.rows.radii[again.rows.alive].tolist() == [0, 1]
