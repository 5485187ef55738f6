"""fieldcraft's own waypoint graphs, and what all JSON graphs refuse."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.errors import BadMapFile, FieldcraftError, InvalidValue
from fieldcraft.maps import load_map
from fieldcraft.maps.waypoints import save_waypoints
from fieldcraft.space import Graph
from support import damage

SMALL: dict[str, Any] = {
    "vertices": [[0, 0], [3, 4], [6, 0]],
    "edges": [[0, 1], [1, 2, 7.5]],
    "directed": True,
    "blocked": [2],
    "names": ["hall", "cellar", "tower"],
    "y_up": True,
}


def written(folder: Path, content: Any, name: str = "a.json") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_waypoint_graph(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, SMALL))
    assert (
        isinstance(graph, Graph)
        and graph.directed
        and graph.y_up
        and graph.labels == ("hall", "cellar", "tower")
    )
    assert graph.edges.tolist() == [[0, 1], [1, 2]] and graph.lengths.tolist() == [5, 7.5]
    assert graph.walls.tolist() == [False, False, True]
    assert not load_map(written(tmp_path, SMALL), mobility="air").walls.any()
    stairs = {"vertices": [[0, 0, 0], [0, 0, 3]], "edges": [[1, 0]], "max_height": 1.5}
    graph = load_map(written(tmp_path, stairs))
    assert graph.dimensions == 3 and graph.max_height == 1.5 and not graph.directed
    assert load_map(written(tmp_path, stairs), max_height=4).max_height == 4
    assert len(load_map(written(tmp_path, {"vertices": [], "edges": []}))) == 0


def test_there_and_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for number in range(4):
        axes = 2 + number % 2
        edges = rng.integers(0, 30, (50, 2))
        graph = Graph(
            rng.normal(size=(30, axes)),
            edges,
            directed=number > 1,
            blocked=[1, 7],
            max_height=None if axes == 2 else 2.5,
        )
        save_waypoints(tmp_path / "b.json", graph)
        again = load_map(tmp_path / "b.json")
        assert (
            isinstance(again, Graph)
            and again.same_cells(graph)
            and again.max_height == graph.max_height
        )
        np.testing.assert_array_equal(again.walls, graph.walls)
    graph.set_edges(graph.edges[:1])
    with pytest.raises(InvalidValue, match="closed edges"):
        save_waypoints(tmp_path / "c.json", graph)
    with pytest.raises(InvalidValue, match="to_graph"):
        save_waypoints(tmp_path / "c.json", fc.Grid(2, 2))  # type: ignore[arg-type]
    with pytest.raises(BadMapFile, match="written"):
        save_waypoints(tmp_path / "none" / "c.json", Graph([], []))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vertices": None}, "'vertices'"),
        ({"vertices": [[0, 0], [1]]}, r"lists of 2 finite numbers.*\[1\] at 1"),
        ({"vertices": [[0, 0], [1, "2"]]}, "finite numbers"),
        ({"vertices": [[0, 0], [1, True]]}, r"finite numbers.*\[1, True\] at 1"),
        ({"vertices": [[0, 10**400], [1, 2]]}, "finite numbers"),
        ({"vertices": {"a": 1}}, "a list"),
        ({"edges": [[0, 3]]}, r"\(0, 3\)|\[0, 3\]"),
        ({"edges": [[0, 3, 1.5]]}, "between its 3 vertices"),
        ({"edges": [[0, 1, -1]]}, "above 0"),
        ({"edges": [[0, 1, "far"]]}, "lengths"),
        ({"edges": [[0]]}, "lists of 2 whole numbers"),
        ({"edges": [0, 1]}, "lists of 2 whole numbers"),
        ({"edges": [[0.5, 1]]}, "whole numbers"),
        ({"edges": [[0, 2**70]]}, "whole numbers"),
        ({"directed": 1}, "'directed'"),
        ({"blocked": [5]}, "0 to 2"),
        ({"blocked": "all"}, "'blocked'"),
        ({"names": ["a", "a", "b"]}, "different"),
        ({"names": [1, 2, 3]}, "texts"),
        ({"max_height": -1}, "max_height"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, SMALL | change))


def test_nan_and_infinity_are_refused(tmp_path: Path) -> None:
    for word in ("NaN", "Infinity", "1e999"):
        with pytest.raises(BadMapFile, match="finite"):
            load_map(
                written(tmp_path, '{"vertices": [[0, WORD]], "edges": []}'.replace("WORD", word))
            )


def test_options_of_graphs(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
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
    path = written(tmp_path, start + piece * (20_000_000 // len(piece)))
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    path.unlink()
    assert peak < 5 * 20_000_000


def test_too_long_a_file_takes_none(tmp_path: Path) -> None:
    path = written(tmp_path, b'{"vertices": [')
    os.truncate(path, 100_000_000)
    tracemalloc.start()
    with pytest.raises(BadMapFile):
        load_map(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@damage.fuzz
@given(content=damage.damaged(json.dumps(SMALL).encode()))
def test_no_damage_gets_past_the_loader(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))


@damage.fuzz
@given(key=st.sampled_from(sorted(SMALL)), value=damage.oddities, inner=st.booleans())
def test_no_oddity_gets_past_the_loader(tmp_path: Path, key: str, value: Any, inner: bool) -> None:
    content = json.loads(json.dumps(SMALL))
    if inner and isinstance(content[key], list):
        content[key][0] = value
    else:
        content[key] = value
    try:
        text = json.dumps(content)
    except (TypeError, ValueError, FieldcraftError):
        return
    damage.load_or_refuse(written(tmp_path, text.encode("utf-8", "replace")))
