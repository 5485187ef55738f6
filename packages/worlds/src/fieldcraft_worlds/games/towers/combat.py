"""The combat: sight, hits and damage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.steering import Neighbors
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.state import NOTHING, Shots, State, Units
from fieldcraft_worlds.games.walking import away

__all__ = ["Blows", "Sightings", "look", "nearest_enemies", "strike"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sightings:
    """The targets that each unit and each tower has in sight.

    `targets` (U,) is the row of the nearest enemy tower that a unit sees, else `NOTHING`, and
    `edges` (U,) how far it is from that tower's edge, in cells. `victims` (T,) is the row of the
    nearest enemy unit that a tower sees within its ranges.
    """

    targets: Ints
    edges: Floats
    victims: Ints


@dataclass(frozen=True)
class Blows:
    """The effect of a step's hits: damage to towers by each team (teams, T), to units (U,), units
    that have to wait, and the shots.
    """

    on_towers: Floats
    on_units: Floats
    towers_hit: NDArray[np.bool_]
    units_hit: NDArray[np.bool_]
    shots: Shots


def look(derived: TowersDerived, state: State) -> Sightings:
    """The sightings of everybody, by maps that follow these towers. Sight is symmetric, from cell
    to cell; only walls block it.
    """
    towers, units, settings = state.towers, state.units, derived.settings
    space = derived.space
    if not len(towers) or not len(units):
        return Sightings(
            np.full(len(units), NOTHING), np.full(len(units), np.inf), np.full(len(towers), NOTHING)
        )
    gaps = np.abs(away(space, units.positions, derived.middles[:, None])) / space.cell_size
    apart = np.hypot(gaps[..., 0], gaps[..., 1])
    cells, hostile = (
        np.atleast_1d(space.cell_at(units.positions)),
        towers.teams[:, None] != units.teams,
    )
    seen = derived.views[:, cells] & hostile

    rules = settings.tower
    in_range = seen & (apart >= rules.least_range) & (apart <= min(rules.range, rules.sight))
    victims = np.argmin(np.where(in_range, apart, np.inf), axis=1)
    victims = np.where(in_range[np.arange(len(towers)), victims], victims, NOTHING)

    if derived.sought is not derived.views:
        seen = derived.sought[:, cells] & hostile
    apart[~seen | (apart > settings.unit.sight)] = np.inf
    targets = np.argmin(apart, axis=0)
    everyone = np.arange(len(units))
    outside = np.maximum(gaps[targets, everyone] - rules.size / 2, 0)
    found = np.isfinite(apart[targets, everyone])
    edges = np.where(found, np.hypot(outside[:, 0], outside[:, 1]), np.inf)
    return Sightings(np.where(found, targets, NOTHING), edges, victims)


def strike(
    derived: TowersDerived, state: State, sightings: Sightings, rng: np.random.Generator
) -> Blows:
    """Everybody who is ready hits at the same moment: towers units, units towers, or else the
    nearest enemy unit.
    """
    towers, units, settings = state.towers, state.units, derived.settings
    step, count = state.step, len(units)
    shooting = (towers.ready <= step) & (sightings.victims != NOTHING)
    victims = sightings.victims[shooting]
    shot = rng.uniform(*settings.tower.damage, size=len(victims))
    on_units: Floats = np.bincount(victims, weights=shot, minlength=count).astype(np.float64)
    shots = Shots(towers.teams[shooting], derived.middles[shooting], units.positions[victims])

    ready = units.ready <= step
    at_tower = ready & (sightings.targets != NOTHING) & (sightings.edges <= settings.unit.closeness)
    foes = _in_reach(derived, units)
    at_unit = ready & ~at_tower & (foes != NOTHING)
    hitting = at_tower | at_unit
    hits = rng.uniform(*settings.unit.damage, size=int(np.count_nonzero(hitting)))
    strength = np.zeros(count)
    strength[hitting] = hits
    on_units = on_units + np.bincount(foes[at_unit], weights=strength[at_unit], minlength=count)
    teams = len(settings.teams)
    places = units.teams[at_tower] * len(towers) + sightings.targets[at_tower]
    on_towers: Floats = np.bincount(
        places, weights=strength[at_tower], minlength=teams * len(towers)
    ).astype(np.float64)
    return Blows(on_towers.reshape(teams, len(towers)), on_units, shooting, hitting, shots)


def nearest_enemies(
    derived: TowersDerived, units: Units, asking: NDArray[np.bool_], reach: float
) -> tuple[Ints, Floats]:
    """For each unit that asks, the row of the nearest enemy unit less than `reach` cells away, else
    `NOTHING`, and how far in cells.
    """
    foes, apart = np.full(len(units), NOTHING), np.full(len(units), np.inf)
    cell = derived.walking.cell_size
    for team in np.unique(units.teams[asking]).tolist():
        enemies, rows = (
            np.flatnonzero(units.teams != team),
            np.flatnonzero(asking & (units.teams == team)),
        )
        if len(enemies):
            near = Neighbors(units.positions[enemies], reach * cell, space=derived.walking)
            found, distances = near.nearest(units.positions[rows])
            foes[rows] = np.where(found >= 0, enemies[found], NOTHING)
            apart[rows] = distances / cell
    return foes, apart


def _in_reach(derived: TowersDerived, units: Units) -> Ints:
    """For each unit the row of the nearest enemy unit if it can hit that, else `NOTHING`; no wall
    or tower may lie between.
    """
    space = derived.walking
    foes, _ = Neighbors(
        units.positions, derived.settings.unit.closeness * space.cell_size, space=space
    ).nearest(groups=units.teams)
    rows = np.flatnonzero(foes != NOTHING)
    half_way = (
        units.positions[rows] + away(space, units.positions[rows], units.positions[foes[rows]]) / 2
    )
    walled = space.walls.reshape(-1)[np.atleast_1d(space.cell_at(half_way, outside="clamp"))]
    foes[rows[walled]] = NOTHING
    return foes
