"""fieldcraft's own waypoint graphs, and what all JSON graphs refuse."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from fieldcraft.space import Graph
from support.map_files import WAYPOINTS, written


def test_a_waypoint_graph(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.json", WAYPOINTS))
    assert (
        isinstance(graph, Graph)
        and graph.directed
        and graph.y_up
        and graph.labels == ("hall", "cellar", "tower")
    )
    assert graph.edges.tolist() == [[0, 1], [1, 2]] and graph.lengths.tolist() == [5, 7.5]
    assert graph.walls.tolist() == [False, False, True]
    assert not load_map(written(tmp_path, "a.json", WAYPOINTS), mobility="air").walls.any()
    stairs = {"vertices": [[0, 0, 0], [0, 0, 3]], "edges": [[1, 0]], "max_height": 1.5}
    graph = load_map(written(tmp_path, "a.json", stairs))
    assert graph.dimensions == 3 and graph.max_height == 1.5 and not graph.directed
    assert load_map(written(tmp_path, "a.json", stairs), max_height=4).max_height == 4
    assert len(load_map(written(tmp_path, "a.json", {"vertices": [], "edges": []}))) == 0


def test_options_of_graphs(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", WAYPOINTS)
    with pytest.raises(InvalidValue, match="edges of its own"):
        load_map(path, neighbors=8)
    with pytest.raises(InvalidValue, match="It takes: mobility, max_height"):
        load_map(path, band=1)
    with pytest.raises(InvalidValue, match="'air'"):
        load_map(path, mobility="swim")


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b'{"vertices": ', b"["),
        (b'{"areas": ', b'{"a":'),
        (b'{"vertices": ', b"[],"),
        (b'{"vertices": "\\\\', b'"\\"["'),
    ],
)
def test_brackets_without_end_take_little(tmp_path: Path, start: bytes, piece: bytes) -> None:
    path = written(tmp_path, "a.json", start + piece * (20_000_000 // len(piece)))
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    path.unlink()
    assert peak < 5 * 20_000_000


def test_too_long_a_file_takes_none(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", b'{"vertices": [')
    os.truncate(path, 100_000_000)
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20
