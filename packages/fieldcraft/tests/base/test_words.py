"""The words that editors offer are those that the library takes."""

from __future__ import annotations

import dataclasses
from typing import get_args

import fieldcraft as fc
from fieldcraft.base import words
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.layers.propagation.spread.spread import FALLOFFS
from fieldcraft.layers.sources.falloff import CURVES


def test_types_have_the_words_that_are_checked() -> None:
    assert get_args(words.Metric) == METRICS
    assert get_args(words.Curve) == tuple(CURVES)
    assert get_args(words.Loss) == tuple(FALLOFFS)


def test_each_word_is_taken() -> None:
    layer = fc.InfluenceMap(fc.Grid(3, 2)).add_layer("a", fc.Radial(1.0))
    for how in get_args(words.Between):
        assert layer.sample((1.5, 0.5), how=how) == 0
    teams = fc.InfluenceMap(fc.Grid(3, 2)).add_teams(["red"], fc.Radial(1.0))
    for by in get_args(words.Strongest):
        assert (teams.owner(by) == -1).all()
    for metric in get_args(words.Metric):
        assert dataclasses.replace(fc.Radial(1.0), metric=metric).metric == metric
