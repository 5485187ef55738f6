"""Values of a recipe: positions, paths, stamps, limits, floors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands.recipe import values


def test_stamps_are_those_of_their_constructors() -> None:
    given = values.stamp_of("stamp", {"shape": "disc", "radius": 3, "falloff": "linear"})
    made = fc.Stamp.disc(3, "linear")
    grid = fc.Grid(9, 7)
    shown = []
    for stamp in (given, made):
        layer = fc.InfluenceMap(grid).add_layer("a", values=np.zeros((7, 9)))
        layer.stamp(stamp, (4.5, 3.5))
        shown.append(layer.values)
    assert shown[0].any() and (shown[0] == shown[1]).all()
    for shape in values.SHAPES:
        assert any(values.measures_of(shape).values()), shape


@pytest.mark.parametrize(
    ("read", "value", "result"),
    [
        (values.position, [1, 2.5], (1.0, 2.5)),
        (values.path, [[0, 1, 2], [1, 3, 4]], ((0.0, 1.0, 2.0), (1.0, 3.0, 4.0))),
        (values.names, ["b", "a"], ("b", "a")),
        (values.rotation, "heading", "heading"),
        (values.rotation, 90, 90.0),
        (values.limits, {"a": [0, 1]}, {"a": (0.0, 1.0)}),
        (values.colors, ["#102030"], ("#102030",)),
        (values.floors, 2, 2),
        (values.floors, [0, 4, 8], [0.0, 4.0, 8.0]),
    ],
)
def test_what_is_read(read: Callable[[str, object], Any], value: object, result: object) -> None:
    assert read("it", value) == result


@pytest.mark.parametrize(
    ("read", "value", "word"),
    [
        (values.stamp_of, 3, "a table with a shape"),
        (values.stamp_of, {"shape": "disc"}, "no radius"),
        (values.stamp_of, {"shape": "disc", "radius": 1, "size": 2}, "size = 2"),
        (values.position, [1], "[x, y]"),
        (values.path, [[0, 1, 2], [0, 3, 4]], "rise from point to point"),
        (values.path, [[0, 1, 2], [1, 3, 4, 5]], "as many numbers"),
        (values.names, ["a", "a"], "differ"),
        (values.rotation, "north", "heading"),
        (values.limits, [1, 1], "lowest below highest"),
        (values.floors, [4, 0], "ascending"),
    ],
)
def test_what_is_refused(read: Callable[[str, object], Any], value: object, word: str) -> None:
    with pytest.raises(InvalidValue, match=re.escape(word)):
        read("it", value)
