"""Reinforcement learning: many pursuits at once, each on walls of its own, as one vectorized
Gymnasium environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, sees
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft_worlds.arrays import Bools, Ints
from fieldcraft_worlds.learning.render_mode import checked_render_mode

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ImportError:
    raise MissingLibrary("Gymnasium 1.0 or newer", "rl", "fieldcraft_worlds.learning") from None

DIRECTIONS: NDArray[np.int64] = np.array(
    [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
)
"""The step of each action, (dx, dy) in cells with y down: stay, and eight directions."""

_EVADERS = ("flees", "wanders")
_FADES = 0.9  # the share of the brightness of a sighting that is left after a step
_NEVER = 255
_GLOW = np.append(np.rint(255 * _FADES ** np.arange(_NEVER)), 0).astype(np.uint8)
# Planes of a window.
_WALL = 0
_FRIEND = 1
_PREY = 2

Small = NDArray[np.int32]


class Pursuits(gymnasium.vector.VectorEnv[NDArray[np.uint8], NDArray[np.int64], NDArray[Any]]):
    """Worlds with pursuers and one evader among walls; one call steps all of them.

    Each agent is in a cell and moves to one of the eight cells around, or stays. Walls, the edge of
    the map and corners block steps as on fieldcraft's grids. The evader sees pursuers within `view`
    cells and without walls between, and takes the step farthest from the nearest of them; it
    wanders if it sees none. It is caught by a pursuer one open step away. A world starts again at
    the step after a catch, or after `limit` steps (autoreset NEXT_STEP).

    - Action of a world: `MultiDiscrete([9] * pursuers)`, see `DIRECTIONS`.
    - Observation of a world: uint8 of shape (pursuers, 3, 2 * view + 1, 2 * view + 1): for each
      pursuer a window around it, [row, column], of walls (255), other pursuers (255), and the
      evader: 255 in sight of any pursuer, else at the last sighting, fading by a tenth a step; what
      is outside of the window is drawn at its edge.
    - Reward of a world, for all pursuers: 1 for the catch, -0.01 a step.
    - `infos`: "caught" (B,) bool; "steps" (B,) of the world.

    It can be pickled at any time. The same seed and actions give the same bits.

    Parameters
    ----------
    maps : Grid or Sequence[Grid]
        Grids of one size, 8 neighbors, no torus; world i uses map `i % len(maps)`.
    worlds : int, optional
        Number of worlds.
    pursuers : int, optional
        Pursuers in each world.
    view : int, optional
        Range of sight, in cells.
    limit : int, optional
        Steps until truncation.
    evader : str, optional
        "flees" or "wanders".

    Raises
    ------
    InvalidValue
        For maps of several sizes, without room for all agents, or too large for the memory.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as Gymnasium declares it)
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": ["rgb_array"],
    }

    def __init__(
        self,
        maps: Grid | Sequence[Grid],
        worlds: int = 256,
        *,
        pursuers: int = 4,
        view: int = 5,
        limit: int = 200,
        evader: str = "flees",
        render_mode: str | None = None,
    ) -> None:
        if isinstance(maps, Grid):
            grounds = [maps]
        else:
            grounds = checks.sequence("maps", maps)
        if (
            not grounds
            or not all(isinstance(each, Grid) for each in grounds)
            or len({each.shape for each in grounds}) > 1
        ):
            raise InvalidValue(
                "maps are grids of one size",
                got=repr(grounds)[:120],
                remedy="Pass fc.generate_map(...) or a list of them",
            )
        if any(each.wrap for each in grounds):
            raise InvalidValue(
                "Pursuits have edges",
                got="a grid that wraps",
                remedy="Pass grids with wrap=False",
            )
        self.num_envs = checks.integer("worlds", worlds, minimum=1)
        self.pursuers = checks.integer("pursuers", pursuers, minimum=1, maximum=1000)
        self.view = checks.integer("view", view, minimum=1, maximum=50)
        self.limit = checks.integer("limit", limit, minimum=1)
        self.evader = checks.choice("evader", evader, _EVADERS)
        self.render_mode = checked_render_mode(render_mode)
        self.maps: list[Grid] = list(grounds)
        side = 2 * self.view + 1
        many = self.pursuers
        size = len(self.maps[0])
        if max(self.num_envs * many * 3, len(self.maps) * size) * side**2 >= 2**31:
            raise InvalidValue(
                "Worlds fit into memory",
                got=f"{worlds} of {size} cells with a view of {self.view}",
                remedy="Take fewer",
            )
        self._free = [np.flatnonzero(~each.walls) for each in self.maps]
        if min(map(len, self._free)) <= many:
            raise InvalidValue(
                "Each agent has a cell to begin in",
                got=f"{min(map(len, self._free))} open cells",
                remedy="Pass larger maps",
            )
        # What depends on map and cell alone, for all cells of the first map, then of the second:
        self._opens = np.concatenate([_open_steps(each) for each in self.maps])
        self._walls = np.concatenate([_wall_windows(each, self.view) for each in self.maps])
        self._sees = np.concatenate([_sight(each, self.view) for each in self.maps])
        self._first = (np.arange(self.num_envs) % len(self.maps) * size)[:, np.newaxis]
        rows, columns = np.indices(self.maps[0].shape)
        self._row_of = rows.astype(np.int32)
        self._column_of = columns.astype(np.int32)
        self._offsets = DIRECTIONS[:, 1] * self.maps[0].width + DIRECTIONS[:, 0]
        self.single_action_space = gymnasium.spaces.MultiDiscrete([len(DIRECTIONS)] * many)
        self.single_observation_space = gymnasium.spaces.Box(
            0, 255, (many, 3, side, side), np.uint8
        )
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, self.num_envs
        )
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, self.num_envs
        )
        self.cells = np.zeros((self.num_envs, many + 1), dtype=np.int64)
        self.known = np.zeros(self.num_envs, dtype=np.int64)
        self.age = np.full(self.num_envs, _NEVER, dtype=np.int64)
        self.steps = np.zeros(self.num_envs, dtype=np.int64)
        self.over = np.ones(self.num_envs, dtype=np.bool_)

    # Gymnasium

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin all worlds anew, or with `options={"reset_mask": (B,) bool}` some; see
        Gymnasium. With one seed for each world the cells in which a world begins follow from its
        own.
        """
        each = seed is not None and np.ndim(seed) > 0
        if seed is None:
            given = []
        else:
            given = np.ravel(seed).tolist()
        seeds = [checks.integer("seed", number, minimum=0) for number in given]
        if each and len(seeds) != self.num_envs:
            raise InvalidValue(
                "A list of seeds has one for each world",
                got=f"{len(seeds)} for {self.num_envs}",
                remedy="Pass as many, or one number",
            )
        if options is not None and not isinstance(options, Mapping):
            raise InvalidValue(
                "options are a dict",
                got=type(options).__name__,
                remedy='Pass {"reset_mask": mask}, or leave them out',
            )
        super().reset(seed=seeds[0] if seeds else None)
        if each:
            self.np_random = np.random.default_rng(seeds)
        mask = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            mask = checks.array("reset_mask", options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
                raise InvalidValue(
                    "reset_mask is bool of shape (worlds,)",
                    got=f"{mask.dtype} of {mask.shape}",
                    remedy="Pass one per world",
                )
        self._begin(mask, seeds if each else None)
        return self._observed(), self._infos(np.zeros(self.num_envs, dtype=np.bool_))

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Make a step; worlds that were over begin anew instead. `actions` are
        (worlds, pursuers) whole numbers below 9.
        """
        chosen = checks.array("actions", actions)
        if (
            chosen.shape != (self.num_envs, self.pursuers)
            or chosen.dtype.kind not in "iu"
            or chosen.min() < 0
            or chosen.max() >= len(DIRECTIONS)
        ):
            raise InvalidValue(
                f"actions are whole numbers from 0 to {len(DIRECTIONS) - 1} of shape"
                f" {(self.num_envs, self.pursuers)}",
                got=f"{chosen.dtype} of shape {chosen.shape}",
                remedy="Pass env.action_space.sample(), say",
            )
        anew = self.over.copy()
        caught = self._hunted(np.ascontiguousarray(chosen, dtype=np.int64))
        self.steps += 1
        self._begin(anew)
        truncated = ~caught & (self.steps >= self.limit)
        self.over = caught | truncated
        rewards = np.where(anew, 0.0, np.where(caught, 1.0, -0.01))
        return self._observed(), rewards, caught, truncated, self._infos(caught)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Return a picture of each world, uint8 of shape (8 * height, 8 * width, 3), with
        "rgb_array".
        """
        if self.render_mode is None:
            return None
        pictures = []
        for number, cells in enumerate(self.cells):
            shown = np.full((len(self.maps[0]), 3), 24, dtype=np.uint8)
            shown[self.maps[number % len(self.maps)].walls.reshape(-1)] = 90
            shown[cells[1:]] = (79, 179, 255)
            shown[cells[0]] = (255, 90, 78)
            picture = shown.reshape(*self.maps[0].shape, 3)
            pictures.append(picture.repeat(8, axis=0).repeat(8, axis=1))
        return tuple(pictures)

    def _infos(self, caught: NDArray[np.bool_]) -> dict[str, Any]:
        return {"caught": caught.copy(), "steps": self.steps.copy()}

    # Rules

    def _begin(self, mask: Bools, seeds: list[int] | None = None) -> None:
        """Put all agents of some worlds into cells of their own."""
        for number in np.flatnonzero(mask).tolist():
            if seeds is None:
                rng = self.np_random
            else:
                rng = np.random.default_rng(seeds[number])
            self.cells[number] = rng.choice(
                self._free[number % len(self.maps)], self.pursuers + 1, replace=False, shuffle=False
            )
        self.age[mask] = _NEVER
        self.steps[mask] = 0
        self.over[mask] = False

    def _hunted(self, chosen: Ints) -> Bools:
        """Make a step in worlds that are not over; return in which the evader was caught."""
        action = self.np_random.integers(len(DIRECTIONS), size=self.num_envs)
        going = ~self.over
        self._move(slice(1, None), chosen, going[:, np.newaxis])
        caught = self._caught() & going
        if self.evader == "flees":
            rows, columns = self._offsets_to(slice(0, 1))
            seen = self._seen(rows, columns)
            flees = np.flatnonzero(seen.any(axis=1))
            away = (DIRECTIONS[:, 1] + rows[flees, :, np.newaxis]) ** 2
            away += (DIRECTIONS[:, 0] + columns[flees, :, np.newaxis]) ** 2
            away[~seen[flees]] = np.iinfo(np.int64).max
            nearest = away.min(axis=1)
            nearest[~self._opens[self._first[flees, 0] + self.cells[flees, 0]]] = -1
            action[flees] = nearest.argmax(axis=1)
        self._move(slice(0, 1), action[:, np.newaxis], (going & ~caught)[:, np.newaxis])
        return caught | (self._caught() & going)

    def _move(self, who: slice, actions: Ints, going: Bools) -> None:
        """Move some agents of the worlds that are going on."""
        opened = self._opens.take((self._first + self.cells[:, who]) * len(DIRECTIONS) + actions)
        self.cells[:, who] += self._offsets.take(actions) * (opened & going)

    def _caught(self) -> Bools:
        """Return the worlds with a pursuer one open step from the evader, or in its cell."""
        rows, columns = self._offsets_to(slice(0, 1))
        world, pursuer = np.nonzero((np.abs(rows) <= 1) & (np.abs(columns) <= 1))
        steps = np.stack([-columns[world, pursuer], -rows[world, pursuer]], axis=1)
        is_step = (steps[:, np.newaxis] == DIRECTIONS).all(axis=2)
        opens = self._opens[self._first[world, 0] + self.cells[world, 0]]
        caught = np.zeros(self.num_envs, dtype=np.bool_)
        caught[world[(is_step & opens).any(axis=1)]] = True
        return caught

    def _offsets_to(self, who: slice) -> tuple[Small, Small]:
        """Return rows and columns from all pursuers to one agent of each world, (worlds,
        pursuers).
        """
        rows = self._row_of.take(self.cells)
        columns = self._column_of.take(self.cells)
        return rows[:, who] - rows[:, 1:], columns[:, who] - columns[:, 1:]

    def _in_view(self, rows: Small, columns: Small) -> Bools:
        """Return which offsets are within a window."""
        return np.asarray((np.abs(rows) <= self.view) & (np.abs(columns) <= self.view))

    def _seen(self, rows: Small, columns: Small) -> Bools:
        """Return which pursuers see the evader, `rows` and `columns` away."""
        near = self._in_view(rows, columns)
        side = 2 * self.view + 1
        place = ((rows + self.view) * side + columns + self.view) * near
        cells = self._first + self.cells[:, 1:]
        return np.asarray(near & self._sees.take(cells * side**2 + place))

    def _observed(self) -> NDArray[np.uint8]:
        """Return the windows of all pursuers, after the sightings of this moment."""
        view = self.view
        cells = self.cells[:, 1:]
        seen = self._seen(*self._offsets_to(slice(0, 1))).any(axis=1)
        self.age = np.where(seen, 0, np.minimum(self.age + 1, _NEVER))
        self.known[seen] = self.cells[seen, 0]
        windows = np.zeros((*cells.shape, 3, 2 * view + 1, 2 * view + 1), dtype=np.uint8)
        windows[:, :, _WALL] = self._walls[self._first + cells]
        for friend in range(self.pursuers):
            rows, columns = self._offsets_to(slice(friend + 1, friend + 2))
            near = self._in_view(rows, columns)
            near[:, friend] = False
            world, pursuer = np.nonzero(near)
            windows[world, pursuer, _FRIEND, rows[near] + view, columns[near] + view] = 255
        down = self._row_of.take(self.known)[:, np.newaxis] - self._row_of.take(cells)
        right = self._column_of.take(self.known)[:, np.newaxis] - self._column_of.take(cells)
        rows = np.clip(down, -view, view) + view
        columns = np.clip(right, -view, view) + view
        world, pursuer = np.ogrid[: self.num_envs, : self.pursuers]
        windows[world, pursuer, _PREY, rows, columns] = _GLOW[self.age][:, np.newaxis]
        return windows


def _open_steps(space: Grid) -> Bools:
    """Return which of the `DIRECTIONS` are open from each cell, (cells, 9)."""
    grid = Grid(walls=np.pad(space.walls, 1, constant_values=True), neighbors=8)
    arrivals = dict(zip(grid.neighborhood.steps, grid.link_masks, strict=True))
    opens = np.repeat(~grid.walls[..., np.newaxis], len(DIRECTIONS), axis=2)
    for action, (dx, dy) in enumerate(DIRECTIONS.tolist()[1:], start=1):
        # The border of walls keeps the roll from opening a step over the rim.
        opens[..., action] &= np.roll(grid.links() & arrivals[dx, dy] != 0, (-dy, -dx), axis=(0, 1))
    return opens[1:-1, 1:-1].reshape(-1, len(DIRECTIONS))


def _wall_windows(space: Grid, view: int) -> NDArray[np.uint8]:
    """Return the walls in the window around each cell: 255, (cells, side, side)."""
    side = 2 * view + 1
    padded = np.pad(space.walls, view, constant_values=True).astype(np.uint8) * 255
    views = np.lib.stride_tricks.sliding_window_view(padded, (side, side))
    return views.reshape(-1, side, side)


def _sight(space: Grid, view: int) -> Bools:
    """Return which cells of the window around each cell are seen from it, (cells, side * side)."""
    rows, columns = np.mgrid[-view : view + 1, -view : view + 1].reshape(2, 1, -1)
    y, x = np.divmod(np.arange(len(space))[:, np.newaxis], space.width)
    inside = (y + rows >= 0) & (y + rows < space.height) & (x + columns >= 0)
    inside &= (x + columns < space.width) & ~space.walls.reshape(-1)[:, np.newaxis]
    viewer, place = np.nonzero(inside)
    targets = (y + rows)[inside] * space.width + (x + columns)[inside]
    seen = np.zeros(inside.shape, dtype=np.bool_)
    seen[viewer, place] = sees(
        space,
        space.position_of(viewer),
        space.position_of(targets),
        space.cell_size * (np.sqrt(view * (view + 1)) + 1e-6),
        pairs=True,
    )
    return seen
