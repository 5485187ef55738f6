"""The scripted player: to the nearest treasure, then out, and away from monsters in sight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.state import NOWHERE, State

__all__ = ["followed"]

_SHY = 9.0  # steps around a monster that cost more
_NEAR = 5.0  # a monster that is nearer than this is fled from


def followed(derived: MazeDerived, state: State) -> tuple[int, int]:
    """Where the scripted player is going, and the cell of the next step; both may be the present
    one.

    The script knows the map and where everything lies, but of monsters only those seen within the
    last seconds.
    """
    space, player, rules = derived.space, state.player, derived.settings.player
    here = player.cell
    recent = (player.feared != NOWHERE) & (
        state.step - player.when <= derived.settings.steps(rules.alarm)
    )
    wanted = state.treasures if len(state.treasures) else np.array([state.exit])
    if not recent.any():
        goals = distance_map(space, derived.centers[wanted])
        return _along(goals.descend(derived.centers[here]).cells, here)
    monsters = distance_map(space, derived.centers[np.unique(player.feared[recent])])
    steps = monsters.values / np.float32(space.cell_size)
    danger = np.clip(1 - steps.astype(np.float64) / _SHY, 0, 1)
    if steps.reshape(-1)[here] <= _NEAR:
        # The farther from monsters the better, and the more ways on the better: no dead ends.
        away = (
            distance_map(
                space, derived.centers[here], limit=2 * _SHY * space.cell_size
            ).values.reshape(-1)
            / space.cell_size
        )
        reach = np.flatnonzero(away < np.minimum(steps.reshape(-1), 2 * _SHY))
        if len(reach):
            ways = np.array([len(derived.beside(int(cell))) for cell in reach])
            goal = int(reach[np.argmax(steps.reshape(-1)[reach] + 3.0 * (ways > 1))])
            cells = (
                distance_map(space, derived.centers[goal], cost=1 + rules.caution * danger)
                .descend(derived.centers[here])
                .cells
            )
            return goal, _along(cells, here)[1]
    goals = distance_map(space, derived.centers[wanted], cost=1 + rules.caution * danger)
    return _along(goals.descend(derived.centers[here]).cells, here)


def _along(cells: NDArray[np.int64], here: int) -> tuple[int, int]:
    if len(cells) < 2:
        return here, here
    return int(cells[-1]), int(cells[1])
