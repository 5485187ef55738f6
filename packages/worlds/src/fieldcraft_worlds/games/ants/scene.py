"""Scene of a colony."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view import TEAM_COLORS
from fieldcraft.view.picture_parts import GROUND, parse_color, rgb_of
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.settings import SCALAR
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.drawing import arrows_of, round_limit
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Areas, Arrows, Fact, Field, Marks, Scene, Tone

# The numbers of the team colors of both trails.
_HOME = 0
_FOOD = 1
_PILE = "#ff5ac8"  # food and ants that carry it: unlike both trails with any color blindness
_WHEEL = (72.0, 58.0)  # lightness and chroma of the colors of directions

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
            Marks(positions[carrying], "dot", size, _PILE, None, None, 0.5, 2.0, "carrying"),
        ]
    return Scene(
        space=grid,
        title=f"ants, {state.step / derived.settings.rate:.0f} s",
        field=_field(derived, state, overlays),
        areas=(Areas(state.food > 0, (_PILE,), opacity=0.9, label="food"),),
        arrows=_arrows(derived) if "directions" in overlays and state.trails != SCALAR else (),
        marks=tuple(marks),
        facts=tuple(_facts(state, overlays)),
    )


def _facts(state: State, overlays: frozenset[str]) -> Iterator[Fact]:
    """Yield the lines of the panel."""
    yield Fact("ants", f"{len(state):,}")
    yield Fact("trails", "two pheromones" if state.trails == SCALAR else "velocity")
    if "directions" in overlays and state.trails == SCALAR:
        yield Fact("directions", "none: two pheromones")
    yield Fact("food home", f"{state.home:,} ({state.per_minute:,} a minute)")
    yield Fact("carrying", f"{_percent(state.carrying.mean() if len(state) else 0.0)}")
    yield Fact("walk in circles", "..." if state.nowhere is None else _percent(state.nowhere))


def _percent(share: float) -> str:
    """Return a share as text."""
    return f"{100 * share:.0f} %"


def _field(derived: AntsDerived, state: State, overlays: frozenset[str]) -> Field | None:
    """Return the values to draw: the crowd, or the trails that the overlays name."""
    if "crowd" in overlays:
        values = derived.crowded(state)
        return _strength(values, "crowd and obstacles", "danger", most=2.0)
    if state.trails != SCALAR:
        if "trails" in overlays:
            return _directions(derived)
        if overlays & {"to food", "to home"}:
            return _strength(derived.flow.values, "velocity trail", 0)
        return None
    food, home = state.planes
    if "trails" in overlays:
        return _both_trails(food, home)
    if "to food" in overlays:
        return _strength(food, "trail to food", _FOOD)
    if "to home" in overlays:
        return _strength(home, "trail home", _HOME)
    return None


def _strength(values: NDArray[Any], label: str, color: Tone, most: float = 1.0) -> Field:
    """Return a field of one hue whose limits follow its values."""
    return Field(values, label, (0.0, most * round_limit(values)), colors=color, adapts=True)


def _share(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return values as shares of their limit, by the square root: faint ones are visible."""
    return np.sqrt(np.minimum(np.asarray(values, dtype=np.float64) / round_limit(values), 1.0))


def _both_trails(food: NDArray[np.float32], home: NDArray[np.float32]) -> Field:
    """Return both trails with their colors added."""
    tone_of_food = np.array(parse_color(TEAM_COLORS[_FOOD]))
    tone_of_home = np.array(parse_color(TEAM_COLORS[_HOME]))
    added = (
        _share(food)[..., np.newaxis] * tone_of_food + _share(home)[..., np.newaxis] * tone_of_home
    )
    rgb = np.rint(np.minimum(GROUND + added, 255)).astype(np.uint8)
    names = (("trail to food", _FOOD), ("trail home", _HOME))
    strongest = np.maximum(food, home)
    limits = (0.0, round_limit(strongest))
    both = ("to food", "to home")
    return Field(strongest, "trails", limits, rgb=rgb, names=names, adapts=True, together=both)


def _directions(derived: AntsDerived) -> Field:
    """Return the velocity trail: the hue of a cell is the direction, and its strength how far it
    differs from the ground.
    """
    vectors = np.asarray(derived.flow.vectors, dtype=np.float64)
    share = _share(derived.flow.values)[..., np.newaxis]
    hues = _hues(np.arctan2(vectors[..., 1], vectors[..., 0]))
    rgb = np.rint(np.array(GROUND) * (1 - share) + hues * share).astype(np.uint8)
    names = []
    for name, angle in (
        ("to the right", 0.0),
        ("down", np.pi / 2),
        ("to the left", np.pi),
        ("up", -np.pi / 2),
    ):
        tone = np.rint(_hues(np.array(angle))).astype(np.uint8)
        names.append((name, "#" + bytes(tone).hex()))
    values = derived.flow.values
    limits = (0.0, round_limit(values))
    return Field(values, "velocity trail", limits, rgb=rgb, names=tuple(names), adapts=True)


def _hues(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sRGB of directions, 0 to 255, shape (..., 3): a wheel of equally light colors."""
    lightness, chroma = _WHEEL
    lab = np.stack(
        [
            np.full_like(angles, lightness),
            chroma * np.cos(angles),
            chroma * np.sin(angles),
        ],
        axis=-1,
    )
    return np.clip(rgb_of(lab), 0, 255)


def _arrows(derived: AntsDerived) -> tuple[Arrows, ...]:
    """Return the directions of the velocity trail."""
    least = 0.02 * round_limit(derived.flow.values)
    return (arrows_of(derived.grid, derived.flow.vectors, least=least),)
