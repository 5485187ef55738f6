"""All that changes in a match of the maze game, and what the player may order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.states import Columns, Holds, ReadOnly

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

    cells: Annotated[Ints, Holds("monsters", low=0, below="cells")]
    ahead: Annotated[Ints, Holds("monsters", low=0, below="cells")]
    gone: Annotated[Floats, Holds("monsters", low=0, high=1)]
    moods: Annotated[Ints, Holds("monsters", low=EXPLORES, high=HUNTS)]
    seen: Annotated[Ints, Holds("monsters", low=NOWHERE, below="cells")]
    targets: Annotated[Ints, Holds("monsters", low=NOWHERE, below="cells")]


@dataclass(frozen=True, eq=False)
class Player(ReadOnly):
    """The player, on a way as a monster is.

    `wish` is the last way steered and `by_hand` whether a hand steers; `goal` is the cell that the
    scripted player is on its way to, or `NOWHERE`. `feared` (M,) are the cells where the player
    last saw each monster, `NOWHERE` at first, and `when` (M,) the steps at which it did.
    """

    cell: Annotated[int, Holds(low=0, below="cells")]
    ahead: Annotated[int, Holds(low=0, below="cells")]
    gone: Annotated[float, Holds(low=0, high=1)]
    wish: Annotated[tuple[float, float], Holds(low=-1.001, high=1.001)]
    by_hand: bool
    goal: Annotated[int, Holds(low=NOWHERE, below="cells")]
    feared: Annotated[Ints, Holds("monsters", low=NOWHERE, below="cells")]
    when: Annotated[Ints, Holds("monsters")]


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A match at one moment. Never changed: a step makes another.

    `treasures` (T,) are the cells of those that lie there yet, of `most` at the start; `exit` is a
    cell. `known` (height, width) says which cells the player has ever seen. `memory` is what the
    monsters' layer remembers, as `Layer.memory` gives it. `outcome` is `GOING`, `OUT`, `CAUGHT` or
    `LATE`.
    """

    step: int
    outcome: Annotated[int, Holds(low=GOING, high=LATE)]
    player: Player
    monsters: Monsters
    treasures: Annotated[Ints, Holds("treasures", low=0, below="cells", is_unique=True)]
    most: int
    exit: Annotated[int, Holds(low=0, below="cells")]
    known: Annotated[NDArray[np.bool_], Holds("map")]
    memory: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        for column in self.memory.values():
            if isinstance(column, np.ndarray):
                column.flags.writeable = False
