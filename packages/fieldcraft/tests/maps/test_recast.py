"""Recast's meshes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.errors import BadMapFile
from fieldcraft.maps import load_map
from fieldcraft.space import Graph
from support import damage, realdata

POLYGONS: dict[str, Any] = {
    "vertices": [[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4], [8, 1, 0], [8, 1, 4]],
    "polygons": [0, 1, 2, 3, 65535, 65535, 1, 4, 5, 2, 65535, 65535],
    "polygon_neighbors": [],
    "max_vertices_per_polygon": 6,
    "aabb": {"min": [10, 20, 30], "max": [40, 50, 60]},
    "cell_size": 0.5,
    "cell_height": 0.25,
}
DETAIL: dict[str, Any] = {
    "meshes": [
        {"base_vertex_index": 0, "vertex_count": 4, "base_triangle_index": 0, "triangle_count": 2},
        {"base_vertex_index": 4, "vertex_count": 3, "base_triangle_index": 2, "triangle_count": 1},
    ],
    "vertices": [[0, 0, 0], [2, 0, 0], [2, 0, 2], [0, 0, 2], [2, 0, 0], [4, 0, 0], [2, 0, 2]],
    "triangles": [[0, 1, 2], [0, 2, 3], [0, 1, 2]],
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.json"
    path.write_bytes(
        content if isinstance(content, bytes) else json.dumps(content).encode("utf-8", "replace")
    )
    return path


def test_polygons_come_with_z_up(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, POLYGONS))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1]]
    np.testing.assert_allclose(graph.positions, [(11, -31, 20), (13, -31, 20.125)])
    np.testing.assert_allclose(graph.areas, [4, 4])


def test_details_are_welded(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, DETAIL))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("base", "change", "said"),
    [
        (POLYGONS, {"polygons": [0, 1, 2, 99, 65535, 65535]}, "99 in polygon 0"),
        (POLYGONS, {"polygons": [0, 1, 65535, 65535, 65535, 65535]}, "three corners"),
        (POLYGONS, {"polygons": [0, 1, 2]}, "slots"),
        (POLYGONS, {"max_vertices_per_polygon": 0}, "slots"),
        (POLYGONS, {"max_vertices_per_polygon": 10**9}, "slots"),
        (POLYGONS, {"vertices": [[0.5, 0, 0]]}, "whole numbers"),
        (POLYGONS, {"aabb": {}}, "'min'"),
        (POLYGONS, {"cell_size": 0}, "size"),
        (POLYGONS, {"cell_size": 1e300}, "size"),
        (DETAIL, {"vertices": [[0, 0, 1e300]] * 6}, "finite numbers up to 1e"),
        (DETAIL, {"triangles": [[0, 1, 2], [0, 2, 3], [0, 1, 3]]}, "within it"),
        (DETAIL, {"triangles": [[0, 1, 2], [0, 2, 3], [0, 1, -1]]}, "belongs to a part"),
        (DETAIL, {"meshes": []}, "belongs to a part"),
        (DETAIL, {"vertices": [[0, 0, 0]]}, "within it"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, base: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, base | change))


@pytest.mark.parametrize("base", [POLYGONS, DETAIL])
@damage.fuzz
@given(data=st.data())
def test_nothing_odd_gets_past_the_loader(
    tmp_path: Path, base: dict[str, Any], data: st.DataObject
) -> None:
    damage.load_or_refuse(written(tmp_path, data.draw(damage.damaged(json.dumps(base).encode()))))
    content = json.loads(json.dumps(base))
    key = data.draw(st.sampled_from(sorted(content)))
    if isinstance(content[key], list) and content[key] and data.draw(st.booleans()):
        content[key][0] = data.draw(damage.oddities)
    else:
        content[key] = data.draw(damage.oddities)
    damage.load_or_refuse(written(tmp_path, content))


@pytest.mark.parametrize(("name", "count"), [("poly_mesh.json", 133), ("detail_mesh.json", 323)])
def test_real_meshes(name: str, count: int) -> None:
    graph = load_map(realdata.folder("navmesh") / "recast-output" / name)
    assert isinstance(graph, Graph) and len(graph) == count and graph.parts().max() == 3
    assert graph.areas.sum() == pytest.approx(1575.18, abs=1e-3)
