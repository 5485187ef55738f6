"""Quake navigation files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps import load_map
from fieldcraft.maps.quake import load_quake
from fieldcraft.space import Graph
from support import damage, realdata

LIFT = {
    "Target": [0, 0, 64],
    "Type": 6,
    "Traversal": [[0, 0, 0], [3, 0, 0], [3, 0, 64]],
    "Edict": {"EntityId": 3},
}
SMALL: dict[str, Any] = {
    "Version": 2,
    "Map": {"Name": "a room"},
    "Nodes": [
        {
            "Origin": [0, 0, 0],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [30, 40, 0], "Type": 0}, LIFT],
        },
        {
            "Origin": [30, 40, 0],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [0, 0, 0], "Type": 0}],
        },
        {
            "Origin": [0, 0, 64],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [0, 0, 0], "Type": 3}],
        },
    ],
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.navjson"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def changed(path: str, value: Any) -> dict[str, Any]:
    """The small file with one thing replaced, by a path such as Nodes.0.Origin."""
    content = json.loads(json.dumps(SMALL))
    *way, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    place = content
    for step in way:
        place = place[step]
    place[last] = value
    return content


def test_nodes_and_links(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, SMALL))
    assert isinstance(graph, Graph) and graph.directed and graph.dimensions == 3 and graph.y_up
    ways = dict(zip(map(tuple, graph.edges.tolist()), graph.lengths.tolist(), strict=True))
    assert ways == {(0, 1): 50, (1, 0): 50, (2, 0): 64, (0, 2): 3 + 64 + 3}
    assert load_quake(written(tmp_path, SMALL), link_types=[0, 3]).edges.tolist() == [
        [1, 0],
        [2, 0],
        [0, 1],
    ]
    assert load_map(written(tmp_path, SMALL), max_height=20).cell_at((29, 40, 15)) == 1
    with pytest.raises(InvalidValue, match="link_types"):
        load_quake(written(tmp_path, SMALL), link_types=["lift"])  # type: ignore[list-item]
    with pytest.raises(InvalidValue, match="several whole numbers"):
        load_quake(written(tmp_path, SMALL), link_types=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("Nodes", None, "'Nodes'"),
        ("Nodes.0", 3, "A node .* is an object"),
        ("Nodes.0.Origin", [1, 2], "3 finite numbers"),
        ("Nodes.0.Origin", [30, 40, 0], "share one"),
        ("Nodes.0.Links", {}, "'Links'"),
        ("Nodes.0.Links.0", None, "A link"),
        ("Nodes.0.Links.0.Target", [30, 40, 0.5], r"to \[30.0, 40.0, 0.5\]"),
        ("Nodes.0.Links.1.Traversal", [[1, 2]], "traversal"),
        ("Nodes.0.Links.1.Traversal", 4, "'Traversal'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, path: str, value: Any, said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, changed(path, value)))


@damage.fuzz
@given(content=damage.damaged(json.dumps(SMALL).encode()))
def test_no_damage_gets_past_the_loader(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))


@damage.fuzz
@given(
    path=st.sampled_from(
        [
            "Nodes",
            "Nodes.0",
            "Nodes.1.Origin",
            "Nodes.0.Links",
            "Nodes.0.Links.0",
            "Nodes.0.Links.0.Target",
            "Nodes.0.Links.1.Traversal",
            "Nodes.0.Links.1.Traversal.1",
            "Nodes.2.Links.0.Type",
        ]
    ),
    value=damage.oddities,
)
def test_no_oddity_gets_past_the_loader(tmp_path: Path, path: str, value: Any) -> None:
    damage.load_or_refuse(
        written(tmp_path, json.dumps(changed(path, value)).encode("utf-8", "replace"))
    )
    damage.load_or_refuse(
        written(tmp_path, json.dumps(changed(path, value)).encode("utf-8", "replace")),
        link_types=[0],
    )


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
