"""Scene of a chase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.settings import Settings
from fieldcraft_worlds.games.chase.state import (
    CHASE,
    CIVILIAN,
    HUNTER,
    INVESTIGATE,
    MOODS,
    NOBODY,
    NOTHING,
    PATROL,
    SEARCH,
    TURNING,
    State,
)
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.scene import Areas, Cones, Fact, Field, Label, Lines, Marks, Scene, Tone

OVERLAYS = (
    Overlay(
        "infection",
        "1",
        "distance to hunters along paths; civilians flee down this slope",
        group="field",
        shown=True,
    ),
    Overlay("noise", "2", "noise that hunters can hear", group="field"),
    Overlay(
        "heat",
        "3",
        "flood from the last sighting: where the player can be by now",
        group="field",
    ),
    Overlay(
        "belief",
        "4",
        "probability of each place for the hunters (particles while a party searches)",
        group="field",
    ),
    Overlay(
        "staleness",
        "5",
        "seconds since hunters saw each place; patrols go to the longest",
        group="field",
    ),
    Overlay("sight", "6", "cells that hunters see", shown=True),
    Overlay("barrier", "7", "cells that the player cannot have crossed, by the flood"),
    Overlay("estimate", "8", "the hunters' estimate of the player, with a line to the player"),
    Overlay("paths", "9", "paths of hunters and player"),
)

MOOD_TONES: dict[int, Tone] = {
    PATROL: "#6fbf73",
    INVESTIGATE: "#f2c94c",
    CHASE: "#f0605a",
    SEARCH: "#b792f0",
}
_SIGNS = {INVESTIGATE: "?", CHASE: "!", SEARCH: "…"}
_PLAYER = "#5ad1f5"
_CIVILIAN = "#c3c8d2"
_BITTEN = "#e08a3c"
_WARNS = 0.01  # of the infection at a companion
_LABELS = 40  # signs over hunters
_COOLEST = 0.8  # heat of the faintest color: the front of a flood is bright
_MOST_PATHS = 16  # paths of hunters
_SHOWN_FOR = 1.5  # seconds that a noise is shown
_GAITS = ("sneaks", "walks", "runs")


def scene_of(derived: ChaseDerived, state: State, overlays: frozenset[str]) -> Scene:
    """Return the scene of a state, with the overlays of these names."""
    ground = derived.ground
    settings = derived.settings
    return Scene(
        space=ground.space,
        title=_title(settings, state),
        field=_field(ground, settings, derived, state, overlays),
        areas=tuple(_areas(ground, derived, state, overlays)),
        cones=_cones(ground, settings, state) if "sight" in overlays else (),
        lines=tuple(_lines(ground, derived, state, overlays)),
        marks=tuple(_marks(ground, settings, derived, state, overlays)),
        labels=tuple(_labels(ground, state)),
        facts=tuple(_facts(settings, derived, state)),
        headline=state.outcome,
    )


def result(settings: Settings, state: State) -> str | None:
    """Return how a chase ended, None before the end."""
    if not state.over:
        return None
    seconds = f"{state.step / settings.rate:.0f} s"
    found = f"{np.count_nonzero(state.items.taken)} of {len(state.items)} found"
    return {
        "escaped": f"escaped in {seconds}",
        "caught": f"caught after {seconds}, {found}",
        "survived": f"survived {seconds}, {found}",
    }[state.outcome]


def _title(settings: Settings, state: State) -> str:
    """Return the title of a picture."""
    left = int(np.count_nonzero(~state.items.taken))
    if left:
        task = f"{left} to find"
    else:
        task = "to the exit"
    return f"chase, {state.step / settings.rate:.0f} s: {task}"


def _field(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    overlays: frozenset[str],
) -> Field | None:
    if "infection" in overlays:
        if settings.infects:
            label = "infection"
            tone = "#7fae4a"
        else:
            label = "guards near"
            tone = "#e0705a"
        found = Field(state.infection, label, (0.0, 1.0), tone, threshold=0.01, opacity=0.75)
    elif "noise" in overlays:
        found = Field(state.noise, "noise", (0.0, 1.0), "warning", threshold=0.01, opacity=0.9)
    elif "heat" in overlays:
        heat = derived.flood(state.guesses).values
        label = "heat of the flood"
        if heat is None:
            heat = np.zeros_like(state.noise)
            label = "heat: no search now"
        found = Field(heat, label, (_COOLEST, 1.0), "danger", opacity=0.9)
    elif "belief" in overlays:
        found = _belief_field(derived, state)
    elif "staleness" in overlays:
        found = Field(
            derived.waited(state.seen), "seconds unseen", (0.0, 60.0), "#5f7fc8", opacity=0.55
        )
    else:
        return None
    # On waypoints a threshold would leave cells brighter than those with a low value.
    if ground.is_straight:
        return found
    return replace(found, threshold=None)


def _belief_field(derived: ChaseDerived, state: State) -> Field:
    """Return the probability of each place: particles of the party while it searches, else the
    belief.
    """
    label = "particles of the party"
    values = derived.party(state.guesses).values
    if values is None:
        label = "belief"
        values = derived.belief(state.guesses).guide.values
    top = float(values.max())
    return Field(
        values / np.float32(top or 1.0),
        f"{label}, of at most {top:.2g}",
        (0.0, 1.0),
        "#b792f0",
        threshold=0.004,
        opacity=0.9,
    )


def _areas(
    ground: ChaseGround, derived: ChaseDerived, state: State, overlays: frozenset[str]
) -> Iterator[Areas]:
    if "sight" in overlays:
        hunters = state.people.rows(HUNTER)
        view = derived.sight.view(
            ground.eyes(state.people, hunters), facing=state.people.headings[hunters]
        )
        yield Areas(view, ("ink",), opacity=0.16, label="in sight of hunters")
    if "barrier" in overlays:
        flood = derived.flood(state.guesses).guide
        if flood is not None:
            yield Areas(flood.barrier, ("#4f8ff0",), opacity=0.45, label="barrier")


def _cones(ground: ChaseGround, settings: Settings, state: State) -> tuple[Cones, ...]:
    """Return short cones for the headings of hunters."""
    people = state.people
    hunters = people.rows(HUNTER)
    angle = settings.hunter.angle
    length = 0.3 * settings.hunter.view * ground.unit
    cones = []
    for mood, tone in MOOD_TONES.items():
        rows = hunters[people.moods[hunters] == mood]
        if len(rows):
            places = people.positions[rows]
            headings = people.headings[rows]
            cones.append(Cones(places, headings, length, angle, tone, opacity=0.22))
    return tuple(cones)


def _lines(
    ground: ChaseGround, derived: ChaseDerived, state: State, overlays: frozenset[str]
) -> Iterator[Lines]:
    people = state.people
    if "paths" in overlays:
        hunters = people.rows(HUNTER)
        walking = hunters[people.goals[hunters] != NOTHING][:_MOST_PATHS].tolist()
        for mood, tone in MOOD_TONES.items():
            paths = tuple(
                _path(ground, people.positions[row], int(people.cells[row]), int(people.goals[row]))
                for row in walking
                if people.moods[row] == mood
            )
            if paths:
                yield Lines(paths, tone, width=1.8, opacity=0.8)
        is_direct = (people.goals[hunters] == NOTHING) & (people.targets[hunters] != NOBODY)
        direct = hunters[is_direct]
        if len(direct):
            starts = people.positions[direct, :2]
            ends = people.positions[people.targets[direct], :2]
            yield Lines(np.stack([starts, ends], axis=1), "danger", width=1.8)
        if state.goal != NOTHING:
            yield Lines(
                (_path(ground, people.positions[0], int(people.cells[0]), state.goal),),
                _PLAYER,
                width=2.2,
                label="path of the player",
            )
    if "estimate" in overlays:
        estimate = _estimate(derived, state)
        if estimate is not None:
            yield Lines(
                (np.stack([estimate[:2], people.positions[0, :2]]),), "ink", width=1.0, opacity=0.6
            )


def _path(
    ground: ChaseGround, at: NDArray[np.float64], cell: int, goal: int
) -> NDArray[np.float64]:
    """Return the points of the path of a person to a cell, (N, 2)."""
    to_goal = distance_map(ground.space, ground.space.position_of(goal))
    path = to_goal.descend(ground.space.position_of(cell))
    return np.concatenate([at[None, :2], path.positions[1:, :2]])


def _estimate(derived: ChaseDerived, state: State) -> NDArray[np.float64] | None:
    """Return where hunters think that the player is; None while they see it, or without a guess."""
    if state.contacts.in_sight[0]:
        return None
    return derived.search_at(state.guesses, state.search).estimate()


def _marks(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    overlays: frozenset[str],
) -> Iterator[Marks]:
    people = state.people
    unit = ground.body
    position_of = ground.space.position_of
    is_open = bool(state.items.taken.all())
    yield Marks(
        position_of([state.exit]),
        "square",
        1.5 * unit,
        "goal" if is_open else "muted",
        least=9.0,
        label="exit",
    )
    left = state.items.cells[~state.items.taken]
    yield Marks(position_of(left), "diamond", 1.2 * unit, "food", least=9.0)
    yield from _sounds(settings, state, unit)
    for role, color in ((CIVILIAN, _CIVILIAN), (TURNING, _BITTEN)):
        rows = people.rows(role)
        if len(rows):
            yield Marks(people.positions[rows], "disc", 0.62 * unit, color, least=4.0)
    hunters = people.rows(HUNTER)
    for mood, tone in MOOD_TONES.items():
        rows = hunters[people.moods[hunters] == mood]
        if len(rows):
            yield Marks(
                people.positions[rows], "disc", 0.9 * unit, tone, people.headings[rows], least=7.0
            )
    hurt = state.step - state.hurt < 2 * settings.rate and state.step // 4 % 2 == 0
    yield Marks(
        people.positions[:1],
        "disc",
        1.0 * unit,
        "danger" if hurt else _PLAYER,
        people.headings[:1],
        least=9.0,
    )
    yield Marks(people.positions[:1], "ring", 1.7 * unit, _PLAYER, least=15.0)
    if "estimate" in overlays:
        estimate = _estimate(derived, state)
        if estimate is not None:
            yield Marks(
                estimate[None],
                "cross",
                1.6 * unit,
                "ink",
                least=11.0,
                label="hunters' estimate",
            )


def _sounds(settings: Settings, state: State, unit: float) -> Iterator[Marks]:
    """Return rings that grow out of noises; of footsteps about one in five."""
    sounds = state.sounds
    ages = (state.step - sounds.steps) / settings.rate
    young = (ages < _SHOWN_FOR) & (
        (sounds.loud > settings.player.noise_running) | (sounds.steps % settings.steps(0.5) == 0)
    )
    if young.any():
        sizes = (0.5 + 4.0 * ages[young]) * np.sqrt(sounds.loud[young]) * unit
        yield Marks(sounds.positions[young], "ring", sizes, "warning", opacity=0.5, least=2.0)


def _labels(ground: ChaseGround, state: State) -> Iterator[Label]:
    people = state.people
    up = 1.1 * ground.body
    if not ground.space.y_up:
        up = -up
    hunters = people.rows(HUNTER)
    for row in hunters[people.moods[hunters] != PATROL][:_LABELS].tolist():
        x, y = people.positions[row, :2].tolist()
        mood = int(people.moods[row])
        yield Label((x, y + up), _SIGNS[mood], MOOD_TONES[mood])
    for row in _companions(state).tolist():
        x, y = people.positions[row, :2].tolist()
        warns = state.infection.reshape(-1)[people.cells[row]] > _WARNS
        yield Label((x, y + up), "they are near!" if warns else "with you", _PLAYER)


def _companions(state: State) -> NDArray[np.int64]:
    """Return the rows of the civilians that come along with the player."""
    people = state.people
    return np.flatnonzero((people.roles == CIVILIAN) & (people.targets == 0))


def _facts(settings: Settings, derived: ChaseDerived, state: State) -> Iterator[Fact]:
    people = state.people
    yield Fact(
        "player",
        f"{_GAITS[state.gait]}, {'you play' if state.by_hand else 'script plays'}",
        _PLAYER,
    )
    yield Fact("hearts", f"{state.hearts} of {settings.player.hearts}")
    yield Fact("stones to throw", str(state.stones))
    yield Fact("breath", f"{state.breath:.1f} s")
    yield Fact("found", f"{np.count_nonzero(state.items.taken)} of {len(state.items)}", "food")
    if settings.civilians:
        yield Fact("civilians", f"{len(people.rows(CIVILIAN))} of {settings.civilians}", _CIVILIAN)
    if settings.infects:
        yield Fact("bitten", str(len(people.rows(TURNING))), _BITTEN)
    hunters = people.rows(HUNTER)
    yield Fact(settings.kind, str(len(hunters)))
    for mood, tone in MOOD_TONES.items():
        sign = f" {_SIGNS[mood]}" if mood in _SIGNS else ""
        yield Fact(
            f"  {MOODS[mood]}{sign}", str(np.count_nonzero(people.moods[hunters] == mood)), tone
        )
    age = float(state.contacts.ages[0])
    if state.contacts.in_sight[0]:
        known = "in sight"
    elif np.isinf(age):
        known = "never seen"
    else:
        known = f"lost {age:.0f} s ago"
    yield Fact("player is", known)
    yield Fact("hunters search by", state.search)
    if (people.moods[hunters] == SEARCH).any():
        yield Fact("  look for you", _search_area(derived, state))


def _search_area(derived: ChaseDerived, state: State) -> str:
    """Return where hunters look for the player, in a few words. The number of places is the number
    of equally likely ones with the same sum of squares.
    """
    if state.search == "last":
        return "at the last sighting"
    values = derived.search_at(state.guesses, state.search).values
    if values is None:
        return "anywhere"
    if state.search == "flood":
        return f"in {np.count_nonzero(values):,} warm places"
    chances = values[values > 0].astype(np.float64)
    return f"in about {chances.sum() ** 2 / max((chances**2).sum(), 1e-300):,.0f} places"
