"""Regions and front lines as GeoJSON: polygons whose areas and insides are those of the cells."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import fieldcraft as fc

SPACES = {
    "grid": fc.Grid(13, 9, neighbors=8, cell_size=0.5, origin=(3, -2)),
    "grid, y up": fc.Grid(13, 9, neighbors=4, y_up=True),
    "pointy": fc.HexGrid(13, 9, orientation="pointy", size=0.7),
    "flat": fc.HexGrid(13, 9, orientation="flat"),
}


def regions_of(space: fc.Space, seed: int) -> fc.query.Regions:
    values = (np.random.default_rng(seed).random(space.shape) < 0.7).astype(np.float32)
    return fc.regions(fc.InfluenceMap(space).add_layer("a", values=values), 0.5)


def area(ring: list[list[float]]) -> float:
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise(ring)) / 2


def inside(ring: list[list[float]], x: float, y: float) -> bool:
    crossed = [
        ax + (y - ay) / (by - ay) * (bx - ax) > x
        for (ax, ay), (bx, by) in pairwise(ring)
        if (ay > y) != (by > y)
    ]
    return sum(crossed) % 2 == 1


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(4))
def test_polygons_are_the_cells_of_the_region(name: str, seed: int) -> None:
    space = SPACES[name]
    regions = regions_of(space, seed)
    collection = json.loads(json.dumps(regions.__geo_interface__))
    centers = space.position_of(np.arange(len(space))).tolist()
    holes = 0
    for region, feature in zip(regions, collection["features"], strict=True):
        assert feature["properties"]["area"] == region.area
        polygons = feature["geometry"]["coordinates"]
        rings = [ring for polygon in polygons for ring in polygon]
        for shell, *within in polygons:
            assert area(shell) > 0 and all(area(ring) < 0 for ring in within)
            holes += len(within)
        for ring in rings:
            assert ring[0] == ring[-1] and len(set(map(tuple, ring))) == len(ring) - 1
        assert sum(map(area, rings)) == pytest.approx(region.area)
        held = [sum(inside(ring, x, y) for ring in rings) % 2 == 1 for x, y in centers]
        np.testing.assert_array_equal(held, regions.labels.reshape(-1) == region.label)
    assert holes


@pytest.mark.parametrize("name", SPACES)
def test_shapely_reads_valid_polygons(name: str) -> None:
    geometry = pytest.importorskip("shapely.geometry")
    regions = regions_of(SPACES[name], 1)
    for region, feature in zip(regions, regions.__geo_interface__["features"], strict=True):
        shape = geometry.shape(feature["geometry"])
        assert shape.is_valid and shape.area == pytest.approx(region.area)
        assert shape.contains(geometry.Point(region.center))


def test_vertices_are_points() -> None:
    graph = fc.Graph([(0, 0), (1, 0), (5, 5)], [(0, 1)])
    layer = fc.InfluenceMap(graph).add_layer("a", values=np.array([2, 3, 0], np.float32))
    (feature,) = fc.regions(layer, 1).__geo_interface__["features"]
    assert feature["geometry"] == {"type": "MultiPoint", "coordinates": [[0, 0], [1, 0]]}
