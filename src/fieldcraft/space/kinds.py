"""The kinds of spaces there are, and saying which one something needs."""

from __future__ import annotations

from fieldcraft.errors import InvalidValue
from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid

__all__ = ["AnySpace", "checked_space", "grid_of"]

AnySpace = Grid | Graph


def grid_of(space: object, what: str) -> Grid:
    """The space, if it is a grid; else `InvalidValue` says that `what` needs one."""
    if isinstance(space, Grid):
        return space
    raise InvalidValue(f"{what} needs a grid", got=repr(space)[:120], remedy="Use a layer on a fieldcraft.Grid")


def checked_space(space: object, what: str = "A search takes place on") -> AnySpace:
    """The space, if it is one; else `InvalidValue` says `what` a space: "Sight takes place on", say."""
    if isinstance(space, (Grid, Graph)):
        return space
    raise InvalidValue(f"{what} a space", got=type(space).__name__, remedy="Pass fc.Grid(...), fc.Graph(...) or fc.load_map(path)")
