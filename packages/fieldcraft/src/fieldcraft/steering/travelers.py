"""Agents that travel along the edges of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.kernels.arrays import read_only
from fieldcraft.paths.flow import FlowField
from fieldcraft.paths.flow_fields import GraphFlow
from fieldcraft.query.values import run_in_bands
from fieldcraft.space import Grid, Space
from fieldcraft.steering.arguments import per_agent, rows_of

__all__ = ["Travelers"]

_AGENTS = 4_000  # that pay for waking a thread

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Travelers:
    """Agents on the edges of a graph at one moment: `Travelers.at` makes them, `travel` moves them.

    Attributes
    ----------
    space : Graph, HexGrid or Mesh
        Where they travel.
    vertices : ndarray of int64, (N,)
        The vertices where agents are, or were last.
    arcs : ndarray of int64, (N,)
        The arcs of `space.topology` that they are on, -1 for agents on a vertex.
    gone : ndarray of float64, (N,)
        How far along these arcs they are, in world units.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> road = fc.Graph([(0, 0), (4, 0), (4, 3)], [(0, 1), (1, 2)])
    >>> flow = fc.flow_field(fc.distance_map(road, (4, 3)))
    >>> carts = fc.steering.Travelers.at(road, [(0, 0), (4, 0)])
    >>> carts.travel(flow, 1.5).positions
    array([[1.5, 0. ],
           [4. , 1.5]])
    """

    space: Space
    vertices: Ints
    arcs: Ints
    gone: Floats

    @classmethod
    def at(cls, space: Space, positions: ArrayLike) -> Travelers:
        """Return agents on the vertices nearest to world positions, (N, 2) or (N, 3).

        Raises
        ------
        OutsideMap
            If a position is off the map.
        OnWall
            If the nearest vertex is blocked.
        InvalidValue
            If positions have a wrong shape, or the space is a grid.
        """
        if not isinstance(space, Space) or isinstance(space, Grid):
            raise InvalidValue(
                "Traveling along edges needs a graph",
                got=repr(space)[:120],
                remedy="On a grid use steering.move",
            )
        points, _ = checks.positions(positions, dimensions=space.dimensions)
        vertices = np.empty(0, dtype=np.int64)
        if len(points):
            vertices = np.atleast_1d(np.asarray(space.cell_at(points), dtype=np.int64))
        if space.graph.walls[vertices].any():
            index = int(np.flatnonzero(space.graph.walls[vertices])[0])
            raise OnWall(
                "Travelers stand on open vertices",
                got=(
                    f"{tuple(points[index].tolist())} at index {index}, by the blocked vertex"
                    f" {vertices[index]}"
                ),
                remedy="Use space.nearest_open(cells) and space.position_of(cells)",
            )
        return cls(
            space, vertices, np.full(len(vertices), -1, dtype=np.int64), np.zeros(len(vertices))
        )

    def __len__(self) -> int:
        return len(self.vertices)

    def __repr__(self) -> str:
        return f"<Travelers: {len(self)} on {self.space!r}>"

    def __getitem__(self, agents: ArrayLike) -> Travelers:
        """Return the agents of a mask or of numbers."""
        rows = rows_of(np.arange(len(self)), agents)
        return replace(
            self, vertices=self.vertices[rows], arcs=self.arcs[rows], gone=self.gone[rows]
        )

    def __add__(self, other: Travelers) -> Travelers:
        """Return these agents and then others on the same space."""
        if not isinstance(other, Travelers) or other.space is not self.space:
            raise InvalidValue(
                "Travelers on one space join",
                got=repr(other),
                remedy="Use Travelers.at(travelers.space, positions)",
            )
        columns = ("vertices", "arcs", "gone")
        joined = [np.concatenate([getattr(self, n), getattr(other, n)]) for n in columns]
        return Travelers(self.space, *joined)

    @property
    def heading(self) -> Ints:
        """The vertices at the ends of their arcs, (N,); -1 for agents on a vertex."""
        found = np.full(len(self), -1, dtype=np.int64)
        moving = self.arcs >= 0
        found[moving] = self.space.graph.topology.ends[self.arcs[moving]]
        return found

    @property
    def positions(self) -> Floats:
        """World positions, (N, 2) or (N, 3), on straight lines between vertices."""
        topology, moving = self.space.graph.topology, np.flatnonzero(self.arcs >= 0)
        found = topology.positions[self.vertices].copy()
        share = (self.gone[moving] / topology.lengths[self.arcs[moving]])[:, np.newaxis]
        ends = topology.positions[topology.ends[self.arcs[moving]]]
        found[moving] += share * (ends - found[moving])
        return found

    @property
    def cells(self) -> Ints:
        """The nearer one of the two vertices of their arcs, (N,)."""
        moving = np.flatnonzero(self.arcs >= 0)
        over = self.gone[moving] > self.space.graph.topology.lengths[self.arcs[moving]] / 2
        found = self.vertices.copy()
        found[moving[over]] = self.heading[moving[over]]
        return found

    def travel(self, flow: FlowField | ArrayLike, distances: ArrayLike) -> Travelers:
        """Return these agents after they have travelled.

        They stay on open edges and enter no blocked vertex. An agent on an edge that would come
        straight back from its end, or whose edge is closed, turns round at once if the edge can be
        used both ways; else it waits.

        Parameters
        ----------
        flow : FlowField or array_like of int, shape (N,)
            A flow field on this graph, whose goals agents stop at. Or the next vertex of each
            agent, beside its own or the one it is heading for, where it stops; -1 to stay.
        distances : float or array_like of shape (N,)
            World units: speed times seconds.

        Raises
        ------
        InvalidValue
            If an argument has a wrong value, shape or type.
        """
        topology = self.space.graph.topology
        lengths = per_agent("distances", distances, len(self))
        is_flow = isinstance(flow, FlowField)
        taken = self._arcs_of(flow) if isinstance(flow, FlowField) else self._chosen(flow)
        blocked = self.space.graph.closed | self.space.graph.walls[topology.ends]
        vertices, arcs, gone = self.vertices.copy(), self.arcs.copy(), self.gone.copy()
        edges = topology.origins, topology.ends, topology.lengths, topology.back, read_only(blocked)
        inputs = edges, read_only(taken), read_only(lengths), not is_flow
        outputs = vertices, arcs, gone
        run_in_bands(kernels.travel.travel, inputs, outputs, len(self), _AGENTS)
        return Travelers(self.space, vertices, arcs, gone)

    def _arcs_of(self, flow: FlowField) -> Ints:
        if not isinstance(flow, GraphFlow) or flow.space is not self.space:
            raise InvalidValue(
                "Travelers follow a flow field on their own graph",
                got=repr(flow.space),
                remedy="Build the field on it",
            )
        return flow.arcs

    def _chosen(self, flow: ArrayLike) -> Ints:
        """Return the arcs to the vertices that agents go to next."""
        wanted = checks.array_of(
            flow,
            (len(self),),
            "iu" if len(self) else "iuf",
            "flow is a flow field, or the next vertex of each agent",
            f"Pass {len(self)} whole numbers, -1 to stay",
        )
        heading = self.heading
        starts = np.where((self.arcs >= 0) & (wanted != heading), heading, self.vertices)
        ends = np.where(wanted < 0, starts, wanted).astype(np.int64)
        taken = self.space.graph.topology.arcs_between(starts, ends)
        wrong = (wanted >= 0) & (taken < 0)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            raise InvalidValue(
                "The next vertex is one that an edge leads to",
                got=f"{wanted[index]} from vertex {starts[index]}, of the agent at index {index}",
                remedy="graph.neighbors_of(vertex) lists these",
            )
        return taken
