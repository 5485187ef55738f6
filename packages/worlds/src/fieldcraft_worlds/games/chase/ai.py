"""AI of hunters: their moods, targets and goals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit import SearchParty
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.chase.derived import ChaseDerived, Sighting
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.searches import AnySearch
from fieldcraft_worlds.games.chase.settings import PARTY, Settings
from fieldcraft_worlds.games.chase.state import (
    CHASE,
    INVESTIGATE,
    NOBODY,
    NOTHING,
    PATROL,
    SEARCH,
    State,
)

_PLAYER_FACTOR = 0.6  # factor of the distance to the player
_SAME_TARGET = 0.8  # factor of the distance to the present target
_ARRIVED = 1.2  # units from a goal
_CANDIDATES = 24  # random places that a patrol compares
_PLANNERS = 10  # searchers of a party that plan for themselves
_PATROLS = 24  # patrols with goals of their own; others share one of these
_RECENT = 3.0  # seconds after the last sighting in which searchers ignore noise
_LISTEN_EVERY = 1.5  # seconds
_LOUD = 2.0  # factor of the hearing threshold for searchers
_APART = 12.0  # units between the goals of two patrols
_NOISE_RADIUS = 4.0  # units around the source of a noise in which the player may be


def decide(
    derived: ChaseDerived, state: State, sighting: Sighting, rng: np.random.Generator
) -> State:
    """Return the state with new moods, targets and goals of hunters, and new search memories."""
    ground = derived.ground
    settings = derived.settings
    people = state.people
    contacts = sighting.contacts
    hunters = sighting.hunters
    was_found = len(contacts.found) > 0
    was_lost = len(contacts.lost) > 0
    moods = people.moods.copy()
    since = people.since.copy()
    targets = people.targets.copy()
    goals = people.goals.copy()
    at = people.positions[hunters]
    own = moods[hunters]
    if np.isnan(contacts.positions[0]).any():
        last_seen = None
    else:
        last_seen = contacts.positions[0]

    searches = derived.searches_at(state, contacts)
    search = searches[state.search]
    if contacts.in_sight[0]:
        for each in searches.values():
            each.found(contacts.positions[0])
    elif was_lost:
        for each in searches.values():
            each.lost(contacts.positions[0], contacts.velocity_of(0))
    if not contacts.in_sight[0]:
        for each in searches.values():
            each.advance(settings.think)
            each.observe(sighting.view)

    new = own.copy()
    target = targets[hunters]
    goal = goals[hunters]
    timed_out = state.step - since[hunters] > settings.hunter.patience * settings.rate

    # Targets in sight
    chosen = _best_targets(ground, at, people.positions, sighting, target)
    sees_one = chosen != NOBODY
    new[sees_one] = CHASE
    target[sees_one] = chosen[sees_one]
    goal[sees_one] = NOTHING

    # Targets just lost from sight
    lost = (own == CHASE) & ~sees_one
    after_player = lost & (target == 0)
    after_other = lost & (target > 0)
    new[lost & (target == NOBODY)] = PATROL
    goal[after_other] = people.cells[target[after_other]]
    new[after_other] = INVESTIGATE
    target[after_other] = NOBODY
    if contacts.in_sight[0] and last_seen is not None:
        joining = (own == SEARCH) & ~sees_one
        follows = after_player | joining
        new[follows] = CHASE
        target[follows] = 0
        goal[follows] = ground.cells_of(last_seen[None])[0]
    else:
        new[after_player] = SEARCH
        target[after_player] = NOBODY
        if was_lost and last_seen is not None:
            new[_helpers(ground, settings, at, last_seen, new)] = SEARCH

    # Noises
    loud = state.noise.reshape(-1)[people.cells[hunters]]
    hears = loud > settings.hunter.hearing
    searching = np.flatnonzero((loud > _LOUD * settings.hunter.hearing) & (new == SEARCH))
    since_listening = state.step % settings.steps(_LISTEN_EVERY)
    listening = contacts.ages[0] > _RECENT and since_listening < settings.steps(settings.think)
    if len(searching) and listening:
        first = searching[np.argmax(loud[searching])]
        source = int(derived.source_of_noise(state.noise, at[first : first + 1])[0])
        if source >= 0:
            noise = ground.space.position_of(source)
            for each in searches.values():
                if isinstance(each, SearchParty):
                    each.lost(noise)
                else:
                    each.report(noise, _NOISE_RADIUS * ground.unit)
    curious = np.flatnonzero(hears & ((new == PATROL) | (new == INVESTIGATE)))
    if len(curious):
        sources = derived.source_of_noise(state.noise, at[curious])
        curious = curious[sources >= 0]
        sources = sources[sources >= 0]
        sources = np.where(ground.is_home[sources], sources, people.cells[hunters[curious]])
        new[curious] = INVESTIGATE
        goal[curious] = sources

    # Goals reached, and searches given up
    arrived = _arrived(ground, people.positions[hunters], people.cells[hunters], goal)
    found_nothing = (own == INVESTIGATE) & timed_out & ~hears
    gave_up = (new == SEARCH) & (own == SEARCH) & timed_out
    done = ((new == INVESTIGATE) & (arrived | found_nothing)) | gave_up
    new[done] = PATROL
    goal[done] = NOTHING
    changed = new != own
    since[hunters[changed]] = state.step
    goal[changed & ((new == SEARCH) | (new == PATROL))] = NOTHING

    # Goals of searchers
    party = np.flatnonzero(new == SEARCH)
    if len(party):
        cells = ground.cells_of(_search_goals(search, ground.eyes(people, hunters[party]), rng))
        goal[party] = np.where(ground.is_home[cells], cells, people.cells[hunters[party]])

    moods[hunters] = new
    targets[hunters] = target
    goals[hunters] = goal
    memory = derived.states(searches, by_party=state.search == PARTY and len(party) > 0)
    seen, waited = derived.next_patrol(state.seen, sighting.view)
    goals[hunters] = _patrol_goals(ground, state, hunters, new, goal, arrived, waited, rng)
    return replace(
        state.with_people(moods=moods, since=since, targets=targets, goals=goals),
        contacts=contacts,
        guesses=memory,
        seen=seen,
        spotted=state.spotted + int(was_found),
        lost=state.lost + int(was_lost),
    )


def _search_goals(search: AnySearch, at: Floats, rng: np.random.Generator) -> Floats:
    """Return the goals of searchers, (N, D). In a large party only the first ones plan, and each of
    the others goes to the goal of the nearest planner.
    """
    if not isinstance(search, SearchParty) or len(at) <= _PLANNERS:
        return search.places(at, rng)
    places = search.places(at[:_PLANNERS], rng)
    nearest = ((at[:, None] - at[:_PLANNERS]) ** 2).sum(axis=2).argmin(axis=1)
    return np.asarray(places[nearest])


def _best_targets(
    ground: ChaseGround, at: Floats, positions: Floats, sighting: Sighting, targets: Ints
) -> Ints:
    """Return the row of the target of each hunter, out of the agents in its sight, or NOBODY."""
    seen = sighting.seen
    found = np.full(len(at), NOBODY, dtype=np.int64)
    rows, columns = np.nonzero(seen)
    if not len(rows):
        return found
    far = np.sqrt((ground.away(at[rows], positions[columns]) ** 2).sum(axis=1))
    is_player = np.where(columns == 0, _PLAYER_FACTOR, 1.0)
    is_same = np.where(columns == targets[rows], _SAME_TARGET, 1.0)
    far *= is_player * is_same
    order = np.lexsort((columns, far, rows))
    first = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    found[rows[first]] = columns[first]
    return found


def _helpers(
    ground: ChaseGround, settings: Settings, at: Floats, place: Floats, moods: Ints
) -> Ints:
    """Return the hunters that join a search that starts at a place: the nearest ones that patrol or
    investigate, up to the size of a party.
    """
    far = np.sqrt((ground.away(at, place) ** 2).sum(axis=1)) / ground.unit
    free = np.flatnonzero(
        ((moods == PATROL) | (moods == INVESTIGATE)) & (far <= settings.hunter.call)
    )
    vacancies = max(settings.hunter.party - int(np.count_nonzero(moods == SEARCH)), 0)
    return free[np.argsort(far[free], kind="stable")[:vacancies]]


def _arrived(ground: ChaseGround, at: Floats, cells: Ints, goals: Ints) -> NDArray[np.bool_]:
    """Return whether each hunter is at its goal."""
    places = ground.space.position_of(np.maximum(goals, 0))
    near = np.sqrt((ground.away(at, places) ** 2).sum(axis=1)) <= _ARRIVED * ground.unit
    return np.asarray((goals != NOTHING) & (near | (cells == goals)))


def _patrol_goals(
    ground: ChaseGround,
    state: State,
    hunters: Ints,
    moods: Ints,
    goals: Ints,
    arrived: NDArray[np.bool_],
    waited: NDArray[np.float32],
    rng: np.random.Generator,
) -> Ints:
    """Return the goals of hunters, with new ones for patrols without a goal: places not looked at
    for a long time, apart from the goals of other patrols.
    """
    goals = goals.copy()
    long = state.step - state.people.since[hunters] > 0
    idle = np.flatnonzero((moods == PATROL) & ((goals == NOTHING) | (arrived & long)))
    if not len(idle):
        return goals
    flat = waited.reshape(-1)
    home = ground.home
    positions = state.people.positions[hunters]
    taken = [int(cell) for cell in goals[(moods == PATROL) & (goals != NOTHING)]]
    for row in idle.tolist():
        options = rng.choice(home, _CANDIDATES)
        if len(taken) >= _PATROLS:
            options = np.array(taken)[rng.integers(len(taken), size=4)]
        places = ground.space.position_of(options)
        far = np.sqrt((ground.away(positions[row], places) ** 2).sum(axis=1)) / ground.unit
        worth = flat[options] / (10.0 + far)
        if taken and len(taken) < _PATROLS:
            gaps = ground.away(places[:, None], ground.space.position_of(np.array(taken)))
            nearest = np.sqrt((gaps**2).sum(axis=2)).min(axis=1)
            worth *= np.clip(nearest / (_APART * ground.unit), 0.1, 1.0)
        goals[row] = int(options[np.argmax(worth)])
        taken.append(int(goals[row]))
    return goals
