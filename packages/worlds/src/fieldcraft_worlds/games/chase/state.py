"""All that changes in a chase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Space
from fieldcraft.pursuit import Contacts
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.chase.settings import SEARCHING
from fieldcraft_worlds.games.columns import Columns, ReadOnly

__all__ = [
    "CHASE",
    "CIVILIAN",
    "HUNTER",
    "INVESTIGATE",
    "MOODS",
    "NEVER",
    "NOBODY",
    "NOTHING",
    "PATROL",
    "PLAYER",
    "RUN",
    "SEARCH",
    "SNEAK",
    "TURNING",
    "WALK",
    "Items",
    "People",
    "Sounds",
    "State",
    "checked",
]

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

    `roles` (N,): PLAYER, CIVILIAN, TURNING (bitten) or HUNTER. `positions` and `velocities` (N, D)
    are in world units, `headings` (N, 2) unit vectors as seen from above. `cells` (N,) are where
    they stand; on waypoints `ahead` (N,) is the vertex that they walk to, else NOTHING.

    `moods` (N,) of hunters since step `since` (N,); `targets` (N,) is the row of whom each chases,
    or NOBODY; `goals` (N,) the cell that each walks to, or NOTHING. Until step `until` (N,) they
    stand still: who has bitten, and who is turning.
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
    """Noises of the last seconds, for the eye: `positions` (K, D), the `steps` (K,) they were made
    at, how `loud` (K,).
    """

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

    `wish` (D,) is where the player wants to walk, a vector up to 1 long, or the player walks to the
    cell `goal`; `by_hand` is False while the program plays. `search` is how hunters search.
    `breath` are the seconds that the player can still run, `hurt` the step at which it was last
    caught. `places` are the cells that civilians stroll between.

    `infection` and `noise` are the values of these layers, in the shape of the space; `contacts`
    what hunters know of the player by sight, `guesses` what their searches remember, `seen` what
    patrols do. `spotted` and `lost` count how often hunters got sight of the player and lost it,
    `bitten` the civilians who were bitten. `outcome` is "" until it is over, then "escaped",
    "caught" or "survived".
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


def checked(state: State, space: Space) -> State:
    """The state, if it can be one of a chase on this map; else `InvalidValue`. What searches and
    patrols remember checks itself.
    """
    people, cells, plane = state.people, len(space), space.dimensions
    count = len(bounds.array("roles", people.roles, np.int64, (None,), PLAYER, HUNTER))
    if not count or people.roles[0] != PLAYER or (people.roles[1:] == PLAYER).any():
        bounds.one_of("the roles of people", "others", ("one player, the first",))
    bounds.places("positions", people.positions, count, space)
    bounds.array("velocities", people.velocities, np.float64, (count, plane), -1e9, 1e9)
    bounds.array("headings", people.headings, np.float64, (count, 2), -1.001, 1.001)
    bounds.cells("cells", people.cells, count, space)
    for name in ("ahead", "goals"):
        bounds.cells(name, getattr(people, name), count, space, NOTHING)
    bounds.array("moods", people.moods, np.int64, (count,), PATROL, SEARCH)
    bounds.array("targets", people.targets, np.int64, (count,), NOBODY, count - 1)
    for name in ("since", "until"):
        bounds.array(name, getattr(people, name), np.int64, (count,))
    things = len(bounds.array("cells of items", state.items.cells, np.int64, (None,), 0, cells - 1))
    bounds.array("taken", state.items.taken, np.bool_, (things,))
    noises = len(bounds.array("steps of sounds", state.sounds.steps, np.int64, (None,)))
    bounds.array("positions of sounds", state.sounds.positions, np.float64, (noises, plane))
    bounds.array("loud", state.sounds.loud, np.float64, (noises,), 0)
    bounds.array("wish", state.wish, np.float64, (plane,), -1.001, 1.001)
    bounds.cells("places", state.places, None, space)
    for name in ("infection", "noise"):
        bounds.array(name, getattr(state, name), np.float32, space.shape)
    _check_numbers(state, cells)
    _check_contacts(state.contacts, plane)
    return state


def _check_numbers(state: State, cells: int) -> None:
    for name in ("step", "hearts", "stones", "spotted", "lost", "bitten"):
        bounds.integer(name, getattr(state, name))
    bounds.integer("hurt", state.hurt, NEVER)
    bounds.integer("exit", state.exit, 0, cells - 1)
    bounds.integer("goal", state.goal, NOTHING, cells - 1)
    bounds.one_of("gait", state.gait, (SNEAK, WALK, RUN))
    bounds.one_of("outcome", state.outcome, ("", "escaped", "caught", "survived"))
    bounds.one_of("search", state.search, SEARCHING)
    bounds.flag("by_hand", state.by_hand)
    bounds.number("breath", state.breath)


def _check_contacts(contacts: Contacts, plane: int) -> None:
    bounds.array("seen", contacts.seen, np.bool_, (None, 1))
    bounds.array("in_sight", contacts.in_sight, np.bool_, (1,))
    for name in ("found", "lost"):
        bounds.array(name, getattr(contacts, name), np.int64, (None,), 0, 0)
    known = (
        np.nan_to_num(contacts.positions)
        if isinstance(contacts.positions, np.ndarray)
        else contacts.positions
    )
    bounds.array("positions of contacts", known, np.float64, (1, plane))
    bounds.array("velocities of contacts", contacts.velocities, np.float64, (1, plane))
    bounds.array("waited", contacts.waited, np.int64, (1,), -1)
