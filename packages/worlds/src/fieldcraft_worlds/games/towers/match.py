"""Whole matches, without a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft import Grid, checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Order, apply
from fieldcraft_worlds.games.towers.planner import COMMANDER_OF
from fieldcraft_worlds.games.towers.rules import advance, start
from fieldcraft_worlds.games.towers.settings import HUMAN, Settings
from fieldcraft_worlds.games.towers.state import NOBODY, State

__all__ = ["TowersResult", "play_match", "start", "step"]


@whole
def step(
    derived: TowersDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Another state, a step later; the old one stays as it was and can be gone on from again.

    First the orders from outside are followed, then, every `think` seconds, those of the
    commanders, who all decide on the same state. While towers are placed no time passes, and after
    the end nothing changes. `derived` may come from any other
    match on this map with these settings: it changes no result.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        For an order that cannot be followed; then nothing has happened.
    """
    state = apply(derived, state, orders)
    if not state.begun or state.over:
        return state
    settings = derived.settings
    if state.step % settings.steps(settings.think) == 0:
        led = [
            team
            for team, name in enumerate(settings.led_by)
            if name != HUMAN and not state.by_hand[team]
        ]
        if led:
            derived.follow(state)
            decided = [
                order
                for team in led
                for order in COMMANDER_OF[settings.led_by[team]].decide(derived, state, team)
            ]
            state = apply(derived, state, decided)
    return advance(derived, state, rng)


@dataclass(frozen=True)
class TowersResult:
    """The outcome of a match: tuples have an entry for each team.

    `winner` is the number of a team, or None for a tie; `towers_destroyed` are those of others,
    `units_lost` and `units_sent` the team's own. `digest` is that of the last state.
    """

    winner: int | None
    scores: tuple[int, ...]
    towers_destroyed: tuple[int, ...]
    units_lost: tuple[int, ...]
    units_sent: tuple[int, ...]
    steps: int
    digest: str


def play_match(
    space: Grid,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    commanders: Sequence[str] | None = None,
    most_steps: int | None = None,
    watch: Callable[[TowersDerived, State], None] | None = None,
) -> TowersResult:
    """Play a match of commanders to its end, or for `most_steps`.

    The same space, settings and seed give the same layout whoever commands, and the same match, bit
    for bit, if the same do.

    Parameters
    ----------
    space : Grid
        Any grid with room for the towers.
    settings : Settings, optional
        The rules; the usual ones without.
    seed : int, optional
        Of the layout and the dice.
    commanders : Sequence[str], optional
        In place of those of the settings, one for each team.
    most_steps : int, optional
        Stop there, as a match does that is out of time.
    watch : Callable[[TowersDerived, State], None], optional
        Called with the derived and each state, the first and the last included.

    Raises
    ------
    InvalidValue
        If the map has no room, and for commanders that don't decide, such as "human".
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.towers.plugin import KINDS

    rules = Settings() if settings is None else settings
    if commanders is not None:
        rules = replace(rules, commanders=tuple(commanders))
    if HUMAN in rules.led_by:
        raise InvalidValue(
            "A match without a window is played by commanders",
            got=repr(rules.led_by),
            remedy="Name one of the others",
        )
    if most_steps is not None:
        rules = replace(
            rules,
            limit=min(rules.limit, checks.whole("most_steps", most_steps, minimum=1) / rules.rate),
        )
    rng = np.random.default_rng(checks.whole("seed", seed))
    derived = TowersDerived(space, rules)
    state = start(derived, rng)
    if watch is not None:
        watch(derived, state)
    while not state.over:
        state = step(derived, state, (), rng)
        if watch is not None:
            watch(derived, state)
    return TowersResult(
        winner=None if state.winner == NOBODY else state.winner,
        scores=tuple(state.scores.tolist()),
        towers_destroyed=tuple(state.destroyed.tolist()),
        units_lost=tuple(state.lost.tolist()),
        units_sent=tuple(state.sent.tolist()),
        steps=state.step,
        digest=digest(state, KINDS),
    )
