"""Combat: sight, hits and damage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.steering import Neighbors
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.state import NOTHING, Shots, State, Units
from fieldcraft_worlds.games.walking import away


@dataclass(frozen=True)
class Sightings:
    """The targets in sight of units and towers.

    `targets` (U,) is the row of the nearest enemy tower in sight of each unit, else `NOTHING`, and
    `edges` (U,) the distance to that tower's edge, in cells. `victims` (T,) is the row of the
    nearest enemy unit in sight of each tower and within its ranges.
    """

    targets: Ints
    edges: Floats
    victims: Ints


@dataclass(frozen=True)
class Hits:
    """The hits of a step: damage to towers by each team (teams, T) and to units (U,), the towers
    and units that hit, and the shots.
    """

    on_towers: Floats
    on_units: Floats
    towers_hit: NDArray[np.bool_]
    units_hit: NDArray[np.bool_]
    shots: Shots


def look(derived: TowersDerived, state: State) -> Sightings:
    """Return the sightings of all units and towers. Sight is symmetric, and only walls block it."""
    towers = state.towers
    units = state.units
    settings = derived.settings
    space = derived.space
    if not len(towers) or not len(units):
        return Sightings(
            np.full(len(units), NOTHING), np.full(len(units), np.inf), np.full(len(towers), NOTHING)
        )
    gaps = np.abs(away(space, units.positions, derived.middles[:, None])) / space.cell_size
    distances = np.hypot(gaps[..., 0], gaps[..., 1])
    cells = np.atleast_1d(space.cell_at(units.positions))
    hostile = towers.teams[:, None] != units.teams
    seen = derived.views[:, cells] & hostile

    rules = settings.tower
    in_range = (
        seen & (distances >= rules.least_range) & (distances <= min(rules.range, rules.sight))
    )
    victims = np.argmin(np.where(in_range, distances, np.inf), axis=1)
    victims = np.where(in_range[np.arange(len(towers)), victims], victims, NOTHING)

    if derived.reachable_views is not derived.views:
        seen = derived.reachable_views[:, cells] & hostile
    distances[~seen | (distances > settings.unit.sight)] = np.inf
    targets = np.argmin(distances, axis=0)
    everyone = np.arange(len(units))
    outside = np.maximum(gaps[targets, everyone] - rules.size / 2, 0)
    found = np.isfinite(distances[targets, everyone])
    edges = np.where(found, np.hypot(outside[:, 0], outside[:, 1]), np.inf)
    return Sightings(np.where(found, targets, NOTHING), edges, victims)


def strike(
    derived: TowersDerived, state: State, sightings: Sightings, rng: np.random.Generator
) -> Hits:
    """Return the hits of all that are ready: towers hit units, units hit towers, else the nearest
    enemy unit.
    """
    towers = state.towers
    units = state.units
    settings = derived.settings
    step = state.step
    count = len(units)
    shooting = (towers.ready <= step) & (sightings.victims != NOTHING)
    victims = sightings.victims[shooting]
    shot = rng.uniform(*settings.tower.damage, size=len(victims))
    on_units: Floats = np.bincount(victims, weights=shot, minlength=count).astype(np.float64)
    shots = Shots(towers.teams[shooting], derived.middles[shooting], units.positions[victims])

    ready = units.ready <= step
    at_tower = ready & (sightings.targets != NOTHING) & (sightings.edges <= settings.unit.closeness)
    enemies = _in_reach(derived, units)
    at_unit = ready & ~at_tower & (enemies != NOTHING)
    hitting = at_tower | at_unit
    hits = rng.uniform(*settings.unit.damage, size=int(np.count_nonzero(hitting)))
    strength = np.zeros(count)
    strength[hitting] = hits
    on_units = on_units + np.bincount(enemies[at_unit], weights=strength[at_unit], minlength=count)
    teams = len(settings.teams)
    places = units.teams[at_tower] * len(towers) + sightings.targets[at_tower]
    on_towers: Floats = np.bincount(
        places, weights=strength[at_tower], minlength=teams * len(towers)
    ).astype(np.float64)
    return Hits(on_towers.reshape(teams, len(towers)), on_units, shooting, hitting, shots)


def nearest_enemies(
    derived: TowersDerived, units: Units, some: NDArray[np.bool_], reach: float
) -> tuple[Ints, Floats]:
    """Return for some units the row of the nearest enemy unit less than `reach` cells away, else
    `NOTHING`, and its distance in cells.
    """
    found = np.full(len(units), NOTHING)
    distances = np.full(len(units), np.inf)
    cell = derived.walking.cell_size
    for team in np.unique(units.teams[some]).tolist():
        enemies = np.flatnonzero(units.teams != team)
        rows = np.flatnonzero(some & (units.teams == team))
        if len(enemies):
            near = Neighbors(units.positions[enemies], reach * cell, space=derived.walking)
            nearest, lengths = near.nearest(units.positions[rows])
            found[rows] = np.where(nearest >= 0, enemies[nearest], NOTHING)
            distances[rows] = lengths / cell
    return found, distances


def _in_reach(derived: TowersDerived, units: Units) -> Ints:
    """Return the row of the nearest enemy unit in reach of each unit, with no wall between, else
    `NOTHING`.
    """
    space = derived.walking
    enemies, _ = Neighbors(
        units.positions, derived.settings.unit.closeness * space.cell_size, space=space
    ).nearest(groups=units.teams)
    rows = np.flatnonzero(enemies != NOTHING)
    middles = (
        units.positions[rows]
        + away(space, units.positions[rows], units.positions[enemies[rows]]) / 2
    )
    walled = space.walls.reshape(-1)[np.atleast_1d(space.cell_at(middles, outside="clamp"))]
    enemies[rows[walled]] = NOTHING
    return enemies
