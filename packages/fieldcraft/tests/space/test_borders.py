"""Borders of meshes, and the widths of polygons that follow from them."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.mesh.borders import borders_of, distances_to_lines, widths_of
from support.meshes import CORNERS, ROOMS
from support.refusals import refused
from support.worlds import KINDS


def lengths_of(mesh: fc.Graph) -> float:
    lines = borders_of(mesh)
    return float(np.sqrt(((lines[:, 1] - lines[:, 0]) ** 2).sum(axis=1)).sum())


def test_borders_are_sides_without_a_way_through() -> None:
    mesh = fc.Graph.from_polygons(CORNERS, ROOMS)
    assert lengths_of(mesh) == pytest.approx(2 * (4 + 4 + 4 + 3 + 5))
    mesh.set_edges([(0, 1)])
    assert lengths_of(mesh) == pytest.approx(2 * (4 + 4 + 4 + 3 + 5) + 2)
    mesh.set_edges([(0, 1)], False)
    mesh.set_walls(1)
    assert lengths_of(mesh) == pytest.approx(2 * 16)
    mesh.set_walls([0, 1, 2])
    assert len(borders_of(mesh)) == 0
    assert not widths_of(mesh).any()


@pytest.mark.parametrize("seed", range(12))
def test_widths_are_twice_the_distance_to_the_nearest_border(seed: int) -> None:
    dice = np.random.default_rng(seed)
    mesh = KINDS["mesh"](dice)
    room = fc.question.Clearance(mesh)
    for _ in range(3):
        lines = borders_of(mesh)
        expected = 2 * distances_to_lines(mesh.positions, lines).min(axis=1)
        expected[mesh.walls] = 0
        np.testing.assert_allclose(room.values, expected, rtol=1e-6)
        assert (room >= 0.5).values.tolist() == (room.values >= 0.5).tolist()
        some = dice.choice(len(mesh), 2)
        mesh.set_walls(some, bool(dice.random() < 0.7))
        if mesh.walls.all():
            return


def test_a_size_is_refused_on_meshes() -> None:
    mesh = fc.Graph.from_polygons(CORNERS, ROOMS)
    for call in (
        lambda: fc.shortest_path(mesh, (1, 1), (2, 2), size=2),
        lambda: fc.shortest_paths(mesh, (1, 1), (2, 2), size=2),
        lambda: fc.distance_map(mesh, (1, 1), size=2),
    ):
        with refused(InvalidValue, "made for a radius", "load a mesh"):
            call()


def test_the_width_of_ground_is_a_cost_and_a_requirement() -> None:
    mesh = fc.Graph.from_polygons(CORNERS, ROOMS)
    room = fc.question.Clearance(mesh)
    assert room.values[1] == 1.0  # the passage
    path = fc.shortest_path(mesh, (1, 1), (12, 1), cost=1 + 1 / room)
    assert path.found and path.cost > path.length
    question = fc.Question({"points": "all"}, require=[{"fits": 2}])
    cells = question.ask(mesh, all=mesh.positions).explain()
    assert cells.cells[cells.left].tolist() == [0, 2]


def test_a_wall_on_another_floor_is_as_far_away_as_the_floor() -> None:
    corners = [(0, 0), (8, 0), (8, 8), (0, 8)]
    low = [(x, y, 0.0) for x, y in corners]
    high = [(3 + x / 4, 3 + y / 4, 1.5) for x, y in corners]
    mesh = fc.Graph.from_polygons(low + high, [(0, 1, 2, 3), (4, 5, 6, 7)])
    assert widths_of(mesh).tolist() == [pytest.approx(2 * np.hypot(1.0, 1.5)), 2.0]
