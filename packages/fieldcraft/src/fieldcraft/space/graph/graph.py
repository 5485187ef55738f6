"""Waypoint graphs and navigation meshes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.interruption import atomic
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cells import checked_cells
from fieldcraft.space.changes import WallChanges
from fieldcraft.space.graph.graph_checks import (
    checked_edges,
    checked_labels,
    checked_mesh,
    checked_positions,
    edge_lengths,
)
from fieldcraft.space.graph.networkx_graphs import GraphParts, from_networkx, to_networkx
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.mesh.joining import joined
from fieldcraft.space.mesh.mesh import Mesh
from fieldcraft.space.space import Space

# height above or below a polygon at which points count as on it, as a share of the coordinates
_ON_FLOOR = 1e-12


class Graph(Space):
    """Vertices with positions, and the edges between them.

    Vertices are numbered from 0, and these numbers are the cells of the space. Arrays of values
    have shape (N,). Positions are (x, y), or (x, y, z) with z upwards.

    Of several edges between the same two vertices (of an undirected graph: in either direction) the
    shortest counts. Edges from a vertex to itself are left out. Vertices without edges are allowed,
    and so is a graph without vertices.

    Parameters
    ----------
    positions : array_like
        (N, 2) or (N, 3) world positions of the vertices; several may be equal.
    edges : array_like
        (E, 2) pairs of vertex numbers. In a directed graph they lead from the first to the second.
    lengths : array_like, optional
        (E,) world lengths above 0; by default the straight distances.
    directed : bool, optional
        Whether edges lead one way.
    blocked : array_like, optional
        Vertices that are walls at first, as numbers or as bool of shape (N,).
    max_height : float, optional
        Largest difference in height between a position and its vertex, in world units, which
        separates floors of 3D graphs; any height if absent. On a mesh, a position that is farther
        above or below its polygon is off the map, unless another polygon at its height is nearer;
        `outside="clamp"` takes the polygon below or above it.
    mesh : Mesh, optional
        The polygons of the vertices, in their order; see `Mesh`. `cell_at` then returns the polygon
        below or above a position.
    labels : Sequence[Hashable], optional
        Names of the vertices, different hashable values, stored for lookups.
    y_up : bool, optional
        Whether y grows upwards in pictures.
    squares : Grid, optional
        The grid whose cells are the vertices, with the same numbers: then positions belong to
        cells, and blocked vertices are opaque as walls of the grid are. Only its shape and place
        count. `Grid.to_graph` passes it.

    Raises
    ------
    InvalidValue
        For wrong shapes and types, positions that are not finite, edges to vertices that don't
        exist, and lengths that are not finite and above 0; this includes straight distances between
        equal positions.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> rooms = fc.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)])
    >>> fc.distance_map(rooms, (0, 0)).values
    array([0., 3., 7.], dtype=float32)
    >>> rooms.neighbors_of(1)
    array([0, 2])
    """

    cell_name = "vertex"
    axes = "(N,)"
    topology: Topology
    _walls: NDArray[np.bool_]
    _blocked_arcs: NDArray[np.bool_]

    def __init__(
        self,
        positions: ArrayLike,
        edges: ArrayLike,
        lengths: ArrayLike | None = None,
        directed: bool = False,
        *,
        blocked: ArrayLike | None = None,
        max_height: float | None = None,
        mesh: Mesh | None = None,
        labels: Sequence[Hashable] | None = None,
        y_up: bool = False,
        squares: Grid | None = None,
    ) -> None:
        places = checked_positions(positions)
        directed = checks.flag("directed", directed)
        pairs = checked_edges(edges, len(places))
        sizes = edge_lengths(places, pairs, lengths)
        keep = pairs[:, 0] != pairs[:, 1]
        if squares is not None:
            _check_squares(squares, places, mesh)
        topology = Topology(places, pairs[keep], sizes[keep], directed)
        self.topology = topology
        self._mesh = checked_mesh(mesh, topology)
        self.y_up = checks.flag("y_up", y_up)
        self.labels: tuple[Hashable, ...] | None = None
        if labels is not None:
            self.labels = checked_labels(labels, len(places))
        self.max_height: float | None = None
        if max_height is not None:
            self.max_height = checks.not_negative("max_height", max_height)
        self._blocked_arcs = read_only(np.zeros(len(topology.origins), dtype=np.bool_))
        self._squares = squares
        self._begin()
        self._block(blocked)

    def _begin(self) -> None:
        """Clear the history of changes."""
        self._changes = WallChanges(len(self))
        # the walls, and the squares that they are on
        self._squared: tuple[NDArray[np.bool_], Grid] | None = None

    @classmethod
    def from_polygons(
        cls,
        corners: ArrayLike,
        polygons: Sequence[ArrayLike] | ArrayLike,
        *,
        weld: float | None = None,
        max_height: float | None = None,
        y_up: bool = False,
    ) -> Graph:
        """Return the graph of a navigation mesh: a vertex at the center of each convex polygon, and
        an edge between two that share a side.

        The length of an edge is that of the path from center to center over the middle of the
        shared side.

        Polygons that touch without sharing corners are joined: corners that are in one place or
        close together become one, and a corner on the side of a neighbor becomes a corner of that
        polygon too, so that `mesh.rings` may have more corners than `polygons`. The logger
        `fieldcraft.space.mesh.joining` says how many. For polygons that have to stay apart use
        `Graph(..., mesh=Mesh(corners, polygons))`, or block edges.

        Parameters
        ----------
        corners : array_like of shape (C, 2) or (C, 3)
            World positions.
        polygons : sequence of array_like, or array_like of shape (P, 3)
            Lists of at least three corner numbers, or triangles.
        weld : float, optional
            Distance up to which corners are one, and lie on a side, in world units. By default a
            thousandth of the shortest side that ends in a corner, and 0.0004 of the side that a
            corner lies on. With 0 only what touches exactly is joined.
        max_height, y_up
            As for `Graph`.

        Raises
        ------
        InvalidValue
            For corners that don't exist and invalid polygons, and for a `weld` that joins two
            corners of one polygon.
        """
        if weld is not None:
            weld = checks.not_negative("weld", weld)
        mesh = joined(Mesh(corners, polygons), weld)
        pairs, lengths = mesh.neighbors()
        return cls(mesh.centers, pairs, lengths, max_height=max_height, mesh=mesh, y_up=y_up)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        position: str | None = "pos",
        length: str | None = None,
        max_height: float | None = None,
    ) -> Graph:
        """Return the graph of a networkx graph; `labels` are its nodes, in the order of the
        vertices.

        Of parallel edges the shortest counts. Nodes and edges with a true attribute "blocked" are
        blocked, parallel edges if all of them are.

        Parameters
        ----------
        graph : networkx.Graph or DiGraph
            The graph.
        position : str, optional
            Node attribute with (x, y) or (x, y, z); None uses the nodes themselves.
        length : str, optional
            Edge attribute with the length, "length" after `to_networkx`; None uses straight
            distances.
        max_height : float, optional
            As for `Graph`.

        Raises
        ------
        InvalidValue
            For other objects, for nodes and edges without these attributes, and for a "blocked"
            that is not a bool.
        """
        parts = from_networkx(graph, position, length)
        made = cls(
            parts.positions,
            parts.edges,
            parts.lengths,
            parts.directed,
            blocked=parts.blocked,
            max_height=max_height,
            labels=parts.labels,
        )
        made.set_edges(parts.edges[parts.blocked_edges])
        return made

    def to_networkx(self) -> Any:
        """Return a networkx Graph, or DiGraph if this graph is directed. Its nodes are `labels` if
        there are any, else vertex numbers.

        Nodes have "pos", a tuple, and "blocked"; edges "length" and "blocked". A mesh and squares
        are left out. Raises `MissingLibrary` without networkx.
        """
        labels: Sequence[Hashable] = range(len(self))
        if self.labels is not None:
            labels = self.labels
        parts = GraphParts(
            self.positions,
            self.edges,
            self.lengths,
            self.directed,
            self.walls,
            self._blocked_arcs[self._edge_arcs],
            labels,
        )
        return to_networkx(parts)

    def __repr__(self) -> str:
        blocked = int(np.count_nonzero(self._walls))
        what = "Graph"
        if self.directed:
            what = "directed Graph"
        if self.mesh is not None:
            what += " of a mesh"
        return (
            f"<{what}, {len(self)} vertices in {self.dimensions}D, {len(self._edge_arcs)} edges,"
            f" {len(self) - blocked} open vertices>"
        )

    # Vertices and edges

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
        arcs = self._edge_arcs
        pairs = np.stack([self.topology.origins[arcs], self.topology.ends[arcs]], axis=1)
        return read_only(pairs.astype(np.int64))

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The world lengths of `edges`, (E,); read-only. They never change."""
        return read_only(self.topology.lengths[self._edge_arcs])

    @property
    def _edge_arcs(self) -> NDArray[np.int64]:
        """The arcs of `edges`: of two arcs of an undirected edge the one to the higher number."""
        if self.directed:
            return np.arange(len(self.topology.origins))
        return np.flatnonzero(self.topology.origins < self.topology.ends)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Bool of shape (N,): True for blocked vertices, which influence does not enter.

        It is read-only: `set_walls` changes walls.
        """
        return self._walls

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        walls = walls.setter(refuse_to_set("walls"))

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
        return self.edges[self._blocked_arcs[self._edge_arcs]]

    @property
    def open_edges(self) -> NDArray[np.int64]:
        """The edges that can be used now, (K, 2): neither they nor their vertices are blocked."""
        edges = self.edges
        return edges[~(self._blocked_arcs[self._edge_arcs] | self._walls[edges].any(axis=1))]

    def _block(self, walls: ArrayLike | None) -> None:
        """Make exactly these vertices, ids or a mask, walls."""
        blocked = np.zeros(len(self), dtype=np.bool_)
        if walls is not None:
            blocked[checked_cells(self, walls)] = True
        self._walls = read_only(blocked)

    def describe_difference(self, other: object) -> str:
        """Return "" for a graph of the same vertices and edges; blocked ones may differ."""
        if isinstance(other, Graph) and self.topology.same_as(other.topology):
            return ""
        return f"on {other!r}"

    # Polygons and squares

    @property
    def mesh(self) -> Mesh | None:
        """The polygons of the vertices, or None."""
        return self._mesh

    @property
    def areas(self) -> NDArray[np.float64]:
        """The area of each vertex, (N,): that of its polygon seen from above, or 1 without a
        mesh.
        """
        if self.mesh is None:
            return np.ones(len(self))
        return self.mesh.areas

    @property
    def sight_grid(self) -> Grid | None:
        """The grid whose cells are the vertices, with walls where vertices are blocked now; None
        for other graphs.

        Lines of sight run over it. It is a new grid after each change, so that changing it does not
        change this graph.
        """
        if self._squares is None:
            return None
        walls = self._walls
        known = self._squared
        # A grid whose walls somebody has changed is replaced, too.
        if known is None or known[0] is not walls or known[1].walls_version != 0:
            self._squares = self._squares.with_walls(walls.reshape(self._squares.shape))
            known = (walls, self._squares)
            self._squared = known
        return known[1]

    def _check_hides(self) -> None:
        if self._squares is not None or self.mesh is not None:
            return
        remedy = "Give the graph polygons: fc.Graph.from_polygons"
        if self.period is not None:
            remedy = "Use a map with wrap=False: hexagons that wrap have no straight lines"
        raise InvalidValue(
            "Cells are opaque where there are lines of sight: on grids, on hexagons without wrap"
            " and on meshes",
            got=f"set_opaque() on {self!r}",
            remedy=remedy,
        )

    @property
    def period(self) -> NDArray[np.float64] | None:
        """The period of the squares, or None."""
        if self._squares is None:
            return None
        return self._squares.period

    def wrapped(self, positions: NDArray[Any]) -> NDArray[np.float64]:
        """See `Space.wrapped`."""
        if self._squares is None:
            return super().wrapped(positions)
        return self._squares.wrapped(positions)

    @property
    def graph(self) -> Graph:
        """The graph itself."""
        return self

    @property
    def extent(self) -> NDArray[np.float64]:
        """The lowest and the highest corner of a box around all vertices, or all polygons of a
        mesh, (2, 2) or (2, 3); 0 for an empty graph.
        """
        if self.mesh is None:
            places = self.positions
        else:
            places = self.mesh.corners
        if not len(places):
            return np.zeros((2, self.dimensions))
        return np.stack([places.min(axis=0), places.max(axis=0)])

    def describe(self, cell: int | None = None) -> str:
        """Return the size, "40 vertices", or the name of a vertex."""
        if cell is None:
            return f"{len(self)} vertices"
        return f"vertex {cell}"

    # Cells and positions

    def _locate(self, points: NDArray[np.float64], outside: IfOutside) -> NDArray[np.int64]:
        """Return the vertices of points: with squares the one that contains each, or the nearest;
        with a mesh that of the polygon below or above, if it is nearer than the nearest center of a
        polygon. A point too high over a polygon is off the map, unless another polygon at its
        height is nearer than that.
        """
        # larger distances overflow
        points = np.clip(points, -checks.LARGEST, checks.LARGEST)
        found = self._find(points, self.max_height)
        missing = np.flatnonzero(found < 0)
        if len(missing) and outside == "clamp" and len(self):
            found[missing] = self._find(points[missing], None)
        elif len(missing):
            height = ""
            if self.max_height is not None:
                height = f" at most {self.max_height:g} above or below it"
            got = str(tuple(points[missing[0]].tolist()))
            if len(points) > 1:
                got += f" at index {missing[0]}"
            remedy = 'Correct the position, allow a larger max_height, or pass outside="clamp"'
            if not len(self):
                remedy = "Give the graph vertices"
            raise OutsideMap(
                f"A position has a vertex of the graph{height}", got=got, remedy=remedy
            )
        return found

    def _find(self, points: NDArray[np.float64], max_height: float | None) -> NDArray[np.int64]:
        if self._squares is not None:
            return self._squares._locate(points, "clamp")
        if self.mesh is None:
            return self.topology.nearest(points, max_height)
        inside, _, height = self.mesh.locate(points, max_height)
        found = np.append(self.mesh.triangle_polygons, -1)[inside]
        # Points on a polygon need no search for the nearest center.
        others = np.flatnonzero(height > 0)
        least = _ON_FLOOR * (1 + np.abs(points[others]).max(axis=1, initial=0))
        others = others[height[others] > least]
        near = self.topology.nearest(points[others], max_height)
        if len(self):
            away = np.sqrt(((self.positions[near] - points[others]) ** 2).sum(axis=1))
        else:
            away = np.zeros(len(others))
        found[others] = np.where(
            (found[others] >= 0) & ((near < 0) | (height[others] <= away)), found[others], near
        )
        if max_height is not None:
            self._leave_out_elsewhere(points, found, others[(inside[others] < 0) & (near >= 0)])
        return found

    def _leave_out_elsewhere(
        self, points: NDArray[np.float64], found: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> None:
        """Set the found vertex to -1 where a position is too high or too low over one polygon, and
        another at its height is farther away than that: it does not belong to the other one.
        """
        if not len(rows) or self.dimensions == 2:
            return
        mesh = self.mesh
        assert mesh is not None
        below, _, height = mesh.locate(points[rows])
        rows = rows[below >= 0]
        height = height[below >= 0]
        if len(rows):
            aside = mesh.distances_to_sides(found[rows], points[rows])
            found[rows[aside > height]] = -1

    def position_of(self, cells: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions of vertices: (2,) or (3,) for one, (N, 2) or (N, 3) for
        many.
        """
        return np.asarray(self.positions[checked_cells(self, cells)]).copy()

    def _nearest_of(self, free: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        squares = self.sight_grid
        if squares is None:
            return self.topology.nearest_of(free, cells)
        return squares._nearest_of(free, cells)

    def with_walls(self, walls: ArrayLike | None) -> Graph:
        """Return the same graph with other vertices blocked (None for none), such as for another
        mobility. Blocked edges stay blocked.
        """
        twin = Graph.__new__(Graph)
        twin.__dict__ |= self.__dict__
        twin._mesh = self.mesh
        twin._cache = {}  # cached results depend on walls
        twin._begin()
        twin._block(walls)
        return twin


def _check_squares(squares: object, places: NDArray[np.float64], mesh: Mesh | None) -> None:
    """Refuse squares whose cells are not the vertices."""
    if not isinstance(squares, Grid) or not np.array_equal(squares.positions, places):
        got = f"{squares!r} for {len(places)} vertices"
        if mesh is not None:
            got += " and a mesh"
        raise InvalidValue(
            "squares are a grid whose cells are the vertices, in their order, for graphs without a"
            " mesh",
            got=got[:160],
            remedy="Pass grid.position_of(range(len(grid))) as positions, or use grid.to_graph()",
        )
