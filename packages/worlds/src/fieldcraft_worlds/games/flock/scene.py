"""Scene of a flock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fieldcraft_worlds.games.drawing import arrows_of, round_limit
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.settings import BOTH, LAYERS
from fieldcraft_worlds.games.flock.state import State, order_of
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Arrows, Fact, Field, Marks, Scene

OVERLAYS = (
    Overlay("near", "1", "narrow layer: birds keep apart", group="field"),
    Overlay("heading", "2", "layer of headings, its strength", group="field"),
    Overlay("far", "3", "wide layer: birds stay together", group="field", shown=True),
    Overlay("directions", "4", "layer of headings, its directions"),
    Overlay("birds", "5", "the birds", shown=True),
)
_FEW = 4000  # birds drawn as triangles
_NAMES = ("by layers", "by neighbors")


def scene_of(derived: FlockDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with some overlays. Layers show the birds by layers, or all
    birds if none flies by layers.
    """
    derived.reach(state)
    marks: list[Marks] = []
    if "birds" in overlays:
        marks = [
            _birds(derived, state, kind)
            for kind in (0, 1)
            if (state.by_layers == (kind == 0)).any()
        ]
    if state.predator is not None:
        marks.append(
            Marks(
                np.array([state.predator]),
                "diamond",
                3 * derived.grid.cell_size,
                "danger",
                label="predator",
            )
        )
    arrows: tuple[Arrows, ...] = ()
    if "directions" in overlays:
        arrows = (arrows_of(derived.grid, derived.heading.vectors),)
    return Scene(
        space=derived.grid,
        title=f"flock, {state.step / derived.settings.rate:.0f} s",
        field=_field(derived, overlays),
        arrows=arrows,
        marks=tuple(marks),
        facts=tuple(_facts(derived, state)),
    )


def _birds(derived: FlockDerived, state: State, kind: int) -> Marks:
    """Return the birds by layers (0), or those by neighbors (1)."""
    rows = state.by_layers == (kind == 0)
    if len(state) <= _FEW:
        shape = "triangle"
        size = 1.6 * derived.grid.cell_size
    else:
        shape = "dot"
        size = 0.8 * derived.grid.cell_size
    birds = derived.swarm(state)
    return Marks(
        birds.positions[rows],
        shape,
        size,
        kind,
        birds.headings[rows],
        least=2.0,
        label=_NAMES[kind],
    )


def _facts(derived: FlockDerived, state: State) -> Iterator[Fact]:
    """Yield the lines of the panel."""
    yield Fact("birds", f"{len(state):,}")
    yield Fact("fly by", {BOTH: "both", LAYERS: "layers"}.get(state.rule, "neighbors"))
    for kind, name in enumerate(_NAMES):
        rows = state.by_layers == (kind == 0)
        if rows.any():
            order = order_of(derived.swarm(state).headings[rows])
            yield Fact(f"order, {name}", f"{order:.2f}", kind)


def _field(derived: FlockDerived, overlays: frozenset[str]) -> Field | None:
    """Return the layer to draw."""
    for name, layer, label, color in (
        ("near", derived.near, "crowd and obstacles", "danger"),
        ("heading", derived.heading, "headings", "flow"),
        ("far", derived.far, "density of birds", "good"),
    ):
        if name in overlays:
            return Field(
                layer.values,
                label,
                (0.0, 2 * round_limit(layer.values)),
                colors=color,
                opacity=0.8,
                adapts=True,
            )
    return None
