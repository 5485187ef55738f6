"""Whole chases, without a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft import Graph, Grid, checks
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ChaseGround, ground_of
from fieldcraft_worlds.games.chase.layout import start
from fieldcraft_worlds.games.chase.rules import advance
from fieldcraft_worlds.games.chase.settings import Settings
from fieldcraft_worlds.games.chase.state import CIVILIAN, HUNTER, State

__all__ = ["ChaseResult", "play_chase"]


@dataclass(frozen=True)
class ChaseResult:
    """The outcome of a chase in which the player was played by a program.

    `outcome` is "escaped", "caught" or "survived"; `seconds` how long it took. `items` were found,
    `hearts` are left; `spotted` and `lost` count how often hunters got sight of the player and lost
    it, `bitten` the civilians who were bitten; `civilians` and `hunters` are who there is at the
    end. `digest` is that of the last state.
    """

    outcome: str
    seconds: float
    items: int
    hearts: int
    spotted: int
    lost: int
    bitten: int
    civilians: int
    hunters: int
    steps: int
    digest: str


def play_chase(
    space: Grid | Graph,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    most_steps: int | None = None,
    watch: Callable[[ChaseGround, State], None] | None = None,
) -> ChaseResult:
    """Play a chase to its end, or for `most_steps`, after which the player has survived.

    The same space, settings and seed give the same chase, bit for bit.

    Parameters
    ----------
    space : Grid or Graph
        A grid or a graph.
    settings : Settings, optional
        The rules; the usual ones without.
    seed : int, optional
        Of the layout and the dice.
    most_steps : int, optional
        Stop there, as a chase does that is out of time.
    watch : Callable[[ChaseGround, State], None], optional
        Called with the ground and each state, the first and the last included.

    Raises
    ------
    InvalidValue
        If the map is too small.
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.chase.plugin import KINDS

    rules = Settings() if settings is None else settings
    if most_steps is not None:
        rules = replace(
            rules,
            limit=min(rules.limit, checks.whole("most_steps", most_steps, minimum=1) / rules.rate),
        )
    rng = np.random.default_rng(checks.whole("seed", seed))
    ground = ground_of(space, rules.scale)
    derived = ChaseDerived(ground, rules)
    state = start(ground, rules, derived, rng)
    if watch is not None:
        watch(ground, state)
    while not state.over:
        state = advance(ground, rules, derived, state, (), rng)
        if watch is not None:
            watch(ground, state)
    return ChaseResult(
        outcome=state.outcome,
        seconds=state.step / rules.rate,
        items=int(np.count_nonzero(state.items.taken)),
        hearts=state.hearts,
        spotted=state.spotted,
        lost=state.lost,
        bitten=state.bitten,
        civilians=len(state.people.rows(CIVILIAN)),
        hunters=len(state.people.rows(HUNTER)),
        steps=state.step,
        digest=digest(state, KINDS),
    )
