"""One step of a flock: birds see, turn and fly; some by layers, some by their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft.steering import Neighbors, Walkers
from fieldcraft_worlds.games.flock.mirror import Mirror
from fieldcraft_worlds.games.flock.orders import Order, apply, kinds_of_birds
from fieldcraft_worlds.games.flock.state import State

__all__ = ["start", "step"]

_MOST_KEY = 2**62


def start(mirror: Mirror, rng: np.random.Generator) -> State:
    """The first state: birds anywhere, heading anywhere. Raises `InvalidValue` where all is
    wall.
    """
    settings, space = mirror.settings, mirror.space
    ground = np.flatnonzero(~space.walls)
    if not len(ground):
        raise InvalidValue("Birds need room", got="walls everywhere", remedy="Choose another map")
    walls = space.walls.copy()
    cells = ground[rng.integers(len(ground), size=settings.birds)]
    key = int(rng.integers(_MOST_KEY))
    walkers = Walkers.at(space, space.position_of(cells).reshape(-1, 2), seed=key)
    return State(
        step=0,
        key=key,
        rule=settings.rule,
        tuning=settings.tuning,
        positions=walkers.positions,
        headings=walkers.headings,
        cells=walkers.cells,
        by_layers=kinds_of_birds(settings.rule, len(walkers)),
        walls=walls,
        predator=None,
    )


@whole
def step(mirror: Mirror, state: State, orders: Sequence[Order], rng: np.random.Generator) -> State:
    """Another state, a step later; the old one stays as it was.

    All birds decide on what they see now, then all move. Raises `InvalidValue`, `OutsideMap` or
    `UnknownName` for an order that cannot be followed; then nothing has happened.
    """
    state = apply(mirror.grid, state, orders)
    mirror.follow(state)
    if state.by_layers.all():
        after = _by_layers(mirror, state, _birds(mirror, state, slice(None)))
    elif not state.by_layers.any():
        after = _by_neighbors(mirror, state, _birds(mirror, state, slice(None)))
    else:
        rows = np.flatnonzero(state.by_layers), np.flatnonzero(~state.by_layers)
        kinds = (
            _by_layers(mirror, state, _birds(mirror, state, rows[0])),
            _by_neighbors(mirror, state, _birds(mirror, state, rows[1], 1)),
        )
        back = np.argsort(np.concatenate(rows))
        after = replace(
            kinds[0],
            positions=np.concatenate([kind.positions for kind in kinds])[back],
            headings=np.concatenate([kind.headings for kind in kinds])[back],
            cells=np.concatenate([kind.cells for kind in kinds])[back],
        )
    return replace(
        state,
        step=state.step + 1,
        positions=after.positions,
        headings=after.headings,
        cells=after.cells,
    )


def _birds(mirror: Mirror, state: State, rows: NDArray[np.int64] | slice, dice: int = 0) -> Walkers:
    """Some of the birds, out of walls that came since, with dice of their own."""
    return Walkers(
        mirror.grid,
        state.positions[rows],
        state.headings[rows],
        state.cells[rows],
        state.key + dice,
        state.step,
    ).freed()


def _by_layers(mirror: Mirror, state: State, birds: Walkers) -> Walkers:
    """Birds see nobody: all they know is what three layers read around them."""
    tuning = state.tuning
    mirror.sense(birds.cells, birds.headings, state.predator)
    how = replace(
        mirror.flight(state.tuning),
        align=tuning.align,
        separate=tuning.separate,
        cohere=tuning.cohere,
    )
    return birds.walk(
        how,
        1 / mirror.settings.rate,
        flow=mirror.heading,
        crowd_layer=mirror.crowd,
        group_layer=mirror.far,
    )


def _by_neighbors(mirror: Mirror, state: State, birds: Walkers) -> Walkers:
    """The same three rules, of exact neighbours, who are seen as far as the layers reach: a slope
    is read over a cell more.
    """
    settings, tuning, grid = mirror.settings, state.tuning, mirror.grid
    push = np.zeros((len(birds), 2))
    if tuning.align:
        sums = Neighbors(birds.positions, settings.heading / 2 * grid.cell_size, space=grid).sums(
            birds.headings
        )
        push += tuning.align * _unit(sums[:, 3:] + birds.headings)
    if tuning.separate:
        push += (
            tuning.separate
            * Neighbors(
                birds.positions, (settings.near / 2 + 1) * grid.cell_size, space=grid
            ).pushes()
        )
    if tuning.cohere:
        reach = (settings.far / 2 + 1) * grid.cell_size
        sums = Neighbors(birds.positions, reach, space=grid).sums(birds.headings)
        push += tuning.cohere / reach * (sums[:, 1:3] / np.maximum(sums[:, :1], 1))
    if state.predator is not None:
        feared = mirror.away(birds.positions, state.predator)
        push = np.where(feared.any(axis=1, keepdims=True), tuning.align * _unit(feared), push)
    return birds.walk(mirror.flight(state.tuning), 1 / settings.rate, push=push)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))
