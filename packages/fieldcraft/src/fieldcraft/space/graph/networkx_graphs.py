"""Conversion of graphs from and to networkx."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs


class GraphParts(NamedTuple):
    """What a `Graph` is built from; `blocked` (N,) marks vertices, `blocked_edges` (E,) edges."""

    positions: ArrayLike
    edges: NDArray[np.int64]
    lengths: NDArray[np.float64] | None
    directed: bool
    blocked: NDArray[np.bool_]
    blocked_edges: NDArray[np.bool_]
    labels: Sequence[Hashable]


def from_networkx(graph: Any, position: str | None, length: str | None) -> GraphParts:
    """Return the parts of a networkx graph; see `Graph.from_networkx`."""
    for method in ("nodes", "edges", "is_directed"):
        if not hasattr(graph, method):
            raise InvalidValue(
                "from_networkx takes a networkx graph",
                got=type(graph).__name__,
                remedy="Pass nx.Graph() or nx.DiGraph()",
            )
    labels = list(graph.nodes)
    numbers = {label: number for number, label in enumerate(labels)}
    try:
        places = [label if position is None else graph.nodes[label][position] for label in labels]
    except KeyError:
        raise InvalidValue(
            f"Every node has an attribute {position!r}",
            got="a node without it",
            remedy="Pass position= the name of yours",
        ) from None
    pairs = np.array([(numbers[a], numbers[b]) for a, b in graph.edges()], dtype=np.int64).reshape(
        -1, 2
    )
    sizes = None
    if length is not None:
        try:
            sizes = np.array(
                [data[length] for _, _, data in graph.edges(data=True)], dtype=np.float64
            )
        except (KeyError, TypeError, ValueError):
            raise InvalidValue(
                f"Every edge has a number as its attribute {length!r}",
                got="an edge without it",
                remedy="Pass length= the name of yours, or None for straight distances",
            ) from None
    directed = bool(graph.is_directed())
    nodes = [graph.nodes[label].get("blocked", False) for label in labels]
    walls = np.array([checks.flag("blocked", value) for value in nodes], dtype=np.bool_)
    is_blocked: dict[tuple[int, ...], bool] = {}
    for (_, _, data), pair in zip(graph.edges(data=True), pairs.tolist(), strict=True):
        key = tuple(pair if directed else sorted(pair))
        value = checks.flag("blocked", data.get("blocked", False))
        is_blocked[key] = value and is_blocked.get(key, True)
    keys = [tuple(pair if directed else sorted(pair)) for pair in pairs.tolist()]
    blocked = np.array([is_blocked[key] and key[0] != key[1] for key in keys], dtype=np.bool_)
    return GraphParts(places, pairs, sizes, directed, walls, blocked, labels)


def to_networkx(parts: GraphParts) -> Any:
    """See `Graph.to_networkx`."""
    with needs("networkx", "maps", "Graph.to_networkx"):
        import networkx  # type: ignore[import-untyped]
    if parts.directed:
        made = networkx.DiGraph()
    else:
        made = networkx.Graph()
    walls = parts.blocked.tolist()
    places = np.asarray(parts.positions).tolist()
    for name, place, is_wall in zip(parts.labels, places, walls, strict=True):
        made.add_node(name, pos=tuple(place), blocked=is_wall)
    lengths = np.asarray(parts.lengths).tolist()
    blocked = parts.blocked_edges.tolist()
    for (start, end), size, is_blocked in zip(parts.edges.tolist(), lengths, blocked, strict=True):
        made.add_edge(parts.labels[start], parts.labels[end], length=size, blocked=is_blocked)
    return made
