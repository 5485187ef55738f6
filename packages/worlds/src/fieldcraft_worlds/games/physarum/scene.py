"""The scene of a mould."""

from __future__ import annotations

from collections.abc import Iterator

from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.state import State
from fieldcraft_worlds.scene import Fact, Field, Lines, Marks, Scene

__all__ = ["OVERLAYS", "seen"]

OVERLAYS = (
    Overlay("trail", "1", "the trail that agents leave and follow", group="field", shown=True),
    Overlay(
        "veins",
        "2",
        "the roads: where the trail is at least half of what it would be if agents were everywhere"
        " alike",
        group="field",
    ),
    Overlay("cities", "3", "the cities", shown=True),
    Overlay(
        "tree",
        "4",
        "the shortest tree over the ground, and how the roads compare with it",
        shown=True,
    ),
)


def seen(derived: PhysarumDerived, state: State, overlays: frozenset[str]) -> Scene:
    """The scene of a state, with the overlays of these names."""
    field, level = None, derived.level(state)
    if "trail" in overlays:
        field = Field(state.values, "trail", (0.0, 12 * level), threshold=0.2 * level)
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
        ways = tuple(way.positions for way in derived.tree(state.cities).ways)
        lines = (Lines(ways, color="front", width=1.2, opacity=0.7, label="shortest tree"),)
    return Scene(
        space=derived.grid,
        title=f"physarum, {state.step / derived.settings.rate:.0f} s",
        field=field,
        lines=lines,
        marks=marks,
        facts=tuple(_facts(derived, state, overlays)),
    )


def _facts(derived: PhysarumDerived, state: State, overlays: frozenset[str]) -> Iterator[Fact]:
    yield Fact("agents", f"{len(state):,}")
    yield Fact("cities", str(len(state.cities)), "good")
    if "tree" in overlays and state.step >= derived.settings.rate and len(state.cities) > 1:
        network = derived.network(state)
        yield Fact("joined", f"{network.joined:.0%}")
        yield Fact("roads take", f"{network.ground:.0%} of the ground")
        yield Fact("of the tree", f"{network.shared:.0%} are roads")
        yield Fact("shortest tree", f"{network.tree:,.0f}")
        if network.detour is not None:
            yield Fact("along roads", f"{network.detour:.2f} x")
