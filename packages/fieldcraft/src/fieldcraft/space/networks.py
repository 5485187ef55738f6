"""Graphs of networkx, taken over and given."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.space.graph import Graph
from fieldcraft.space.graph_parts import are_cells
from fieldcraft.space.grid import Grid

__all__ = ["from_networkx", "to_networkx"]

_SQUARES = (
    "width",
    "height",
    "cell_size",
    "origin",
    "y_up",
    "wrap",
)  # what networkx is told of a grid


def from_networkx(
    kind: type[Graph],
    graph: Any,
    position: str | None,
    length: str | None,
    max_height: float | None,
) -> Graph:
    """See `Graph.from_networkx`."""
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
    walls = np.array(
        [_shut(graph.nodes[label], f"node {label!r}") for label in labels], dtype=np.bool_
    )
    squares = _squares_from(getattr(graph, "graph", {}), places)
    y_up = squares is not None and squares.y_up
    made = kind(
        places,
        pairs,
        sizes,
        directed,
        blocked=walls,
        max_height=max_height,
        labels=labels,
        y_up=y_up,
        squares=squares,
    )
    shut: dict[tuple[int, int], bool] = {}
    for (a, b, data), pair in zip(graph.edges(data=True), pairs.tolist(), strict=True):
        key = (pair[0], pair[1]) if directed else (min(pair), max(pair))
        if key[0] != key[1]:
            shut[key] = _shut(data, f"edge {(a, b)!r}") and shut.get(key, True)
    closed = [key for key, is_shut in shut.items() if is_shut]
    if closed:
        made.set_edges(closed)
    return made


def to_networkx(graph: Graph, closed: NDArray[np.bool_]) -> Any:
    """See `Graph.to_networkx`; `closed` says which of `graph.edges` are."""
    try:
        import networkx  # type: ignore[import-untyped]
    except ImportError:
        raise MissingLibrary("networkx", "maps", "Graph.to_networkx") from None
    made = networkx.DiGraph() if graph.directed else networkx.Graph()
    names: Sequence[Hashable] = range(len(graph)) if graph.labels is None else graph.labels
    walls = graph.walls.tolist()
    for number, (name, place) in enumerate(zip(names, graph.positions.tolist(), strict=True)):
        made.add_node(name, pos=tuple(place), blocked=walls[number])
    for (start, end), size, shut in zip(
        graph.edges.tolist(), graph.lengths.tolist(), closed.tolist(), strict=True
    ):
        made.add_edge(names[start], names[end], length=size, blocked=shut)
    squares = graph.squares
    if squares is not None:
        made.graph["squares"] = {name: getattr(squares, name) for name in _SQUARES}
    return made


def _squares_from(attributes: Mapping[str, Any], places: ArrayLike) -> Grid | None:
    """The squares that networkx was told of, if their cells are where the nodes are."""
    known = attributes.get("squares")
    squares = (
        Grid(**known) if isinstance(known, Mapping) and sorted(known) == sorted(_SQUARES) else None
    )
    return squares if are_cells(squares, places) else None


def _shut(data: Mapping[str, Any], what: str) -> bool:
    """Whether a node or an edge of networkx is blocked."""
    blocked = data.get("blocked", False)
    if not isinstance(blocked, (bool, np.bool_)):
        raise InvalidValue(
            'The attribute "blocked" is True or False',
            got=f"{blocked!r} at {what}",
            remedy="Rename the attribute, or mend it",
        )
    return bool(blocked)
