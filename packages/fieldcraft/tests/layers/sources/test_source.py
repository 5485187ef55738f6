"""One source, by its handle."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import DeadSource, InvalidValue
from support.live_sources import OPEN
from support.refusals import refused, unchanged


class TestOneSource:
    def test_handle(self, layer: fc.Layer) -> None:
        source = layer.add_source((1.25, 0.75), 3)
        assert source.alive
        assert source.position == (1.25, 0.75)
        assert source.strength == 3.0
        assert type(source.strength) is float
        source.strength = -2
        source.move((4, 5))
        assert (source.position, source.strength) == ((4.0, 5.0), -2.0)
        assert layer.sources.cells.tolist() == [5 * 9 + 4]
        assert layer.source(source.id).position == (4.0, 5.0)
        assert repr(source) == f"<Source {source.id} at (4, 5), strength -2>"
        source.remove()
        assert not source.alive
        assert repr(source) == f"<Source {source.id}, gone>"
        assert len(layer.sources) == 0

    def test_every_use_of_a_dead_one_is_refused(self, layer: fc.Layer) -> None:
        source, other = layer.add_source(OPEN), layer.add_source(OPEN)
        source.remove()
        uses = [
            lambda: source.position,
            lambda: source.strength,
            lambda: setattr(source, "strength", 2),
            lambda: source.move(OPEN),
            source.remove,
            lambda: layer.source(source.id),
            lambda: layer.sources.move([other.id, source.id], [OPEN, OPEN]),
            lambda: layer.sources.remove([other.id, source.id]),
            lambda: layer.sources.set_strengths([other.id, source.id], 1),
            lambda: layer.sources.positions_of([source.id]),
            lambda: layer.sources.strengths_of([source.id]),
        ]
        for use in uses:
            with unchanged(layer), refused(DeadSource, str(source.id), "alive"):
                use()

    @pytest.mark.parametrize(
        "position",
        [[(0, 0), (1, 1)], [(0, 0)], [], (0,), 5, None, "ab", (np.nan, 0), (np.inf, 0)],
        ids=repr,
    )
    def test_its_position_is_one_pair(self, layer: fc.Layer, position: object) -> None:
        source = layer.add_source(OPEN)
        for call in (layer.add_source, source.move):
            with unchanged(layer), refused(InvalidValue):
                call(position)

    @pytest.mark.parametrize(
        "strength", [np.nan, np.inf, -np.inf, 1e31, 10**40, "strong", None, True, [1]], ids=repr
    )
    def test_its_strength_is_a_finite_number(self, layer: fc.Layer, strength: object) -> None:
        source = layer.add_source(OPEN)
        with unchanged(layer), refused(InvalidValue, "strength"):
            layer.add_source(OPEN, strength)
        with unchanged(layer), refused(InvalidValue, "strength"):
            source.strength = strength

    def test_acts_from_the_centre_of_its_cell(self) -> None:
        results = set()
        for position in ((2.0, 1.0), (2.5, 1.5), (2.99, 1.01)):
            imap = fc.InfluenceMap(fc.Grid(9, 6))
            layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
            layer.add_source(position, 3)
            imap.step(5)
            results.add(layer.values.tobytes())
        assert len(results) == 1
