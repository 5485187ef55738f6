"""Viewers: what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import sees, visible, watchers
from support.meshes import CORNERS, ROOMS
from support.refusals import refused


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "fragment"),
    [
        (((0, 0), 3), {"heights": np.zeros(3)}, InvalidValue, "those of squares"),
        (((0, 0), 3), {"walls": True}, InvalidValue, "no walls"),
        (((0, 0, 0), 3), {}, InvalidValue, "(x, y)"),
        (((0, 0), 0), {}, InvalidValue, "above 0"),
        (((0, 0), [1, 2]), {}, InvalidValue, "one for each"),
        (((0, 0), 3), {"facing": (1, 0, 0)}, InvalidValue, "facing"),
        (((0, np.nan), 3), {}, InvalidValue, "finite"),
    ],
)
def test_bad_looks_are_refused(arguments, options, kind, fragment) -> None:
    graph = fc.Graph.from_polygons(CORNERS, ROOMS)
    for look in (visible, watchers):
        with refused(kind, fragment):
            look(graph, *arguments, **options)


def test_bad_pairs_are_refused() -> None:
    level = fc.Graph([(0, 0, 0)], [], max_height=1)
    with refused(OutsideMap, "at most 1"):
        sees(level, (0, 0, 0), (0, 0, 5), 9)
    with refused(InvalidValue, "(x, y, z)"):
        sees(level, (0, 0, 0), (0, 0), 9)
    with refused(InvalidValue, "space"):
        sees("map", (0, 0), (1, 1), 9)  # type: ignore[arg-type]
    with refused(InvalidValue, "those of squares"):
        sees(level, (0, 0, 0), (0, 0, 0), 9, heights=np.zeros(1))
