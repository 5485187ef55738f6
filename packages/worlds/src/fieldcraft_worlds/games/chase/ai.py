"""The minds of hunters: their moods, whom they chase, where they go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit import SearchParty
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

__all__ = ["decided"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PLAYER_WORTH = 0.6  # a player counts as so much nearer than a civilian
_HELD = 0.8  # and whom one chases already
_THERE = 1.2  # units from a goal at which one is there
_CANDIDATES = 24  # places that a patrol thinks of
_PLANNERS = 10  # searchers of a party who make plans of their own; others go with one of these
_PACKS = 24  # patrols that have places of their own; others go with one of these
_SURE = 3.0  # seconds after losing sight in which searchers go by what they saw
_LISTENS = 1.5  # seconds from one moment at which searchers listen to the next
_BUSY = 2.0  # times as loud as for others something is that they hear
_HEARD_NEAR = 4.0  # units around what a searcher hears in which the player may be


def decided(
    derived: ChaseDerived, state: State, sighting: Sighting, rng: np.random.Generator
) -> State:
    """The state with new moods, targets and goals of hunters, and with what searches then
    remember.
    """
    ground, settings = derived.ground, derived.settings
    people, contacts = state.people, sighting.contacts
    hunters = sighting.hunters
    known = len(contacts.found) > 0, len(contacts.lost) > 0
    moods, since = people.moods.copy(), people.since.copy()
    targets, goals = people.targets.copy(), people.goals.copy()
    at, own = people.positions[hunters], moods[hunters]
    last_seen = None if np.isnan(contacts.positions[0]).any() else contacts.positions[0]

    searches = derived.taken_up(state, contacts)
    search = searches[state.search]
    if contacts.in_sight[0]:
        for each in searches.values():
            each.found(contacts.positions[0])
    elif known[1]:
        for each in searches.values():
            each.lost(contacts.positions[0], contacts.velocity_of(0))
    if not contacts.in_sight[0]:
        for each in searches.values():
            each.advance(settings.think)
            each.observe(sighting.view)

    new, aims, ends = own.copy(), targets[hunters], goals[hunters]
    timed_out = state.step - since[hunters] > settings.hunter.patience * settings.rate

    # Whom each sees best
    chosen = _chosen(ground, at, people.positions, sighting, aims)
    sees_one = chosen != NOBODY
    new[sees_one], aims[sees_one], ends[sees_one] = CHASE, chosen[sees_one], NOTHING

    # Whom each has just lost sight of
    blind = (own == CHASE) & ~sees_one
    after_player = blind & (aims == 0)
    after_other = blind & (aims > 0)
    new[blind & (aims == NOBODY)] = PATROL
    ends[after_other] = people.cells[aims[after_other]]
    new[after_other], aims[after_other] = INVESTIGATE, NOBODY
    if contacts.in_sight[0] and last_seen is not None:
        joining = (own == SEARCH) & ~sees_one
        follows = after_player | joining
        new[follows], aims[follows] = CHASE, 0
        ends[follows] = ground.cells_of(last_seen[None])[0]
    else:
        new[after_player], aims[after_player] = SEARCH, NOBODY
        if known[1] and last_seen is not None:
            new[_called(ground, settings, at, last_seen, new)] = SEARCH

    # What each hears
    loud = state.noise.reshape(-1)[people.cells[hunters]]
    hears = loud > settings.hunter.hearing
    searching = np.flatnonzero((loud > _BUSY * settings.hunter.hearing) & (new == SEARCH))
    listening = contacts.ages[0] > _SURE and state.step % settings.steps(_LISTENS) < settings.steps(
        settings.think
    )
    if len(searching) and listening:
        first = searching[np.argmax(loud[searching])]
        source = int(derived.source_of_noise(state.noise, at[first : first + 1])[0])
        if source >= 0:
            noise = ground.space.position_of(source)
            for each in searches.values():
                if isinstance(each, SearchParty):
                    each.lost(noise)
                else:
                    each.report(noise, _HEARD_NEAR * ground.unit)
    curious = np.flatnonzero(hears & ((new == PATROL) | (new == INVESTIGATE)))
    if len(curious):
        sources = derived.source_of_noise(state.noise, at[curious])
        curious, sources = curious[sources >= 0], sources[sources >= 0]
        sources = np.where(ground.is_home[sources], sources, people.cells[hunters[curious]])
        new[curious], ends[curious] = INVESTIGATE, sources

    # What each gives up
    there = _arrived(ground, people.positions[hunters], people.cells[hunters], ends)
    done = ((new == INVESTIGATE) & (there | ((own == INVESTIGATE) & timed_out & ~hears))) | (
        (new == SEARCH) & (own == SEARCH) & timed_out
    )
    new[done], ends[done] = PATROL, NOTHING
    changed = new != own
    since[hunters[changed]] = state.step
    ends[changed & ((new == SEARCH) | (new == PATROL))] = NOTHING

    # Where searchers go
    party = np.flatnonzero(new == SEARCH)
    if len(party):
        cells = ground.cells_of(_sent(search, ground.eyes(people, hunters[party]), rng))
        ends[party] = np.where(ground.is_home[cells], cells, people.cells[hunters[party]])

    moods[hunters], targets[hunters], goals[hunters] = new, aims, ends
    memory = derived.remembered(searches, by_party=state.search == PARTY and len(party) > 0)
    seen, waited = derived.patrolled(state.seen, sighting.view)
    goals[hunters] = _patrols(ground, state, hunters, new, ends, there, waited, rng)
    return replace(
        state.with_people(moods=moods, since=since, targets=targets, goals=goals),
        contacts=contacts,
        guesses=memory,
        seen=seen,
        spotted=state.spotted + int(known[0]),
        lost=state.lost + int(known[1]),
    )


def _sent(search: AnySearch, at: Floats, rng: np.random.Generator) -> Floats:
    """The places that searchers go to, (N, D); of a large party only the first make plans, and each
    of the others goes with the nearest.
    """
    if not isinstance(search, SearchParty) or len(at) <= _PLANNERS:
        return search.places(at, rng)
    places = search.places(at[:_PLANNERS], rng)
    nearest = ((at[:, None] - at[:_PLANNERS]) ** 2).sum(axis=2).argmin(axis=1)
    return np.asarray(places[nearest])


def _chosen(
    ground: ChaseGround, at: Floats, positions: Floats, sighting: Sighting, aims: Ints
) -> Ints:
    """The row of whom each hunter goes for of those that it sees, or NOBODY."""
    seen = sighting.seen
    found = np.full(len(at), NOBODY, dtype=np.int64)
    rows, columns = np.nonzero(seen)
    if not len(rows):
        return found
    far = np.sqrt((ground.away(at[rows], positions[columns]) ** 2).sum(axis=1))
    far *= np.where(columns == 0, _PLAYER_WORTH, 1.0) * np.where(columns == aims[rows], _HELD, 1.0)
    order = np.lexsort((columns, far, rows))
    first = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    found[rows[first]] = columns[first]
    return found


def _called(
    ground: ChaseGround, settings: Settings, at: Floats, place: Floats, moods: Ints
) -> Ints:
    """The hunters called to a search that begins at a place: the nearest that have nothing better
    to do, up to a party in all.
    """
    far = np.sqrt((ground.away(at, place) ** 2).sum(axis=1)) / ground.unit
    free = np.flatnonzero(
        ((moods == PATROL) | (moods == INVESTIGATE)) & (far <= settings.hunter.call)
    )
    room = max(settings.hunter.party - int(np.count_nonzero(moods == SEARCH)), 0)
    return free[np.argsort(far[free], kind="stable")[:room]]


def _arrived(ground: ChaseGround, at: Floats, cells: Ints, ends: Ints) -> NDArray[np.bool_]:
    """The hunters that have come to their goals."""
    goals = ground.space.position_of(np.maximum(ends, 0))
    near = np.sqrt((ground.away(at, goals) ** 2).sum(axis=1)) <= _THERE * ground.unit
    return np.asarray((ends != NOTHING) & (near | (cells == ends)))


def _patrols(
    ground: ChaseGround,
    state: State,
    hunters: Ints,
    moods: Ints,
    ends: Ints,
    there: NDArray[np.bool_],
    waited: NDArray[np.float32],
    rng: np.random.Generator,
) -> Ints:
    """The goals of all, with new ones for patrols that have none: places that nobody has looked at
    for long, each away from others'.
    """
    ends = ends.copy()
    long = state.step - state.people.since[hunters] > 0
    idle = np.flatnonzero((moods == PATROL) & ((ends == NOTHING) | (there & long)))
    if not len(idle):
        return ends
    flat, home = waited.reshape(-1), ground.home
    positions = state.people.positions[hunters]
    taken = [int(cell) for cell in ends[(moods == PATROL) & (ends != NOTHING)]]
    for row in idle.tolist():
        options = rng.choice(home, _CANDIDATES)
        if len(taken) >= _PACKS:
            options = np.array(taken)[rng.integers(len(taken), size=4)]
        places = ground.space.position_of(options)
        far = np.sqrt((ground.away(positions[row], places) ** 2).sum(axis=1)) / ground.unit
        worth = flat[options] / (10.0 + far)
        if taken and len(taken) < _PACKS:
            gaps = ground.away(places[:, None], ground.space.position_of(np.array(taken)))
            worth *= np.clip(
                np.sqrt((gaps**2).sum(axis=2)).min(axis=1) / (12 * ground.unit), 0.1, 1.0
            )
        ends[row] = int(options[np.argmax(worth)])
        taken.append(int(ends[row]))
    return ends
