"""Where everybody is at the start, from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.state import (
    CIVILIAN,
    HUNTER,
    NEVER,
    NOBODY,
    NOTHING,
    PATROL,
    PLAYER,
    WALK,
    Items,
    People,
    Sounds,
    State,
)

__all__ = ["start"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_APART = 15.0  # units of way between the player and the nearest hunter, where the map is so large
_DISTANT = 0.6  # of the longest way from the player: how far off the exit is at least
_PLACES = 14  # that civilians stroll between


def start(derived: ChaseDerived, rng: np.random.Generator) -> State:
    """The state before the first step. Raises `InvalidValue` where the map has no room for what is
    to be found.
    """
    ground, settings = derived.ground, derived.settings
    home = ground.home
    if len(home) < settings.items + 2:
        raise InvalidValue(
            f"The map has room for {settings.items} items, an exit and the player",
            got=f"{len(home)} cells",
            remedy="Pass fewer items",
        )
    own = int(rng.choice(home))
    ways = _ways(ground, own)
    far = home[ways[home] >= _DISTANT * ways[home].max()]
    way_out = int(rng.choice(far))
    items = _spread(ground, settings.items, np.array([own, way_out]), rng)
    distant = home[ways[home] >= min(_APART * ground.unit, 0.5 * float(ways[home].max()))]
    hunters = _scattered(rng, distant, settings.hunters)
    civilians = _scattered(rng, np.setdiff1d(home, hunters), settings.civilians)
    cells = np.concatenate([[own], civilians, hunters]).astype(np.int64)
    roles = np.repeat([PLAYER, CIVILIAN, HUNTER], [1, len(civilians), len(hunters)]).astype(
        np.int64
    )
    count = len(cells)
    angles = rng.uniform(0, 2 * np.pi, count)
    people = People(
        roles=roles,
        positions=ground.space.position_of(cells),
        velocities=np.zeros((count, ground.dimensions)),
        headings=np.stack([np.cos(angles), np.sin(angles)], axis=1),
        cells=cells,
        ahead=np.full(count, NOTHING),
        moods=np.full(count, PATROL),
        since=np.zeros(count, dtype=np.int64),
        targets=np.full(count, NOBODY),
        goals=np.full(count, NOTHING),
        until=np.zeros(count, dtype=np.int64),
    )
    quiet = np.zeros(ground.space.shape, dtype=np.float32)
    nowhere = np.zeros((0, ground.dimensions))
    return State(
        step=0,
        outcome="",
        by_hand=False,
        gait=WALK,
        search=settings.search,
        wish=np.zeros(ground.dimensions),
        goal=NOTHING,
        breath=settings.player.breath,
        hearts=settings.player.hearts,
        hurt=NEVER,
        stones=settings.player.stones,
        people=people,
        items=Items(items, np.zeros(len(items), dtype=np.bool_)),
        exit=way_out,
        places=_spread(ground, min(_PLACES, len(home) // 4), np.zeros(0, dtype=np.int64), rng),
        sounds=Sounds(nowhere, np.zeros(0, dtype=np.int64), np.zeros(0)),
        infection=quiet,
        noise=quiet.copy(),
        contacts=derived.sight.nobody(targets=1),
        guesses=derived.guesses(),
        seen=derived.patrol(),
        spotted=0,
        lost=0,
        bitten=0,
    )


def _ways(ground: ChaseGround, cell: int) -> Floats:
    """The way from each cell to one, (N,), world units; 0 where there is none."""
    exact = distance_map(ground.space, ground.space.position_of(cell)).exact.reshape(-1)
    return np.where(np.isfinite(exact), exact, 0.0)


def _scattered(rng: np.random.Generator, cells: Ints, count: int) -> Ints:
    """`count` of the cells by chance, different ones as far as there are enough."""
    return np.asarray(rng.choice(cells, count, replace=count > len(cells)), dtype=np.int64)


def _spread(ground: ChaseGround, count: int, taken: Ints, rng: np.random.Generator) -> Ints:
    """`count` home cells, each the farthest from those before it, and from those taken, out of a
    few that chance offers.
    """
    found: list[int] = []
    for _ in range(count):
        options = rng.choice(
            np.setdiff1d(ground.home, np.concatenate([taken, found]).astype(np.int64)), 12
        )
        others = np.concatenate([taken, found]).astype(np.int64)
        if len(others):
            gaps = ground.away(
                ground.space.position_of(options)[:, None], ground.space.position_of(others)
            )
            found.append(int(options[np.argmax((gaps**2).sum(axis=2).min(axis=1))]))
        else:
            found.append(int(options[0]))
    return np.array(found, dtype=np.int64)
