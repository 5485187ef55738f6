"""Random spaces of every kind, for laws that hold on all of them.

A new kind of space is a row of `KINDS`: then every law in `tests/laws` is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.space import Space
from fieldcraft.space.wrapping import Wrap

KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
KNIGHT_AND_CORNER = [*KNIGHT, (1, 1)]
"""Steps that no turn maps onto themselves: a corner on one side only."""
ONE_WAY = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]], dtype=np.bool_)
"""From the first kind of ground into the second, not back; the third is a wall."""

WRAPS: tuple[Wrap, ...] = (False, True, "x", "y")
"""Which axes of a grid may wrap."""

Dice = np.random.Generator


def _walls(dice: Dice, rows: int, columns: int) -> NDArray[np.bool_]:
    walls = dice.random((rows, columns)) < dice.choice([0.0, 0.15, 0.35])
    walls.flat[int(dice.integers(walls.size))] = False
    return np.asarray(walls)


def random_ground(
    dice: Dice,
    shape: tuple[int, int],
    *,
    walls: float,
    has_terrain: bool,
    shares: tuple[float, float, float] = (0.6, 0.35, 0.05),
) -> tuple[NDArray[np.bool_], fc.Terrain | None]:
    """Walls in this share of the cells, and a terrain whose kinds take these shares, or None."""
    terrain = fc.Terrain(dice.choice(3, shape, p=shares), ONE_WAY) if has_terrain else None
    return dice.random(shape) < walls, terrain


@dataclass(frozen=True)
class GridWorld:
    """The map of one case. What else it is made of a test adds, and last the `seed` of all that
    happens on it.
    """

    width: int
    height: int
    neighbors: Any
    wrap: Wrap
    walls: float
    has_terrain: bool

    cell_size: ClassVar[float] = 1.0
    shares: ClassVar[tuple[float, float, float]] = (0.6, 0.35, 0.05)
    """Of the three kinds of ground."""

    if TYPE_CHECKING:
        seed: int

    @property
    def shape(self) -> tuple[int, int]:
        return (self.height, self.width)

    def grid(self) -> fc.Grid:
        dice = np.random.default_rng(self.seed)
        walls, terrain = random_ground(
            dice, self.shape, walls=self.walls, has_terrain=self.has_terrain, shares=self.shares
        )
        return fc.Grid(
            self.width,
            self.height,
            walls=walls,
            terrain=terrain,
            neighbors=self.neighbors,
            wrap=self.wrap,
            cell_size=self.cell_size,
        )


def _axis(dice: Dice) -> str:
    """The axis that wraps."""
    return ("x", "y")[int(dice.integers(2))]


def _sides(dice: Dice) -> tuple[int, int]:
    rows, columns = (int(n) for n in dice.integers(2, 9, 2))
    return rows, columns + (rows == columns)  # never square


def _grid(dice: Dice, **options: Any) -> fc.Grid:
    rows, columns = _sides(dice)
    neighbors = options.pop("neighbors", [4, 8][int(dice.integers(2))])
    return fc.Grid(
        columns,
        rows,
        walls=_walls(dice, rows, columns),
        neighbors=neighbors,
        cell_size=0.5,
        origin=(3, -2),
        **options,
    )


def _one_way(dice: Dice) -> fc.Grid:
    rows, columns = _sides(dice)
    classes = dice.choice([0, 0, 1, 1, 2], (rows, columns))
    classes.flat[0] = 0
    return fc.Grid(columns, rows, terrain=fc.Terrain(classes, ONE_WAY), neighbors=8)


def _waypoints(dice: Dice) -> fc.Graph:
    count = int(dice.integers(3, 25))
    places = dice.random((count, 2)) * 9
    edges = dice.integers(0, count, (3 * count, 2))
    graph = fc.Graph(
        places,
        edges[edges[:, 0] != edges[:, 1]],
        blocked=np.flatnonzero(dice.random(count) < 0.15)[: count - 1],
    )
    if len(graph.edges):
        graph.set_edges(graph.edges[dice.random(len(graph.edges)) < 0.1])
    return graph


def _mesh(dice: Dice) -> fc.Graph:
    """Squares cut into two triangles each, some of them blocked."""
    rows, columns = _sides(dice)
    corners = np.stack(
        np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0)), axis=-1
    ).reshape(-1, 2)
    first = (np.arange(rows)[:, np.newaxis] * (columns + 1) + np.arange(columns)).reshape(-1)
    faces = np.concatenate(
        [
            np.stack([first, first + 1, first + columns + 1], axis=1),
            np.stack([first + 1, first + columns + 2, first + columns + 1], axis=1),
        ]
    )
    graph = fc.Graph.from_polygons(corners, faces)
    graph.set_walls(np.flatnonzero(dice.random(len(graph)) < 0.2)[: len(graph) - 1])
    return graph


def _hexes(dice: Dice, **options: Any) -> fc.HexGrid:
    rows, columns = _sides(dice)
    if options.get("wrap"):
        rows, columns = 2 * rows, 2 * columns
    if options.get("wrap") == "either":
        options["wrap"] = _axis(dice)
    orientation = ("pointy", "flat")[int(dice.integers(2))]
    walls = _walls(dice, rows, columns)
    return fc.HexGrid(
        columns, rows, walls=walls, orientation=orientation, size=0.7, origin=(3, -2), **options
    )


KINDS: dict[str, Callable[[Dice], Space]] = {
    "grid": _grid,
    "torus": lambda dice: _grid(dice, wrap=True),
    "cylinder": lambda dice: _grid(dice, wrap=_axis(dice)),
    "cylinder, y up": lambda dice: _grid(dice, wrap=_axis(dice), y_up=True),
    "y up": lambda dice: _grid(dice, y_up=True),
    "corners cut": lambda dice: _grid(dice, neighbors=8, corners="cut"),
    "corners cut beside open cells": lambda dice: _grid(
        dice, neighbors=8, corners="if-one-open", wrap=True
    ),
    "knight": lambda dice: _grid(dice, neighbors=KNIGHT),
    "one way": _one_way,
    "waypoints": _waypoints,
    "mesh": _mesh,
    "hexes": _hexes,
    "hexes, y up": lambda dice: _hexes(dice, y_up=True),
    "torus of hexes": lambda dice: _hexes(dice, wrap=True),
    "cylinder of hexes": lambda dice: _hexes(dice, wrap="either"),
}
"""How a random space of each kind is made."""


def _vertices(dice: Dice, count: int) -> fc.Graph:
    """Vertices in a row, each connected to the next."""
    steps = np.arange(count)
    places = np.stack([2.0 * steps, dice.random(count)], axis=1)
    return fc.Graph(places, np.stack([steps[:-1], steps[1:]], axis=1))


def _one_polygon(dice: Dice) -> fc.Graph:
    corners = [(0.0, 0.0), (3.0, 0.0), (4.0, 2.0), (1.0, 3.0)]
    return fc.Graph.from_polygons(corners, [(0, 1, 2, 3)])


def _narrow(dice: Dice, width: int, **options: Any) -> fc.Grid:
    """A few rows of so many columns, or as many columns of so many rows."""
    length = int(dice.integers(3, 8))
    walls = _walls(dice, length, width)
    if dice.random() < 0.5:
        walls = walls.T
    return fc.Grid(walls=walls, neighbors=[4, 8][int(dice.integers(2))], **options)


NARROW: dict[str, Callable[[Dice], Space]] = {
    "one cell": lambda dice: fc.Grid(1, 1, neighbors=8),
    "one row": lambda dice: _narrow(dice, 1),
    "torus of one column": lambda dice: _narrow(dice, 1, wrap=True),
    "torus of two columns": lambda dice: _narrow(dice, 2, wrap=True),
    "cylinder of one column": lambda dice: _narrow(dice, 1, wrap=_axis(dice)),
    "cylinder of two columns": lambda dice: _narrow(dice, 2, wrap=_axis(dice)),
    "torus of one cell": lambda dice: fc.Grid(1, 1, wrap=True),
    "one hexagon": lambda dice: fc.HexGrid(1, 1),
    "one row of hexagons": lambda dice: fc.HexGrid(5, 1, walls=_walls(dice, 1, 5)),
    "torus of two columns of hexes": lambda dice: fc.HexGrid(
        2, 4, walls=_walls(dice, 4, 2), wrap=True
    ),
    "one vertex": lambda dice: _vertices(dice, 1),
    "two vertices": lambda dice: _vertices(dice, 2),
    "one polygon": _one_polygon,
}
"""How small spaces are made, on which some cells, or all, have no step that leads from them."""


def _blocked(make: Callable[[Dice], Space]) -> Callable[[Dice], Space]:
    """Return how a space is made with nothing but walls."""

    def made(dice: Dice) -> Space:
        space = make(dice)
        space.set_walls(np.arange(len(space)))
        return space

    return made


BLOCKED: dict[str, Callable[[Dice], Space]] = {
    f"{kind} of walls": _blocked(make)
    for kind, make in {
        "grid": _grid,
        "hexes": _hexes,
        "waypoints": _waypoints,
        "mesh": _mesh,
        "polygon": _one_polygon,
    }.items()
}
"""How spaces without an open cell are made."""

OPEN = KINDS | NARROW
"""All spaces that have an open cell at least."""
EVERY = OPEN | BLOCKED
"""All spaces."""


def open_cells(space: Space) -> NDArray[np.int64]:
    """The cells that are no walls, ascending."""
    return np.flatnonzero(~space.walls.reshape(-1))


def walks(
    space: Space, starts: NDArray[np.int64] | int, *, costs: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Walking distances from cells to all others by SciPy, (N,) or (S, N): the oracle, out of walls
    too.
    """
    ways = space.adjacency_from_walls
    lengths = (
        ways.lengths
        if costs is None
        else ways.lengths * (costs[ways.origins] + costs[ways.ends]) / 2
    )
    matrix = csr_array((lengths, ways.ends, ways.starts), shape=(len(space), len(space)))
    return np.asarray(dijkstra(matrix, indices=starts))


def moves(space: Space, start: int) -> NDArray[np.float64]:
    """How many steps it is from a cell to all others, (N,)."""
    ways = space.adjacency_from_walls
    matrix = csr_array(
        (np.ones(len(ways.ends)), ways.ends, ways.starts), shape=(len(space), len(space))
    )
    return np.asarray(dijkstra(matrix, indices=start, unweighted=True))
