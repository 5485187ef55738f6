"""Start of a chase: the places of all people and items, from a seed."""

from __future__ import annotations

import numpy as np

from fieldcraft import distance_map
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Floats, Ints
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

_LEAST_DISTANCE = 15.0  # units from the player to the nearest hunter, on maps large enough
_EXIT_SHARE = 0.6  # least distance of the exit, as a share of the greatest
_PLACES = 14  # where civilians stroll


def start(derived: ChaseDerived, rng: np.random.Generator) -> State:
    """Return the first state. Raises `InvalidValue` on a map with too few cells."""
    ground = derived.ground
    settings = derived.settings
    home = ground.home
    if len(home) < settings.items + 2:
        raise InvalidValue(
            f"The map has room for {settings.items} items, an exit and the player",
            got=f"{len(home)} cells",
            remedy="Pass fewer items",
        )
    player = int(rng.choice(home))
    distances = _distances(ground, player)
    far = home[distances[home] >= _EXIT_SHARE * distances[home].max()]
    exit_cell = int(rng.choice(far))
    items = _spread_out(ground, settings.items, np.array([player, exit_cell]), rng)
    distant = home[
        distances[home] >= min(_LEAST_DISTANCE * ground.unit, 0.5 * float(distances[home].max()))
    ]
    hunters = _sample(rng, distant, settings.hunters)
    civilians = _sample(rng, np.setdiff1d(home, hunters), settings.civilians)
    cells = np.concatenate([[player], civilians, hunters]).astype(np.int64)
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
    no_places = np.zeros((0, ground.dimensions))
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
        exit=exit_cell,
        places=_spread_out(
            ground, max(min(_PLACES, len(home) // 4), 1), np.zeros(0, dtype=np.int64), rng
        ),
        sounds=Sounds(no_places, np.zeros(0, dtype=np.int64), np.zeros(0)),
        infection=quiet,
        noise=quiet.copy(),
        contacts=derived.sight.nobody(targets=1),
        guesses=derived.guesses(),
        seen=derived.patrol(),
        spotted=0,
        lost=0,
        bitten=0,
    )


def _distances(ground: ChaseGround, cell: int) -> Floats:
    """Return the distance from each cell to one, (N,), world units; 0 without a path."""
    exact = distance_map(ground.space, ground.space.position_of(cell)).exact.reshape(-1)
    return np.where(np.isfinite(exact), exact, 0.0)


def _sample(rng: np.random.Generator, cells: Ints, count: int) -> Ints:
    """Return `count` random cells, different ones while there are enough."""
    return np.asarray(rng.choice(cells, count, replace=count > len(cells)), dtype=np.int64)


def _spread_out(ground: ChaseGround, count: int, taken: Ints, rng: np.random.Generator) -> Ints:
    """Return `count` home cells, each the farthest of a few random ones from those before it and
    from those in `taken`.
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
