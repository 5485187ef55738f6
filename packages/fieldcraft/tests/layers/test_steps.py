"""Steps of layers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused, unchanged

pytestmark = pytest.mark.reference


class TestSteps:
    def test_count(self, layer: fc.Layer) -> None:
        layer.add_source((0.5, 0.5), 3)
        layer.step(0)
        assert not layer.values.any()
        layer.step(3)
        assert layer.time == pytest.approx(0.3)

    @pytest.mark.parametrize("count", [-1, 1.0, "1", None, True, np.nan])
    def test_refuses(self, imap: fc.InfluenceMap, layer: fc.Layer, count: object) -> None:
        for step in (layer.step, imap.step):
            with unchanged(layer), refused(InvalidValue, "count"):
                step(count)

    def test_what_changes_shows_from_the_next_step_on(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        source = layer.add_source((0.5, 0.5), 3)
        assert not layer.values.any()
        imap.step()
        source.strength = 4
        assert layer.values[0, 0] == 3
        imap.step()
        assert layer.values[0, 0] == 4
        source.move((8.5, 5.5))
        assert layer.values[5, 8] == 0
        imap.step()
        assert layer.values[5, 8] == 4
        assert 0 < layer.values[0, 0] < 4

    def test_parameters_may_change_while_it_runs(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        imap.step(80)
        far = layer.values[0, 8]
        layer.propagation = fc.Spread(2.0, 1.0)
        assert layer.values[0, 8] == far
        imap.step(80)
        assert layer.values[0, 8] == 0
        assert layer.values[0, 1] == pytest.approx(3 * np.exp(-2))

    @pytest.mark.parametrize("propagation", [None, 0.2, "spread", (0.2, 0.5), fc.Spread], ids=repr)
    def test_other_propagations(self, layer: fc.Layer, propagation: object) -> None:
        with unchanged(layer), refused(InvalidValue, "Spread"):
            layer.propagation = propagation

    def test_every_may_change_while_it_runs(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.every = 0.5
        assert layer.every == 0.5
        assert imap.advance(1.0).steps == {"a": 2}
        for every in (0, -1, np.nan, 1e-12, "1", None):
            with unchanged(layer), refused(InvalidValue, "every"):
                layer.every = every

    def test_a_half_life_follows_every(self) -> None:
        """Half-lives are in seconds, so more steps a second take less each."""
        imap = fc.InfluenceMap(fc.Grid(9, 1))
        layer = imap.add_layer("a", fc.Spread(3.0, 1.0, half_life=1.0), every=0.5)
        source = layer.add_source((4.5, 0.5), 8)
        imap.step()
        source.remove()
        layer.every = 0.25
        imap.step(4)
        assert layer.values[0, 4] == pytest.approx(4.0)

    def test_settle_forgets_deposits_and_takes_no_time(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        layer.deposit((8.5, 5.5), 50)
        layer.settle()
        assert layer.time == 0
        settled = layer.read()
        assert settled.max() == 3
        imap.step(5)
        np.testing.assert_array_equal(layer.values, settled)

    def test_settle_after_a_lifetime_has_ended(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3, lifetime=0.1)
        imap.step()
        layer.settle()
        assert not layer.values.any()
