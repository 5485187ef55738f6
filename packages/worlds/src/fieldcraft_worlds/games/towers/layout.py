"""Where the towers of all teams stand, from a seed: balanced by the ways that lead between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, distance_map, would_block
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.games.walking import away

__all__ = ["seeded"]

_TRIES = 12
_SITES = 3_000  # of more, so many are looked at
_CROWDING = (
    1.0,
    0.7,
    0.45,
)  # spacing of a team's towers, as a share of their range, that is tried one after the other
_DEPTH = (
    0.08,
    0.42,
)  # how far from its base a team's towers stand, as a share of the way to the enemy's

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def seeded(space: Grid, settings: Settings, rng: np.random.Generator) -> list[Ints]:
    """The cells of each team's towers, `settings.towers` each, the base first.

    Bases lie far apart; whose is which is left to chance. The other towers come in ranks: one of
    each team, so chosen that all have the same way to their own base and to the enemy's, as nearly
    as the ground allows. On a map of two equal halves the layout of two teams is symmetric.
    Towers stand out of range of the enemy's, on ground that all can reach, and block nobody's way.

    Raises
    ------
    InvalidValue
        If there is no room.
    """
    reach = settings.tower.size // 2
    sites, blocking = _sites(space, reach, len(settings.teams) * settings.towers)
    sites = _joined(space, sites, rng) if len(sites) else sites
    derived = _derived(space, sites) if len(settings.teams) == 2 else None
    if len(sites) > _SITES:
        sites = np.sort(rng.choice(sites, size=_SITES, replace=False))
        sites = sites if derived is None else np.union1d(sites, derived(sites))
    for crowding in _CROWDING if len(sites) >= len(settings.teams) * settings.towers else ():
        best: tuple[float, list[Ints]] | None = None
        for _ in range(_TRIES):
            found = _attempt(space, settings, sites, derived, crowding, rng)
            if found is None or (best is not None and found[0] >= best[0]):
                continue
            if not blocking or _is_passable(space, reach, np.concatenate(found[1])):
                best = found
            if derived is not None and best is not None:
                break
        if best is not None:
            return [best[1][place] for place in rng.permutation(len(best[1])).tolist()]
    raise InvalidValue(
        f"The map has room for {settings.towers} towers of size {settings.tower.size} for each of"
        f" {len(settings.teams)} teams",
        got=f"{len(sites)} sites on {space!r}",
        remedy="Pass fewer towers, smaller ones, or TowerRules with a shorter range",
    )


def _sites(space: Grid, reach: int, wanted: int) -> tuple[Ints, bool]:
    """Cells where towers may stand, and whether those may block a way: only where there are too few
    that never do.
    """
    clear = np.flatnonzero(ground.is_clear(space, reach))
    if len(clear) >= 4 * wanted:
        return clear, False
    return np.flatnonzero(ground.is_open(space, reach)), True


def _joined(space: Grid, sites: Ints, rng: np.random.Generator) -> Ints:
    """The sites of the largest part of the map that a walk joins."""
    left, best = sites, sites[:0]
    while len(left) > len(best):
        start = left[int(rng.integers(len(left)))]
        reached = np.isfinite(_to(space, start)[left])
        if np.count_nonzero(reached) > len(best):
            best = left[reached]
        left = left[~reached]
    return best


def _to(space: Grid, cell: np.int64 | int) -> Floats:
    """How far it is from every cell to this one, in cells."""
    return np.asarray(
        distance_map(space, space.position_of(int(cell))).values.reshape(-1) / space.cell_size,
        dtype=np.float64,
    )


def _derived(space: Grid, sites: Ints) -> Callable[[Ints], Ints] | None:
    """A map of cells to those of the other half, if the walls and the ground are the same there."""
    classes = (
        space.walls
        if space.terrain is None
        else np.where(space.walls, -1, space.terrain.classes.astype(np.int64))
    )
    height, width = space.shape
    known = np.zeros(len(space), dtype=np.bool_)
    known[sites] = True
    turned: list[tuple[NDArray[np.generic], Callable[[Ints], Ints]]] = [
        (classes[::-1, ::-1], lambda cells: height * width - 1 - cells),
        (classes[:, ::-1], lambda cells: cells // width * width + width - 1 - cells % width),
        (classes[::-1], lambda cells: (height - 1 - cells // width) * width + cells % width),
    ]
    for other, image in turned:
        if np.array_equal(classes, other) and known[image(sites)].all():
            return image
    return None


def _attempt(
    space: Grid,
    settings: Settings,
    sites: Ints,
    derived: Callable[[Ints], Ints] | None,
    crowding: float,
    rng: np.random.Generator,
) -> tuple[float, list[Ints]] | None:
    """A layout and how far it is from balanced, as a share of the way between bases; None where it
    found no room.
    """
    teams, tower = len(settings.teams), settings.tower
    apart = max(tower.size + 2.0, crowding * tower.range)
    bases = _bases(space, teams, sites, derived, rng)
    if len(bases) < teams:
        return None
    fields = np.stack([_to(space, base) for base in bases])
    ways = fields[:, sites]
    own = ways
    foe = np.stack([np.delete(ways, team, axis=0).min(axis=0) for team in range(teams)])
    at = np.searchsorted(sites, bases)
    span = float(np.mean(foe[np.arange(teams), at]))
    wrong = float(np.ptp(foe[np.arange(teams), at]))
    chosen = [[int(base)] for base in bases]

    def free(team: int) -> NDArray[np.bool_]:
        others = [cell for other in range(teams) if other != team for cell in chosen[other]]
        good = _keeps(space, sites, np.array(chosen[team]), apart)
        return good & _keeps(space, sites, np.array(others), max(tower.range, tower.size + 2.0) + 1)

    for rank in range(1, settings.towers):
        order = [(rank + k) % teams for k in range(teams)]
        lead = order[0]
        near, far = _DEPTH[0] * span, _DEPTH[1] * span
        wanted = near + (far - near) * float(rng.random())
        open_to = free(lead) & (own[lead] < foe[lead])
        fits = np.flatnonzero(open_to & (np.abs(own[lead] - wanted) <= 0.1 * span))
        if not len(fits):
            fits = np.flatnonzero(open_to & (own[lead] <= far + 0.1 * span))
        if not len(fits):
            return None
        pick = int(fits[int(rng.integers(len(fits)))])
        chosen[lead].append(int(sites[pick]))
        for team in order[1:]:
            if derived is not None:
                image = int(derived(np.array([chosen[lead][-1]]))[0])
                if not free(team)[np.searchsorted(sites, image)]:
                    return None
                chosen[team].append(image)
                continue
            off = np.abs(own[team] - own[lead, pick]) + np.abs(foe[team] - foe[lead, pick])
            off[~free(team)] = np.inf
            match = int(np.argmin(off))
            if not np.isfinite(off[match]):
                return None
            wrong += float(off[match])
            chosen[team].append(int(sites[match]))
    return wrong / span, [np.array(cells, dtype=np.int64) for cells in chosen]


def _bases(
    space: Grid,
    teams: int,
    sites: Ints,
    derived: Callable[[Ints], Ints] | None,
    rng: np.random.Generator,
) -> Ints:
    """A site for the base of each team, far from each other."""
    start = sites[int(rng.integers(len(sites)))]
    if derived is not None:
        tried = rng.choice(sites, size=min(8, len(sites)), replace=False)
        gaps = [float(_to(space, cell)[derived(np.array([cell]))[0]]) for cell in tried]
        first = tried[int(np.argmax(gaps))]
        return np.array([first, derived(np.array([first]))[0]])
    from_start = _to(space, start)[sites]
    bases = [int(rng.choice(sites[from_start >= 0.75 * from_start.max()]))]
    nearest = _to(space, bases[0])[sites]
    while len(bases) < teams and nearest.max() > 0:
        bases.append(int(rng.choice(sites[nearest >= 0.85 * nearest.max()])))
        nearest = np.minimum(nearest, _to(space, bases[-1])[sites])
    return np.array(bases)


def _keeps(space: Grid, sites: Ints, taken: Ints, apart: float) -> NDArray[np.bool_]:
    """Which sites are at least so many cells from all that are taken."""
    gaps = (
        away(space, space.position_of(sites)[:, None], space.position_of(taken)) / space.cell_size
    )
    return np.asarray((np.hypot(gaps[..., 0], gaps[..., 1]) >= apart).all(axis=1))


def _is_passable(space: Grid, reach: int, cells: Ints) -> bool:
    """Whether all that could walk to each other still can when these towers stand."""
    blocks = np.unique(
        np.concatenate([ground.block(space, cell, reach) for cell in cells.tolist()])
    )
    walls = space.walls.copy()
    walls.reshape(-1)[blocks] = True
    rings = [ground.ring(space, cell, reach) for cell in cells.tolist()]
    rings = [np.setdiff1d(around, blocks) for around in rings]
    if not all(len(around) for around in rings):
        return False
    return not would_block(
        space,
        blocks,
        space.position_of(rings[0][:1]),
        starts=space.position_of(np.concatenate(rings)),
    )
