"""The derived of a chase: what hunters see, hear, remember and guess, worked out from a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap, LastSeen, Sight, Spread, best, sees
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit import Contacts, SearchParty
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

__all__ = ["ChaseDerived", "Sighting"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_SOUND = 3  # steps of the noise layer in one thought: so far sound gets, in typical steps
_INFECTION_REACH = 5.0  # units at which the layer of infection has fallen to 1/e
_SOUND_LOSS = 0.13  # what noise loses in a unit of way, as in `Spread`
_LEAST_NOISE = 1e-4
# of a party: with 400 a frame in which it thinks takes twice as long, and the player is found no
# sooner
_PARTICLES = 200


@dataclass(frozen=True, eq=False)
class Sighting:
    """The sighting of one look: `contacts` with the player, and which hunters see whom: `seen` (H,
    N), rows of `hunters` (H,).
    """

    contacts: Contacts
    hunters: Ints
    seen: Bools
    view: Bools


class ChaseDerived:
    """The layers, patrols and searches of a chase on one ground.

    They carry nothing from one step to the next but through the state: each method takes what the
    state holds and gives what the next one will hold, so one object serves any state, in
    any order.
    """

    def __init__(self, ground: ChaseGround, settings: Settings) -> None:
        self.ground, self.settings = ground, settings
        space, unit, hunter = ground.space, ground.unit, settings.hunter
        self.sight = Sight(space, hunter.view * unit, angle=hunter.angle, grace=hunter.grace)
        imap = InfluenceMap(space)
        kind = "infection" if settings.infects else "enemy"
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
        self._blank = self._party.snapshot()
        self._told: object = (
            self._blank
        )  # what the party was told last: it takes long to recall, so it is kept as it is
        if settings.search == PARTY:
            self._party.prepare()

    # At the start

    def guesses(self) -> dict[str, Any]:
        """The memories of searches when nothing has happened yet."""
        return {name: search.snapshot() for name, search in self._fresh().items()}

    def patrol(self) -> dict[str, Any]:
        """The memories of patrols when nothing has happened yet."""
        return LastSeen(self.ground.space, unseen=60.0).snapshot()

    def _fresh(self) -> dict[str, AnySearch]:
        run = self.settings.player.run * self.ground.unit
        return {name: SEARCHES[name](self.ground.space, run) for name in BESIDE}

    # Layers

    def infected(self, state: State) -> NDArray[np.float32]:
        """The layer of infection a thought later: strong where hunters stand, spreading and fading
        from there.
        """
        people, layer = state.people, self.infection
        values = state.infection.copy()
        values.reshape(-1)[people.cells[people.rows(HUNTER)]] = 1.0
        layer.write(values)
        layer.step()
        return layer.values.copy()

    def heard(
        self, noise: NDArray[np.float32], places: Floats, loud: Floats, *, spreads: bool
    ) -> NDArray[np.float32]:
        """The layer of noise with new noises at positions (K, D), `loud` (K,), and a thought later
        if it `spreads`.
        """
        layer = self.noise
        if not len(places) and not noise.any():
            return noise
        layer.write(noise)
        flat = noise.reshape(-1)
        for cell, amount in zip(
            self.ground.cells_of(places).tolist() if len(places) else (), loud.tolist(), strict=True
        ):
            if amount > flat[cell]:  # a noise drowns a softer one
                layer.add_dynamic(cell, amount - float(flat[cell]))
        if spreads:
            layer.step(_SOUND)
        values = layer.values.copy()
        values[values < _LEAST_NOISE] = 0
        return values

    def downhill(self, values: NDArray[np.float32], positions: Floats, cells: Ints) -> Floats:
        """The directions (N, 2) in which the infection falls, unit vectors; 0 where it doesn't."""
        self.infection.write(values)
        return directions(self.ground.downhill(self.infection, positions, cells)[:, :2])

    def source_of_noise(self, noise: NDArray[np.float32], positions: Floats) -> Ints:
        """The loudest cell around each position, (N,): where what one hears there comes from."""
        self.noise.write(noise)
        far = 2 * self.settings.hunter.view * self.ground.unit
        return np.asarray(best(self.noise, positions, far, outside="clamp").cells).reshape(-1)

    # Sight

    def turned(self, people: People, hunters: Ints, prey: Ints) -> Floats:
        """Headings (N, 2) when hunters have turned to whoever came so near that they feel it."""
        headings = people.headings.copy()
        feel = self.settings.hunter.feel * self.ground.unit
        if not len(prey) or not len(hunters) or feel <= 0:
            return headings
        gaps = self.ground.away(people.positions[hunters, None], people.positions[prey])
        apart = np.sqrt((gaps**2).sum(axis=2))
        nearest = apart.argmin(axis=1)
        rows = np.flatnonzero(apart[np.arange(len(hunters)), nearest] <= feel)
        headings[hunters[rows]] = directions(gaps[rows, nearest[rows], :2], headings[hunters[rows]])
        return headings

    def look(self, state: State, headings: Floats, prey: Ints) -> Sighting:
        """All hunters look around."""
        people = state.people
        hunters = people.rows(HUNTER)
        eyes = self.ground.eyes(people)
        viewers, facing = eyes[hunters], headings[hunters]
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
        others = prey[prey > 0]
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

    def patrolled(
        self, memory: dict[str, Any], view: Bools
    ) -> tuple[dict[str, Any], NDArray[np.float32]]:
        """The memories of patrols a thought later, when this was looked at; and the seconds since
        each cell was seen.
        """
        patrol = self._patrol
        patrol.restore(memory)
        patrol.advance(self.settings.think)
        patrol.observe(view)
        return patrol.snapshot(), patrol.values

    def waited(self, memory: dict[str, Any]) -> NDArray[np.float32]:
        """The seconds since each cell was seen, by what patrols remember."""
        self._patrol.restore(memory)
        return self._patrol.values

    # Searches

    def check(self, state: State) -> None:
        """Refuse what no searches and no patrols remember. Raises `InvalidValue`, or what else
        comes of reading it.
        """
        if not set(BESIDE) <= state.guesses.keys() <= set(SEARCHING):
            raise InvalidValue(
                f"The searches are {', '.join(BESIDE)}, and at most {PARTY}",
                got=", ".join(map(str, state.guesses)),
                remedy="Use another copy of the save",
            )
        for name in state.guesses:
            self.recalled(state.guesses, name)
        self.waited(state.seen)

    def recalled(self, guesses: dict[str, Any], name: str) -> AnySearch:
        """A search as it is in a state, to be read; a party by which nobody searches knows
        nothing.
        """
        if name == PARTY:
            return self.party(guesses)
        search = self._searches[name]
        search.restore(guesses[name])
        return search

    def party(self, guesses: dict[str, Any]) -> SearchParty:
        """The party as it is in a state."""
        return self._party_at(guesses.get(PARTY, self._blank))

    def taken_up(self, state: State, contacts: Contacts) -> dict[str, AnySearch]:
        """The searches as they are in a state, to be told more, and then `remembered`; the party is
        among them if it is chosen.

        A party that is chosen in the middle of a search begins where the player was seen last, and
        is told what the belief rules out.
        """
        searches: dict[str, AnySearch] = {
            name: self.recalled(state.guesses, name) for name in BESIDE
        }
        if state.search == PARTY and PARTY in state.guesses:
            searches[PARTY] = self.recalled(state.guesses, PARTY)
        elif state.search == PARTY:
            searches[PARTY] = party = self._party_at(self._blank)
            hunters = state.people.rows(HUNTER)
            if (
                (state.people.moods[hunters] == SEARCH).any()
                and not contacts.in_sight[0]
                and not len(contacts.lost)
            ):
                party.lost(contacts.positions[0], contacts.velocity_of(0))
                party.advance(float(contacts.ages[0]))
                party.observe(self.belief(state.guesses).guide.probability() == 0)
        self._told = None
        return searches

    def remembered(self, searches: dict[str, AnySearch], *, by_party: bool) -> dict[str, Any]:
        """The memories of searches, for the next state; that of the party only if hunters search by
        it.
        """
        memory = {
            name: each.snapshot() for name, each in searches.items() if name != PARTY or by_party
        }
        self._told = memory.get(PARTY)
        return memory

    def _party_at(self, memory: dict[str, Any]) -> SearchParty:
        if self._told is not memory:
            self._told = None
            self._party.restore(memory)
            self._told = memory
        return self._party

    def flood(self, guesses: dict[str, Any]) -> FloodSearch:
        """The flood as it is in a state."""
        found = self.recalled(guesses, "flood")
        assert isinstance(found, FloodSearch)
        return found

    def belief(self, guesses: dict[str, Any]) -> BeliefSearch:
        """The belief as it is in a state."""
        found = self.recalled(guesses, "belief")
        assert isinstance(found, BeliefSearch)
        return found
