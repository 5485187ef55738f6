"""State of a match in the maze."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.states import Columns, Contents, ReadOnly

NOWHERE = -1
EXPLORES = 0
SEARCHES = 1
HUNTS = 2
GOING = 0
OUT = 1
CAUGHT = 2
LATE = 3
_HALFWAY = 0.5


@dataclass(frozen=True, eq=False)
class Monsters(Columns):
    """The monsters, M of them: arrays of length M.

    Each is between the centers of the cells `cells` and `ahead`, and `gone` in [0, 1) is the share
    of that step behind it; both cells are equal for one that stands. `moods` are `EXPLORES`,
    `SEARCHES` or `HUNTS`; `seen` is the cell of the last sighting of the player, until the monster
    has been there, else `NOWHERE`; `targets` are the cells that they walk to.
    """

    cells: Annotated[Ints, Contents("monsters", low=0, below="cells")]
    ahead: Annotated[Ints, Contents("monsters", low=0, below="cells")]
    gone: Annotated[Floats, Contents("monsters", low=0, high=1)]
    moods: Annotated[Ints, Contents("monsters", low=EXPLORES, high=HUNTS)]
    seen: Annotated[Ints, Contents("monsters", low=NOWHERE, below="cells")]
    targets: Annotated[Ints, Contents("monsters", low=NOWHERE, below="cells")]

    @property
    def here(self) -> Ints:
        """The cells that they are in, (M,): the nearer one of their two."""
        return np.where(self.gone < _HALFWAY, self.cells, self.ahead)


@dataclass(frozen=True, eq=False)
class Player(ReadOnly):
    """The player, between two cells like a monster.

    `wish` is the last direction steered and `by_hand` whether a person plays; `goal` is the cell
    that the script walks to, or `NOWHERE`. `feared` (M,) are the cells where the player last saw
    each monster, `NOWHERE` at first, and `when` (M,) the steps of these sightings.
    """

    cell: Annotated[int, Contents(low=0, below="cells")]
    ahead: Annotated[int, Contents(low=0, below="cells")]
    gone: Annotated[float, Contents(low=0, high=1)]
    wish: Annotated[tuple[float, float], Contents(low=-1.001, high=1.001)]
    by_hand: bool
    goal: Annotated[int, Contents(low=NOWHERE, below="cells")]
    feared: Annotated[Ints, Contents("monsters", low=NOWHERE, below="cells")]
    when: Annotated[Ints, Contents("monsters")]

    @property
    def here(self) -> int:
        """The cell that the player is in: the nearer one of the two."""
        if self.gone < _HALFWAY:
            return self.cell
        return self.ahead


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A match at one moment. It never changes: a step returns another one.

    `treasures` (T,) are the cells of the treasures left, of `most` at the start; `exit` is a cell.
    `known` (height, width) are the cells that the player has ever seen. `memory` is the memory
    layer of the monsters, see `Layer.memory`; it is empty if they explore by chance. `outcome` is
    `GOING`, `OUT`, `CAUGHT` or `LATE`.
    """

    step: int
    outcome: Annotated[int, Contents(low=GOING, high=LATE)]
    player: Player
    monsters: Monsters
    treasures: Annotated[Ints, Contents("treasures", low=0, below="cells", is_unique=True)]
    most: int
    exit: Annotated[int, Contents(low=0, below="cells")]
    known: Annotated[NDArray[np.bool_], Contents("map")]
    memory: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        for column in self.memory.values():
            if isinstance(column, np.ndarray):
                column.flags.writeable = False
