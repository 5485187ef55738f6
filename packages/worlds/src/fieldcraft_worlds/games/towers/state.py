"""State of the tower game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.states import Columns, Contents, ReadOnly

NOBODY = -1
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Towers(Columns):
    """The towers, T of them, by their ids.

    `cells` (T,) are their middles; `ready` (T,) the step from which each may hit again, `trained`
    (T,) that from which it may send the next unit; `queues` (T,) the units that it has yet to send,
    to the squads `heads_for` (T,).
    """

    ids: Annotated[Ints, Contents("towers", low=0, is_unique=True)]
    teams: Annotated[Ints, Contents("towers", low=0, below="teams")]
    cells: Annotated[Ints, Contents("towers", low=0, below="cells")]
    health: Annotated[Floats, Contents("towers", low=0, high=1e9)]
    ready: Annotated[Ints, Contents("towers")]
    trained: Annotated[Ints, Contents("towers")]
    queues: Annotated[Ints, Contents("towers", low=0, below="queue")]
    heads_for: Annotated[Ints, Contents("towers", low=0, below="squads")]

    @classmethod
    def none(cls) -> Towers:
        """Return no towers."""
        none = np.zeros(0, dtype=np.int64)
        return cls(none, none, none, np.zeros(0), none, none, none, none)


@dataclass(frozen=True, eq=False)
class Units(Columns):
    """The units, U of them, by their ids: `positions` and `velocities` (U, 2) in world units,
    `ready` as of towers.
    """

    ids: Annotated[Ints, Contents("units", low=0, is_unique=True)]
    teams: Annotated[Ints, Contents("units", low=0, below="teams")]
    squads: Annotated[Ints, Contents("units", low=0, below="squads")]
    positions: Annotated[Floats, Contents("units", 2, is_on_map=True)]
    velocities: Annotated[Floats, Contents("units", 2, low=-1e9, high=1e9)]
    health: Annotated[Floats, Contents("units", low=0, high=1e9)]
    ready: Annotated[Ints, Contents("units")]

    @classmethod
    def none(cls) -> Units:
        """Return no units."""
        none = np.zeros(0, dtype=np.int64)
        pairs = np.zeros((0, 2))
        return cls(none, none, none, pairs, pairs, np.zeros(0), none)


@dataclass(frozen=True, eq=False)
class Squads(Columns):
    """The orders of squads, arrays of shape (teams, squads): the id of the tower to attack, or the
    cell to hold, else `NOTHING`; and whether they take safe paths.
    """

    towers: Annotated[Ints, Contents("teams", "squads", low=NOTHING)]
    cells: Annotated[Ints, Contents("teams", "squads", low=NOTHING, below="cells")]
    safely: Annotated[NDArray[np.bool_], Contents("teams", "squads")]


@dataclass(frozen=True, eq=False)
class Shots(Columns):
    """The shots of towers in the last step, for drawing: world positions (N, 2) of both ends, and
    the teams.
    """

    teams: Annotated[Ints, Contents("shots", low=0, below="teams")]
    starts: Annotated[Floats, Contents("shots", 2)]
    ends: Annotated[Floats, Contents("shots", 2)]

    @classmethod
    def none(cls) -> Shots:
        """Return no shots."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2)))


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A match at one moment. It never changes: a step returns another one.

    `supply` (teams,) are the units that can be sent; `sent`, `lost` and `destroyed` (teams,) count
    the units sent, the units lost, and the enemy towers that each team destroyed; `by_hand`
    (teams,) are the teams without AI. `begun` is False while towers are placed; `over` is True at
    the end, and then `winner` is the number of a team, or `NOBODY` for a tie.
    """

    step: int
    begun: bool
    over: bool
    winner: Annotated[int, Contents(low=NOBODY, below="teams")]
    next_id: int
    towers: Towers
    units: Units
    squads: Squads
    shots: Shots
    supply: Annotated[Floats, Contents("teams", low=0, high=1e12)]
    sent: Annotated[Ints, Contents("teams", low=0)]
    lost: Annotated[Ints, Contents("teams", low=0)]
    destroyed: Annotated[Ints, Contents("teams", low=0)]
    by_hand: Annotated[NDArray[np.bool_], Contents("teams")]

    @property
    def scores(self) -> Ints:
        """Ten for each enemy tower destroyed, less one for each unit lost: shape (teams,)."""
        return 10 * self.destroyed - self.lost
