"""The scene of a colony."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.settings import SCALAR
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.drawing import arrows_of, round_limit
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Areas, Arrows, Fact, Field, Marks, Scene

__all__ = ["OVERLAYS", "seen"]

OVERLAYS = (
    Overlay(
        "trails",
        "1",
        "the trail to food less the trail home; or how strong the velocity trail is",
        group="field",
        shown=True,
    ),
    Overlay("to food", "2", "the trail that carrying ants leave", group="field"),
    Overlay("to home", "3", "the trail that searching ants leave", group="field"),
    Overlay(
        "crowd",
        "4",
        "the layer that does not accumulate: ants and obstacles to keep away from",
        group="field",
    ),
    Overlay("directions", "5", "which way a velocity trail leads; two pheromones have none"),
    Overlay("ants", "6", "the ants", shown=True),
)


def seen(derived: AntsDerived, state: State, overlays: frozenset[str]) -> Scene:
    """The scene of a state, with the overlays of these names."""
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
        size, carrying = 0.7 * grid.cell_size, state.carrying
        positions = derived.swarm(state).positions
        marks += [
            Marks(positions[~carrying], "dot", size, "ink", least=2.0, label="searching"),
            Marks(positions[carrying], "dot", size, "food", least=2.0, label="carrying"),
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
        yield Fact("directions", "none: two pheromones lead by how strong they are")
    yield Fact("food home", f"{state.home:,}")
    yield Fact("a minute", f"{state.per_minute:,}")
    yield Fact("carrying", f"{_percent(state.carrying.mean() if len(state) else 0.0)}")
    yield Fact("go nowhere", "..." if state.nowhere is None else _percent(state.nowhere))
    yield Fact("keep apart", "yes" if state.tuning.separate else "no")


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
        far = max(round_limit(food), round_limit(home))
        return Field(food - home, "trail to food less trail home", (-far, far))
    if "to food" in overlays:
        return Field(food, "trail to food", (0.0, round_limit(food)), colors=1)
    if "to home" in overlays:
        return Field(home, "trail home", (0.0, round_limit(home)), colors=0)
    return None


def _arrows(derived: AntsDerived) -> tuple[Arrows, ...]:
    return (
        arrows_of(
            derived.grid, derived.flow.vectors, least=0.02 * round_limit(derived.flow.values)
        ),
    )
