"""Scene of a duel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.tether.ai import layer_of, parts_of, plans_of
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.settings import SIDES
from fieldcraft_worlds.games.tether.state import NOBODY, State
from fieldcraft_worlds.scene import Areas, Fact, Field, Lines, Marks, Scene

OVERLAYS = (
    Overlay(
        "long tether",
        "1",
        "best cells for the long range: it can hit, and not be hit",
        group="field",
        shown=True,
    ),
    Overlay("short tether", "2", "best cells for the short range", group="field"),
    Overlay(
        "cover",
        "3",
        "cells out of sight of all enemies",
        group="field",
    ),
    Overlay("ranges", "4", "range of each fighter", shown=True),
    Overlay(
        "sight",
        "5",
        "lines of sight: bright in range, dim beyond, dark behind walls",
        shown=True,
    ),
    Overlay("paths", "6", "paths of fighters", shown=True),
)

_ROUND = np.linspace(0.0, 2 * np.pi, 73)


def scene_of(derived: TetherDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with some overlays."""
    lines: list[Lines] = []
    if "ranges" in overlays:
        lines += _ranges(derived, state)
    if "sight" in overlays:
        lines += _sight(derived, state)
    goals: tuple[Marks, ...] = ()
    if "paths" in overlays and not state.over:
        paths, goals = _paths(derived, state)
        lines += paths
    shots = state.shots
    lines.append(
        Lines(np.stack([shots.starts, shots.ends], axis=1), color=shots.sides, width=3.0, shade=0.3)
    )
    return Scene(
        space=derived.space,
        title=f"duel, {state.step / derived.settings.rate:.0f} s",
        field=_field(derived, state, overlays),
        areas=_cover(derived, state) if "cover" in overlays else (),
        lines=tuple(lines),
        marks=(*goals, *_marks(derived, state)),
        facts=tuple(_facts(derived, state)),
        headline=result(state) or "",
    )


def result(state: State) -> str | None:
    """Return how a duel ended, None before the end."""
    if not state.over:
        return None
    if state.winner == NOBODY:
        return "a tie"
    return f"{SIDES[state.winner]} range wins"


def _field(derived: TetherDerived, state: State, overlays: frozenset[str]) -> Field | None:
    for side, name in enumerate(SIDES):
        if f"{name} tether" in overlays:
            values = layer_of(derived, state, side).reshape(derived.space.shape)
            most = float(max(1, len(state.fighters.of(1 - side))))
            return Field(
                values,
                f"tether of the {name} range",
                (-most, most),
                colors=(1 - side, side),
                opacity=0.85,
                parts=partial(parts_of, derived, state, side),
            )
    return None


def _cover(derived: TetherDerived, state: State) -> tuple[Areas, ...]:
    if state.player == NOBODY:
        side = 0
    else:
        side = int(state.fighters.sides[state.player])
    exposed = np.zeros(len(derived.ground), dtype=np.bool_)
    for cell in derived.cells(state.fighters.positions[state.fighters.of(1 - side)]).tolist():
        exposed |= derived.in_sight(cell)
    hidden = ~exposed.reshape(derived.space.shape) & ~derived.ground.walls
    return (Areas(hidden, ("good",), opacity=0.3, label=f"cover for the {SIDES[side]} range"),)


def _ranges(derived: TetherDerived, state: State) -> Iterator[Lines]:
    circle = np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1)
    for side, reach in enumerate(state.tuning.ranges):
        middles = state.fighters.positions[state.fighters.of(side)]
        if len(middles):
            yield Lines(
                middles[:, None] + circle * (reach * derived.cell),
                color=side,
                width=1.6,
                opacity=0.9 if len(middles) == 1 else 0.5,
            )


def _sight(derived: TetherDerived, state: State) -> Iterator[Lines]:
    fighters = state.fighters
    cells = derived.cells(fighters.positions)
    by_tone: dict[str, list[NDArray[np.float64]]] = {"warning": [], "muted": [], "dark": []}
    for one in fighters.of(0).tolist():
        for other in fighters.of(1).tolist():
            gap = fighters.positions[other] - fighters.positions[one]
            far = float(np.hypot(*gap)) / derived.cell
            if not derived.in_sight(int(cells[one]))[cells[other]]:
                tone = "dark"
            elif far <= max(state.tuning.ranges):
                tone = "warning"
            else:
                tone = "muted"
            by_tone[tone].append(fighters.positions[[one, other]])
    for tone, points in by_tone.items():
        if tone == "warning":
            width = 1.4
            opacity = 0.9
        else:
            width = 1.0
            opacity = 0.6
        if points:
            yield Lines(tuple(points), color=tone, width=width, opacity=opacity)


def _paths(derived: TetherDerived, state: State) -> tuple[list[Lines], tuple[Marks, ...]]:
    """Return the paths that the AI would choose now, and their ends."""
    plans = plans_of(derived, state)
    paths: list[Lines] = []
    goals: list[Marks] = []
    for side in (0, 1):
        own = [
            (number, plan) for number, plan in plans.items() if state.fighters.sides[number] == side
        ]
        points = tuple(
            np.concatenate([state.fighters.positions[[number]], derived.centers[plan.cells[1:]]])
            for number, plan in own
            if len(plan.cells) > 1
        )
        if points:
            paths.append(Lines(points, color=side, width=2.2))
        if own:
            ends = derived.centers[[plan.goal for _, plan in own]]
            goals.append(Marks(ends, "cross", 0.9 * derived.cell, side, least=7.0))
    if state.walk is not None:
        goals.append(Marks(np.array([state.walk]), "cross", 0.9 * derived.cell, "goal", least=7.0))
    return paths, tuple(goals)


def _marks(derived: TetherDerived, state: State) -> Iterator[Marks]:
    fighters = state.fighters
    fallen = np.flatnonzero(~fighters.alive)
    if len(fallen):
        yield Marks(fighters.positions[fallen], "cross", 0.8 * derived.cell, "muted", least=6.0)
    if state.player != NOBODY:
        yield Marks(
            fighters.positions[[state.player]], "ring", 1.7 * derived.cell, "ink", least=14.0
        )
    alive = np.flatnonzero(fighters.alive)
    full = np.array(
        [derived.settings.rules[side].health for side in fighters.sides[alive].tolist()]
    )
    yield Marks(
        fighters.positions[alive],
        "disc",
        derived.cell,
        fighters.sides[alive],
        health=fighters.health[alive] / full if len(alive) else None,
        least=9.0,
    )


def _facts(derived: TetherDerived, state: State) -> Iterator[Fact]:
    fighters = state.fighters
    for side, name in enumerate(SIDES):
        left = fighters.of(side)
        by_hand = state.player != NOBODY and int(fighters.sides[state.player]) == side
        yield Fact(f"{name} range", f"health {fighters.health[left].sum():.0f}", side)
        yield Fact(
            "", f"{len(left)} of {derived.settings.fighters} alive, dealt {state.dealt[side]:.0f}"
        )
        ai = f"AI: {state.brains[side]}"
        if by_hand:
            ai += ", you play one"
        yield Fact("", ai)
