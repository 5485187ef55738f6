"""All that changes in a chase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Contacts
from fieldcraft_worlds.games.columns import Columns, ReadOnly

__all__ = [
    "CHASE", "CIVILIAN", "HUNTER", "INVESTIGATE", "MOODS", "NEVER", "NOBODY", "NOTHING", "PATROL", "PLAYER", "RUN", "SEARCH", "SNEAK",
    "TURNING", "WALK", "Items", "People", "Sounds", "State",
]  # fmt: skip

NOBODY = -1
NOTHING = -1
NEVER = -(2**40)

PLAYER, CIVILIAN, TURNING, HUNTER = range(4)  # roles
PATROL, INVESTIGATE, CHASE, SEARCH = range(4)  # moods of hunters
MOODS = ("patrol", "investigate", "chase", "search")
SNEAK, WALK, RUN = range(3)  # gaits of the player

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People(Columns):
    """Everybody, N of them; row 0 is the player, and nobody's row ever changes.

    `roles` (N,): PLAYER, CIVILIAN, TURNING (bitten) or HUNTER. `positions` and `velocities` (N, D) are in world units, `headings`
    (N, 2) unit vectors as seen from above. `cells` (N,) are where they stand; on waypoints `ahead` (N,) is the vertex that they
    walk to, else NOTHING.

    `moods` (N,) of hunters since step `since` (N,); `targets` (N,) is the row of whom each chases, or NOBODY; `goals` (N,) the cell that
    each walks to, or NOTHING. Until step `until` (N,) they stand still: who has bitten, and who is turning.
    """

    roles: Ints
    positions: Floats
    velocities: Floats
    headings: Floats
    cells: Ints
    ahead: Ints
    moods: Ints
    since: Ints
    targets: Ints
    goals: Ints
    until: Ints

    def rows(self, role: int) -> Ints:
        """The rows of those in a role."""
        return np.flatnonzero(self.roles == role)


@dataclass(frozen=True, eq=False)
class Items(Columns):
    """The items to be found: `cells` (I,), and whether each was `taken` (I,)."""

    cells: Ints
    taken: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sounds(Columns):
    """Noises of the last seconds, for the eye: `positions` (K, D), the `steps` (K,) they were made at, how `loud` (K,)."""

    positions: Floats
    steps: Ints
    loud: Floats

    def and_then(self, positions: Floats, step: int, loud: Floats, oldest: int) -> Sounds:
        """With those that are made now, without those from before step `oldest`."""
        young = self.steps >= oldest
        return Sounds(
            np.concatenate([self.positions[young], positions]),
            np.concatenate([self.steps[young], np.full(len(positions), step)]),
            np.concatenate([self.loud[young], loud]),
        )


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A chase at one moment. Never changed: a step makes another.

    `wish` (D,) is where the player wants to walk, a vector up to 1 long, or he walks to the cell `goal`; `by_hand` is False while he
    plays by himself. `search` is how hunters search. `breath` are the seconds that he can still run, `hurt` the step at which he
    was last caught. `places` are the cells that civilians stroll between.

    `infection` and `noise` are the values of these layers, in the shape of the space; `contacts` what hunters know of the player by sight,
    `guesses` what their searches remember, `seen` what patrols do. `spotted` and `lost` count how often hunters got sight of the player
    and lost him, `bitten` the civilians who were bitten. `outcome` is "" until it is over, then "escaped", "caught" or "survived".
    """

    step: int
    outcome: str
    by_hand: bool
    gait: int
    search: str
    wish: Floats
    goal: int
    breath: float
    hearts: int
    hurt: int
    stones: int
    people: People
    items: Items
    exit: int
    places: Ints
    sounds: Sounds
    infection: NDArray[np.float32]
    noise: NDArray[np.float32]
    contacts: Contacts
    guesses: dict[str, Any]
    seen: dict[str, Any]
    spotted: int
    lost: int
    bitten: int

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self.outcome)

    def with_people(self, **columns: NDArray[Any]) -> State:
        """With other columns of people."""
        return replace(self, people=replace(self.people, **columns))
