"""One step of a colony: ants sense, turn, walk, take food, bring it home, and leave trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft.layer import TrailLayer
from fieldcraft.steering import Walkers
from fieldcraft_worlds.games.ants.mirror import Ground, Mirror, Reversed
from fieldcraft_worlds.games.ants.orders import Order, apply
from fieldcraft_worlds.games.ants.settings import NOWHERE, SCALAR
from fieldcraft_worlds.games.ants.state import MINUTE, State
from fieldcraft_worlds.games.obstacles import disc
from fieldcraft_worlds.games.walking import away, walking_grid

__all__ = ["renewed", "start", "step"]

_MOST_KEY = 2**62


def start(mirror: Ground, rng: np.random.Generator) -> State:
    """The first state: a nest and piles of food by the dice, and all ants in the nest. Raises
    `InvalidValue` where all is wall.
    """
    grid, settings = mirror.grid, mirror.settings
    walls = mirror.space.walls.copy()
    parts = _parts(mirror.space.with_walls(walls))
    ground = np.flatnonzero(parts == 0)
    if not len(ground):
        raise InvalidValue(
            "Ants need open ground", got="walls everywhere", remedy="Choose another map"
        )
    mirror.obstacles.follow(walls)
    nest = int(ground[rng.integers(len(ground))])
    inside = np.flatnonzero(mirror.is_nest(nest))
    food = np.zeros(grid.shape, dtype=np.int32)
    part = np.flatnonzero(parts == parts[nest])
    for _ in range(settings.piles):
        food = _with_pile(mirror, nest, food, walls, part, rng)
    key = int(rng.integers(_MOST_KEY))
    walkers = Walkers.at(
        grid,
        grid.position_of(inside[rng.integers(len(inside), size=settings.ants)]).reshape(-1, 2),
        seed=key,
    )
    count = len(walkers)
    return State(
        step=0,
        key=key,
        trails=settings.trails,
        tuning=settings.tuning(settings.trails),
        positions=walkers.positions,
        headings=walkers.headings,
        cells=walkers.cells,
        carrying=np.zeros(count, dtype=np.bool_),
        since=np.zeros(count, dtype=np.int32),
        walked=np.zeros((count, 2)),
        turned=np.zeros(count, dtype=np.bool_),
        planes=np.zeros((2, *grid.shape), dtype=np.float32),
        food=food,
        walls=walls,
        nest=nest,
        home=0,
        recent=np.zeros(MINUTE, dtype=np.int32),
        nowhere=None,
    )


@whole
def step(mirror: Mirror, state: State, orders: Sequence[Order], rng: np.random.Generator) -> State:
    """Another state, a step later; the old one stays as it was.

    All ants decide on the trails as they are, then all move, take and bring food, and leave
    something. Raises `InvalidValue` or `UnknownName` for an order that cannot be followed; then
    nothing has happened.
    """
    state = apply(mirror, state, orders)
    settings = mirror.settings
    mirror.follow(state)
    before = mirror.walkers(state)
    walkers = _walked(mirror, state, before)
    cells = walkers.cells
    in_nest = mirror.is_nest(state.nest)[cells]
    brought = state.carrying & in_nest
    took, food = _taken(state.food, cells, ~state.carrying)
    carrying = (state.carrying | took) & ~brought
    changed = took | brought
    headings = walkers.headings
    headings[changed] *= -1
    since = state.since + np.int32(1)
    since[changed | (in_nest & ~carrying)] = 0
    _leave(mirror, state.trails, cells, headings, carrying, since)
    if state.trails == SCALAR and settings.smell:
        mirror.to_home.deposit_at(np.flatnonzero(mirror.is_nest(state.nest)), settings.smell)
        mirror.to_food.deposit_at(np.flatnonzero(food), settings.smell)
    planes = mirror.updated(state)

    came = int(np.count_nonzero(brought))
    now = state.step + 1
    second = now // settings.rate % MINUTE
    recent = state.recent.copy()
    if now % settings.rate == 0:
        recent[second] = 0
    recent[second] += came
    if took.any():
        food = renewed(mirror, state.nest, food, state.walls, rng)
    walked, turned, nowhere = _watched(
        mirror, state, away(mirror.grid, before.positions, walkers.positions), changed, now
    )
    return replace(
        state,
        step=now,
        positions=walkers.positions,
        headings=headings,
        cells=cells,
        carrying=carrying,
        since=since,
        walked=walked,
        turned=turned,
        planes=planes,
        food=food,
        home=state.home + came,
        recent=recent,
        nowhere=nowhere,
    )


def _walked(mirror: Mirror, state: State, before: Walkers) -> Walkers:
    """All ants one step on. Who carries follows the trail home, or a velocity trail against its
    direction.
    """
    how, roles = mirror.walk(state.tuning, state.trails), state.carrying
    crowd = mirror.crowd(before) if how.separate else None
    dt = 1 / mirror.settings.rate
    if state.trails == SCALAR:
        return before.walk(
            how, dt, trail=(mirror.to_food, mirror.to_home), roles=roles, crowd_layer=crowd
        )
    flow: tuple[TrailLayer, Reversed] = (mirror.flow, Reversed(mirror.flow))
    return before.walk(how, dt, flow=flow, roles=roles, crowd_layer=crowd)


def _taken(
    food: NDArray[np.int32], cells: NDArray[np.int64], free: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """The ants that take food, (N,), and the food that is left: of those in a cell the first ones,
    as many as there is food.
    """
    took = free & (food.reshape(-1)[cells] > 0)
    if not took.any():
        return took, food
    rows = np.flatnonzero(took)
    order = rows[np.argsort(cells[rows], kind="stable")]
    places, first, counts = np.unique(cells[order], return_index=True, return_counts=True)
    place_in_line = np.arange(len(order)) - np.repeat(first, counts)
    served = place_in_line < np.repeat(food.reshape(-1)[places], counts)
    took[order] = served
    left = food.copy()
    left.reshape(-1)[places] -= np.minimum(counts, left.reshape(-1)[places]).astype(np.int32)
    return took, left


def _leave(
    mirror: Mirror,
    trails: str,
    cells: NDArray[np.int64],
    headings: NDArray[np.float64],
    carrying: NDArray[np.bool_],
    since: NDArray[np.int32],
) -> None:
    """Deposit on the trails: who searches says where home is, who carries where food is; a velocity
    trail says the way out.
    """
    scents = mirror.scents[np.minimum(since, len(mirror.scents) - 1)]
    if trails == SCALAR:
        mirror.to_food.deposit_at(cells[carrying], scents[carrying])
        mirror.to_home.deposit_at(cells[~carrying], scents[~carrying])
        return
    amounts = np.where(carrying, -mirror.settings.carriers * scents, 1.0)
    mirror.flow.deposit_at(cells, headings * amounts[:, None])


def _watched(
    mirror: Mirror, state: State, shifts: NDArray[np.float64], changed: NDArray[np.bool_], now: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_], float | None]:
    """How far ants came, who took or brought food, and the share that went nowhere: anew at the end
    of a window.
    """
    settings, grid = mirror.settings, mirror.grid
    walked, turned = state.walked + shifts, state.turned | changed
    window = settings.steps(settings.window)
    if now % window:
        return walked, turned, state.nowhere
    least = NOWHERE * settings.speed * grid.cell_size * window / settings.rate
    near = (walked * walked).sum(axis=1) < least * least
    nowhere = int(np.count_nonzero(near & ~turned)) / len(state) if len(state) else 0.0
    return np.zeros_like(walked), np.zeros_like(turned), nowhere


def renewed(
    mirror: Ground,
    nest: int,
    food: NDArray[np.int32],
    walls: NDArray[np.bool_],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Food with another pile, where there is less than one left and it grows again."""
    settings = mirror.settings
    if (
        not settings.renew
        or not settings.piles
        or int(food.sum()) >= settings.food * np.pi * settings.pile**2
    ):
        return food
    parts = _parts(mirror.space.with_walls(walls))
    return _with_pile(mirror, nest, food, walls, np.flatnonzero(parts == parts[nest]), rng)


def _with_pile(
    mirror: Ground,
    nest: int,
    food: NDArray[np.int32],
    walls: NDArray[np.bool_],
    part: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Food with another pile, on open ground, `part`, not too near to the nest where there is
    such.
    """
    settings, grid = mirror.settings, mirror.grid
    far = settings.nest + settings.pile + min(grid.shape) / 4
    clear = part[~disc(grid, nest, far)[part] & (food.reshape(-1)[part] == 0)]
    if not len(clear):
        clear = part[~mirror.is_nest(nest)[part]]
    if not len(clear):
        return food
    middle = int(clear[rng.integers(len(clear))])
    more = food.copy()
    more.reshape(-1)[
        disc(grid, middle, settings.pile) & ~walls.reshape(-1) & ~mirror.is_nest(nest)
    ] = settings.food
    return more


def _parts(grid: Grid) -> NDArray[np.int64]:
    """The number of each cell's piece of open ground, joined by straight steps, (cells,): 0 for the
    largest; -1 for walls.
    """
    return walking_grid(grid).parts().reshape(-1)
