"""Reinforcement learning: many pursuits at once, each on walls of its own, as one vectorised
Gymnasium environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.kernels import pool
from fieldcraft.space import Grid

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ImportError:
    raise MissingLibrary("Gymnasium 1.0 or newer", "rl", "fieldcraft.adapters.rl") from None

__all__ = ["WAYS", "Pursuits"]

WAYS: NDArray[np.int64] = np.array(
    [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
)
"""The step of each action, (dx, dy) in cells with y down: stay, and eight ways round."""

_EVADERS = ("flees", "wanders")
_FADES = 0.9  # what is left of the brightness of a sighting after a step
_NEVER = 255
_GLOW = np.append(np.rint(255 * _FADES ** np.arange(_NEVER)), 0).astype(np.uint8)
_PURSUERS_PER_THREAD = 200


class Pursuits(gymnasium.vector.VectorEnv[NDArray[np.uint8], NDArray[np.int64], NDArray[Any]]):
    """Worlds in each of which pursuers hunt one evader among walls; all of them step in one call.

    Everybody stands in a cell and takes one step to one of the eight cells around, or stays; walls,
    rims and corners bar steps as fieldcraft's grids do. The evader sees pursuers within `view`
    cells that no wall hides, and takes the step that leads farthest from the nearest of them; it
    wanders when it sees none. It is caught when a pursuer is within one step that is open. A world
    whose evader is caught, or that has run `limit` steps, begins anew at its next step (autoreset
    NEXT_STEP).

    - Action of a world: `MultiDiscrete([9] * pursuers)`, see `WAYS`.
    - Observation of a world: uint8 of shape (pursuers, 3, 2 * view + 1, 2 * view + 1): for each
      pursuer a window round it, [row, column], of walls (255), other pursuers (255), and the
      evader: 255 where any pursuer sees it now, else where it was last seen, fading by a tenth a
      step; what lies outside of the window is drawn on its rim.
    - Reward of a world, of all pursuers together: 1 for the catch, -0.01 a step.
    - `infos`: "caught" (B,) bool; "steps" (B,) of the world so far.

    It can be pickled in mid-run. The same seed and actions give the same bits, for every number of
    threads.

    Parameters
    ----------
    maps : Grid or Sequence[Grid]
        Grids of one size, 8 neighbors; world i stands on map `i % len(maps)`. No torus.
    worlds : int, optional
        How many run side by side.
    pursuers : int, optional
        How many in each.
    view : int, optional
        How far everybody sees, in cells.
    limit : int, optional
        Steps until a world is given up ("truncated").
    evader : str, optional
        "flees" or "wanders".

    Raises
    ------
    InvalidValue
        For maps of several sizes, without room for everybody, or too many worlds for the memory
        (2^31 cells).
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
        grounds = [maps] if isinstance(maps, Grid) else checks.sequence("maps", maps)
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
                "Pursuits have rims", got="a torus", remedy="Pass grids with wrap=False"
            )
        self.num_envs = checks.whole("worlds", worlds, minimum=1)
        self.pursuers = checks.whole("pursuers", pursuers, minimum=1, maximum=1000)
        self.view = checks.whole("view", view, minimum=1, maximum=50)
        self.limit = checks.whole("limit", limit, minimum=1)
        self.evader = checks.choice("evader", evader, _EVADERS)
        if render_mode not in (None, "rgb_array"):
            raise InvalidValue(
                "render_mode is None or 'rgb_array'",
                got=repr(render_mode),
                remedy="Pass one of these",
            )
        self.render_mode = render_mode
        self.maps: list[Grid] = list(grounds)
        height, width = self.maps[0].shape
        if self.num_envs * (height + 2 * view) * (width + 2 * view) >= 2**31:
            raise InvalidValue(
                "Worlds fit into memory",
                got=f"{worlds} of {width} x {height} cells",
                remedy="Take fewer",
            )
        self._lay_out(height, width)
        side, many = 2 * self.view + 1, self.pursuers
        self.single_action_space = gymnasium.spaces.MultiDiscrete([len(WAYS)] * many)
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
        self._apart = np.zeros((self.num_envs, len(WAYS)), dtype=np.int64)
        self.known = np.zeros((self.num_envs, 2), dtype=np.int64)
        self.age = np.full(self.num_envs, _NEVER, dtype=np.int64)
        self.steps = np.zeros(self.num_envs, dtype=np.int64)
        self.over = np.ones(self.num_envs, dtype=np.bool_)

    def _lay_out(self, height: int, width: int) -> None:
        """Stack the maps of all worlds, with a rim of walls as wide as a view round each."""
        rim = self.view
        padded = np.array([np.pad(each.walls, rim, constant_values=True) for each in self.maps])
        which = np.arange(self.num_envs) % len(self.maps)
        self._high, self._wide = height + 2 * rim, width + 2 * rim
        walls = padded[which].reshape(-1, self._wide)
        self._walls: NDArray[np.uint8] = walls.view(np.uint8) * np.uint8(255)
        self._opens = np.stack([_open_steps(each) for each in padded])[which].reshape(-1, len(WAYS))
        self._offsets = WAYS[:, 1] * self._wide + WAYS[:, 0]
        self._first = np.arange(self.num_envs) * self._high * self._wide
        free = [np.flatnonzero(~each.ravel()) for each in padded]
        if min(map(len, free)) < self.pursuers + 1:
            raise InvalidValue(
                "Everybody has a cell to begin in",
                got=f"{min(map(len, free))} open cells",
                remedy="Pass larger maps",
            )
        self._free = [free[number] for number in which[: len(self.maps)]]

    # Gymnasium

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin all worlds anew, or with `options={"reset_mask": (B,) bool}` some; see
        Gymnasium.
        """
        seed = None if seed is None else checks.whole("seed", seed)
        if options is not None and not isinstance(options, Mapping):
            raise InvalidValue(
                "options are a dict",
                got=type(options).__name__,
                remedy='Pass {"reset_mask": mask}, or leave them out',
            )
        super().reset(seed=seed)
        mask = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            mask = checks.array("reset_mask", options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
                raise InvalidValue(
                    "reset_mask is bool of shape (worlds,)",
                    got=f"{mask.dtype} of {mask.shape}",
                    remedy="Pass one per world",
                )
        self._begin(mask)
        return self._observed(), self._infos(np.zeros(self.num_envs, dtype=np.bool_))

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Let everybody take a step; worlds that were over begin anew instead. `actions` are
        (worlds, pursuers) whole numbers below 9.
        """
        told = checks.array("actions", actions)
        if (
            told.shape != (self.num_envs, self.pursuers)
            or told.dtype.kind not in "iu"
            or told.min() < 0
            or told.max() >= len(WAYS)
        ):
            raise InvalidValue(
                f"actions are whole numbers from 0 to {len(WAYS) - 1} of shape"
                f" {(self.num_envs, self.pursuers)}",
                got=f"{told.dtype} of shape {told.shape}",
                remedy="Pass env.action_space.sample(), say",
            )
        anew = self.over.copy()
        caught = self._hunted(np.ascontiguousarray(told, dtype=np.int64))
        self.steps += 1
        self._begin(anew)
        truncated = ~caught & (self.steps >= self.limit)
        self.over = caught | truncated
        rewards = np.where(anew, 0.0, np.where(caught, 1.0, -0.01))
        return self._observed(), rewards, caught, truncated, self._infos(caught)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each world, uint8 of shape (8 * height, 8 * width, 3), with
        render_mode="rgb_array".
        """
        if self.render_mode is None:
            return None
        shown = np.full((*self._walls.shape, 3), 24, dtype=np.uint8)
        shown[self._walls > 0] = 90
        flat = shown.reshape(-1, 3)
        flat[self.cells[:, 1:].ravel()] = (79, 179, 255)
        flat[self.cells[:, 0]] = (255, 90, 78)
        rim = self.view
        worlds = shown.reshape(self.num_envs, self._high, self._wide, 3)[:, rim:-rim, rim:-rim]
        return tuple(
            np.ascontiguousarray(each.repeat(8, axis=0).repeat(8, axis=1)) for each in worlds
        )

    def _infos(self, caught: NDArray[np.bool_]) -> dict[str, Any]:
        return {"caught": caught.copy(), "steps": self.steps.copy()}

    # Rules

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        """Put everybody of some worlds into cells of their own."""
        for number in np.flatnonzero(mask):
            free = self._free[number % len(self.maps)]
            self.cells[number] = self._first[number] + self.np_random.choice(
                free, self.pursuers + 1, replace=False, shuffle=False
            )
        self.age[mask] = _NEVER
        self.steps[mask] = 0
        self.over[mask] = False

    def _hunted(self, told: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Let everybody take a step, but in worlds that are over; in which the evader was
        caught.
        """
        caught = np.zeros(self.num_envs, dtype=np.bool_)
        dice = self.np_random.integers(len(WAYS), size=self.num_envs)
        pool.run(
            [
                (
                    kernels.pursuits.hunt,
                    (
                        self._walls,
                        self._opens,
                        WAYS,
                        self._offsets,
                        self.view,
                        self.evader == "flees",
                        told,
                        dice,
                        self.over,
                        low,
                        high,
                        self.cells,
                        self._apart,
                        caught,
                    ),
                )
                for low, high in self._bands()
            ]
        )
        return caught

    def _observed(self) -> NDArray[np.uint8]:
        side = 2 * self.view + 1
        windows = np.empty((self.num_envs, self.pursuers, 3, side, side), dtype=np.uint8)
        pool.run(
            [
                (
                    kernels.pursuits.watch,
                    (
                        self._walls,
                        self.cells,
                        self.view,
                        _NEVER,
                        _GLOW,
                        low,
                        high,
                        self.known,
                        self.age,
                        windows,
                    ),
                )
                for low, high in self._bands()
            ]
        )
        return windows

    def _bands(self) -> list[tuple[int, int]]:
        return pool.bands(self.num_envs, self.num_envs * self.pursuers // _PURSUERS_PER_THREAD)


def _open_steps(walls: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the `WAYS` are open from each cell, (cells, 9), on a map with walls all round it."""
    grid = Grid.from_walls(walls, neighbors=8)
    arrivals = dict(zip(grid.neighborhood.steps, grid.link_masks, strict=True))
    opens = np.empty((*walls.shape, len(WAYS)), dtype=np.bool_)
    opens[..., 0] = ~walls
    for way, (dx, dy) in enumerate(WAYS.tolist()[1:], start=1):
        arrives = grid.links() & arrivals[dx, dy] != 0
        opens[..., way] = ~walls & np.roll(
            arrives, (-dy, -dx), axis=(0, 1)
        )  # walls all round: nothing comes over the rim
    return opens.reshape(-1, len(WAYS))
