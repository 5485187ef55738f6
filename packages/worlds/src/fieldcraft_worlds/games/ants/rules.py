"""Rules of ants: one step of sensing, walking, foraging and leaving trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.orders import Order, apply
from fieldcraft_worlds.games.ants.settings import NOWHERE
from fieldcraft_worlds.games.ants.state import MINUTE, State
from fieldcraft_worlds.games.walking import disc, walking_grid

_MOST_KEY = 2**62
_CELL = 1 << 16  # units of an ant's place in a cell
_SINCE = 17  # the first bit of the steps since an ant was at home or took food
_CONSTANT = ("key", "trails", "tuning", "walls", "nest", "counted", "recent", "places", "nowhere")


def start(derived: AntsDerived, rng: np.random.Generator) -> State:
    """Return the first state: a nest and piles of food at random, all ants in the nest. Raises
    `InvalidValue` on a map without open ground.
    """
    grid = derived.grid
    settings = derived.settings
    walls = derived.space.walls.copy()
    parts = _parts(derived.space.with_walls(walls))
    ground = np.flatnonzero(parts == 0)
    if not len(ground):
        raise InvalidValue(
            "Ants need open ground", got="walls everywhere", remedy="Choose another map"
        )
    derived.obstacles.follow(walls)
    nest = int(ground[rng.integers(len(ground))])
    inside = np.flatnonzero(derived.is_nest(nest))
    food = np.zeros(grid.shape, dtype=np.int32)
    part = np.flatnonzero(parts == parts[nest])
    for _ in range(settings.piles):
        food = _with_pile(derived, nest, food, walls, part, rng)
    key = int(rng.integers(_MOST_KEY))
    places = grid.position_of(inside[rng.integers(len(inside), size=settings.ants)]).reshape(-1, 2)
    agents = Swarm.at(grid, places, seed=key).agents
    return State(
        step=0,
        key=key,
        trails=settings.trails,
        tuning=settings.tuning(settings.trails),
        agents=agents,
        planes=np.zeros((2, *grid.shape), dtype=np.float32),
        food=food,
        walls=walls,
        nest=nest,
        home=0,
        counted=0,
        recent=np.zeros(MINUTE, dtype=np.int32),
        places=agents[:2].copy(),
        nowhere=None,
    )


@atomic
def step(
    derived: AntsDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Return the next state; the given one does not change.

    Raises
    ------
    InvalidValue
        For an impossible order.
    UnknownName
        For a number that cannot be tuned.
    """
    settings = derived.settings
    state = apply(derived, state, orders)
    second, into = divmod(state.step, settings.rate)
    if state.step and into == 0:
        state = _renew_food(derived, state, rng)
    known: dict[str, Any] = {name: getattr(state, name) for name in _CONSTANT}
    if state.step and into == 0:
        recent = state.recent.copy()
        recent[(second - 1) % MINUTE] = state.home - state.counted
        recent.flags.writeable = False
        known |= {"recent": recent, "counted": state.home}
    if state.step and state.step % settings.steps(settings.window) == 0:
        known |= {"nowhere": _nowhere(derived, state), "places": state.agents[:2]}
    return derived.next(state, **known)


def _nowhere(derived: AntsDerived, state: State) -> float:
    """Return the share of ants that moved less than a part of their path in the last window, took
    no food and were not at home.
    """
    settings = derived.settings
    window = settings.steps(settings.window)
    least = NOWHERE * settings.speed * window / settings.rate
    size = np.array([[derived.grid.width], [derived.grid.height]]) * _CELL
    gaps = state.agents[:2].astype(np.int64) - state.places
    around = (gaps + size // 2) % size - size // 2
    gaps = np.where([[derived.grid.wraps_x], [derived.grid.wraps_y]], around, gaps)
    since = state.agents[2].view(np.uint32) >> _SINCE
    stuck = (((gaps / _CELL) ** 2).sum(axis=0) < least * least) & (since >= window)
    if len(state):
        return int(np.count_nonzero(stuck)) / len(state)
    return 0.0


def _renew_food(derived: AntsDerived, state: State, rng: np.random.Generator) -> State:
    """Return the state with another pile, if less than one is left and food is renewed."""
    settings = derived.settings
    walls = state.walls
    if (
        not settings.renew
        or not settings.piles
        or int(state.food.sum()) >= settings.food * np.pi * settings.pile**2
    ):
        return state
    parts = _parts(derived.space.with_walls(walls))
    part = np.flatnonzero(parts == parts[state.nest])
    return replace(state, food=_with_pile(derived, state.nest, state.food, walls, part, rng))


def _with_pile(
    derived: AntsDerived,
    nest: int,
    food: NDArray[np.int32],
    walls: NDArray[np.bool_],
    part: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return food with another pile on the open cells `part`, away from the nest if possible."""
    settings = derived.settings
    grid = derived.grid
    far = settings.nest + settings.pile + min(grid.shape) / 4
    clear = part[~disc(grid, nest, far)[part] & (food.reshape(-1)[part] == 0)]
    if not len(clear):
        clear = part[~derived.is_nest(nest)[part]]
    if not len(clear):
        return food
    middle = int(clear[rng.integers(len(clear))])
    pile = disc(grid, middle, settings.pile) & ~walls.reshape(-1) & ~derived.is_nest(nest)
    more = food.copy()
    more.reshape(-1)[pile] = settings.food
    return more


def _parts(grid: Grid) -> NDArray[np.int64]:
    """Return the part of open ground of each cell, (cells,): 0 for the largest, -1 for walls."""
    return walking_grid(grid).parts().reshape(-1)
