"""Script of a player that plays by itself: to treasures, then out, away from monsters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.state import NOWHERE, State

_DANGER = 9.0  # steps around a monster that cost more
_NEAR = 5.0  # steps to a monster from which the player flees


def scripted_move(derived: MazeDerived, state: State) -> tuple[int, int]:
    """Return the goal of the scripted player and its next cell; both may be its own cell.

    The script knows the map, the treasures and the exit, but only monsters seen within the last
    seconds.
    """
    space = derived.space
    player = state.player
    rules = derived.settings.player
    here = player.cell
    is_recent = state.step - player.when <= derived.settings.steps(rules.alarm)
    recent = (player.feared != NOWHERE) & is_recent
    if len(state.treasures):
        left = state.treasures
    else:
        left = np.array([state.exit])
    if not recent.any():
        goals = distance_map(space, derived.centers[left])
        return _along(goals.descend(derived.centers[here]).cells, here)
    monsters = distance_map(space, derived.centers[np.unique(player.feared[recent])])
    steps = monsters.values / np.float32(space.cell_size)
    danger = np.clip(1 - steps.astype(np.float64) / _DANGER, 0, 1)
    if steps.reshape(-1)[here] <= _NEAR:
        # Far from monsters, and no dead end.
        limit = 2 * _DANGER * space.cell_size
        around = distance_map(space, derived.centers[here], limit=limit)
        away = around.values.reshape(-1) / space.cell_size
        reach = np.flatnonzero(away < np.minimum(steps.reshape(-1), 2 * _DANGER))
        if len(reach):
            exits = np.array([len(derived.neighbors(int(cell))) for cell in reach])
            goal = int(reach[np.argmax(steps.reshape(-1)[reach] + 3.0 * (exits > 1))])
            escape = distance_map(space, derived.centers[goal], cost=1 + rules.caution * danger)
            _, ahead = _along(escape.descend(derived.centers[here]).cells, here)
            return goal, ahead
    goals = distance_map(space, derived.centers[left], cost=1 + rules.caution * danger)
    return _along(goals.descend(derived.centers[here]).cells, here)


def _along(cells: NDArray[np.int64], here: int) -> tuple[int, int]:
    """Return the last and the second cell of a path; the own cell for a path of one or none."""
    if len(cells) < 2:
        return here, here
    return int(cells[-1]), int(cells[1])
