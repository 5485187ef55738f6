"""Navigation files of Quake, Counter-Strike and Recast."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.formats.maps.navigation import load_quake
from fieldcraft.space import Graph
from support import realdata
from support.map_files import COUNTERSTRIKE, QUAKE, RECAST_DETAIL, RECAST_POLYGONS, written


def test_nodes_and_links(tmp_path: Path) -> None:
    path = written(tmp_path, "a.navjson", QUAKE)
    graph = load_map(path)
    assert isinstance(graph, Graph) and graph.directed and graph.dimensions == 3 and graph.y_up
    ways = dict(zip(map(tuple, graph.edges.tolist()), graph.lengths.tolist(), strict=True))
    assert ways == {(0, 1): 50, (1, 0): 50, (2, 0): 64, (0, 2): 3 + 64 + 3}
    assert load_quake(path, link_types=[0, 3]).edges.tolist() == [
        [1, 0],
        [2, 0],
        [0, 1],
    ]
    assert load_map(path, max_height=20).cell_at((29, 40, 15)) == 1
    with pytest.raises(InvalidValue, match="link_types"):
        load_quake(path, link_types=["lift"])  # type: ignore[list-item]
    with pytest.raises(InvalidValue, match="link_types is a list"):
        load_quake(path, link_types=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path", realdata.files("waypoints", "quake/*.navjson"), ids=lambda path: path.stem
)
def test_real_levels_have_the_nodes_and_links_that_their_list_says(path: Path) -> None:
    listed = (realdata.folder("waypoints") / "README.md").read_text()
    row = re.search(rf"\| {path.name} \| [^|]+ \| (\d+) \| (\d+) \|", listed)
    assert row is not None
    graph = load_map(path)
    assert isinstance(graph, Graph) and (len(graph), len(graph.edges)) == tuple(
        map(int, row.groups())
    )
    np.testing.assert_array_equal(graph.cell_at(graph.positions), np.arange(len(graph)))
    straight = np.sqrt(
        ((graph.positions[graph.edges[:, 0]] - graph.positions[graph.edges[:, 1]]) ** 2).sum(axis=1)
    )
    assert (graph.lengths >= straight * (1 - 1e-12)).all()
    back = {(b, a) for a, b in map(tuple, graph.edges.tolist())}
    one_way = len(set(map(tuple, graph.edges.tolist())) - back)
    assert 0.05 < one_way / len(graph.edges) < 0.19
    layer = fc.InfluenceMap(graph).add_layer("noise", fc.Spread(0, 1))
    layer.add_source(graph.positions[0])
    layer.settle()
    assert set(np.flatnonzero(layer.values).tolist()) == {0} | nx.descendants(
        graph.to_networkx(), 0
    )


def test_areas_and_connections(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.json", COUNTERSTRIKE))
    assert isinstance(graph, Graph) and graph.directed and graph.labels == (7, 9, 12)
    assert graph.edges.tolist() == [[1, 0], [0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [16, 8, 8])
    assert graph.cell_at([(3.9, 3.9, 1), (4.1, 0.05, 1), (3, 1, 8)]).tolist() == [0, 1, 2]


def test_a_real_level_of_counter_strike() -> None:
    graph = load_map(realdata.folder("navmesh") / "cs2" / "de_dust2.json")
    assert (
        isinstance(graph, Graph)
        and (len(graph), len(graph.edges)) == (2248, 6285)
        and graph.parts().max() == 0
    )
    middles = graph.positions[:, :]
    found = np.asarray(graph.cell_at(middles))
    assert np.mean(found == np.arange(2248)) > 0.99  # a few areas overlap


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
