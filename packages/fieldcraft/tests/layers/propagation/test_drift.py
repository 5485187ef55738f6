"""Drifts: a vector for all cells, or one for each."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.diffuse.drift import Drifts, vectors_on
from support.refusals import refused


def test_a_vector_is_a_tuple_and_an_array_is_kept_as_it_was():
    assert fc.Diffuse(drift=np.array([1, 2])).drift == (1.0, 2.0)
    array = np.arange(24.0).reshape(3, 4, 2)
    river = fc.Diffuse(drift=array)
    array[:] = 0
    assert isinstance(river.drift, Drifts)
    assert river.drift.vectors[2, 3].tolist() == [22, 23]
    assert not river.drift.vectors.flags.writeable
    again = fc.Diffuse(drift=np.arange(24).reshape(3, 4, 2))
    assert river == again and hash(river) == hash(again)
    assert river != fc.Diffuse(drift=np.zeros((3, 4, 2)))
    assert "(3, 4, 2)" in repr(river)
    assert fc.Diffuse(drift=river.drift) == river


@pytest.mark.parametrize(
    "wrong", [3, "east", [1], [1, 2, 3, 4], [np.nan, 0], [np.inf, 0], [[1, "a"]], [[], []]]
)
def test_anything_else_is_refused(wrong):
    with refused(InvalidValue, "drift"):
        fc.Diffuse(drift=wrong)


def test_an_array_has_the_cells_of_the_map():
    grid = fc.Grid(4, 3)
    assert vectors_on((1.0, 2.0), grid).shape == (12, 2)
    assert vectors_on(Drifts(np.ones((3, 4, 2))), grid).shape == (12, 2)
    for wrong in (np.ones((4, 3, 2)), np.ones((12, 2)), (1, 2, 3)):
        with refused(InvalidValue, "one for each cell"):
            fc.InfluenceMap(grid).add_layer("river", fc.Diffuse(drift=wrong))
