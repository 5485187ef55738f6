"""Positions and maps in questions, and straight distances."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query.question.readers import Map, Places, distances
from support.refusals import refused


def read(kind: Any, value: Any) -> Any:
    return get_args(kind)[1]("value", value)


def test_what_is_read() -> None:
    layer = fc.InfluenceMap(fc.Grid(6, 4)).add_layer("threat", fc.Radial(3))
    assert read(Places, "me") == "me"
    assert read(Places, [(1, 2)]) == [(1, 2)]
    assert read(Map, "1 - threat") == "1 - threat"
    assert read(Map, layer) is layer


@pytest.mark.parametrize(
    ("kind", "value", "word"),
    [(Places, 3, "a list of positions"), (Map, "  ", "formula"), (Map, 3, "formula")],
)
def test_what_is_refused(kind: Any, value: Any, word: str) -> None:
    with refused(InvalidValue, word):
        read(kind, value)


def test_distances_go_the_short_way_around_a_torus() -> None:
    places, points = np.array([(0.5, 0.5), (3.5, 0.5)]), np.array([(5.5, 0.5)])
    assert distances(fc.Grid(6, 4), places, points).tolist() == [[5], [2]]
    assert distances(fc.Grid(6, 4, wrap=True), places, points).tolist() == [[1], [2]]


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_distances_have_the_bits_of_sums_of_squares(wrap: bool, count: int) -> None:
    rng = np.random.default_rng(count)
    grid = fc.Grid(12, 7, wrap=wrap)
    for axes in (2,) if wrap else (2, 3):
        places = rng.uniform(0, 7, (40, axes))
        points = rng.uniform(0, 7, (count, axes))
        vectors = places[:, np.newaxis] - points
        if wrap:
            vectors = grid.shortest_vectors(vectors)
        expected = np.sqrt((vectors**2).sum(axis=2))
        assert np.array_equal(distances(grid, places, points), expected)


@pytest.mark.parametrize("key", ["facing", "heights"])
def test_uneven_rows_are_refused(key: str) -> None:
    with pytest.raises(InvalidValue, match="even array"):
        fc.Question({"reach": 2}, require=[{"visible_from": "me", key: [[1, 2], [3]]}])
