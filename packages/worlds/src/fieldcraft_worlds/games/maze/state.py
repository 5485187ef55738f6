"""All that changes in a match of the maze game, and what the player may order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.columns import Columns, ReadOnly
from fieldcraft_worlds.games.maze.settings import Settings

__all__ = [
    "CAUGHT",
    "EXPLORES",
    "GOING",
    "HUNTS",
    "LATE",
    "NOWHERE",
    "OUT",
    "SEARCHES",
    "Lead",
    "Monsters",
    "Order",
    "Player",
    "State",
    "Steer",
    "checked",
]

NOWHERE = -1
EXPLORES, SEARCHES, HUNTS = 0, 1, 2
GOING, OUT, CAUGHT, LATE = 0, 1, 2, 3

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Steer:
    """The player wants to go this way, in world directions, more slowly if it is shorter than 1;
    (0, 0) stops at the next cell.
    """

    x: float
    y: float


@dataclass(frozen=True)
class Lead:
    """Take the player into your own inputs, or leave it to the script again."""


Order = Steer | Lead


@dataclass(frozen=True, eq=False)
class Monsters(Columns):
    """The monsters, M of them: arrays of length M.

    Each has left the center of the cell `cells` for that of the cell `ahead`, and `gone` in [0, 1)
    says how much of this step is behind it; one that stands has both alike. `moods` are `EXPLORES`,
    `SEARCHES` or `HUNTS`; `seen` is the cell where it last saw the player if it has not been there
    since, else `NOWHERE`; `targets` are the cells that they are on their way to.
    """

    cells: Ints
    ahead: Ints
    gone: Floats
    moods: Ints
    seen: Ints
    targets: Ints


@dataclass(frozen=True, eq=False)
class Player(ReadOnly):
    """The player, on a way as a monster is.

    `wish` is the last way steered and `by_hand` whether a hand steers; `goal` is the cell that the
    scripted player is on its way to, or `NOWHERE`. `feared` (M,) are the cells where the player
    last saw each monster, `NOWHERE` at first, and `when` (M,) the steps at which it did.
    """

    cell: int
    ahead: int
    gone: float
    wish: tuple[float, float]
    by_hand: bool
    goal: int
    feared: Ints
    when: Ints


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A match at one moment. Never changed: a step makes another.

    `treasures` (T,) are the cells of those that lie there yet, of `most` at the start; `exit` is a
    cell. `known` (height, width) says which cells the player has ever seen. `memory` is what the
    monsters' layer remembers, as `Layer.memory` gives it. `outcome` is `GOING`, `OUT`, `CAUGHT` or
    `LATE`.
    """

    step: int
    outcome: int
    player: Player
    monsters: Monsters
    treasures: Ints
    most: int
    exit: int
    known: NDArray[np.bool_]
    memory: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        for column in self.memory.values():
            if isinstance(column, np.ndarray):
                column.flags.writeable = False


def checked(state: State, space: Grid, settings: Settings) -> State:
    """The state, if it can be one of a match in this maze by these settings; else `InvalidValue`.
    The memory checks itself.
    """
    player, monsters, last, count = (
        state.player,
        state.monsters,
        len(space) - 1,
        settings.monster.count,
    )
    bounds.integer("step", state.step)
    bounds.one_of("outcome", state.outcome, (GOING, OUT, CAUGHT, LATE))
    for name in ("cell", "ahead"):
        bounds.integer(name, getattr(player, name), 0, last)
    bounds.number("gone", player.gone, 0, 1)
    bounds.vector("wish", player.wish, 1.001)
    bounds.flag("by_hand", player.by_hand)
    bounds.integer("goal", player.goal, NOWHERE, last)
    bounds.cells("feared", player.feared, count, space, NOWHERE)
    bounds.array("when", player.when, np.int64, (count,))
    for name in ("cells", "ahead", "targets"):
        bounds.cells(
            name, getattr(monsters, name), count, space, NOWHERE if name == "targets" else 0
        )
    bounds.cells("seen", monsters.seen, count, space, NOWHERE)
    bounds.array("gone", monsters.gone, np.float64, (count,), 0, 1)
    bounds.array("moods", monsters.moods, np.int64, (count,), EXPLORES, HUNTS)
    bounds.cells("treasures", state.treasures, None, space)
    bounds.unique("treasures", state.treasures)
    bounds.integer("most", state.most, len(state.treasures))
    bounds.integer("exit", state.exit, 0, last)
    bounds.array("known", state.known, np.bool_, space.shape)
    return state
