"""One step of a chase: thoughts, steps, bites; then it is seen whether it is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import sees
from fieldcraft.interruption import atomic
from fieldcraft_worlds.games.chase.ai import decided
from fieldcraft_worlds.games.chase.derived import ChaseDerived, Sighting
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.layout import start
from fieldcraft_worlds.games.chase.orders import Order, followed
from fieldcraft_worlds.games.chase.runner import by_himself
from fieldcraft_worlds.games.chase.settings import Settings
from fieldcraft_worlds.games.chase.state import (
    CHASE,
    CIVILIAN,
    HUNTER,
    NOBODY,
    NOTHING,
    PATROL,
    PLAYER,
    RUN,
    SNEAK,
    TURNING,
    State,
)
from fieldcraft_worlds.games.walking import directions

__all__ = ["FLEEING", "STROLLING", "Minds", "start", "step"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Minds = Callable[[ChaseDerived, State, Sighting, np.random.Generator], State]
"""Gives hunters their moods, targets and goals, as `ai.decided` does."""

STROLLING, FLEEING = 0, 1  # moods of civilians
_AT_EASE = 0.6  # of the fear at which one flees: below it one stops
_PAUSE = 6.0  # seconds that a civilian stays in a place, at most
_TOUCH = 1.1  # units at which something is picked up, and an exit is reached
_SPARED = 2.0  # seconds after being caught in which one can't be caught again
_HEARD_FOR = 1.5  # seconds that a noise is shown
_TURN = 0.25  # of the way to where one walks that a heading turns in a step
_MOVING = 0.3  # of the speed of sneaking: who is slower makes no noise


@atomic
def step(
    derived: ChaseDerived,
    state: State,
    orders: Sequence[Order],
    rng: np.random.Generator,
    decide: Minds = decided,
) -> State:
    """The state a step later, after these orders; hunters `decide` by their minds, or by yours.

    All that chance decides is drawn from `rng`, always in the same order.
    """
    ground, settings = derived.ground, derived.settings
    state, stones = followed(ground, settings, state, orders)
    if state.over:
        return state
    places = [np.zeros((0, ground.dimensions)), *(stone[None] for stone in stones)]
    loud = [np.full(len(stones), settings.player.stone)]
    thinking = state.step % settings.steps(settings.think) == 0
    if thinking:
        state = _thought(ground, settings, derived, state, rng, decide)
        footstep = _footstep(ground, settings, state)
        if footstep:
            places.append(state.people.positions[:1])
            loud.append(np.array([footstep]))
    state = _walked(ground, settings, state)
    state, screams = _bitten(ground, settings, state)
    places.append(screams)
    loud.append(np.full(len(screams), settings.civilian.scream))
    state = _sounded(
        settings, derived, state, np.concatenate(places), np.concatenate(loud), thinking
    )
    return _judged(ground, settings, replace(_turned(state), step=state.step + 1))


# Thoughts


def _thought(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    rng: np.random.Generator,
    decide: Minds,
) -> State:
    people = state.people
    prey = np.flatnonzero(
        (people.roles == PLAYER) | ((people.roles == CIVILIAN) & settings.infects)
    )
    headings = derived.turned(people, people.rows(HUNTER), prey)
    sighting = derived.look(state, headings, prey)
    state = decide(derived, state.with_people(headings=headings), sighting, rng)
    state = replace(state, infection=derived.infected(state))
    state = _strolled(ground, settings, derived, state, rng)
    if not state.by_hand:
        gait, wish, following, goal = by_himself(ground, settings, state)
        goals = state.people.goals.copy()
        goals[0] = following
        state = replace(state.with_people(goals=goals), gait=gait, wish=wish, goal=goal)
    return state


def _strolled(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    rng: np.random.Generator,
) -> State:
    """Civilians choose where to stroll, and flee down the slope of the infection."""
    people = state.people
    rows = people.rows(CIVILIAN)
    if not len(rows):
        return state
    moods, goals, until, headings = (
        people.moods.copy(),
        people.goals.copy(),
        people.until.copy(),
        people.headings.copy(),
    )
    fear = (
        state.infection.reshape(-1)[people.cells[rows]] if settings.infects else np.zeros(len(rows))
    )
    limit = settings.civilian.fear * np.where(moods[rows] == FLEEING, _AT_EASE, 1.0)
    flees = fear > limit
    moods[rows] = np.where(flees, FLEEING, STROLLING)
    fleeing = rows[flees]
    if len(fleeing):
        away = derived.downhill(state.infection, people.positions[fleeing], people.cells[fleeing])
        moving = (away != 0).any(axis=1)
        headings[fleeing[moving]] = away[moving]
        goals[fleeing], until[fleeing] = NOTHING, 0
    calm = rows[~flees]
    gaps = ground.away(people.positions[calm], ground.space.position_of(np.maximum(goals[calm], 0)))
    there = (goals[calm] != NOTHING) & (np.sqrt((gaps**2).sum(axis=1)) < 2.5 * ground.unit)
    resting = calm[there]
    pauses = rng.random(len(calm))
    until[resting] = state.step + (pauses[there] * _PAUSE * settings.rate).astype(np.int64)
    choices = rng.integers(len(state.places), size=len(calm))
    idle = there | (goals[calm] == NOTHING)
    goals[calm[idle]] = state.places[choices[idle]]
    return state.with_people(moods=moods, goals=goals, until=until, headings=headings)


def _footstep(ground: ChaseGround, settings: Settings, state: State) -> float:
    """How loud the player is."""
    speed = float(np.sqrt((state.people.velocities[0] ** 2).sum())) / ground.unit
    if state.gait == SNEAK or speed < _MOVING * settings.player.sneak:
        return 0.0
    return settings.player.noise_running if _runs(state) else settings.player.noise_walking


def _runs(state: State) -> bool:
    return state.gait == RUN and state.breath > 0


# Steps


def _walked(ground: ChaseGround, settings: Settings, state: State) -> State:
    people, unit = state.people, ground.unit
    count = len(people)
    wishes, speeds = np.zeros((count, ground.dimensions)), np.zeros(count)
    goals = np.where(people.roles == TURNING, NOTHING, people.goals)

    hunters = people.rows(HUNTER)
    by_mood = np.array(
        [
            settings.hunter.walk,
            0.75 * settings.hunter.run,
            settings.hunter.run,
            0.85 * settings.hunter.run,
        ]
    )
    speeds[hunters] = by_mood[people.moods[hunters]] * settings.pace
    direct = hunters[
        (people.moods[hunters] == CHASE)
        & (people.targets[hunters] != NOBODY)
        & (people.goals[hunters] == NOTHING)
    ]
    aims = people.targets[direct]
    if ground.is_straight:
        wishes[direct] = directions(ground.away(people.positions[direct], people.positions[aims]))
    else:
        beside = (people.cells[direct] == people.cells[aims]) & (people.ahead[aims] != NOTHING)
        goals[direct] = np.where(beside, people.ahead[aims], people.cells[aims])

    civilians = people.rows(CIVILIAN)
    flees = people.moods[civilians] == FLEEING
    speeds[civilians] = np.where(flees, settings.civilian.run, settings.civilian.walk)
    wishes[civilians[flees], :2] = people.headings[civilians[flees]]

    player = settings.player
    running = _runs(state)
    speeds[0] = player.sneak if state.gait == SNEAK else player.run if running else player.walk
    wishes[0] = state.wish
    if state.by_hand:
        goals[0] = state.goal
    still = people.until > state.step
    still[0] = False
    speeds[still] = 0.0

    positions, velocities, cells, ahead = ground.footing.step(
        people.positions,
        people.velocities,
        people.cells,
        people.ahead,
        wishes,
        goals,
        speeds * unit,
        1 / settings.rate,
        leapers=np.arange(len(people)) == 0,
    )
    pace = np.sqrt((velocities**2).sum(axis=1))
    turning = np.where(pace > 0.1 * unit, _TURN, 0.0)[:, None]
    headings = directions(
        people.headings + turning * (directions(velocities[:, :2]) - people.headings),
        people.headings,
    )
    moves = pace[0] > _MOVING * player.sneak * unit
    breath = (
        state.breath - 1 / settings.rate
        if running and moves
        else state.breath + player.rest / settings.rate
    )
    goal = state.goal
    if state.by_hand and goal != NOTHING and cells[0] == goal:
        goal = NOTHING
    state = state.with_people(
        positions=positions, velocities=velocities, cells=cells, ahead=ahead, headings=headings
    )
    return replace(state, breath=float(min(max(breath, 0.0), player.breath)), goal=goal)


def _bitten(ground: ChaseGround, settings: Settings, state: State) -> tuple[State, Floats]:
    """The bites of a step: civilians begin to turn, the player loses a heart; and where there are
    screams, (K, D).
    """
    people = state.people
    none = np.zeros((0, ground.dimensions))
    hunters = people.rows(HUNTER)
    hunters = hunters[(people.until[hunters] <= state.step) & (people.targets[hunters] != NOBODY)]
    aims = people.targets[hunters]
    gaps = ground.away(people.positions[hunters], people.positions[aims])
    near = np.sqrt((gaps**2).sum(axis=1)) <= settings.hunter.reach * ground.unit
    near &= (people.roles[aims] == CIVILIAN) | (
        (aims == 0) & (state.step - state.hurt > _SPARED * settings.rate)
    )
    hunters, aims = hunters[near], aims[near]
    if not len(hunters):
        return state, none
    if ground.is_straight:  # not through a wall
        reach = 2 * settings.hunter.reach * ground.unit
        met = np.diagonal(
            sees(ground.space, people.positions[hunters], people.positions[aims], reach, angle=360)
        )
        hunters, aims = hunters[met], aims[met]
    roles, until, targets, goals = (
        people.roles.copy(),
        people.until.copy(),
        people.targets.copy(),
        people.goals.copy(),
    )
    busy = settings.steps(settings.hunter.stun), settings.steps(settings.civilian.feast)
    until[hunters] = state.step + np.where(aims == 0, *busy)
    victims = np.unique(aims[aims > 0])
    roles[victims], goals[victims] = TURNING, NOTHING
    until[victims] = state.step + settings.steps(settings.civilian.turning)
    targets[np.isin(targets, victims)] = NOBODY
    caught = bool((aims == 0).any())
    state = state.with_people(roles=roles, until=until, targets=targets, goals=goals)
    state = replace(
        state,
        bitten=state.bitten + len(victims),
        hearts=state.hearts - int(caught),
        hurt=state.step if caught else state.hurt,
        breath=settings.player.breath if caught else state.breath,
    )
    return state, people.positions[victims]


def _turned(state: State) -> State:
    """The state in which civilians that were bitten long enough ago are hunters."""
    people = state.people
    rows = people.rows(TURNING)
    rows = rows[people.until[rows] <= state.step]
    if not len(rows):
        return state
    roles, moods, since, targets, goals = (
        column.copy()
        for column in (people.roles, people.moods, people.since, people.targets, people.goals)
    )
    roles[rows], moods[rows], since[rows], targets[rows], goals[rows] = (
        HUNTER,
        PATROL,
        state.step,
        NOBODY,
        NOTHING,
    )
    return state.with_people(roles=roles, moods=moods, since=since, targets=targets, goals=goals)


def _sounded(
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    places: Floats,
    loud: Floats,
    thinking: bool,
) -> State:
    """The state in which the noise of this step is heard; sound spreads when hunters think."""
    sounds = (
        state.sounds.and_then(places, state.step, loud, state.step - settings.steps(_HEARD_FOR))
        if len(places)
        else state.sounds
    )
    if not thinking and not len(places):
        return state
    return replace(
        state, sounds=sounds, noise=derived.heard(state.noise, places, loud, spreads=thinking)
    )


# The end


def _judged(ground: ChaseGround, settings: Settings, state: State) -> State:
    at = state.people.positions[0]
    items = state.items
    gaps = (
        np.sqrt((ground.away(at, ground.space.position_of(items.cells)) ** 2).sum(axis=1))
        if len(items)
        else np.zeros(0)
    )
    found = items.taken | (gaps <= _TOUCH * ground.unit)
    if not np.array_equal(found, items.taken):
        state = replace(state, items=replace(items, taken=found))
    if state.hearts <= 0:
        return replace(state, outcome="caught")
    to_exit = float(np.sqrt((ground.away(at, ground.space.position_of(state.exit)) ** 2).sum()))
    if found.all() and to_exit <= _TOUCH * ground.unit:
        return replace(state, outcome="escaped")
    if state.step >= settings.steps(settings.limit):
        return replace(state, outcome="survived")
    return state
