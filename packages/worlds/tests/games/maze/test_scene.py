"""The maze in the frame: what is seen, what inputs do, and that neither they nor saves change what
one seed makes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.games.maze import MazeRules, MonsterRules, PlayerRules, Settings
from fieldcraft_worlds.games.maze.orders import Lead, Steer
from fieldcraft_worlds.games.maze.plugin import GAME
from fieldcraft_worlds.games.maze.scene import scene_of
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    EXPLORES,
    HUNTS,
    LATE,
    OUT,
    SEARCHES,
)
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.recording import run
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.scene import draw_scene

RULES = Settings(
    treasures=4,
    rate=20,
    maze=MazeRules(width=31, height=21),
    monster=MonsterRules(count=3),
    player=PlayerRules(view=6.0),
)


def opened(seed: int = 7) -> Session:
    return Session(GAME, None, RULES, seed)


def moody() -> Session:
    """A match at a moment at which one monster explores, one searches and one hunts."""
    session = opened()
    run(session, 60)
    state = session.state
    seen_at = np.array([-1, state.exit, state.player.cell])
    moods = np.array([EXPLORES, SEARCHES, HUNTS])
    session.state = replace(
        state,
        monsters=replace(
            state.monsters, moods=moods, seen=seen_at, targets=np.maximum(seen_at, state.exit)
        ),
    )
    return session


@pytest.mark.parametrize("overlay", [overlay.name for overlay in GAME.overlays])
def test_every_overlay_changes_the_picture(overlay: str) -> None:
    session = moody()
    scenes = [
        session.world.scene(session.state, names) for names in (frozenset(), frozenset([overlay]))
    ]
    plain, shown = (draw_scene(scene, (620, 420)).copy() for scene in scenes)
    assert 0.001 < (plain != shown).any(axis=2).mean() < 0.98
    assert {fact.name for fact in scenes[1].facts} >= {"player", "treasures", "remembered"}


def test_what_is_seen_is_what_is_so() -> None:
    session = moody()
    everything = frozenset(overlay.name for overlay in GAME.overlays) - {"fog"}
    scene = session.world.scene(session.state, everything)
    derived = session.world.derived
    np.testing.assert_array_equal(scene.field.values, derived.memory.values)
    watched = np.zeros(derived.space.shape, dtype=np.bool_)
    monsters = session.state.monsters
    for cell in np.where(monsters.gone < 0.5, monsters.cells, monsters.ahead):
        watched |= fc.visible(derived.space, derived.centers[cell], RULES.monster.view)
    np.testing.assert_array_equal(scene.areas[0].cells, watched)
    assert [len(line.points) for line in scene.lines] == [
        1,
        1,
        1,
        1,
        1,
    ]  # three ways of monsters, the player's, and to the last seen
    assert np.array_equal(scene.marks[-1].positions[0], derived.place(session.state.player))
    ways = [line.points[0] for line in scene.lines[:4]]
    for way in ways:
        between = np.abs(np.diff(way[1:], axis=0)).sum(axis=1)
        assert (between == 1).all()


def test_fog_hides_what_the_player_does_not_see() -> None:
    session = opened()
    run(session, 100)
    derived, state = session.world.derived, session.state
    foggy, clear = (scene_of(derived, state, names) for names in (frozenset(["fog"]), frozenset()))
    count = lambda scene: sum(len(marks.positions) for marks in scene.marks)  # noqa: E731
    assert count(foggy) < count(clear)
    at = derived.space.cell_at(derived.place(state.player))
    assert state.known.reshape(-1)[at]
    assert not state.known.all()
    # No wall is drawn, and nothing but dark, where he has never looked.
    hidden = foggy.areas[-1].cells
    assert not foggy.space.walls[1:-1, 1:-1][hidden[1:-1, 1:-1]].any()
    other = [
        draw_scene(
            scene_of(Session(GAME, space, RULES, 7).world.derived, state, frozenset(["fog"])),
            (620, 420),
        ).copy()
        for space in _twins(state)
    ]
    np.testing.assert_array_equal(other[0], other[1])


def _twins(state: object) -> list[fc.Grid]:
    """The maze, and one that differs where the player has never looked."""
    maze = opened().world.space
    walls = maze.walls.copy()
    known = np.pad(state.known, 1)
    near = np.any(
        [np.roll(known, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)], axis=0
    )[1:-1, 1:-1]
    inside = np.zeros_like(walls)
    inside[1:-1, 1:-1] = True
    assert np.count_nonzero(walls & ~near & inside) > 10
    walls[~near & inside] = False
    return [maze, fc.Grid(31, 21, walls=walls)]


def test_the_result_says_how_it_ended() -> None:
    session = opened()
    assert session.result is None
    for outcome, text in ((OUT, "out"), (CAUGHT, "caught"), (LATE, "too late")):
        assert session.world.result(replace(session.state, outcome=outcome)) == text


def test_hands_steer_and_let_go() -> None:
    session = opened()
    world, state = session.world, session.state
    assert world.orders(state, InputFrame()) == ()
    right = InputFrame((InputEvent("right", "hold"),))
    assert world.orders(state, right) == (Steer(1.0, 0.0),)
    steered = world.step(state, world.orders(state, right), np.random.default_rng(0))
    assert world.orders(steered, right) == ()
    assert world.orders(steered, InputFrame()) == (Steer(0.0, 0.0),)
    both = InputFrame((InputEvent("right", "hold"), InputEvent("down", "hold")))
    tilted = world.step(steered, world.orders(steered, both), np.random.default_rng(0))
    assert world.orders(tilted, both) == ()
    assert world.orders(state, InputFrame((InputEvent("lead"),))) == (Lead(),)


@pytest.mark.parametrize("name", ["key d", "key right"])
def test_held_keys_walk(name: str) -> None:
    session = opened()
    playing = Player(session, (640, 400))
    playing.press(name)
    for _ in range(20):
        playing.step()
    playing.release(name)
    for _ in range(20):
        playing.step()
    assert [order for _, given in session.journal for order in given] == [
        Steer(1.0, 0.0),
        Steer(0.0, 0.0),
    ]
    assert session.state.player.by_hand
    assert session.replayed().digest() == session.digest()
