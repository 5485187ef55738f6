"""Vertices and edges of a graph, blocked and open."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.base.shown import shown_as
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cells import checked_cells
from fieldcraft.space.graph.parts import checked_edges
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.space import Space


@shown_as("Graph")
class EdgeSpace(Space):
    """A space whose cells are the vertices of a topology, and whose steps are its arcs."""

    topology: Topology
    _walls: NDArray[np.bool_]
    _blocked_arcs: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.topology)

    @property
    def shape(self) -> tuple[int]:
        """(N,): the shape of one array of values on this graph."""
        return (len(self),)

    @property
    def dimensions(self) -> int:
        """2 for positions (x, y), 3 for (x, y, z)."""
        return int(self.topology.positions.shape[1])

    @property
    def directed(self) -> bool:
        """Whether edges lead one way."""
        return self.topology.directed

    @property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of the vertices, (N, 2) or (N, 3), read-only."""
        return self.topology.positions

    @property
    def edges(self) -> NDArray[np.int64]:
        """The edges, (E, 2), blocked ones included; read-only. In an undirected graph each once,
        with the lower number first.
        """
        shown = self._shown
        pairs = np.stack([self.topology.origins[shown], self.topology.ends[shown]], axis=1)
        return read_only(pairs.astype(np.int64))

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The world lengths of `edges`, (E,); read-only. They never change."""
        return read_only(self.topology.lengths[self._shown])

    @property
    def _shown(self) -> NDArray[np.int64]:
        """The arcs of `edges`."""
        if self.directed:
            return np.arange(len(self.topology.origins))
        return np.flatnonzero(self.topology.origins < self.topology.ends)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Bool of shape (N,): True for blocked vertices, which influence does not enter.
        Read-only.
        """
        return self._walls

    @property
    def blocked_arcs(self) -> NDArray[np.bool_]:
        """Bool by arc of `topology`: True where an edge is blocked. Read-only."""
        return self._blocked_arcs

    def steps_into(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the vertices, blocked ones included, from which an open edge leads into a vertex,
        and the lengths of these edges.
        """
        topology = self.topology
        into = np.arange(topology.starts[cell], topology.starts[cell + 1])
        into = into[~(self.blocked_arcs[into] | self.walls[cell])]
        return topology.origins[into].astype(np.int64), topology.lengths[into]

    def step_lengths(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the lengths of the edges from each of (N,) vertices to the next, (N - 1,)."""
        return self.topology.lengths[self.topology.arcs_between(cells[:-1], cells[1:])]

    def _find_steps(self, *, from_walls: bool) -> Adjacency:
        return self.topology.adjacency(self.walls, self._blocked_arcs, from_walls=from_walls)

    @atomic
    def set_walls(self, cells: ArrayLike, blocked: bool = True) -> None:
        """Block or open vertices, while maps on this graph run; layers update at their next step.

        Influence does not enter a blocked vertex; a source in one acts on its neighbors, as in a
        wall of a grid.

        Parameters
        ----------
        cells : array_like
            Vertices, or a mask: bool of shape (N,).
        blocked : bool, optional
            False opens them.

        Raises
        ------
        OutsideMap
            For vertices that don't exist.
        """
        ids = np.unique(checked_cells(self, cells))
        changed = ids[self._walls[ids] != checks.flag("blocked", blocked)]
        if len(changed):
            # A new array, so that computations with the old one can finish.
            walls = self._walls.copy()
            walls[changed] = blocked
            self._walls = read_only(walls)
            self._changes.add(changed)

    def set_edges(self, edges: ArrayLike, blocked: bool = True) -> None:
        """Block or open edges, while maps on this graph run; layers update at their next step.

        Parameters
        ----------
        edges : array_like
            One pair of vertices, or an (E, 2) array of them. In a directed graph only the edges
            from the first to the second change.
        blocked : bool, optional
            False opens them.

        Raises
        ------
        InvalidValue
            For pairs without an edge between them.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> graph = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.set_edges((1, 2))
        >>> graph.open_edges
        array([[0, 1]])
        """
        pairs = checked_edges(edges, len(self), single=True)
        if not self.directed:
            pairs = np.concatenate([pairs, pairs[:, ::-1]])
        arcs = self.topology.arcs_between(pairs[:, 0], pairs[:, 1])
        if (arcs < 0).any():
            bad = tuple(pairs[int(np.flatnonzero(arcs < 0)[0])].tolist())
            raise InvalidValue(
                "Edges of the graph can be blocked",
                got=f"{bad}, which is not an edge",
                remedy="graph.edges has all of them",
            )
        changed = np.unique(arcs[self._blocked_arcs[arcs] != checks.flag("blocked", blocked)])
        self._change_arcs(changed, blocked)

    def _block_arcs(self, blocked: NDArray[np.bool_]) -> None:
        """Block exactly the arcs of `topology` where a mask is True, as in a saved graph."""
        shape = self._blocked_arcs.shape
        checks.array_of(blocked, shape, "b", "A graph has one bool per arc", f"Pass shape {shape}")
        changed = np.flatnonzero(blocked != self._blocked_arcs)
        self._change_arcs(changed, blocked[changed])

    @atomic
    def _change_arcs(self, changed: NDArray[np.int64], blocked: NDArray[np.bool_] | bool) -> None:
        if len(changed):
            arcs = self._blocked_arcs.copy()
            arcs[changed] = blocked
            self._blocked_arcs = read_only(arcs)
            self._changes.add(np.unique(self.topology.ends[changed]).astype(np.int64))

    @property
    def blocked_edges(self) -> NDArray[np.int64]:
        """The blocked edges, (K, 2), as in `edges`."""
        return self.edges[self._blocked_arcs[self._shown]]

    @property
    def open_edges(self) -> NDArray[np.int64]:
        """The edges that can be used now, (K, 2): neither they nor their vertices are blocked."""
        edges = self.edges
        return edges[~(self._blocked_arcs[self._shown] | self._walls[edges].any(axis=1))]

    def _block(self, walls: ArrayLike | None) -> None:
        """Make exactly these vertices, ids or a mask, walls."""
        blocked = np.zeros(len(self), dtype=np.bool_)
        blocked[[] if walls is None else checked_cells(self, walls)] = True
        self._walls = read_only(blocked)

    def describe_difference(self, other: object) -> str:
        """Return "" for a graph of the same vertices and edges; blocked ones may differ."""
        same = isinstance(other, EdgeSpace) and self.topology.same_as(other.topology)
        return "" if same else f"on {other!r}"
