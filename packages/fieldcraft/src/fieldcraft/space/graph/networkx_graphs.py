"""Conversion of graphs from and to networkx."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.space.graph.edges import EdgeSpace


class NetworkxParts(NamedTuple):
    """What a `Graph` is built from."""

    positions: list[Any]
    edges: NDArray[np.int64]
    lengths: NDArray[np.float64] | None
    directed: bool
    blocked: NDArray[np.bool_]
    blocked_edges: list[tuple[int, ...]]
    labels: list[Hashable]


def networkx_parts(graph: Any, position: str | None, length: str | None) -> NetworkxParts:
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
    blocked = [key for key, value in is_blocked.items() if value and key[0] != key[1]]
    return NetworkxParts(places, pairs, sizes, directed, walls, blocked, labels)


def to_networkx(
    graph: EdgeSpace, labels: Sequence[Hashable] | None, blocked: NDArray[np.bool_]
) -> Any:
    """See `Graph.to_networkx`; `labels` are the names of the nodes, and `blocked` (E,) marks the
    blocked `graph.edges`.
    """
    with needs("networkx", "maps", "Graph.to_networkx"):
        import networkx  # type: ignore[import-untyped]
    if graph.directed:
        made = networkx.DiGraph()
    else:
        made = networkx.Graph()
    names: Sequence[Hashable] = range(len(graph)) if labels is None else labels
    walls = graph.walls.tolist()
    for number, (name, place) in enumerate(zip(names, graph.positions.tolist(), strict=True)):
        made.add_node(name, pos=tuple(place), blocked=walls[number])
    columns = (graph.edges, graph.lengths, blocked)
    for (start, end), size, is_blocked in zip(*(each.tolist() for each in columns), strict=True):
        made.add_edge(names[start], names[end], length=size, blocked=is_blocked)
    return made
