"""Portals: the pieces of sides that neighbors share."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.space.mesh.portals import portals_of, sight_portals_of

CORNERS = [(0, 0), (4, 0), (4, 4), (0, 4), (4, 1), (4, 2), (9, 1), (9, 2)]
ROOM_AND_PASSAGE = [(0, 1, 4, 5, 2, 3), (4, 6, 7, 5)]


def mesh() -> fc.Graph:
    return fc.Graph.from_polygons(CORNERS, ROOM_AND_PASSAGE)


def test_they_are_computed_once_and_flags_follow_walls() -> None:
    graph = mesh()
    portals, flags = portals_of(graph)
    again, same_flags = portals_of(graph)
    assert again is portals and same_flags is flags
    graph.set_walls(1)
    after, closed = portals_of(graph)
    assert after is portals
    assert (closed != flags).any()


def test_a_door_that_hides_closes_windows_only() -> None:
    graph = mesh()
    _, open_flags = portals_of(graph)
    _, windows = sight_portals_of(graph)
    assert (open_flags == windows).all()
    graph.set_opaque(1)
    assert (portals_of(graph)[1] == open_flags).all()
    assert (sight_portals_of(graph)[1] != open_flags).any()


def test_whole_numbers_are_exact_to_a_billionth() -> None:
    portals, _ = portals_of(mesh())
    places = np.array([(0.0, 0.0), (9.0, 4.0), (4.0, 1.5)])
    whole = portals.rounded(places)
    assert whole.dtype.kind == "i"
    apart = (whole[1] - whole[0]) / portals.scale
    assert np.abs(apart).max() > 1 and np.isfinite(apart).all()
    far = portals.aim(places[2], np.array([1e30, 1.5]))
    near = portals.aim(places[2], np.array([8.0, 1.5]))
    assert far[1] == near[1] and far[0] > near[0]


def test_heights_do_not_change_the_portals_seen_from_above() -> None:
    flat, _ = portals_of(mesh())
    heights = [0.0, 1.0, 2.0, 0.5, 1.25, 1.5, 3.0, 3.0]
    raised = [(x, y, height) for (x, y), height in zip(CORNERS, heights, strict=True)]
    portals, _ = portals_of(fc.Graph.from_polygons(raised, ROOM_AND_PASSAGE))
    for name in ("starts", "ends", "sides", "fine", "middles"):
        np.testing.assert_array_equal(getattr(portals, name), getattr(flat, name))
