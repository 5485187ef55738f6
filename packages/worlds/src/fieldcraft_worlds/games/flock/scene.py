"""The scene of a flock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fieldcraft_worlds.games.drawing import arrows_of, round_limit
from fieldcraft_worlds.games.flock.mirror import Mirror
from fieldcraft_worlds.games.flock.settings import BOTH, LAYERS
from fieldcraft_worlds.games.flock.state import State, order_of
from fieldcraft_worlds.games.flock.swarm_state import SwarmState
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Fact, Field, Marks, Scene

__all__ = ["OVERLAYS", "seen"]

OVERLAYS = (
    Overlay("near", "1", "the narrow layer, by which birds keep apart", group="field"),
    Overlay("heading", "2", "the layer of headings: how strong it is", group="field"),
    Overlay("far", "3", "the wide layer, by which birds stay together", group="field", shown=True),
    Overlay("directions", "4", "which way the layer of headings leads"),
    Overlay("birds", "5", "the birds", shown=True),
)
_FEW = 4000  # so many birds are drawn as triangles
_NAMES = ("by layers", "by neighbours")


def seen(mirror: Mirror, state: State | SwarmState, overlays: frozenset[str]) -> Scene:
    """The scene of a state, with the overlays of these names. Layers show those who fly by layers;
    all, where nobody does.
    """
    mirror.follow(state)
    if overlays & {"near", "heading", "far", "directions"}:
        mirror.show(state)  # type: ignore[arg-type]
    marks: list[Marks] = []
    if "birds" in overlays:
        marks = [
            _birds(mirror, state, kind) for kind in (0, 1) if (state.by_layers == (kind == 0)).any()
        ]
    if state.predator is not None:
        marks.append(
            Marks(
                np.array([state.predator]),
                "diamond",
                3 * mirror.grid.cell_size,
                "danger",
                label="predator",
            )
        )
    return Scene(
        space=mirror.grid,
        title=f"flock, {state.step / mirror.settings.rate:.0f} s",
        field=_field(mirror, overlays),
        arrows=(arrows_of(mirror.grid, mirror.heading.vectors),)
        if "directions" in overlays
        else (),
        marks=tuple(marks),
        facts=tuple(_facts(mirror, state)),
    )


def _birds(mirror: Mirror, state: State | SwarmState, kind: int) -> Marks:
    rows = state.by_layers == (kind == 0)
    shape = "triangle" if len(state) <= _FEW else "dot"
    size = (1.6 if shape == "triangle" else 0.8) * mirror.grid.cell_size
    positions, headings = mirror.birds(state)  # type: ignore[arg-type]
    return Marks(positions[rows], shape, size, kind, headings[rows], least=2.0, label=_NAMES[kind])


def _facts(mirror: Mirror, state: State | SwarmState) -> Iterator[Fact]:
    yield Fact("birds", f"{len(state):,}")
    yield Fact(
        "fly by",
        "both" if state.rule == BOTH else "layers" if state.rule == LAYERS else "neighbours",
    )
    for kind, name in enumerate(_NAMES):
        rows = state.by_layers == (kind == 0)
        if rows.any():
            yield Fact(f"order, {name}", f"{order_of(mirror.birds(state)[1][rows]):.2f}", kind)  # type: ignore[arg-type]


def _field(mirror: Mirror, overlays: frozenset[str]) -> Field | None:
    for name, layer, label, color in (
        ("near", mirror.near, "crowd and obstacles", "danger"),
        ("heading", mirror.heading, "headings", "flow"),
        ("far", mirror.far, "where most are", "good"),
    ):
        if name in overlays:
            return Field(
                layer.values, label, (0.0, 2 * round_limit(layer.values)), colors=color, opacity=0.8
            )
    return None
