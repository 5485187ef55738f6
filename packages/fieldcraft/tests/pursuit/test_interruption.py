"""Ctrl-C at any moment leaves guesses, searches and ways whole: done, or not done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.space import encoding as serialization
from fieldcraft.steering import Deposit, Swarm, Walk
from support.interrupting import interrupted

Call = Callable[[Any], object]


def hall() -> fc.Grid:
    walls = np.zeros((9, 14), bool)
    walls[4, 2:9] = True
    return fc.Grid(14, 9, walls=walls, neighbors=8)


def view() -> np.ndarray:
    seen = np.zeros((9, 14), bool)
    seen[:4, :6] = True
    return seen


class Adjacency:
    """A distance map, the flow along it, the flight from it, and who has reserved what."""

    def __init__(self, space: fc.Space) -> None:
        self.space = space
        self.danger = fc.distance_map(
            space, (2.5, 2.5), cost=np.linspace(1, 3, len(space)).reshape(space.shape)
        )
        self.flow = fc.flow_field(self.danger)
        self.flight = fc.flee_map(self.danger)
        self.taken = fc.query.Reservations(space, spacing=2)

    def state(self) -> object:
        held = tuple(self.taken.agents), self.taken.cells
        return (
            self.space.walls_version,
            self.danger.version,
            self.danger.outdated,
            self.flight.version,
            self.flight.outdated,
            held,
        )

    def final(self) -> object:
        at = self.space.position_of(np.flatnonzero(~self.space.walls)[::5])
        found = (
            self.danger.exact,
            self.flight.exact,
            self.flow.sample(at),
        )
        return [array.tobytes() for array in found]


class Agents:
    """A swarm that leaves a trail."""

    def __init__(self, space: fc.Grid) -> None:
        self.trail = fc.InfluenceMap(space).add_layer("trail", fc.Trail())
        self.swarm = Swarm.scattered(space, 40, seed=3)

    def state(self) -> object:
        return self.swarm.step, self.swarm.agents, self.trail.read()


WORLDS: dict[str, tuple[Callable[[fc.Grid], Any], list[Call]]] = {
    "belief": (
        lambda space: fc.Belief(space, speed=2.0, targets=2),
        [
            lambda guess: guess.see((3.5, 2.5), target=1),
            lambda guess: guess.advance(0.6),
            lambda guess: guess.observe(view(), missed=0.1),
            lambda guess: guess.report((9.5, 6.5), 3.0),
            lambda guess: guess.space.set_walls([40, 41, 42]),
            lambda guess: guess.step(),
            lambda guess: guess.observe(view()),
        ],
    ),
    "pursuit": (
        lambda space: fc.Pursuit(space, (3.5, 2.5), velocity=(2.0, 0.5)),
        [
            lambda hunt: hunt.advance(1.3),
            lambda hunt: hunt.observe(view()),
            lambda hunt: hunt.space.set_walls([40, 41, 42]),
            lambda hunt: hunt.step(4),
            lambda hunt: hunt.observe(~view()),
            lambda hunt: hunt.observe(np.ones((9, 14), bool)),
            lambda hunt: hunt.step(2),
        ],
    ),
    "last seen": (
        fc.LastSeen,
        [
            lambda seen: seen.advance(1.3),
            lambda seen: seen.observe(view()),
            lambda seen: seen.advance(0.7),
            lambda seen: seen.observe([3, 4]),
        ],
    ),
    "search party": (
        lambda space: fc.SearchParty(space, 2.0),
        [
            lambda search: search.lost((3.5, 2.5), (2.0, 0.5)),
            lambda search: search.places([(8.5, 7.5), (1.5, 7.5)], np.random.default_rng(5)),
            lambda search: search.advance(0.8),
            lambda search: search.observe(view()),
            lambda search: search.places([(8.5, 6.5), (2.5, 7.5)], np.random.default_rng(6)),
        ],
    ),
    "ways": (
        Adjacency,
        [
            lambda ways: (ways.danger.values, ways.flight.values),
            lambda ways: ways.flow.sample((9.5, 7.5)),
            lambda ways: ways.space.set_walls([40, 41, 42]),
            lambda ways: ways.flight.repair(),
            lambda ways: ways.taken.best(
                ways.danger, [(2.5, 6.5), (9.5, 7.5)], 4.0, agents=["ann", "bob"]
            ),
            lambda ways: ways.space.set_walls([40, 50], blocked=False),
            lambda ways: ways.danger.repair(),
            lambda ways: ways.flow.sample((9.5, 7.5)),
            lambda ways: ways.taken.release("ann", "bob"),
            lambda ways: ways.flight.repair(),
        ],
    ),
    "swarm": (
        Agents,
        [
            lambda agents, n=n: agents.swarm.run(
                Walk(2.0, follow=1.0, wander=0.3),
                0.1,
                steps=n,
                trail=agents.trail,
                deposits=Deposit(agents.trail, 2.0),
            )
            for n in (1, 1, 1)
        ],
    ),
}


def told(thing: Any) -> str:
    space = getattr(thing, "space", None)
    return serialization.digest(
        (thing.state(), None if space is None else (space.walls_version, space.walls))
    )


@pytest.mark.parametrize("name", WORLDS)
def test_an_operation_is_whole_or_not_done(name: str) -> None:
    make, calls = WORLDS[name]
    caught = 0
    for moment in (1, 4, *np.random.default_rng(len(name)).integers(6, 220, 4).tolist()):
        thing, straight = make(hall()), make(hall())
        for call in calls:
            before = told(thing)
            happened = interrupted(lambda call=call, thing=thing: call(thing), moment)
            caught += happened
            call(straight)
            if happened and told(thing) == before != told(straight):
                call(thing)
            assert told(thing) == told(straight)
        if isinstance(thing, Adjacency):
            assert thing.final() == straight.final()
    assert caught > 3


def test_a_long_time_ends_between_two_steps() -> None:
    guess = fc.Belief(hall(), speed=2.0)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        guess.step(2**31 - 1)
    timer.join()
    assert guess.probability().sum() == pytest.approx(1)
    again = fc.Belief(hall(), speed=2.0)
    again.restore(guess.state())
    guess.step(), again.step()
    np.testing.assert_array_equal(guess.values, again.values)
