"""The kinds of spaces there are, and saying which one something needs."""

from __future__ import annotations

from fieldcraft.errors import InvalidValue
from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid

__all__ = ["AnySpace", "checked_space", "grid_of", "squares_of"]

AnySpace = Grid | Graph


def grid_of(space: object, what: str) -> Grid:
    """The space, if it is a grid; else `InvalidValue` says that `what` needs one."""
    if isinstance(space, Grid):
        return space
    raise InvalidValue(f"{what} needs a grid", got=repr(space)[:120], remedy="Use a fieldcraft.Grid, a map of cells")


def checked_space(space: object, what: str = "A search takes place on") -> AnySpace:
    """The space, if it is one; else `InvalidValue` says `what` a space: "Sight takes place on", say."""
    if isinstance(space, (Grid, Graph)):
        return space
    raise InvalidValue(f"{what} a space", got=type(space).__name__, remedy="Pass fc.Grid(...), fc.Graph(...) or fc.load_map(path)")


def squares_of(space: AnySpace) -> Grid | None:
    """The grid that lines run over, its walls as they are now: the space itself, or the squares of a graph; None for other graphs."""
    space.walls_version  # noqa: B018 - takes over what has changed in a finer grid
    return space if isinstance(space, Grid) else space.squares
