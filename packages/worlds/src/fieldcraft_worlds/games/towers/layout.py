"""Layout of towers from a seed, balanced by the distances between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, distance_map, would_block
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.games.walking import away

_TRIES = 12
_MOST_SITES = 3_000  # that are compared
_CROWDING = (1.0, 0.7, 0.45)  # spacings of a team's towers to try, as shares of their range
_DEPTH = (0.08, 0.42)  # distance of towers to their base, as shares of that to the enemy's


def seeded(space: Grid, settings: Settings, rng: np.random.Generator) -> list[Ints]:
    """Return the cells of each team's towers, `settings.towers` each, the base first.

    Bases are far from each other. The other towers come in ranks, one of each team, with distances
    to their own base and to the enemy's that are as equal as the ground allows. On a map of two
    equal halves the layout of two teams is symmetric. Towers are out of range of enemy towers, on
    connected ground, and block no path.

    Raises
    ------
    InvalidValue
        If there is no room.
    """
    reach = settings.tower.size // 2
    sites, blocking = _sites(space, reach, len(settings.teams) * settings.towers)
    if len(sites):
        sites = _connected(space, sites, rng)
    if len(settings.teams) == 2:
        reflect = _reflection_of(space, sites)
    else:
        reflect = None
    if len(sites) > _MOST_SITES:
        sites = np.sort(rng.choice(sites, size=_MOST_SITES, replace=False))
        if reflect is not None:
            sites = np.union1d(sites, reflect(sites))
    crowdings: tuple[float, ...] = ()
    if len(sites) >= len(settings.teams) * settings.towers:
        crowdings = _CROWDING
    for crowding in crowdings:
        best: tuple[float, list[Ints]] | None = None
        for _ in range(_TRIES):
            found = _attempt(space, settings, sites, reflect, crowding, rng)
            if found is None or (best is not None and found[0] >= best[0]):
                continue
            if not blocking or _is_passable(space, reach, np.concatenate(found[1])):
                best = found
            if reflect is not None and best is not None:
                break
        if best is not None:
            return [best[1][place] for place in rng.permutation(len(best[1])).tolist()]
    raise InvalidValue(
        f"The map has room for {settings.towers} towers of size {settings.tower.size} for each of"
        f" {len(settings.teams)} teams",
        got=f"{len(sites)} sites on {space!r}",
        remedy="Pass fewer towers, smaller ones, or TowerRules with a shorter range",
    )


def _sites(space: Grid, reach: int, count: int) -> tuple[Ints, bool]:
    """Return cells for towers, and whether some of them can block a path: only if others are too
    few.
    """
    clear = np.flatnonzero(ground.is_clear(space, reach))
    if len(clear) >= 4 * count:
        return clear, False
    return np.flatnonzero(ground.is_open(space, reach)), True


def _connected(space: Grid, sites: Ints, rng: np.random.Generator) -> Ints:
    """Return the sites of the largest connected part of the map."""
    left = sites
    best = sites[:0]
    while len(left) > len(best):
        start = left[int(rng.integers(len(left)))]
        reached = np.isfinite(_to(space, start)[left])
        if np.count_nonzero(reached) > len(best):
            best = left[reached]
        left = left[~reached]
    return best


def _to(space: Grid, cell: np.int64 | int) -> Floats:
    """Return the distance from every cell to one, in cells."""
    distances = distance_map(space, space.position_of(int(cell))).values.reshape(-1)
    return np.asarray(distances / space.cell_size, dtype=np.float64)


def _reflection_of(space: Grid, sites: Ints) -> Callable[[Ints], Ints] | None:
    """Return a map of cells to those of the other half, if the halves are equal."""
    if space.terrain is None:
        classes = space.walls
    else:
        classes = np.where(space.walls, -1, space.terrain.classes.astype(np.int64))
    height, width = space.shape
    is_site = np.zeros(len(space), dtype=np.bool_)
    is_site[sites] = True
    mirrored: list[tuple[NDArray[np.generic], Callable[[Ints], Ints]]] = [
        (classes[::-1, ::-1], lambda cells: height * width - 1 - cells),
        (classes[:, ::-1], lambda cells: cells // width * width + width - 1 - cells % width),
        (classes[::-1], lambda cells: (height - 1 - cells // width) * width + cells % width),
    ]
    for other, image in mirrored:
        if np.array_equal(classes, other) and is_site[image(sites)].all():
            return image
    return None


def _attempt(
    space: Grid,
    settings: Settings,
    sites: Ints,
    reflect: Callable[[Ints], Ints] | None,
    crowding: float,
    rng: np.random.Generator,
) -> tuple[float, list[Ints]] | None:
    """Return a layout with its imbalance, as a share of the distance between bases; None where it
    finds no room.
    """
    teams = len(settings.teams)
    tower = settings.tower
    spacing = max(tower.size + 2.0, crowding * tower.range)
    bases = _bases(space, teams, sites, reflect, rng)
    if len(bases) < teams:
        return None
    own = np.stack([_to(space, base) for base in bases])[:, sites]
    foe = np.stack([np.delete(own, team, axis=0).min(axis=0) for team in range(teams)])
    between_bases = foe[np.arange(teams), np.searchsorted(sites, bases)]
    span = float(np.mean(between_bases))
    imbalance = float(np.ptp(between_bases))
    chosen = [[int(base)] for base in bases]

    out_of_range = max(tower.range, tower.size + 2.0) + 1

    def free(team: int) -> NDArray[np.bool_]:
        """Return which sites another tower of a team may take."""
        others = [cell for other in range(teams) if other != team for cell in chosen[other]]
        from_own = _is_distant(space, sites, np.array(chosen[team]), spacing)
        return from_own & _is_distant(space, sites, np.array(others), out_of_range)

    for rank in range(1, settings.towers):
        order = [(rank + k) % teams for k in range(teams)]
        lead = order[0]
        near = _DEPTH[0] * span
        far = _DEPTH[1] * span
        depth = near + (far - near) * float(rng.random())
        open_to = free(lead) & (own[lead] < foe[lead])
        fits = np.flatnonzero(open_to & (np.abs(own[lead] - depth) <= 0.1 * span))
        if not len(fits):
            fits = np.flatnonzero(open_to & (own[lead] <= far + 0.1 * span))
        if not len(fits):
            return None
        pick = int(fits[int(rng.integers(len(fits)))])
        chosen[lead].append(int(sites[pick]))
        for team in order[1:]:
            if reflect is not None:
                image = int(reflect(np.array([chosen[lead][-1]]))[0])
                if not free(team)[np.searchsorted(sites, image)]:
                    return None
                chosen[team].append(image)
                continue
            difference = np.abs(own[team] - own[lead, pick]) + np.abs(foe[team] - foe[lead, pick])
            difference[~free(team)] = np.inf
            match = int(np.argmin(difference))
            if not np.isfinite(difference[match]):
                return None
            imbalance += float(difference[match])
            chosen[team].append(int(sites[match]))
    return imbalance / span, [np.array(cells, dtype=np.int64) for cells in chosen]


def _bases(
    space: Grid,
    teams: int,
    sites: Ints,
    reflect: Callable[[Ints], Ints] | None,
    rng: np.random.Generator,
) -> Ints:
    """Return a site for the base of each team, far from each other."""
    start = sites[int(rng.integers(len(sites)))]
    if reflect is not None:
        tried = rng.choice(sites, size=min(8, len(sites)), replace=False)
        gaps = [float(_to(space, cell)[reflect(np.array([cell]))[0]]) for cell in tried]
        first = tried[int(np.argmax(gaps))]
        return np.array([first, reflect(np.array([first]))[0]])
    from_start = _to(space, start)[sites]
    bases = [int(rng.choice(sites[from_start >= 0.75 * from_start.max()]))]
    nearest = _to(space, bases[0])[sites]
    while len(bases) < teams and nearest.max() > 0:
        bases.append(int(rng.choice(sites[nearest >= 0.85 * nearest.max()])))
        nearest = np.minimum(nearest, _to(space, bases[-1])[sites])
    return np.array(bases)


def _is_distant(space: Grid, sites: Ints, taken: Ints, spacing: float) -> NDArray[np.bool_]:
    """Return which sites are at least `spacing` cells from all others."""
    gaps = away(space, space.position_of(sites)[:, None], space.position_of(taken))
    gaps = gaps / space.cell_size
    return np.asarray((np.hypot(gaps[..., 0], gaps[..., 1]) >= spacing).all(axis=1))


def _is_passable(space: Grid, reach: int, cells: Ints) -> bool:
    """Return whether these towers leave all ground connected that was."""
    blocks = np.unique(
        np.concatenate([ground.block(space, cell, reach) for cell in cells.tolist()])
    )
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
