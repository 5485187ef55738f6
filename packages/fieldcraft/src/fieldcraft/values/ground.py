"""The cells that the maps of an expression share, and what arithmetic combines."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.values.tree import Node

_walls_version = attrgetter("walls_version")


@dataclass(eq=False)
class Ground:
    """The spaces of the maps in an expression: the same cells, maybe with different walls.

    A cell is a wall if it is one in all of them.
    """

    spaces: tuple[Space, ...]
    _version: tuple[int, ...] | None = None

    def __reduce__(self) -> tuple[type[Ground], tuple[tuple[Space, ...]]]:
        return Ground, (self.spaces,)

    @property
    def shape(self) -> tuple[int, ...]:
        """(height, width), or (N,) on a graph."""
        return self.spaces[0].shape

    @property
    def space(self) -> Space:
        """A space of these cells with these walls."""
        self._follow_walls()
        return self._space

    @property
    def walls_version(self) -> tuple[int, ...]:
        """A value that changes when a wall does."""
        return tuple(map(_walls_version, self.spaces))

    @property
    def walls(self) -> NDArray[np.uint8]:
        """Not 0 for each cell that is a wall, by cell id; empty where there is none."""
        self._follow_walls()
        return self._walls

    def _follow_walls(self) -> None:
        """Find the space and its walls again, once walls have changed."""
        version = tuple(map(_walls_version, self.spaces))
        if version == self._version:
            return
        self._space = self.spaces[0]
        if len(self.spaces) > 1:
            walls = np.logical_and.reduce([space.walls for space in self.spaces])
            fitting = [space for space in self.spaces if np.array_equal(space.walls, walls)]
            if fitting:
                self._space = fitting[0]
            else:
                self._space = self.spaces[0].with_walls(walls)
        self._walls = _flat_walls(self._space)
        self._version = version

    def joined(self, other: Ground) -> Ground:
        """Return the ground of two maps together; raises `InvalidValue` if their cells differ."""
        _refuse_other_cells(self.spaces[0], other.spaces[0])
        if set(other.spaces) <= set(self.spaces):
            return self
        return Ground(tuple(dict.fromkeys(self.spaces + other.spaces)))

    def same_walls(self, other: Ground) -> bool:
        """Whether the walls are the same now."""
        return (
            self is other or self.spaces == other.spaces or np.array_equal(self.walls, other.walls)
        )


@cached_until_walls_change
def _flat_walls(space: Space) -> NDArray[np.uint8]:
    """Return the walls as `Ground.walls` has them; the same array until a wall changes."""
    walls = space.walls
    if not walls.any():
        walls = walls[:0]
    return read_only(walls.reshape(-1).view(np.uint8))


def _refuse_other_cells(one: Space, other: Space) -> None:
    if one is other or one.same_cells(other):
        return
    mine = _facts(one)
    yours = _facts(other)
    differing = [name for name in mine if name in yours and mine[name] != yours[name]]
    got = f"{one!r} and {other!r}"
    remedy = "Use layers of one influence map, or of one space"
    if type(one) is type(other) and differing:
        got = f"{differing[0]} {mine[differing[0]]} and {yours[differing[0]]}"
        if differing[0] == "cell_size":
            remedy = (
                "Give the layers the same cell_size, or read the coarse one on the fine cells:"
                " coarse.on(fine.space)"
            )
    raise InvalidValue("The maps of an expression are on the same space", got=got, remedy=remedy)


def _facts(space: Space) -> dict[str, Any]:
    """Return the facts that distinguish the cells of a space from those of another of its kind."""
    names = ("cell_size", "origin", "y_up", "wrap")
    facts = {name: getattr(space, name) for name in names if hasattr(space, name)}
    return facts | {"width x height": " x ".join(map(str, space.shape[::-1]))}


class Term:
    """A map that arithmetic combines: its values are read, or computed along with others."""

    space: Space

    def _own_ground(self) -> Ground:
        """Return the cells of the map, with their walls."""
        return Ground((self.space,))

    def _node_on(self, ground: Ground) -> Node:
        """Return a node of a tree that has the values of this map on cells shared with others."""
        raise NotImplementedError
