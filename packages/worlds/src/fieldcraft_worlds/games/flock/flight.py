"""Whole flights, without a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fieldcraft import Grid, checks
from fieldcraft_worlds.games.flock.mirror import Mirror
from fieldcraft_worlds.games.flock.rules import start, step
from fieldcraft_worlds.games.flock.settings import Settings
from fieldcraft_worlds.games.flock.state import State, order_of

__all__ = ["Flight", "play_flock"]


@dataclass(frozen=True)
class Flight:
    """The outcome of a flight: the order parameter after every so many steps, the start included,
    and the digest of the last state.
    """

    steps: int
    order: tuple[float, ...]
    digest: str


def play_flock(
    space: Grid,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    steps: int = 900,
    every: int = 30,
    watch: Callable[[Mirror, State], None] | None = None,
) -> Flight:
    """Let a flock fly for so many steps.

    Parameters
    ----------
    space: any grid with an open cell; a torus, too.
    settings: the usual ones without.
    seed: of where birds start, and of their dice. The same space, settings and seed give the same
        flight, bit for bit, on any number of threads.
    steps: at least 1; there are `settings.rate` to a second.
    every: steps between two entries of `Flight.order`.
    watch: called with the layers and each state, the first and the last included.

    Raises `InvalidValue` for a map without an open cell.
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.flock.plugin import KINDS

    rules = Settings() if settings is None else settings
    count, pause = checks.whole("steps", steps, minimum=1), checks.whole("every", every, minimum=1)
    rng = np.random.default_rng(checks.whole("seed", seed))
    mirror = Mirror(space, rules)
    state = start(mirror, rng)
    order = [order_of(state.headings)]
    if watch is not None:
        watch(mirror, state)
    while state.step < count:
        state = step(mirror, state, (), rng)
        if state.step % pause == 0:
            order.append(order_of(state.headings))
        if watch is not None:
            watch(mirror, state)
    return Flight(state.step, tuple(order), digest(state, KINDS))
