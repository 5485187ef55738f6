"""Whole duels, without a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft import Grid, checks
from fieldcraft.interruption import whole
from fieldcraft_worlds.games.tether.ai import planned
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Order, apply
from fieldcraft_worlds.games.tether.rules import Brains, advance, start
from fieldcraft_worlds.games.tether.settings import Settings
from fieldcraft_worlds.games.tether.state import NOBODY, State

__all__ = ["Duel", "play_duel", "start", "step"]


@whole
def step(
    derived: TetherDerived,
    state: State,
    orders: Sequence[Order],
    rng: np.random.Generator,
    decide: Brains = planned,
) -> State:
    """Another state, a step later; the old one stays as it was. After the end nothing changes.

    Fighters `decide` by their brains, or by yours. Raises `InvalidValue` or `OutsideMap` for an
    order that cannot be followed; then nothing has happened.
    """
    state = apply(derived, state, orders)
    return state if state.over else advance(derived, state, rng, decide)


@dataclass(frozen=True)
class Duel:
    """The outcome of a duel: tuples have an entry for each side, the long range first.

    `winner` is a side, or None for a tie; `dealt` is the damage that each side dealt, `hits` how
    often it hit, `standing` how many of its fighters were left. `out_of_time` says that the damage
    decided. `digest` is that of the last state.
    """

    winner: int | None
    dealt: tuple[float, float]
    hits: tuple[int, int]
    standing: tuple[int, int]
    steps: int
    out_of_time: bool
    digest: str


def play_duel(
    space: Grid,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    brains: Sequence[str] | None = None,
    most_steps: int | None = None,
    watch: Callable[[TetherDerived, State], None] | None = None,
) -> Duel:
    """Play a duel of brains to its end, or for `most_steps`.

    The same space, settings and seed give the same places whoever leads, and the same duel, bit for
    bit, if the same do.

    Parameters
    ----------
    space : Grid
        Any grid with room for the fighters.
    settings : Settings, optional
        The rules; the usual ones without.
    seed : int, optional
        Of the places and the dice.
    brains : Sequence[str], optional
        In place of those of the settings, one for each side, the long range first.
    most_steps : int, optional
        Stop there, as a duel does that is out of time.
    watch : Callable[[TetherDerived, State], None], optional
        Called with the derived and each state, the first and the last included.

    Raises
    ------
    InvalidValue
        If the map has no room, and for brains that there are none of.
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.tether.plugin import KINDS

    rules = Settings() if settings is None else settings
    if brains is not None:
        rules = replace(rules, brains=tuple(brains))  # type: ignore[arg-type]  # the settings refuse other numbers than two
    if most_steps is not None:
        rules = replace(
            rules,
            limit=min(rules.limit, checks.whole("most_steps", most_steps, minimum=1) / rules.rate),
        )
    rng = np.random.default_rng(checks.whole("seed", seed))
    derived = TetherDerived(space, rules)
    state = start(derived, rng)
    if watch is not None:
        watch(derived, state)
    while not state.over:
        state = step(derived, state, (), rng)
        if watch is not None:
            watch(derived, state)
    standing = tuple(len(state.fighters.of(side)) for side in (0, 1))
    return Duel(
        winner=None if state.winner == NOBODY else state.winner,
        dealt=(float(state.dealt[0]), float(state.dealt[1])),
        hits=(int(state.hits[0]), int(state.hits[1])),
        standing=(standing[0], standing[1]),
        steps=state.step,
        out_of_time=min(standing) > 0,
        digest=digest(state, KINDS),
    )
