"""Whole runs, without a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fieldcraft import Grid, checks
from fieldcraft_worlds.games.ants.mirror import Mirror
from fieldcraft_worlds.games.ants.rules import start, step
from fieldcraft_worlds.games.ants.settings import Settings
from fieldcraft_worlds.games.ants.state import State

__all__ = ["Colony", "play_ants"]


@dataclass(frozen=True)
class Colony:
    """The outcome of a run of the colony.

    `home` is the food that came home, and `home_by_minute` that of each whole minute. `nowhere` is
    the share of ants that went nowhere in
    each whole window: they neither took nor brought food, and came less far than 0.3 of the way
    that they walked. `digest` is that of the last state.
    """

    steps: int
    home: int
    home_by_minute: tuple[int, ...]
    nowhere: tuple[float, ...]
    digest: str


def play_ants(
    space: Grid,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    steps: int = 1800,
    watch: Callable[[Mirror, State], None] | None = None,
) -> Colony:
    """Let a colony run for so many steps.

    Parameters
    ----------
    space: any grid with open ground; a torus, too.
    settings: the usual ones without.
    seed: of nest, food and dice. The same space, settings and seed give the same run, bit for bit,
        on any number of threads.
    steps: at least 1; there are `settings.rate` to a second.
    watch: called with the layers and each state, the first and the last included.

    Raises `InvalidValue` for a map without open ground.
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.ants.plugin import KINDS

    rules = Settings() if settings is None else settings
    count = checks.whole("steps", steps, minimum=1)
    rng = np.random.default_rng(checks.whole("seed", seed))
    mirror = Mirror(space, rules)
    state = start(mirror, rng)
    minute, window = 60 * rules.rate, rules.steps(rules.window)
    homes, nowhere = [0], list[float]()
    if watch is not None:
        watch(mirror, state)
    while state.step < count:
        state = step(mirror, state, (), rng)
        if state.step % minute == 0:
            homes.append(state.home)
        if state.step % window == 0 and state.nowhere is not None:
            nowhere.append(state.nowhere)
        if watch is not None:
            watch(mirror, state)
    return Colony(
        state.step, state.home, tuple(np.diff(homes).tolist()), tuple(nowhere), digest(state, KINDS)
    )
