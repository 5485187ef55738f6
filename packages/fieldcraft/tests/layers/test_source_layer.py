"""Layers that take sources and deposits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from support.refusals import refused, unchanged

pytestmark = pytest.mark.reference


class TestDeposit:
    def test_adds_at_once(self, layer: fc.Layer) -> None:
        layer.deposit((0.5, 0.5), 2)
        layer.deposit([(0.5, 0.5), (1.5, 0.5), (0.9, 0.9)], [1, 5, 0.25])
        assert layer.values[0, :3].tolist() == [3.25, 5, 0]
        layer.deposit([(0.5, 0.5), (2.5, 0.5)], -1)
        assert layer.values[0, :3].tolist() == [2.25, 5, -1]
        layer.deposit([], [])

    def test_many_in_one_cell_add_whatever_their_order(self, imap: fc.InfluenceMap) -> None:
        rng = np.random.default_rng(1)
        amounts = rng.random(1000)
        results = set()
        for k in range(3):
            layer = imap.add_layer(f"l{k}", fc.Spread(0.2, 0.5))
            layer.deposit(np.full((1000, 2), 0.5), rng.permutation(amounts))
            results.add(float(layer.values[0, 0]))
        assert len(results) == 1
        assert results.pop() == pytest.approx(amounts.sum(), rel=1e-6)

    def test_wakes_a_quiet_map(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        imap.step(50)
        layer.deposit((8.5, 5.5), 5)
        imap.step()
        assert layer.values[5, 7] > 0

    def test_in_the_cell_of_a_source_the_source_wins_at_the_next_step(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((0.5, 0.5), 3)
        imap.step()
        layer.deposit((0.5, 0.5), 2)
        assert layer.values[0, 0] == 5
        imap.step()
        assert layer.values[0, 0] == 3

    @pytest.mark.parametrize(
        "amounts", [np.nan, np.inf, "many", None, [1, 2, 3], [1, np.nan], 1e31], ids=repr
    )
    def test_refuses_amounts(self, layer: fc.Layer, amounts: object) -> None:
        layer.deposit((0.5, 0.5), 3)
        with unchanged(layer), refused(InvalidValue, "amounts"):
            layer.deposit([(0.5, 0.5), (1.5, 0.5)], amounts)

    def test_refuses_a_sum_beyond_float32(self, layer: fc.Layer) -> None:
        layer.deposit((0.5, 0.5), 9e29)
        with unchanged(layer), refused(InvalidValue, "1e+30", "1.8e+30"):
            layer.deposit([(3.5, 0.5), (0.5, 0.5)], [1, 9e29])
        with unchanged(layer), refused(InvalidValue, "3e+30"):
            layer.deposit([(3.5, 0.5)] * 3, 1e30)

    def test_refuses_walls(self, layer: fc.Layer) -> None:
        with unchanged(layer), refused(OnWall):
            layer.deposit([(0.5, 0.5), (4.5, 2.5)])
        layer.deposit([(0.5, 0.5), (4.5, 2.5)], 1, on_wall="nearest")
        assert layer.values[1, 4] == 1


def test_a_misspelled_keyword_is_answered_with_what_is_meant() -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(0.2))
    add_source: Any = layer.add_source
    with pytest.raises(TypeError, match=r"no keyword 'strenght'. Did you mean 'strength'\?"):
        add_source((1.5, 1.5), strenght=3.0)
    with pytest.raises(TypeError, match=r"no keyword 'qqzz'$"):
        add_source((1.5, 1.5), qqzz=3.0)


def test_a_key_in_place_of_an_id_is_refused_with_the_word_for_keys() -> None:
    layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("threat", fc.Radial(2))
    layer.sync(["orc"], [(1.5, 0.5)])
    for key in ("orc", ("red", 1), 1.5):
        with refused(InvalidValue, "The id of a source is a whole number", f"key={key!r}"):
            layer.source(key)  # type: ignore[arg-type]
    assert layer.source(key="orc").position == (1.5, 0.5)
