"""Scene of a slime mold."""

from __future__ import annotations

from collections.abc import Iterator

from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.scene import Fact, Field, Lines, Marks, Scene

OVERLAYS = (
    Overlay("trail", "1", "trail that agents leave and follow", group="field", shown=True),
    Overlay(
        "veins",
        "2",
        "veins: cells with at least half the trail of evenly spread agents",
        group="field",
    ),
    Overlay("cities", "3", "the cities", shown=True),
    Overlay(
        "tree",
        "4",
        "the shortest tree over the ground, and how the veins compare with it",
        shown=True,
    ),
)


def scene_of(derived: PhysarumDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with some overlays."""
    field = None
    vein_level = derived.vein_level(state)
    if "trail" in overlays:
        field = Field(state.values, "trail", (0.0, 12 * vein_level), threshold=0.2 * vein_level)
    elif "veins" in overlays:
        field = Field(
            derived.network(state).veins.astype(float), "veins", (0.0, 1.0), colors="flow"
        )
    marks: tuple[Marks, ...] = ()
    if "cities" in overlays and len(state.cities):
        size = 2 * derived.settings.city * derived.grid.cell_size
        marks = (
            Marks(
                derived.grid.position_of(state.cities).reshape(-1, 2),
                "disc",
                size,
                "good",
                least=7.0,
                label="city",
            ),
        )
    lines: tuple[Lines, ...] = ()
    if "tree" in overlays and len(state.cities) > 1:
        paths = tuple(path.positions for path in derived.tree(state.cities).paths)
        lines = (Lines(paths, color="front", width=1.2, opacity=0.7, label="shortest tree"),)
    return Scene(
        space=derived.grid,
        title=f"physarum, {state.step / derived.settings.rate:.0f} s",
        field=field,
        lines=lines,
        marks=marks,
        facts=tuple(_facts(derived, state, overlays)),
    )


def _facts(derived: PhysarumDerived, state: State, overlays: frozenset[str]) -> Iterator[Fact]:
    """Yield the lines of the panel."""
    yield Fact("agents", f"{len(state):,}")
    yield Fact("cities", str(len(state.cities)), "good")
    if "tree" in overlays and state.step >= derived.settings.rate and len(state.cities) > 1:
        network = derived.network(state)
        yield Fact("cities joined", f"{network.joined:.0%}")
        yield Fact("veins on the map", f"{network.ground:.0%}")
        yield Fact("veins on the tree", f"{network.shared:.0%}")
        yield Fact("shortest tree", f"{network.tree:,.0f}")
        if network.detour is not None:
            yield Fact("tree along veins", f"{network.detour:.2f} x")
