"""One step of a colony that is a swarm: the rules of the ants in whole numbers, which a graphics
card keeps as the CPU does.

Once a second it is counted what came home, and another pile may grow; ants take food one at a time
where many want it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.interruption import whole
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.ants import rules
from fieldcraft_worlds.games.ants.orders import Order, apply
from fieldcraft_worlds.games.ants.settings import NOWHERE
from fieldcraft_worlds.games.ants.state import MINUTE
from fieldcraft_worlds.games.ants.swarm_mirror import SwarmMirror
from fieldcraft_worlds.games.ants.swarm_state import SwarmState

__all__ = ["start", "step"]

_CELL = 1 << 16
_SINCE = 17


def start(mirror: SwarmMirror, rng: np.random.Generator) -> SwarmState:
    """The first state: that of the other ants, in whole numbers. Raises `InvalidValue` where all is
    wall.
    """
    first = rules.start(mirror, rng)
    agents = Swarm.at(mirror.grid, first.positions, first.headings, seed=first.key).agents
    return SwarmState(
        step=0,
        key=first.key,
        tuning=first.tuning,
        agents=agents,
        planes=first.planes,
        food=first.food,
        walls=first.walls,
        nest=first.nest,
        home=0,
        counted=0,
        recent=first.recent,
        places=agents[:2].copy(),
        nowhere=None,
    )


@whole
def step(
    mirror: SwarmMirror, state: SwarmState, orders: Sequence[Order], rng: np.random.Generator
) -> SwarmState:
    """Another state, a step later; the old one stays as it was.

    Raises `InvalidValue` or `UnknownName` for an order that cannot be followed; then nothing has
    happened.
    """
    settings = mirror.settings
    state = apply(mirror, state, orders)
    second, into = divmod(state.step, settings.rate)
    if state.step and into == 0:
        food = rules.renewed(mirror, state.nest, state.food, state.walls, rng)
        if food is not state.food:
            state = replace(state, food=food)
    known: dict[str, Any] = {
        name: getattr(state, name)
        for name in ("key", "tuning", "walls", "nest", "counted", "recent", "places", "nowhere")
    }
    if state.step and into == 0:
        recent = state.recent.copy()
        recent[(second - 1) % MINUTE] = state.home - state.counted
        recent.flags.writeable = False
        known |= {"recent": recent, "counted": state.home}
    if state.step and state.step % settings.steps(settings.window) == 0:
        known |= {"nowhere": _nowhere(mirror, state), "places": state.agents[:2]}
    return mirror.next(state, **known)


def _nowhere(mirror: SwarmMirror, state: SwarmState) -> float:
    """The share of ants that came less far in a window than a part of their way, and neither took
    food nor were at home meanwhile.
    """
    settings = mirror.settings
    window = settings.steps(settings.window)
    least = NOWHERE * settings.speed * window / settings.rate
    gaps = [
        _gap(
            state.agents[k].astype(np.int64) - state.places[k],
            size * _CELL if mirror.grid.wrap else 0,
        )
        / _CELL
        for k, size in enumerate((mirror.grid.width, mirror.grid.height))
    ]
    since = state.agents[2].view(np.uint32) >> _SINCE
    stuck = (gaps[0] ** 2 + gaps[1] ** 2 < least * least) & (since >= window)
    return int(np.count_nonzero(stuck)) / len(state) if len(state) else 0.0


def _gap(gaps: NDArray[np.int64], around: int) -> NDArray[np.int64]:
    """The shorter way round a torus; as it is where nothing goes round."""
    return (gaps + around // 2) % around - around // 2 if around else gaps
