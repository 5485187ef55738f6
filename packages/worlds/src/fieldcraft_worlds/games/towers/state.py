"""All that changes in a match of towers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games import bounds
from fieldcraft_worlds.games.columns import Columns, ReadOnly
from fieldcraft_worlds.games.towers.settings import Settings

__all__ = ["NOBODY", "NOTHING", "Shots", "Squads", "State", "Towers", "Units", "checked"]

NOBODY = -1
NOTHING = -1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Towers(Columns):
    """The towers that stand, T of them, by their ids.

    `cells` (T,) are their middles; `ready` (T,) the step from which each may hit again, `trained`
    (T,) that from which it may send the next unit; `queues` (T,) how many it is still to send, to
    the squads `heads_for` (T,).
    """

    ids: Ints
    teams: Ints
    cells: Ints
    health: Floats
    ready: Ints
    trained: Ints
    queues: Ints
    heads_for: Ints

    @classmethod
    def none(cls) -> Towers:
        """No towers."""
        none = np.zeros(0, dtype=np.int64)
        return cls(none, none, none, np.zeros(0), none, none, none, none)


@dataclass(frozen=True, eq=False)
class Units(Columns):
    """The units that live, U of them, by their ids: `positions` and `velocities` (U, 2) in world
    units, `ready` as of towers.
    """

    ids: Ints
    teams: Ints
    squads: Ints
    positions: Floats
    velocities: Floats
    health: Floats
    ready: Ints

    @classmethod
    def none(cls) -> Units:
        """No units."""
        none, pairs = np.zeros(0, dtype=np.int64), np.zeros((0, 2))
        return cls(none, none, none, pairs, pairs, np.zeros(0), none)


@dataclass(frozen=True, eq=False)
class Squads(Columns):
    """The orders of squads, arrays of shape (teams, squads).

    The id of the tower to strike, or the cell to hold, else `NOTHING`; and whether they go safely.
    """

    towers: Ints
    cells: Ints
    safely: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shots(Columns):
    """The shots of towers in the last step, for the eye: world positions (N, 2) at both ends, and
    the teams that hit.
    """

    teams: Ints
    starts: Floats
    ends: Floats

    @classmethod
    def none(cls) -> Shots:
        """No shots."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros((0, 2)))


@dataclass(frozen=True, eq=False)
class State(ReadOnly):
    """A match at one moment. Never changed: a step makes another.

    `supply` (teams,) are the units that may be sent; `sent`, `lost` and `destroyed` (teams,) count
    the units that came and died and the enemy towers that fell to each team; `by_hand` (teams,)
    says whose commander is silent. `begun` is False while towers are placed; `over` says that it
    has ended, and then `winner` is the number of a team, or `NOBODY` for a tie.
    """

    step: int
    begun: bool
    over: bool
    winner: int
    next_id: int
    towers: Towers
    units: Units
    squads: Squads
    shots: Shots
    supply: Floats
    sent: Ints
    lost: Ints
    destroyed: Ints
    by_hand: NDArray[np.bool_]

    @property
    def scores(self) -> Ints:
        """Ten for each enemy tower destroyed, less one for each unit lost: shape (teams,)."""
        return 10 * self.destroyed - self.lost


def checked(state: State, space: Grid, settings: Settings) -> State:
    """The state, if it can be one of a match on this map by these settings; else `InvalidValue`."""
    teams = len(settings.teams)
    bounds.integer("step", state.step)
    bounds.flag("begun", state.begun)
    bounds.flag("over", state.over)
    bounds.integer("winner", state.winner, NOBODY, teams - 1)
    bounds.integer("next_id", state.next_id)
    _check_towers(state.towers, space, settings)
    _check_units(state.units, space, settings)
    squads, shape = state.squads, (teams, settings.squads)
    bounds.array("towers of squads", squads.towers, np.int64, shape, NOTHING)
    bounds.array("cells of squads", squads.cells, np.int64, shape, NOTHING, len(space) - 1)
    bounds.array("safely", squads.safely, np.bool_, shape)
    hits = len(bounds.array("teams of shots", state.shots.teams, np.int64, (None,), 0, teams - 1))
    for name in ("starts", "ends"):
        bounds.array(name, getattr(state.shots, name), np.float64, (hits, 2))
    bounds.array("supply", state.supply, np.float64, (teams,), 0, 1e12)
    for name in ("sent", "lost", "destroyed"):
        bounds.array(name, getattr(state, name), np.int64, (teams,), 0)
    bounds.array("by_hand", state.by_hand, np.bool_, (teams,))
    return state


def _check_towers(towers: Towers, space: Grid, settings: Settings) -> None:
    count = len(bounds.array("ids of towers", towers.ids, np.int64, (None,), 0))
    bounds.unique("ids of towers", towers.ids)
    bounds.array("teams of towers", towers.teams, np.int64, (count,), 0, len(settings.teams) - 1)
    bounds.cells("cells of towers", towers.cells, count, space)
    reach = settings.tower.size // 2
    rows, columns = np.divmod(towers.cells, space.width)
    inside = (
        (rows >= reach)
        & (rows < space.height - reach)
        & (columns >= reach)
        & (columns < space.width - reach)
    )
    if not space.wrap and not inside.all():
        raise InvalidValue(
            "Towers stand on the map as a whole",
            got=f"one around cell {towers.cells[~inside][0]}",
            remedy="Use another save",
        )
    bounds.array("health of towers", towers.health, np.float64, (count,), 0, 1e9)
    for name in ("ready", "trained"):
        bounds.array(f"{name} of towers", getattr(towers, name), np.int64, (count,))
    bounds.array("queues", towers.queues, np.int64, (count,), 0, settings.units)
    bounds.array("heads_for", towers.heads_for, np.int64, (count,), 0, settings.squads - 1)


def _check_units(units: Units, space: Grid, settings: Settings) -> None:
    count = len(bounds.array("ids of units", units.ids, np.int64, (None,), 0))
    bounds.unique("ids of units", units.ids)
    bounds.array("teams of units", units.teams, np.int64, (count,), 0, len(settings.teams) - 1)
    bounds.array("squads of units", units.squads, np.int64, (count,), 0, settings.squads - 1)
    bounds.places("positions of units", units.positions, count, space)
    bounds.array("velocities of units", units.velocities, np.float64, (count, 2), -1e9, 1e9)
    bounds.array("health of units", units.health, np.float64, (count,), 0, 1e9)
    bounds.array("ready of units", units.ready, np.int64, (count,))
