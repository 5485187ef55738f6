"""Currents: what a drift moves from cell to cell."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.diffuse.currents import Currents
from support.refusals import refused
from support.worlds import KNIGHT


def sheet(rows: int, columns: int) -> fc.Graph:
    """A mesh of squares that are cut into triangles, one way and the other in turn."""
    corners = [(x, y) for y in range(rows + 1) for x in range(columns + 1)]
    faces = []
    for row, column in np.ndindex(rows, columns):
        a = row * (columns + 1) + column
        b, c, d = a + 1, a + columns + 1, a + columns + 2
        faces += [(a, b, d), (a, d, c)] if (row + column) % 2 else [(a, b, c), (b, d, c)]
    return fc.Graph.from_polygons(corners, faces)


def test_on_a_mesh_what_moves_from_a_cell_moves_by_the_drift_in_its_direction():
    mesh = sheet(12, 14)
    for angle in np.linspace(0.1, 6, 9):
        drift = np.array([np.cos(angle), np.sin(angle)])
        found = Currents.of(mesh, np.broadcast_to(0.05 * drift, (len(mesh), 2)))
        away = mesh.positions[found.ends] - mesh.positions[found.origins]
        moved = np.zeros((len(mesh), 2))
        np.add.at(moved, found.origins, away * found.parts[:, np.newaxis])
        along = moved @ drift
        middle = (np.abs(mesh.positions - (7, 6)) < 4).all(axis=1)
        assert (along[middle] > 0.6 * 0.05).all()
        assert np.median(along[middle]) == pytest.approx(0.05, rel=1e-6)
        assert (along <= 0.05 + 1e-9).all()
        assert (found.parts >= 0).all()
        np.testing.assert_allclose(
            found.totals, np.bincount(found.origins, found.parts, minlength=len(mesh))
        )


def test_smoke_on_a_mesh_moves_with_the_wind():
    mesh = sheet(20, 40)
    smoke = fc.InfluenceMap(mesh).add_layer("smoke", fc.Diffuse(0.1, floor=0, drift=(1.5, 0)))
    smoke.deposit((10.3, 10.3), 1.0)
    start = (mesh.positions * smoke.values[:, np.newaxis]).sum(axis=0)
    smoke.step(60)
    moved = (mesh.positions * smoke.values[:, np.newaxis]).sum(axis=0) - start
    assert moved[0] == pytest.approx(9.0, rel=0.05)
    assert abs(moved[1]) < 0.5
    assert smoke.values.sum() == pytest.approx(1, rel=1e-5)


def test_on_waypoints_an_edge_carries_the_component_in_its_direction():
    places = np.array([(0, 0), (4, 0), (0, 3), (4, 3)])
    graph = fc.Graph(places, [(0, 1), (0, 2), (0, 3), (1, 3)])
    found = Currents.of(graph, np.broadcast_to([0.5, 0.0], (4, 2)))
    parts = {
        (int(a), int(b)): part
        for a, b, part in zip(found.origins, found.ends, found.parts, strict=True)
        if part
    }
    assert parts == {(0, 1): pytest.approx(0.5 / 4), (0, 3): pytest.approx(0.5 * 0.8 / 5)}


def test_squares_need_steps_along_both_axes():
    with refused(InvalidValue, "both axes"):
        fc.InfluenceMap(fc.Grid(6, 5, neighbors=KNIGHT)).add_layer("x", fc.Diffuse(drift=(1, 0)))
