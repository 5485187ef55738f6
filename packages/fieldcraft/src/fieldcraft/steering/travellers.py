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
from fieldcraft.query.ground import crowd
from fieldcraft.space import Space, needs
from fieldcraft.steering.arguments import chosen_rows, limits

__all__ = ["Travellers"]

_AGENTS = 4_000  # as many pay for waking a thread

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Travellers:
    """Agents on the edges of a graph at one moment: plain arrays, one row each. `Travellers.at`
    makes them, `travel` takes them further.

    `vertices` (N,) int64 are where they stand, or were last; `arcs` (N,) int64 the arcs of
    `space.topology` that they are on, -1 for who stands on a vertex; `gone` (N,) float64 how far
    along these they are, in world units.
    """

    space: Space
    vertices: Ints
    arcs: Ints
    gone: Wide

    @classmethod
    def at(cls, space: Space, positions: ArrayLike) -> Travellers:
        """Agents on the vertices nearest to (N, 2) or (N, 3) world positions. Raises `OutsideMap`,
        `OnWall` or `InvalidValue`.
        """
        needs(space, "graph", "Travelling along edges", remedy="On a grid use steering.move")
        points, _ = checks.positions(positions, dimensions=space.dimensions)
        vertices = (
            np.atleast_1d(np.asarray(space.cell_at(points), dtype=np.int64))
            if len(points)
            else np.empty(0, dtype=np.int64)
        )
        if space.graph.walls[vertices].any():
            index = int(np.flatnonzero(space.graph.walls[vertices])[0])
            raise OnWall(
                "Travellers stand on open vertices",
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
        return f"<Travellers: {len(self)} on {self.space!r}>"

    def __getitem__(self, agents: ArrayLike) -> Travellers:
        """The agents of a mask or of numbers."""
        rows = chosen_rows(np.arange(len(self)), agents)
        return replace(
            self, vertices=self.vertices[rows], arcs=self.arcs[rows], gone=self.gone[rows]
        )

    def __add__(self, other: Travellers) -> Travellers:
        """These agents and then others on the same space."""
        if not isinstance(other, Travellers) or other.space is not self.space:
            raise InvalidValue(
                "Travellers on one space join",
                got=repr(other),
                remedy="Use Travellers.at(travellers.space, positions)",
            )
        columns = ("vertices", "arcs", "gone")
        mine, yours = ([getattr(each, name) for name in columns] for each in (self, other))
        return Travellers(self.space, *map(np.concatenate, zip(mine, yours, strict=True)))

    @property
    def heading(self) -> Ints:
        """The vertices that they are on the way to, (N,); -1 for who stands on one."""
        found = np.full(len(self), -1, dtype=np.int64)
        some = self.arcs >= 0
        found[some] = self.space.graph.topology.ends[self.arcs[some]]
        return found

    @property
    def positions(self) -> Wide:
        """Where they are, (N, 2) or (N, 3): on straight lines between vertices; an edge that is
        longer is walked at an even pace.
        """
        topology = self.space.graph.topology
        found = topology.positions[self.vertices].copy()
        some = np.flatnonzero(self.arcs >= 0)
        arcs = self.arcs[some]
        share = (self.gone[some] / topology.lengths[arcs])[:, np.newaxis]
        found[some] += share * (topology.positions[topology.ends[arcs]] - found[some])
        return found

    @property
    def cells(self) -> Ints:
        """The nearer one of the two vertices that each is between, along the edge, (N,): where it
        is for a layer.
        """
        found = self.vertices.copy()
        some = np.flatnonzero(self.arcs >= 0)
        arcs = self.arcs[some]
        over = self.gone[some] > self.space.graph.topology.lengths[arcs] / 2
        found[some[over]] = self.space.graph.topology.ends[arcs[over]]
        return found

    def travel(self, way: FlowField | ArrayLike, distances: ArrayLike) -> Travellers:
        """The same agents after so much more of their way. Nobody leaves an edge, passes a closed
        one or enters a blocked vertex.

        Parameters
        ----------
        way : FlowField or array_like
            A flow field on this graph: they go from vertex to vertex as it says and stop at goals.
            Or (N,) vertices that each is to go to next, beside its own or the one that it is
            heading for, where they stop; -1 to stay, at the end of an edge for who is on one.
        distances : array_like
            World units, at least 0, one or N: speed times seconds.

        Who is on an edge and would come straight back at its end turns round at once, if the edge
        can be used both ways. So does who is on an edge that has been closed; who can't waits.
        Raises `InvalidValue`.
        """
        topology = self.space.graph.topology
        ways = limits("distances", distances, len(self))
        chosen = not isinstance(way, FlowField)
        taken = self._chosen(way) if not isinstance(way, FlowField) else self._field(way).arcs
        shut = self.space.graph.closed | self.space.graph.walls[topology.ends]
        vertices, arcs, gone = self.vertices.copy(), self.arcs.copy(), self.gone.copy()
        edges = topology.origins, topology.ends, topology.lengths, topology.back, read_only(shut)
        inputs = edges, read_only(taken), read_only(ways), chosen
        crowd(kernels.travel.travel, inputs, (vertices, arcs, gone), len(self), _AGENTS)
        return Travellers(self.space, vertices, arcs, gone)

    def _field(self, way: FlowField) -> GraphFlow:
        if not isinstance(way, GraphFlow) or way.space is not self.space:
            raise InvalidValue(
                "Travellers follow a flow field on their own graph",
                got=repr(way.space),
                remedy="Build the field on it",
            )
        return way

    def _chosen(self, way: ArrayLike) -> Ints:
        """The arcs to the vertices that agents have chosen; for who is on an edge, that one or the
        one back.
        """
        wanted = checks.array_of(
            way,
            (len(self),),
            "iu" if len(self) else "iuf",
            "way is a flow field, or the next vertex of each agent",
            f"Pass {len(self)} whole numbers, -1 to stay",
        )
        topology = self.space.graph.topology
        heading = self.heading
        back = (self.arcs >= 0) & (wanted != heading)
        starts = np.where(back, heading, self.vertices)
        taken = topology.arcs_between(starts, np.where(wanted < 0, starts, wanted).astype(np.int64))
        wrong = (wanted >= 0) & (taken < 0)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            raise InvalidValue(
                "The next vertex is one that an edge leads to",
                got=f"{wanted[index]} from vertex {starts[index]}, of the agent at index {index}",
                remedy="graph.neighbors_of(vertex) are these",
            )
        return taken
