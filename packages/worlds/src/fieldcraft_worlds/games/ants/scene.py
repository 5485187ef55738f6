"""Scene of a colony."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view import TEAM_COLORS
from fieldcraft.view.picture_parts import GROUND, parse_color
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.settings import SCALAR
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.drawing import arrows_of, round_limit
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Areas, Arrows, Fact, Field, Marks, Scene

_LEVELS = 15  # of each trail: pairs fit into the 255 rows of a table

OVERLAYS = (
    Overlay(
        "trails",
        "1",
        "both trails with their colors added, or the velocity trail",
        group="field",
        shown=True,
    ),
    Overlay("to food", "2", "trail of ants that carry food", group="field"),
    Overlay("to home", "3", "trail of ants that search", group="field"),
    Overlay(
        "crowd",
        "4",
        "crowd layer: ants and obstacles, without the past",
        group="field",
    ),
    Overlay("directions", "5", "directions of the velocity trail; two pheromones have none"),
    Overlay("ants", "6", "the ants", shown=True),
)


def scene_of(derived: AntsDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with some overlays."""
    derived.reach(state)
    grid = derived.grid
    nest = tuple(grid.position_of(state.nest).tolist())
    marks = [
        Marks(
            np.array([nest]),
            "ring",
            2 * derived.settings.nest * grid.cell_size,
            "goal",
            label="nest",
        )
    ]
    if "ants" in overlays:
        size = 0.7 * grid.cell_size
        carrying = state.carrying
        positions = derived.swarm(state).positions
        marks += [
            Marks(positions[~carrying], "dot", size, "ink", None, None, 0.5, 2.0, "searching"),
            Marks(positions[carrying], "dot", size, "food", None, None, 0.5, 2.0, "carrying"),
        ]
    return Scene(
        space=grid,
        title=f"ants, {state.step / derived.settings.rate:.0f} s",
        field=_field(derived, state, overlays),
        areas=(Areas(state.food > 0, ("food",), opacity=0.75, label="food"),),
        arrows=_arrows(derived) if "directions" in overlays and state.trails != SCALAR else (),
        marks=tuple(marks),
        facts=tuple(_facts(state, overlays)),
    )


def _facts(state: State, overlays: frozenset[str]) -> Iterator[Fact]:
    yield Fact("ants", f"{len(state):,}")
    yield Fact("trails", "two pheromones" if state.trails == SCALAR else "velocity")
    if "directions" in overlays and state.trails == SCALAR:
        yield Fact("directions", "none: two pheromones")
    yield Fact("food home", f"{state.home:,} ({state.per_minute:,} a minute)")
    yield Fact("carrying", f"{_percent(state.carrying.mean() if len(state) else 0.0)}")
    yield Fact("walk in circles", "..." if state.nowhere is None else _percent(state.nowhere))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _field(derived: AntsDerived, state: State, overlays: frozenset[str]) -> Field | None:
    if "crowd" in overlays:
        values = derived.crowded(state)
        return Field(values, "crowd and obstacles", (0.0, 2 * round_limit(values)), colors="danger")
    if state.trails != SCALAR:
        if overlays & {"trails", "to food", "to home"}:
            return Field(
                derived.flow.values,
                "velocity trail",
                (0.0, round_limit(derived.flow.values)),
                colors=0,
            )
        return None
    food, home = state.planes
    if "trails" in overlays:
        return _both_trails(food, home)
    if "to food" in overlays:
        return Field(food, "trail to food", (0.0, round_limit(food)), colors=1)
    if "to home" in overlays:
        return Field(home, "trail home", (0.0, round_limit(home)), colors=0)
    return None


def _both_trails(food: NDArray[np.float32], home: NDArray[np.float32]) -> Field:
    """Return both trails with their colors added, by the square root of their values: faint ones
    are visible.
    """
    levels = [
        np.rint((_LEVELS - 1) * np.sqrt(np.minimum(plane / round_limit(plane), 1.0)))
        for plane in (food, home)
    ]
    names = (("trail to food", 1), ("trail home", 0))
    rows = (levels[0] * _LEVELS + levels[1]).astype(np.float32)
    return Field(rows, "trails", (0.0, _LEVELS**2 - 1.0), table=_color_table(), names=names)


@cache
def _color_table() -> NDArray[np.uint8]:
    """Return the colors of all pairs of levels of the two trails."""
    share = np.arange(_LEVELS)[:, np.newaxis] / (_LEVELS - 1)
    food, home = (share * np.array(parse_color(TEAM_COLORS[team])) for team in (1, 0))
    mixed = np.rint(np.minimum(GROUND + food[:, np.newaxis] + home, 255))
    table: NDArray[np.uint8] = mixed.astype(np.uint8).reshape(-1, 3)
    return table


def _arrows(derived: AntsDerived) -> tuple[Arrows, ...]:
    return (
        arrows_of(
            derived.grid, derived.flow.vectors, least=0.02 * round_limit(derived.flow.values)
        ),
    )
