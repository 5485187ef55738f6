"""The kinds of spaces: checks of arguments, and the grid or graph that a space runs on."""

from __future__ import annotations

from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.space import Space


def grid_of(
    space: object, what: str, *, remedy: str = "Use a fieldcraft.Grid, a map of cells"
) -> Grid:
    """Return a space that is a grid; for others `InvalidValue` says that `what` needs one."""
    if isinstance(space, Grid):
        return space
    raise InvalidValue(f"{what} needs a grid", got=repr(space)[:120], remedy=remedy)


def sight_grid_of(space: Space) -> Grid | None:
    """Return `Space.sight_grid`, typed as a grid."""
    grid = space.sight_grid
    assert grid is None or isinstance(grid, Grid)
    return grid


def graph_of(space: Space) -> Graph:
    """Return `Space.graph`, typed as a graph."""
    graph = space.graph
    assert isinstance(graph, Graph)
    return graph


def checked_space(space: object, what: str = "A search takes place on") -> Space:
    """Return the space, or raise `InvalidValue` with a message such as "Sight takes place on a
    space".
    """
    if isinstance(space, Space):
        return space
    raise InvalidValue(
        f"{what} a space",
        got=type(space).__name__,
        remedy="Pass fc.Grid(...), fc.HexGrid(...), fc.Graph(...) or fc.load_map(path)",
    )


def has_lines_of_sight(space: Space) -> bool:
    """Return whether lines of sight on a space are straight: only on hexagons that wrap they are
    not.
    """
    return space.sight_grid is not None or space.period is None


def check_lines_of_sight(space: Space, what: str) -> None:
    """Raise `InvalidValue` for hexagons that wrap, where `what` can't run along straight lines."""
    if not has_lines_of_sight(space):
        raise InvalidValue(
            f"{what} runs along straight lines, and there are none on hexagons that wrap",
            got=repr(space),
            remedy='Use a map with wrap=False, or the metric "connected" or "path"',
        )
