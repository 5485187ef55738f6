"""Counter-Strike navigation files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fieldcraft.formats.maps import load_map
from fieldcraft.space import Graph
from support import realdata
from support.map_files import COUNTERSTRIKE, written


def test_areas_and_connections(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.json", COUNTERSTRIKE))
    assert isinstance(graph, Graph) and graph.directed and graph.labels == (7, 9, 12)
    assert graph.edges.tolist() == [[1, 0], [0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [16, 8, 8])
    assert graph.cell_at([(3.9, 3.9, 1), (4.1, 0.05, 1), (3, 1, 8)]).tolist() == [0, 1, 2]


def test_a_real_level() -> None:
    graph = load_map(realdata.folder("navmesh") / "cs2" / "de_dust2.json")
    assert (
        isinstance(graph, Graph)
        and (len(graph), len(graph.edges)) == (2248, 6285)
        and graph.parts().max() == 0
    )
    middles = graph.positions[:, :]
    found = np.asarray(graph.cell_at(middles))
    assert np.mean(found == np.arange(2248)) > 0.99  # a few areas overlap
