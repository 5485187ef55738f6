"""Derived state of a chase: sight, noise, infection, patrols and searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap, LastSeen, Sight, Spread, best, sees
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import Contacts, SearchParty
from fieldcraft_worlds.arrays import Bools, Floats, Ints
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.searches import (
    SEARCHES,
    AnySearch,
    BeliefSearch,
    FloodSearch,
)
from fieldcraft_worlds.games.chase.settings import BESIDE, PARTY, SEARCHING, Settings
from fieldcraft_worlds.games.chase.state import HUNTER, SEARCH, People, State
from fieldcraft_worlds.games.walking import directions

_SOUND = 3  # steps of the noise layer between two decisions
_INFECTION_REACH = 5.0  # units at which the infection layer falls to 1/e
_SOUND_LOSS = 0.13  # decay of noise in a unit, see `Spread`
_LEAST_NOISE = 1e-4
_PARTICLES = 200  # of a party: 400 take twice the time and find the player no sooner


@dataclass(frozen=True, eq=False)
class Sighting:
    """The sightings of one moment: `contacts` with the player, `seen` (H, N) agents by hunter, rows
    of `hunters` (H,), and `view`, the cells in sight.
    """

    contacts: Contacts
    hunters: Ints
    seen: Bools
    view: Bools


class ChaseDerived:
    """The layers, patrols and searches of a chase on one map.

    They carry nothing from one step to the next except through the state: each method takes parts
    of a state and returns those of the next, so one object serves any state, in any order.
    """

    def __init__(self, ground: ChaseGround, settings: Settings) -> None:
        self.ground = ground
        self.settings = settings
        space = ground.space
        unit = ground.unit
        hunter = settings.hunter
        self.sight = Sight(space, hunter.view * unit, angle=hunter.angle, grace=hunter.grace)
        imap = InfluenceMap(space)
        if settings.infects:
            kind = "infection"
        else:
            kind = "enemy"
        self.infection = imap.add_layer(
            kind, Spread(1 / (_INFECTION_REACH * unit), 0.7, half_life=2.0), every=settings.think
        )
        loss = _SOUND_LOSS / unit
        self.noise = imap.add_layer(
            "noise", Spread(loss, 0.9, half_life=1.2), every=settings.think / _SOUND
        )
        self._patrol = LastSeen(space, unseen=60.0)
        self._searches = self._fresh()
        self._party = SearchParty(
            space, settings.player.run * unit, sight=hunter.view * unit, particles=_PARTICLES
        )
        self._blank = self._party.state()
        self._party_memory: object = self._blank  # restoring a memory takes long
        if settings.search == PARTY:
            self._party.prepare()

    # At the start

    def guesses(self) -> dict[str, Any]:
        """Return the memories of searches at the start."""
        return {name: search.state() for name, search in self._fresh().items()}

    def patrol(self) -> dict[str, Any]:
        """Return the memory of patrols at the start."""
        return LastSeen(self.ground.space, unseen=60.0).state()

    def _fresh(self) -> dict[str, AnySearch]:
        """Return new searches of all methods but the party."""
        run = self.settings.player.run * self.ground.unit
        return {name: SEARCHES[name](self.ground.space, run) for name in BESIDE}

    # Layers

    def next_infection(self, state: State) -> NDArray[np.float32]:
        """Return the infection layer one decision later: high at hunters, spreading and fading."""
        people = state.people
        layer = self.infection
        values = state.infection.copy()
        values.reshape(-1)[people.cells[people.rows(HUNTER)]] = 1.0
        layer.write(values)
        layer.step()
        return layer.values.copy()

    def next_noise(
        self, noise: NDArray[np.float32], places: Floats, loud: Floats, *, spreads: bool
    ) -> NDArray[np.float32]:
        """Return the noise layer with new noises at positions (K, D), `loud` (K,), and one decision
        later if it `spreads`.
        """
        layer = self.noise
        if not len(places) and not noise.any():
            return noise
        layer.write(noise)
        flat = noise.reshape(-1)
        if len(places):
            cells = self.ground.cells_of(places).tolist()
            for cell, amount in zip(cells, loud.tolist(), strict=True):
                if amount > flat[cell]:  # the louder noise counts
                    layer.add_dynamic(cell, amount - float(flat[cell]))
        if spreads:
            layer.step(_SOUND)
        values = layer.values.copy()
        values[values < _LEAST_NOISE] = 0
        return values

    def downhill(self, values: NDArray[np.float32], positions: Floats, cells: Ints) -> Floats:
        """Return the directions (N, 2) of falling infection: unit vectors, or 0."""
        self.infection.write(values)
        return directions(self.ground.downhill(self.infection, positions, cells)[:, :2])

    def source_of_noise(self, noise: NDArray[np.float32], positions: Floats) -> Ints:
        """Return the loudest cell around each position, (N,)."""
        self.noise.write(noise)
        far = 2 * self.settings.hunter.view * self.ground.unit
        return np.asarray(best(self.noise, positions, far, outside="clamp").cells).reshape(-1)

    # Sight

    def headings_to_near(self, people: People, hunters: Ints, targets: Ints) -> Floats:
        """Return headings (N, 2) with hunters turned to agents close enough to be felt."""
        headings = people.headings.copy()
        feel = self.settings.hunter.feel * self.ground.unit
        if not len(targets) or not len(hunters) or feel <= 0:
            return headings
        gaps = self.ground.away(people.positions[hunters, None], people.positions[targets])
        distances = np.sqrt((gaps**2).sum(axis=2))
        nearest = distances.argmin(axis=1)
        rows = np.flatnonzero(distances[np.arange(len(hunters)), nearest] <= feel)
        headings[hunters[rows]] = directions(gaps[rows, nearest[rows], :2], headings[hunters[rows]])
        return headings

    def look(self, state: State, headings: Floats, targets: Ints) -> Sighting:
        """Return the sightings of all hunters."""
        people = state.people
        hunters = people.rows(HUNTER)
        eyes = self.ground.eyes(people)
        viewers = eyes[hunters]
        facing = headings[hunters]
        contacts = self.sight.observe(
            state.contacts,
            viewers,
            eyes[:1],
            self.settings.think,
            facing=facing,
            velocities=people.velocities[:1],
        )
        seen = np.zeros((len(hunters), len(people)), dtype=np.bool_)
        seen[:, 0] = contacts.seen[:, 0]
        others = targets[targets > 0]
        if len(others):
            rules = self.settings.hunter
            seen[:, others] = sees(
                self.ground.space,
                viewers,
                eyes[others],
                rules.view * self.ground.unit,
                facing=facing,
                angle=rules.angle,
            )
        return Sighting(contacts, hunters, seen, self.sight.view(viewers, facing=facing))

    def next_patrol(
        self, memory: dict[str, Any], view: Bools
    ) -> tuple[dict[str, Any], NDArray[np.float32]]:
        """Return the memory of patrols one decision later, after a look at the cells in `view`; and
        the seconds since each cell was seen.
        """
        patrol = self._patrol
        patrol.restore(memory)
        patrol.advance(self.settings.think)
        patrol.observe(view)
        return patrol.state(), patrol.values

    def waited(self, memory: dict[str, Any]) -> NDArray[np.float32]:
        """Return the seconds since each cell was seen, by a memory of patrols."""
        self._patrol.restore(memory)
        return self._patrol.values

    # Searches

    def check(self, state: State) -> None:
        """Raise an error for memories that no search and no patrol can restore."""
        if not set(BESIDE) <= state.guesses.keys() <= set(SEARCHING):
            raise InvalidValue(
                f"The searches are {', '.join(BESIDE)}, and at most {PARTY}",
                got=", ".join(map(str, state.guesses)),
                remedy="Use another copy of the save",
            )
        for name in state.guesses:
            self.search_at(state.guesses, name)
        self.waited(state.seen)

    def search_at(self, guesses: dict[str, Any], name: str) -> AnySearch:
        """Return a search with its memory in a state; without a memory, an empty party."""
        if name == PARTY:
            return self.party(guesses)
        search = self._searches[name]
        search.restore(guesses[name])
        return search

    def party(self, guesses: dict[str, Any]) -> SearchParty:
        """Return the party with its memory in a state."""
        return self._party_at(guesses.get(PARTY, self._blank))

    def searches_at(self, state: State, contacts: Contacts) -> dict[str, AnySearch]:
        """Return the searches with their memories in a state, including the party if it is chosen.

        A party that is chosen during a search starts from the last sighting, without the places
        that the belief rules out.
        """
        searches: dict[str, AnySearch] = {
            name: self.search_at(state.guesses, name) for name in BESIDE
        }
        if state.search == PARTY and PARTY in state.guesses:
            searches[PARTY] = self.search_at(state.guesses, PARTY)
        elif state.search == PARTY:
            party = self._party_at(self._blank)
            searches[PARTY] = party
            hunters = state.people.rows(HUNTER)
            if (
                (state.people.moods[hunters] == SEARCH).any()
                and not contacts.in_sight[0]
                and not len(contacts.lost)
            ):
                party.lost(contacts.positions[0], contacts.velocity_of(0))
                party.advance(float(contacts.ages[0]))
                party.observe(self.belief(state.guesses).guide.probability() == 0)
        self._party_memory = None
        return searches

    def states(self, searches: dict[str, AnySearch], *, by_party: bool) -> dict[str, Any]:
        """Return the states of searches; that of the party only if hunters search `by_party`."""
        memory = {
            name: each.state() for name, each in searches.items() if name != PARTY or by_party
        }
        self._party_memory = memory.get(PARTY)
        return memory

    def _party_at(self, memory: dict[str, Any]) -> SearchParty:
        """Return the party with a memory, restored if it has another one."""
        if self._party_memory is not memory:
            self._party_memory = None
            self._party.restore(memory)
            self._party_memory = memory
        return self._party

    def flood(self, guesses: dict[str, Any]) -> FloodSearch:
        """Return the flood with its memory in a state."""
        found = self.search_at(guesses, "flood")
        assert isinstance(found, FloodSearch)
        return found

    def belief(self, guesses: dict[str, Any]) -> BeliefSearch:
        """Return the belief with its memory in a state."""
        found = self.search_at(guesses, "belief")
        assert isinstance(found, BeliefSearch)
        return found
