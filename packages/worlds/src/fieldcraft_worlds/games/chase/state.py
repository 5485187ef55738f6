"""State of a chase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.settings import one_of
from fieldcraft.pursuit import Contacts
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.chase.settings import SEARCHING
from fieldcraft_worlds.games.states import Columns, Contents, ReadOnly

NOBODY = -1
NOTHING = -1
NEVER = -(2**40)

PLAYER, CIVILIAN, TURNING, HUNTER = range(4)  # roles
PATROL, INVESTIGATE, CHASE, SEARCH = range(4)  # moods of hunters
MOODS = ("patrol", "investigate", "chase", "search")
SNEAK, WALK, RUN = range(3)  # gaits of the player


@dataclass(frozen=True, eq=False)
class People(Columns):
    """All people, N of them; row 0 is the player, and rows never change.

    `roles` (N,): PLAYER, CIVILIAN, TURNING (bitten) or HUNTER. `positions` and `velocities` (N, D)
    are in world units, `headings` (N, 2) unit vectors in the plane. `cells` (N,) are their cells;
    on waypoints `ahead` (N,) is the vertex that they walk to, else NOTHING.

    `moods` (N,) of hunters since step `since` (N,); `targets` (N,) is the row of the agent that
    each chases, or NOBODY, and 0 for a civilian that is the player's companion; `goals` (N,) the
    cell that each walks to, or NOTHING. Until step `until` (N,) they stay in place: hunters after a
    bite, and civilians that turn.
    """

    roles: Annotated[Ints, Contents("people", low=PLAYER, high=HUNTER)]
    positions: Annotated[Floats, Contents("people", "dimensions", is_on_map=True)]
    velocities: Annotated[Floats, Contents("people", "dimensions", low=-1e9, high=1e9)]
    headings: Annotated[Floats, Contents("people", 2, low=-1.001, high=1.001)]
    cells: Annotated[Ints, Contents("people", low=0, below="cells")]
    ahead: Annotated[Ints, Contents("people", low=NOTHING, below="cells")]
    moods: Annotated[Ints, Contents("people", low=PATROL, high=SEARCH)]
    since: Annotated[Ints, Contents("people")]
    targets: Annotated[Ints, Contents("people", low=NOBODY, below="people")]
    goals: Annotated[Ints, Contents("people", low=NOTHING, below="cells")]
    until: Annotated[Ints, Contents("people")]

    def rows(self, role: int) -> Ints:
        """Return the rows of people with a role."""
        return np.flatnonzero(self.roles == role)


@dataclass(frozen=True, eq=False)
class Items(Columns):
    """The items to collect: `cells` (I,), and whether each was `taken` (I,)."""

    cells: Annotated[Ints, Contents("items", low=0, below="cells")]
    taken: Annotated[NDArray[np.bool_], Contents("items")]


@dataclass(frozen=True, eq=False)
class Sounds(Columns):
    """Noises of the last seconds, for drawing: `positions` (K, D), the `steps` (K,) of their start,
    and how `loud` (K,) they are.
    """

    positions: Annotated[Floats, Contents("sounds", "dimensions")]
    steps: Annotated[Ints, Contents("sounds")]
    loud: Annotated[Floats, Contents("sounds", low=0)]

    def appended(self, positions: Floats, step: int, loud: Floats, oldest: int) -> Sounds:
        """Return these with new noises of a step, without those before step `oldest`."""
        young = self.steps >= oldest
        return Sounds(
            np.concatenate([self.positions[young], positions]),
            np.concatenate([self.steps[young], np.full(len(positions), step)]),
            np.concatenate([self.loud[young], loud]),
        )


@dataclass(frozen=True, eq=False)
class OneTarget(ReadOnly):
    """The fields of `Contacts` with one target, the player."""

    seen: Annotated[NDArray[np.bool_], Contents("viewers", 1)]
    in_sight: Annotated[NDArray[np.bool_], Contents(1)]
    found: Annotated[Ints, Contents("found", low=0, high=0)]
    lost: Annotated[Ints, Contents("lost", low=0, high=0)]
    positions: Annotated[Floats, Contents(1, "dimensions")]
    velocities: Annotated[Floats, Contents(1, "dimensions")]
    waited: Annotated[Ints, Contents(1, low=-1)]


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A chase at one moment. It never changes: a step returns another one.

    `wish` (D,) is the direction of the player, a vector up to 1 long, or the player walks to the
    cell `goal`; `by_hand` is False while the script plays. `search` is the method of searching.
    `breath` are the seconds that the player can still run, `hurt` the step of the last catch.
    `places` are the cells where civilians stroll.

    `infection` and `noise` are the values of these layers, in the shape of the space; `contacts`
    the hunters' sightings of the player, `guesses` the memories of searches, `seen` that of
    patrols. `spotted` and `lost` count how often hunters saw the player and lost it, `bitten` the
    civilians that were bitten. `outcome` is "" until the end, then "escaped", "caught" or
    "survived".
    """

    step: int
    outcome: Annotated[str, one_of(("", "escaped", "caught", "survived"))]
    by_hand: bool
    gait: Annotated[int, Contents(low=SNEAK, high=RUN)]
    search: Annotated[str, one_of(SEARCHING)]
    wish: Annotated[Floats, Contents("dimensions", low=-1.001, high=1.001)]
    goal: Annotated[int, Contents(low=NOTHING, below="cells")]
    breath: float
    hearts: int
    hurt: Annotated[int, Contents(low=NEVER)]
    stones: int
    people: People
    items: Items
    exit: Annotated[int, Contents(low=0, below="cells")]
    places: Annotated[Ints, Contents("places", low=0, below="cells")]
    sounds: Sounds
    infection: Annotated[NDArray[np.float32], Contents("map")]
    noise: Annotated[NDArray[np.float32], Contents("map")]
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
        """Return the state with other columns of people."""
        return replace(self, people=replace(self.people, **columns))
