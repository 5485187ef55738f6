"""Regions as GeoJSON: polygons whose areas and insides are those of their cells."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import fieldcraft as fc


def area(ring: list[list[float]]) -> float:
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise(ring)) / 2


def inside(ring: list[list[float]], x: float, y: float) -> bool:
    crossed = [
        ax + (y - ay) / (by - ay) * (bx - ax) > x
        for (ax, ay), (bx, by) in pairwise(ring)
        if (ay > y) != (by > y)
    ]
    return sum(crossed) % 2 == 1


SPACES = {
    "grid": fc.Grid(13, 9, neighbors=8, cell_size=0.5, origin=(3, -2)),
    "grid, y up": fc.Grid(13, 9, neighbors=4, y_up=True),
    "hexagons": fc.HexGrid(13, 9, orientation="pointy", size=0.7),
    "flat hexagons": fc.HexGrid(13, 9, orientation="flat"),
}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(4))
def test_polygons_are_the_cells_of_the_region(name: str, seed: int) -> None:
    space = SPACES[name]
    values = (np.random.default_rng(seed).random(space.shape) < 0.7).astype(np.float32)
    layer = fc.InfluenceMap(space).add_layer("a", values=values)
    regions = fc.regions(layer, 0.5)
    features = regions.__geo_interface__["features"]
    assert [feature["properties"]["area"] for feature in features] == regions.areas.tolist()
    centers = space.position_of(np.arange(len(space))).tolist()
    holes = 0
    for number, feature in enumerate(features, start=1):
        polygons = feature["geometry"]["coordinates"]
        for shell, *within in polygons:
            assert area(shell) > 0 and all(area(ring) < 0 for ring in within)
            assert all(len(ring) == len(set(map(tuple, ring))) + 1 for ring in (shell, *within))
            holes += len(within)
        total = sum(area(ring) for polygon in polygons for ring in polygon)
        assert total == pytest.approx(regions.areas[number - 1])
        held = [
            sum(inside(ring, x, y) for polygon in polygons for ring in polygon) % 2 == 1
            for x, y in centers
        ]
        np.testing.assert_array_equal(held, regions.labels.reshape(-1) == number)
    assert holes


def test_vertices_are_points() -> None:
    graph = fc.Graph([(0, 0), (1, 0), (5, 5)], [(0, 1)])
    layer = fc.InfluenceMap(graph).add_layer("a", values=np.array([2, 3, 0], np.float32))
    (feature,) = fc.regions(layer, 1).__geo_interface__["features"]
    assert feature["geometry"] == {"type": "MultiPoint", "coordinates": [[0, 0], [1, 0]]}
