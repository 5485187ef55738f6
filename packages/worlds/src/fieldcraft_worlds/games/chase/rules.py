"""Rules of a chase: one step of AI, movement, bites, noise, and the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import sees
from fieldcraft.base.interruption import atomic
from fieldcraft_worlds.arrays import Floats
from fieldcraft_worlds.games.chase.ai import decide
from fieldcraft_worlds.games.chase.derived import ChaseDerived, Sighting
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.layout import start
from fieldcraft_worlds.games.chase.orders import Order, apply_orders
from fieldcraft_worlds.games.chase.script import scripted_move
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

__all__ = ["FLEEING", "STROLLING", "HunterAI", "start", "step"]


HunterAI = Callable[[ChaseDerived, State, Sighting, np.random.Generator], State]
"""Returns a state with new moods, targets and goals of hunters; see `ai.decide`."""

# Moods of civilians.
STROLLING = 0
FLEEING = 1
_PACES = np.array([0.75, 1.0, 0.85])  # of hunters that investigate, chase and search
_CALM = 0.6  # factor of the fear at which fleeing civilians stop
_BESIDE = 2.0  # units from the player to a companion
_PAUSE = 6.0  # seconds that a civilian stays in a place
_TOUCH = 1.1  # units to an item or the exit
_SAFE_AFTER = 2.0  # seconds after a catch without another
_SHOWN_FOR = 1.5  # seconds
_TURN = 0.25  # share of the turn to the new direction in one step
_MOVING = 0.3  # of the speed of sneaking; slower steps are silent


@atomic
def step(
    derived: ChaseDerived,
    state: State,
    orders: Sequence[Order],
    rng: np.random.Generator,
    ai: HunterAI = decide,
) -> State:
    """Return the state a step later, after some orders.

    All random numbers are drawn from `rng`, always in the same order.

    Parameters
    ----------
    ai : HunterAI, optional
        Sets moods, targets and goals of hunters.
    """
    ground = derived.ground
    settings = derived.settings
    state, stones = apply_orders(ground, settings, state, orders)
    if state.over:
        return state
    places = [np.zeros((0, ground.dimensions)), *(stone[None] for stone in stones)]
    loud = [np.full(len(stones), settings.player.stone)]
    thinking = state.step % settings.steps(settings.think) == 0
    if thinking:
        state = _think(ground, settings, derived, state, rng, ai)
        footstep = _footstep(ground, settings, state)
        if footstep:
            places.append(state.people.positions[:1])
            loud.append(np.array([footstep]))
    state = _walk(ground, settings, state)
    state, screams = _bite(ground, settings, state)
    places.append(screams)
    loud.append(np.full(len(screams), settings.civilian.scream))
    state = _make_noise(
        settings, derived, state, np.concatenate(places), np.concatenate(loud), thinking
    )
    return _end(ground, settings, replace(_convert(state), step=state.step + 1))


# AI


def _think(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    rng: np.random.Generator,
    ai: HunterAI,
) -> State:
    """Return the state after the decisions of hunters, civilians and the script."""
    people = state.people
    prey = np.flatnonzero(
        (people.roles == PLAYER) | ((people.roles == CIVILIAN) & settings.infects)
    )
    headings = derived.headings_to_near(people, people.rows(HUNTER), prey)
    sighting = derived.look(state, headings, prey)
    state = ai(derived, state.with_people(headings=headings), sighting, rng)
    state = replace(state, infection=derived.next_infection(state))
    state = _move_civilians(ground, settings, derived, state, rng)
    if not state.by_hand:
        gait, wish, following, goal = scripted_move(ground, settings, state)
        goals = state.people.goals.copy()
        goals[0] = following
        state = replace(state.with_people(goals=goals), gait=gait, wish=wish, goal=goal)
    return state


def _move_civilians(
    ground: ChaseGround,
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    rng: np.random.Generator,
) -> State:
    """Return the state with new goals of civilians, and with those in fear fleeing."""
    people = state.people
    rows = people.rows(CIVILIAN)
    if not len(rows):
        return state
    moods = people.moods.copy()
    goals = people.goals.copy()
    until = people.until.copy()
    headings = people.headings.copy()
    fear: NDArray[Any] = np.zeros(len(rows))
    if settings.infects:
        fear = state.infection.reshape(-1)[people.cells[rows]]
    limit = settings.civilian.fear * np.where(moods[rows] == FLEEING, _CALM, 1.0)
    flees = fear > limit
    moods[rows] = np.where(flees, FLEEING, STROLLING)
    fleeing = rows[flees]
    if len(fleeing):
        away = derived.downhill(state.infection, people.positions[fleeing], people.cells[fleeing])
        moving = (away != 0).any(axis=1)
        headings[fleeing[moving]] = away[moving]
        goals[fleeing] = NOTHING
        until[fleeing] = 0
    calm = rows[~flees]
    gaps = ground.away(people.positions[calm], ground.space.position_of(np.maximum(goals[calm], 0)))
    arrived = (goals[calm] != NOTHING) & (np.sqrt((gaps**2).sum(axis=1)) < 2.5 * ground.unit)
    resting = calm[arrived]
    pauses = rng.random(len(calm))
    until[resting] = state.step + (pauses[arrived] * _PAUSE * settings.rate).astype(np.int64)
    choices = rng.integers(len(state.places), size=len(calm))
    idle = arrived | (goals[calm] == NOTHING)
    goals[calm[idle]] = state.places[choices[idle]]
    companions = calm[people.targets[calm] == 0]
    gaps = ground.away(people.positions[companions], people.positions[:1])
    is_far = (gaps**2).sum(axis=1) > (_BESIDE * ground.unit) ** 2
    goals[companions] = np.where(is_far, people.cells[0], NOTHING)
    until[companions] = 0
    return state.with_people(moods=moods, goals=goals, until=until, headings=headings)


def _footstep(ground: ChaseGround, settings: Settings, state: State) -> float:
    """Return the loudness of the player's steps."""
    speed = float(np.sqrt((state.people.velocities[0] ** 2).sum())) / ground.unit
    if state.gait == SNEAK or speed < _MOVING * settings.player.sneak:
        return 0.0
    if _runs(state):
        return settings.player.noise_running
    return settings.player.noise_walking


