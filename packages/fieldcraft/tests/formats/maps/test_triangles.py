"""Walkable ground of triangles."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps.triangles import Slopes, face_normals, ground_of, weld
from support.refusals import refused

LOG = logging.getLogger("test")
# A flat square of two triangles, y up, and a wall beside it.
CORNERS = np.array([(0, 0, 0), (2, 0, 0), (2, 0, 2), (0, 0, 2), (2, 3, 0), (2, 3, 2)], dtype=float)
SQUARE = np.array([(0, 2, 1), (0, 3, 2)])
WALL = np.array([(1, 2, 5), (1, 5, 4)])


def test_normals_are_as_long_as_twice_the_area() -> None:
    normals = face_normals(CORNERS[SQUARE])
    np.testing.assert_allclose(np.abs(normals), [[0, 4, 0]] * 2)


def test_triangles_that_face_up_are_ground(caplog: pytest.LogCaptureFixture) -> None:
    triangles = np.concatenate([SQUARE, WALL])
    with caplog.at_level(logging.INFO):
        graph = ground_of("level", CORNERS, triangles, Slopes("y", 45.0), None, LOG)
    assert len(graph) == 2 and graph.edges.tolist() == [[0, 1]]
    np.testing.assert_allclose(graph.areas, [2, 2])
    assert "level" in caplog.text


def test_corners_in_one_place_are_one() -> None:
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 1e-9), (0, 0, 1)], dtype=float)
    joined, triangles = weld(corners, np.array([(0, 1, 3), (1, 2, 3)]), 1e-6)
    assert len(joined) == 3
    assert len(triangles) == 1


def test_axes_and_slopes_are_checked() -> None:
    with refused(InvalidValue, "up"):
        Slopes("x", 45.0)
    with refused(InvalidValue, "max_slope"):
        Slopes("y", 91.0)
