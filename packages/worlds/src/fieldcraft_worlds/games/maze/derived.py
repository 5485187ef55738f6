"""Derived state of the maze: paths, views, and the memory layer of the monsters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, shortest_path, visible
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.maze.settings import Settings
from fieldcraft_worlds.games.maze.state import Player, State
from fieldcraft_worlds.games.walking import largest_part

_TIMES = ("shape", "ticks", "due")


class MazeDerived:
    """The layer and caches that follow from a state.

    `space` is the map, `centers` (N, 2) the world positions of its cells, `ground` the cells of its
    largest part, ascending, `dead_ends` those of them with one exit, `memory` the layer of the last
    state passed to `follow`, `blank` its state before any visit.

    Raises
    ------
    InvalidValue
        If the map is too small.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = space
        self.settings = settings
        self._imap = InfluenceMap(space)
        self.memory = self._imap.add_layer(
            "memory", settings.memory.fade(), every=1 / settings.rate
        )
        self._blank_state = self.memory.state()
        self.blank = _plain(self._blank_state)
        self._memory_now: Mapping[str, Any] = self.blank
        self.has_memory = True
        self.centers = np.asarray(space.position_of(np.arange(len(space))))
        self._size = np.array([space.width, space.height])
        self._fog: tuple[NDArray[np.bool_], Grid] | None = None
        self._edges = space.adjacency
        self.ground = largest_part(space)
        self.dead_ends = self.ground[np.diff(self._edges.starts)[self.ground] == 1]
        needed = settings.monster.count + settings.treasures + 2
        if len(self.ground) < needed:
            raise InvalidValue(
                "The map has cells for the player, the exit, all monsters and all treasures",
                got=f"{len(self.ground)} connected cells, for {needed}, on {space!r}",
                remedy="Pass a larger map, or fewer monsters and treasures",
            )
        self._set_caches()

    def _set_caches(self) -> None:
        """Make the caches of paths and views, which copies and pickles leave out."""
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
        self._set_caches()

    def follow(self, state: State | None) -> None:
        """Set `memory` to that of a state; to an empty one for None, and for monsters that explore
        by chance.
        """
        if state is None:
            memory: Mapping[str, Any] = self.blank
        else:
            memory = state.memory
        self.has_memory = bool(memory)
        if not memory:
            memory = self.blank
        if memory is not self._memory_now:
            self.memory.restore(self._blank_state | _state_of(memory))
            self._memory_now = memory

    def next_memory(self) -> dict[str, object]:
        """Let the time of a step pass for `memory`, and return its state."""
        if not self.has_memory:
            return {}
        self.memory.step()
        memory = _plain(self.memory.state())
        self._memory_now = memory
        return memory

    # Steps

    def neighbors(self, cell: int) -> Ints:
        """Return the cells one step from a cell."""
        starts = self._edges.starts
        return np.asarray(self._edges.ends[starts[cell] : starts[cell + 1]], dtype=np.int64)

    def away(self, cells: Ints, others: Ints) -> Floats:
        """Return the straight vectors from cells to others, (N, 2) in cells; the short way around
        axes that wrap.
        """
        gaps = (self.centers[others] - self.centers[cells]) / self.space.cell_size
        return self.short(gaps)

    def short(self, gaps: Floats) -> Floats:
        """Return vectors in cells, (N, 2), the short way around axes that wrap."""
        around = (gaps + self._size / 2) % self._size - self._size / 2
        return np.where([self.space.wraps_x, self.space.wraps_y], around, gaps)

    def lengths(self, cells: Ints, others: Ints) -> Floats:
        """Return the lengths of steps from cells to others, in cells."""
        gaps = self.away(cells, others)
        return np.asarray(np.hypot(gaps[:, 0], gaps[:, 1]))

    def positions(self, cells: Ints, ahead: Ints, gone: Floats) -> Floats:
        """Return the world positions (N, 2) of agents between two cells."""
        steps = self.away(cells, ahead) * (gone[:, np.newaxis] * self.space.cell_size)
        return self.space.wrapped(self.centers[cells] + steps)

    def place(self, player: Player) -> Floats:
        """Return the world position of the player, (2,)."""
        cells = np.array([player.cell])
        ahead = np.array([player.ahead])
        gone = np.array([player.gone])
        return np.asarray(self.positions(cells, ahead, gone)[0])

    # Paths

    def _path(self, start: int, goal: int) -> tuple[int, ...]:
        """Return the cells of a shortest path with both ends; none if there is no path."""
        found = shortest_path(self.space, self.centers[start], self.centers[goal])
        return tuple(found.cells.tolist())

    def next_on_path(self, start: int, goal: int) -> int:
        """Return the next cell on a shortest path, or the start."""
        path = self.path(start, goal)
        if len(path) > 1:
            return path[1]
        return start

    # Views

    def _seen_from(self, cell: int, radius: float) -> NDArray[np.bool_]:
        """Return which cells are in sight of a cell, within a radius in cells: bool (height,
        width).
        """
        seen = visible(self.space, self.centers[cell], radius * self.space.cell_size)
        seen.flags.writeable = False
        return seen

    def fogged(self, known: NDArray[np.bool_]) -> Grid:
        """Return the known part of the map, for drawing: walls beside known cells, and the rim."""
        if self._fog is None or self._fog[0] is not known:
            space = self.space
            shown = np.ones(space.shape, dtype=np.bool_)
            if min(space.shape) > 2:
                shown = np.pad(grown(known)[1:-1, 1:-1], 1, constant_values=True)
            walls = space.walls & shown
            grid = Grid(
                space.width,
                space.height,
                cell_size=space.cell_size,
                origin=space.origin,
                y_up=space.y_up,
                walls=walls,
            )
            self._fog = (known, grid)
        return self._fog[1]


def grown(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return some cells of a map and all their 8 neighbors."""
    wide = np.pad(cells, 1)
    tall = wide[:-2] | wide[1:-1] | wide[2:]
    return np.asarray(tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:])


def _plain(state: dict[str, Any]) -> dict[str, Any]:
    """Return what a state of the game holds of the state of a layer with `Fade`."""
    times = {name: state[name] for name in _TIMES}
    return {**times, **state["field"]}


def _state_of(memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of the state of a layer that a state of the game holds."""
    field = {name: value for name, value in memory.items() if name not in _TIMES}
    return {name: memory[name] for name in _TIMES} | {"field": field}
