"""Scene of a match in the maze."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.maze.derived import MazeDerived, grown
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    EXPLORES,
    GOING,
    HUNTS,
    NOWHERE,
    OUT,
    SEARCHES,
    State,
)
from fieldcraft_worlds.scene import Areas, Fact, Field, Lines, Marks, Scene

OVERLAYS = (
    Overlay("memory", "1", "memory of the monsters: bright where they have just been", shown=True),
    Overlay("view", "2", "cells that monsters see"),
    Overlay("last seen", "3", "last sightings of the player", shown=True),
    Overlay("paths", "4", "paths of monsters and player"),
    Overlay("fog", "5", "hide what the player has not seen"),
)

_MOODS = (
    (EXPLORES, "ink", "explores"),
    (SEARCHES, "warning", "searches"),
    (HUNTS, "danger", "hunts"),
)
_DARK = "#0b0d12"


def scene_of(derived: MazeDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with some overlays."""
    derived.follow(state)
    monsters = state.monsters
    in_fog = "fog" in overlays
    player = derived.place(state.player)
    view = derived.seen_from(state.player.here, derived.settings.player.view)
    if in_fog:
        space = derived.fogged(state.known)
        shown = view.reshape(-1)[monsters.here]
    else:
        space = derived.space
        shown = np.ones(len(monsters), dtype=np.bool_)
    field = None
    if "memory" in overlays:
        field = Field(
            derived.memory.values,
            "remembered",
            (0.0, derived.settings.memory.maximum),
            colors="#7a5cf0",
            opacity=0.85,
        )
    return Scene(
        space=space,
        title=f"maze, {state.step / derived.settings.rate:.0f} s",
        field=field,
        areas=tuple(_areas(derived, state, overlays, shown, view)),
        lines=tuple(_lines(derived, state, overlays, shown)),
        marks=tuple(_marks(derived, state, overlays, shown, player)),
        facts=tuple(_facts(derived, state)),
        headline=result(state) or "",
    )


def result(state: State) -> str | None:
    """Return how a match ended, None before the end."""
    if state.outcome == GOING:
        return None
    if state.outcome == OUT:
        return "out"
    if state.outcome == CAUGHT:
        return "caught"
    return "too late"


def _areas(
    derived: MazeDerived,
    state: State,
    overlays: frozenset[str],
    shown: NDArray[np.bool_],
    view: NDArray[np.bool_],
) -> Iterator[Areas]:
    """Yield the cells that monsters see, and the fog."""
    if "view" in overlays:
        watched = np.zeros(derived.space.shape, dtype=np.bool_)
        for cell in state.monsters.here[shown].tolist():
            watched |= derived.seen_from(cell, derived.settings.monster.view)
        yield Areas(watched, ("warning",), 0.4, label="in a monster's view")
    if "fog" in overlays:
        # A wall shows when a cell neighbors it does.
        yield Areas(~grown(view), (_DARK,), 0.55)
        yield Areas(~grown(state.known), (_DARK,), 1.0)


def _lines(
    derived: MazeDerived, state: State, overlays: frozenset[str], shown: NDArray[np.bool_]
) -> Iterator[Lines]:
    """Yield the paths, and lines to last sightings."""
    monsters = state.monsters
    player = state.player
    places = derived.positions(monsters.cells, monsters.ahead, monsters.gone)
    if "paths" in overlays:
        for mood, color, _ in _MOODS:
            rows = np.flatnonzero((monsters.moods == mood) & shown)
            paths = []
            for row in rows.tolist():
                ahead = int(monsters.ahead[row])
                target = int(monsters.targets[row])
                paths.append(_path_from(derived, places[row], ahead, target))
            if paths:
                yield Lines(tuple(paths), color, width=2.4)
        if player.goal != NOWHERE:
            path = _path_from(derived, derived.place(player), player.ahead, player.goal)
            yield Lines((path,), 0, width=2.4)
    if "last seen" in overlays:
        rows = np.flatnonzero((monsters.seen != NOWHERE) & (monsters.moods == SEARCHES) & shown)
        if len(rows):
            ends = derived.centers[monsters.seen[rows]]
            yield Lines(np.stack([places[rows], ends], axis=1), "warning", width=1.4, opacity=0.8)


def _path_from(
    derived: MazeDerived, place: NDArray[np.float64], ahead: int, target: int
) -> NDArray[np.float64]:
    """Return the points of the path of an agent: its place, and the cells to its target."""
    cells = derived.path(ahead, target) or (ahead,)
    return np.concatenate([place[None], derived.centers[list(cells)]])


def _marks(
    derived: MazeDerived,
    state: State,
    overlays: frozenset[str],
    shown: NDArray[np.bool_],
    player: NDArray[np.float64],
) -> Iterator[Marks]:
    """Yield treasures, the exit, last sightings, monsters and the player."""
    space = derived.space
    monsters = state.monsters
    known = state.known.reshape(-1)
    size = space.cell_size
    in_fog = "fog" in overlays
    if in_fog:
        treasures = state.treasures[known[state.treasures]]
    else:
        treasures = state.treasures
    yield Marks(derived.centers[treasures], "diamond", 0.7 * size, "food")
    if known[state.exit] or not in_fog:
        if len(state.treasures):
            color = "muted"
            label = "exit, closed"
        else:
            color = "goal"
            label = "exit"
        yield Marks(
            derived.centers[[state.exit]], "square", 0.9 * size, color, least=5.0, label=label
        )
    if "last seen" in overlays:
        rows = np.flatnonzero((monsters.seen != NOWHERE) & (monsters.moods == SEARCHES) & shown)
        if len(rows):
            there = derived.centers[monsters.seen[rows]]
            yield Marks(there, "cross", 0.8 * size, "warning", least=6.0, label="last sighting")
    places = derived.positions(monsters.cells, monsters.ahead, monsters.gone)
    headings = derived.away(monsters.cells, monsters.ahead)
    for mood, color, _ in _MOODS:
        rows = np.flatnonzero((monsters.moods == mood) & shown)
        if len(rows):
            yield Marks(places[rows], "disc", 0.85 * size, color, headings[rows], least=6.0)
    yield Marks(player[None], "disc", 0.75 * size, 0, least=6.0)


def _facts(derived: MazeDerived, state: State) -> Iterator[Fact]:
    """Yield the lines of the panel."""
    yield Fact("player", "you play" if state.player.by_hand else "script plays", 0)
    yield Fact("treasures", f"{state.most - len(state.treasures)} of {state.most}", "food")
    for mood, color, text in _MOODS:
        yield Fact(f"monster {text}", str(np.count_nonzero(state.monsters.moods == mood)), color)
    yield Fact("monsters", "explore by memory" if state.memory else "explore by chance")
    if state.memory:
        memory = derived.memory.values.reshape(-1)[derived.ground]
        yield Fact("remembered", f"{100 * np.count_nonzero(memory) / len(memory):.0f} % of the map")