def _runs(state: State) -> bool:
    """Return whether the player runs, for which it needs breath."""
    return state.gait == RUN and state.breath > 0


# Movement


def _walk(ground: ChaseGround, settings: Settings, state: State) -> State:
    """Return the state with all people moved."""
    people = state.people
    unit = ground.unit
    count = len(people)
    desired = np.zeros((count, ground.dimensions))
    speeds = np.zeros(count)
    goals = np.where(people.roles == TURNING, NOTHING, people.goals)

    hunters = people.rows(HUNTER)
    by_mood = np.array([settings.hunter.walk, *(_PACES * settings.hunter.run)])
    speeds[hunters] = by_mood[people.moods[hunters]] * settings.pace
    direct = hunters[
        (people.moods[hunters] == CHASE)
        & (people.targets[hunters] != NOBODY)
        & (people.goals[hunters] == NOTHING)
    ]
    prey = people.targets[direct]
    if ground.is_straight:
        desired[direct] = directions(ground.away(people.positions[direct], people.positions[prey]))
    else:
        beside = (people.cells[direct] == people.cells[prey]) & (people.ahead[prey] != NOTHING)
        goals[direct] = np.where(beside, people.ahead[prey], people.cells[prey])

    civilians = people.rows(CIVILIAN)
    flees = people.moods[civilians] == FLEEING
    hurries = flees | (people.targets[civilians] == 0)
    speeds[civilians] = np.where(hurries, settings.civilian.run, settings.civilian.walk)
    desired[civilians[flees], :2] = people.headings[civilians[flees]]

    player = settings.player
    running = _runs(state)
    if state.gait == SNEAK:
        speeds[0] = player.sneak
    elif running:
        speeds[0] = player.run
    else:
        speeds[0] = player.walk
    desired[0] = state.wish
    if state.by_hand:
        goals[0] = state.goal
    still = people.until > state.step
    still[0] = False
    speeds[still] = 0.0

    positions, velocities, cells, ahead = ground.movement.step(
        people.positions,
        people.velocities,
        people.cells,
        people.ahead,
        desired,
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
    if running and moves:
        breath = state.breath - 1 / settings.rate
    else:
        breath = state.breath + player.rest / settings.rate
    goal = state.goal
    if state.by_hand and goal != NOTHING and cells[0] == goal:
        goal = NOTHING
    state = state.with_people(
        positions=positions, velocities=velocities, cells=cells, ahead=ahead, headings=headings
    )
    return replace(state, breath=float(min(max(breath, 0.0), player.breath)), goal=goal)


def _bite(ground: ChaseGround, settings: Settings, state: State) -> tuple[State, Floats]:
    """Return the state after the bites of a step, where civilians start to turn and the player
    loses a heart; and the positions of screams, (K, D).
    """
    people = state.people
    none = np.zeros((0, ground.dimensions))
    hunters = people.rows(HUNTER)
    hunters = hunters[(people.until[hunters] <= state.step) & (people.targets[hunters] != NOBODY)]
    prey = people.targets[hunters]
    gaps = ground.away(people.positions[hunters], people.positions[prey])
    near = np.sqrt((gaps**2).sum(axis=1)) <= settings.hunter.reach * ground.unit
    near &= (people.roles[prey] == CIVILIAN) | (
        (prey == 0) & (state.step - state.hurt > _SAFE_AFTER * settings.rate)
    )
    hunters = hunters[near]
    prey = prey[near]
    if not len(hunters):
        return state, none
    if ground.is_straight:  # no bite through a wall
        reach = 2 * settings.hunter.reach * ground.unit
        met = np.diagonal(
            sees(ground.space, people.positions[hunters], people.positions[prey], reach, angle=360)
        )
        hunters = hunters[met]
        prey = prey[met]
    roles = people.roles.copy()
    until = people.until.copy()
    targets = people.targets.copy()
    goals = people.goals.copy()
    stun = settings.steps(settings.hunter.stun)
    feast = settings.steps(settings.civilian.feast)
    until[hunters] = state.step + np.where(prey == 0, stun, feast)
    victims = np.unique(prey[prey > 0])
    roles[victims] = TURNING
    goals[victims] = NOTHING
    until[victims] = state.step + settings.steps(settings.civilian.turning)
    targets[np.isin(targets, victims)] = NOBODY
    caught = bool((prey == 0).any())
    state = state.with_people(roles=roles, until=until, targets=targets, goals=goals)
    state = replace(state, bitten=state.bitten + len(victims))
    if caught:
        state = replace(
            state, hearts=state.hearts - 1, hurt=state.step, breath=settings.player.breath
        )
    return state, people.positions[victims]


def _convert(state: State) -> State:
    """Return the state in which civilians bitten long enough ago are hunters."""
    people = state.people
    rows = people.rows(TURNING)
    rows = rows[people.until[rows] <= state.step]
    if not len(rows):
        return state
    roles = people.roles.copy()
    roles[rows] = HUNTER
    moods = people.moods.copy()
    moods[rows] = PATROL
    since = people.since.copy()
    since[rows] = state.step
    targets = people.targets.copy()
    targets[rows] = NOBODY
    goals = people.goals.copy()
    goals[rows] = NOTHING
    return state.with_people(roles=roles, moods=moods, since=since, targets=targets, goals=goals)


def _make_noise(
    settings: Settings,
    derived: ChaseDerived,
    state: State,
    places: Floats,
    loud: Floats,
    thinking: bool,
) -> State:
    """Return the state with the noise of this step; noise spreads when hunters think."""
    if len(places):
        sounds = state.sounds.appended(
            places, state.step, loud, state.step - settings.steps(_SHOWN_FOR)
        )
    else:
        sounds = state.sounds
    if not thinking and not len(places):
        return state
    return replace(
        state, sounds=sounds, noise=derived.next_noise(state.noise, places, loud, spreads=thinking)
    )


# The end


def _end(ground: ChaseGround, settings: Settings, state: State) -> State:
    """Return the state with items taken, and the outcome at the end."""
    at = state.people.positions[0]
    items = state.items
    if len(items):
        gaps = np.sqrt((ground.away(at, ground.space.position_of(items.cells)) ** 2).sum(axis=1))
    else:
        gaps = np.zeros(0)
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
