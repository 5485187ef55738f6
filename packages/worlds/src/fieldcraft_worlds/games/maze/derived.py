"""The derived state of the maze: steps, ways, views, and the layer of what monsters
remember.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, shortest_path, visible
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.maze.settings import Settings
from fieldcraft_worlds.games.maze.state import Player, State
from fieldcraft_worlds.games.walking import largest_part

__all__ = ["MazeDerived", "with_rim"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class MazeDerived:
    """Everything that can be told from a state and need not be kept in it.

    `space` is the map, `centers` (N, 2) the world positions of its cells, `ground` the cells of its
    largest part, ascending, `dead_ends` those of them with one way out, `memory` the layer as it
    was after the last call of `follow`.

    Raises
    ------
    InvalidValue
        If the map has no room for all.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space, self.settings = space, settings
        self._imap = InfluenceMap(space)
        self.memory = self._imap.add_layer(
            "memory", settings.memory.fade(), every=1 / settings.rate
        )
        self._blank = self.memory.snapshot()
        self._remembered = self._blank
        self.centers = np.asarray(space.position_of(np.arange(len(space))))
        self._size = np.array([space.width, space.height])
        self._fogged: tuple[NDArray[np.bool_], Grid] | None = None
        self._ways = space.adjacency
        self.ground = largest_part(space)
        self.dead_ends = self.ground[np.diff(self._ways.starts)[self.ground] == 1]
        needed = settings.monster.count + settings.treasures + 2
        if len(self.ground) < needed:
            raise InvalidValue(
                "The map has room for the player, the exit, all monsters and all treasures",
                got=f"{len(self.ground)} cells that are joined, for {needed}, on {space!r}",
                remedy="Pass a larger map, or fewer monsters and treasures",
            )
        self._keep_answers()

    def _keep_answers(self) -> None:
        self.path = lru_cache(maxsize=256)(self._path)
        self.seen_from = lru_cache(maxsize=64)(self._seen_from)

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("path", "seen_from")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._keep_answers()

    def follow(self, state: State | None) -> None:
        """Bring `memory` to a state, or to the beginning."""
        memory = self._blank if state is None else state.memory
        if memory is not self._remembered:
            self.memory.restore(memory)
            self._remembered = memory

    def passed(self) -> dict[str, object]:
        """Let the time of a step pass for `memory`, and answer what it remembers then."""
        self.memory.step()
        self._remembered = self.memory.snapshot()
        return self._remembered

    # Steps

    def beside(self, cell: int) -> Ints:
        """The cells one step from a cell."""
        return np.asarray(
            self._ways.ends[self._ways.starts[cell] : self._ways.starts[cell + 1]], dtype=np.int64
        )

    def away(self, cells: Ints, others: Ints) -> Floats:
        """The straight way from each cell to another, (N, 2) in cells; round a torus the short
        way.
        """
        gaps = (self.centers[others] - self.centers[cells]) / self.space.cell_size
        return self.short(gaps)

    def short(self, gaps: Floats) -> Floats:
        """Paths in cells, (N, 2), as they are round a torus."""
        return (
            np.asarray((gaps + self._size / 2) % self._size - self._size / 2)
            if self.space.wrap
            else gaps
        )

    def lengths(self, cells: Ints, others: Ints) -> Floats:
        """How long the step from each cell to another is, in cells."""
        gaps = self.away(cells, others)
        return np.asarray(np.hypot(gaps[:, 0], gaps[:, 1]))

    def positions(self, cells: Ints, ahead: Ints, gone: Floats) -> Floats:
        """World positions of those who are on their way between cells, (N, 2)."""
        places = self.centers[cells] + self.away(cells, ahead) * (
            gone[:, None] * self.space.cell_size
        )
        if self.space.wrap:
            places = (places - self.space.origin) % self.space.size + self.space.origin
        return np.asarray(places)

    def place(self, player: Player) -> Floats:
        """The world position of the player, (2,)."""
        return np.asarray(
            self.positions(
                np.array([player.cell]), np.array([player.ahead]), np.array([player.gone])
            )[0]
        )

    # Paths

    def _path(self, start: int, goal: int) -> tuple[int, ...]:
        """The cells of a shortest way, both ends included; none where no way leads."""
        found = shortest_path(self.space, self.centers[start], self.centers[goal])
        return tuple(found.cells.tolist())

    def towards(self, start: int, goal: int) -> int:
        """The cell to step to on a shortest way, or that stood in."""
        path = self.path(start, goal)
        return path[1] if len(path) > 1 else start

    # Views

    def _seen_from(self, cell: int, radius: float) -> NDArray[np.bool_]:
        """Which cells can be seen from a cell, within a radius in cells: bool (height, width)."""
        seen = visible(self.space, self.centers[cell], radius * self.space.cell_size)
        seen.flags.writeable = False
        return seen

    def fogged(self, known: NDArray[np.bool_]) -> Grid:
        """The map as far as it is known, for drawing: the walls beside known cells, and those of
        the rim, so that it has a frame.
        """
        if self._fogged is None or self._fogged[0] is not known:
            space = self.space
            shown = (
                np.pad(with_rim(known)[1:-1, 1:-1], 1, constant_values=True)
                if min(space.shape) > 2
                else np.True_
            )
            walls = space.walls & shown
            grid = Grid(
                space.width,
                space.height,
                cell_size=space.cell_size,
                origin=space.origin,
                y_up=space.y_up,
                walls=walls,
            )
            self._fogged = (known, grid)
        return self._fogged[1]


def with_rim(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """These cells of a map and all beside and across from them."""
    wide = np.pad(cells, 1)
    tall = wide[:-2] | wide[1:-1] | wide[2:]
    return np.asarray(tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:])
