"""Laws of every game: a seed is a match, states never change, caches and looking leave no trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.settings import settings_from
from fieldcraft.space.encoding import digest, from_bytes, to_bytes
from fieldcraft_worlds.games.ants.orders import Leave, Paint, Tune
from fieldcraft_worlds.games.chase.orders import Throw
from fieldcraft_worlds.games.flock.orders import Fly, Scare
from fieldcraft_worlds.games.maze.orders import Steer
from fieldcraft_worlds.games.physarum.orders import Found
from fieldcraft_worlds.games.tether.orders import Take, Walk
from fieldcraft_worlds.games.towers.orders import Advance, Command
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.scene import draw_scene
from support.tiers import told_twice

STEPS = 50
VARIANTS: dict[str, tuple[str, dict[str, Any], tuple[Any, ...]]] = {
    "towers": (
        "open:48x32",
        {"towers": 2, "units": 30, "supply": 20.0, "rate": 10, "limit": 60.0},
        (Command(0, True), Advance(0, 0, 20.5, 16.5)),
    ),
    "chase": ("rooms:40x28", {"hunters": 5, "civilians": 20}, (Throw(9.5, 9.5),)),
    "chase, party": ("cave:40x28", {"hunters": 5, "search": "party", "hunter": {"view": 14.0}}, ()),
    "maze": ("maze:31x21", {"treasures": 4, "rate": 10}, (Steer(1.0, 0.0),)),
    "maze, view": ("cave:31x21", {"memory": {"mark_spread": 0.3, "marks": "view"}, "rate": 10}, ()),
    "tether": ("pillars:40x26", {"fighters": 2, "rate": 10}, (Take(0), Walk(9.5, 9.5))),
    "ants": (
        "open:48x36",
        {"ants": 200, "food": 20, "pile": 3.0, "searchers": 1.0},
        (Paint("wall", ((4.0, 4.0), (40.0, 8.0))), Tune("blur", 5.0), Leave("velocity")),
    ),
    "flock": ("open:48x36", {"birds": 150}, (Scare((30.0, 30.0)), Fly("neighbors"))),
    "flock, both": ("open:48x36", {"birds": 150, "rule": "both"}, ()),
    "physarum": ("open:40x30", {"agents": 300, "cities": 3}, (Found((5.5, 5.5)),)),
}
UNSEEN = {"chase": {"heat", "barrier", "estimate"}, "maze": {"last seen"}}
"""Overlays that show nothing in these matches: the player is never lost."""
CROWDS: dict[str, tuple[str, dict[str, Any]]] = {
    "towers": (
        "open:64x44",
        {"units": 700, "supply": 700.0, "tower": {"training": 0.1, "health": 2000.0}},
    ),
    "chase": ("open:90x60", {"hunters": 150, "civilians": 400}),
    "maze": ("maze:121x91", {"monster": {"count": 60}, "treasures": 20}),
    "tether": ("pillars:90x60", {"fighters": 5}),
    "ants": ("open:96x64", {"ants": 6000}),
    "flock": ("open:120x90", {"birds": 6000, "rule": "both"}),
    "physarum": ("open:200x150", {"agents": 20000}),
}


def space_of(text: str) -> fc.Grid:
    kind, _, size = text.partition(":")
    width, height = map(int, size.split("x"))
    return fc.generate_map(kind, width, height, seed=2, neighbors=8)


def opened(variant: str, seed: int = 3) -> Session:
    text, table, _ = VARIANTS[variant]
    game = find_game(variant.partition(",")[0])
    return Session(game, space_of(text), settings_from(game.settings, table), seed=seed)


@cache
def played(variant: str) -> tuple[Session, tuple[Any, ...], tuple[str, ...]]:
    """A match, all its states, and their digests when they were new."""
    session = opened(variant)
    states, digests = [], []
    for number in range(STEPS):
        session.step(VARIANTS[variant][2] if number == 20 else ())
        states.append(session.state)
        digests.append(digest(session.state, session.game.kinds))
    return session, tuple(states), tuple(digests)


def arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays in a state."""
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value) and type(value).__module__.startswith("fieldcraft_worlds"):
        for field in fields(value):
            yield from arrays(getattr(value, field.name))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_step_from_an_old_state_is_the_same_again(variant: str) -> None:
    session, states, digests = played(variant)
    kinds, fresh = session.game.kinds, opened(variant).world
    for number in range(0, STEPS - 1, 12):
        packed = to_bytes(states[number], kinds)
        after = [
            world.step(state, (), np.random.default_rng(number))
            for world, state in (
                (session.world, states[number]),
                (fresh, from_bytes(packed, kinds)),
            )
        ]
        assert digest(after[0], kinds) == digest(after[1], kinds)
    assert [digest(state, kinds) for state in states] == list(digests)
    assert not any(array.flags.writeable for state in states for array in arrays(state))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_saved_match_goes_on_and_a_replay_repeats_it(variant: str, tmp_path: Any) -> None:
    session, _, digests = played(variant)
    half = opened(variant)
    for number in range(STEPS // 2):
        half.step(VARIANTS[variant][2] if number == 20 else ())
    half.save(tmp_path / "a.save")
    again = Session.load(tmp_path / "a.save", half.game)
    for each in (half, again):
        for _ in range(STEPS - STEPS // 2):
            each.step()
        assert each.digest() == session.digest()
    assert again.replayed().digest() == session.digest()
    other = opened(variant, seed=4)
    other.step()
    assert digest(other.state, other.game.kinds) != digests[0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_overlays_change_pictures_and_no_state(variant: str) -> None:
    session, states, digests = played(variant)
    same = {overlay.name for overlay in session.game.overlays}
    for state in states[::24]:
        plain = draw_scene(session.world.scene(state, frozenset()), (160, 120)).copy()
        for overlay in session.game.overlays:
            scene = session.world.scene(state, frozenset({overlay.name}))
            if (draw_scene(scene, (160, 120)) != plain).any():
                same.discard(overlay.name)
    assert same <= UNSEEN.get(session.game.name, set())
    assert [digest(state, session.game.kinds) for state in states[::24]] == list(digests[::24])


@pytest.mark.parametrize("name", GAMES)
def test_the_number_of_threads_changes_nothing(name: str) -> None:
    text, table = CROWDS[name]
    game, found = find_game(name), []
    for threads in (1, 2):
        fc.set_threads(threads)
        session = Session(game, space_of(text), settings_from(game.settings, table), seed=1)
        for _ in range(12):
            session.step()
        found.append(session.digest())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "text", "table", "steps"),
    [
        ("towers", "cave:36x24", {"towers": 2, "units": 12, "rate": 10}, 120),
        ("chase", "rooms:34x22", {"hunters": 4, "civilians": 14}, 7),
        ("maze", "maze:17x13", {"treasures": 3, "rate": 10}, 120),
        ("tether", "pillars:30x20", {"rate": 10}, 15),
        ("ants", "open:18x12", {"ants": 25, "pile": 2.0, "nest": 2.0}, 15),
        ("flock", "open:20x14", {"birds": 24, "rule": "both", "far": 5}, 12),
        ("physarum", "open:20x14", {"agents": 30, "cities": 2}, 8),
    ],
)
def test_uncompiled_kernels_play_the_same_match(
    name: str, text: str, table: dict[str, Any], steps: int
) -> None:
    compiled, plain = told_twice(f"""
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.session import Session
from fieldcraft.base.settings import settings_from
from packages.worlds.tests.games.test_every_game import space_of
game = find_game({name!r})
session = Session(game, space_of({text!r}), settings_from(game.settings, {table!r}), seed=3)
for _ in range({steps}):
    session.step()
print(session.digest())
""")
    assert compiled == plain
