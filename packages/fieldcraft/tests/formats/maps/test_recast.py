"""Recast's meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft.formats.maps import load_map
from fieldcraft.space import Graph
from support import realdata
from support.map_files import RECAST_DETAIL, RECAST_POLYGONS, written


def test_polygons_come_with_z_up(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.json", RECAST_POLYGONS))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1]]
    np.testing.assert_allclose(graph.positions, [(11, -31, 20), (13, -31, 20.125)])
    np.testing.assert_allclose(graph.areas, [4, 4])


def test_details_are_welded(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.json", RECAST_DETAIL))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize(("name", "count"), [("poly_mesh.json", 133), ("detail_mesh.json", 323)])
def test_real_meshes(name: str, count: int) -> None:
    graph = load_map(realdata.folder("navmesh") / "recast-output" / name)
    assert isinstance(graph, Graph) and len(graph) == count and graph.parts().max() == 3
    assert graph.areas.sum() == pytest.approx(1575.18, abs=1e-3)
