"""What is seen of a chase, and what inputs mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fieldcraft.base.errors import FieldcraftError, InvalidValue, OutsideMap
from fieldcraft_worlds.games.chase import scene
from fieldcraft_worlds.games.chase.orders import Call, Go, Lead, Pace, SearchBy, Throw, Walk
from fieldcraft_worlds.games.chase.plugin import GAME
from fieldcraft_worlds.games.chase.settings import HunterRules, Settings
from fieldcraft_worlds.games.chase.state import CIVILIAN, HUNTER, NOTHING, RUN, SNEAK
from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.player import Player
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.scene import draw_scene
from support.chases import KINDS_OF_MAPS, SMALL, a_map, begun, rooms
from support.refusals import refused

LOST = Settings(hunters=8, civilians=10, items=2, hunter=HunterRules(view=14))


@pytest.fixture(params=("grid", "floors"), scope="module")
def session(request: pytest.FixtureRequest) -> Session:
    """A match at a moment at which the player was seen and lost."""
    for seed in range(6):
        match = Session(GAME, a_map(request.param), LOST, seed)
        while match.steps < 400 and match.result is None:
            match.step()
            if (
                match.state.lost
                and not match.state.contacts.in_sight[0]
                and len(match.state.sounds)
            ):
                return match
    pytest.fail("he was never lost")


def test_every_overlay_shows_something_of_its_own(session: Session) -> None:
    pictures = {}
    for overlay in (None, *scene.OVERLAYS):
        shown = frozenset() if overlay is None else frozenset({overlay.name})
        pictures[overlay and overlay.name] = draw_scene(
            session.world.scene(session.state, shown), (300, 220)
        ).tobytes()
    barrier = session.world.derived.flood(session.state.guesses).guide
    without = 0 if barrier is not None and barrier.barrier.any() else 1
    assert len(set(pictures.values())) >= len(pictures) - without


def test_facts_count_everybody(session: Session) -> None:
    seen = session.world.scene(session.state, frozenset())
    facts = {fact.name: fact.value for fact in seen.facts}
    hunters = len(session.state.people.rows(HUNTER))
    assert facts["zombies"] == str(hunters)
    assert (
        sum(
            int(value)
            for name, value in facts.items()
            if name.strip().split()[0] in ("patrol", "investigate", "chase", "search")
            and name != "hunters search by"
        )
        == hunters
    )
    assert facts["player is"].startswith("lost")


def test_a_picture_with_everything() -> None:
    match = Session(GAME, rooms(), LOST, 2)
    names = ("infection", "sight", "barrier", "estimate", "paths")
    player = Player(match, (700, 500), overlays=Overlays(GAME, names))
    picture = player.picture()
    assert picture.shape == (500, 700, 4)
    assert picture[..., :3].std() > 10


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("escaped", "escaped in"), ("caught", "caught after"), ("survived", "survived")],
)
def test_how_it_ended(outcome: str, words: str) -> None:
    chase = begun(rooms())
    assert scene.result(chase.settings, chase.state) is None
    told = scene.result(chase.settings, replace(chase.state, outcome=outcome))
    assert told is not None
    assert told.startswith(words)


# InputFrame


def hands(*held: str, pressed: dict[str, tuple[float, float] | None] | None = None) -> InputFrame:
    events = [InputEvent(name, "hold") for name in held]
    events += [InputEvent(name, "press", position) for name, position in (pressed or {}).items()]
    return InputFrame(tuple(events))


def test_hands_make_orders_only_where_something_changes() -> None:
    match = Session(GAME, rooms(), SMALL, 1)
    world = match.world
    assert world.orders(match.state, hands()) == ()
    assert world.orders(match.state, hands("right")) == (Walk(1.0, 0.0),)
    match.step([Walk(1.0, 0.0)])
    assert match.state.by_hand
    assert world.orders(match.state, hands("right")) == ()
    assert world.orders(match.state, hands("right", "run")) == (Pace("run"),)
    assert world.orders(match.state, hands()) == (Walk(0.0, 0.0),)
    assert world.orders(match.state, hands("right", "sneak")) == (Pace("sneak"),)
    assert world.orders(match.state, hands("right", pressed={"lead": None})) == (Lead(False),)
    asked = world.orders(
        match.state, hands("right", pressed={"throw": (3.0, 4.0), "go": (5.0, 6.0)})
    )
    assert asked == (Throw(3.0, 4.0), Go(5.0, 6.0))


def test_who_plays_by_himself_chooses_his_gait() -> None:
    match = Session(GAME, rooms(), SMALL, 1)
    for _ in range(40):
        match.step(match.world.orders(match.state, hands()))
    assert not match.state.by_hand
    assert match.journal == ()


def test_he_walks_as_he_is_told() -> None:
    chase = begun(rooms(), hunters=1, civilians=0)
    chase.put(1, chase.ground.space.position_of(chase.ground.home[-1]))
    open_row = chase.ground.space.position_of(chase.ground.home[40])
    chase.put(0, open_row)
    before = chase.state.people.positions[0]
    chase.play(10, [Walk(3.0, 0.0), Pace("run")])
    after = chase.state.people.positions[0]
    assert chase.state.gait == RUN
    assert after[0] > before[0] + 0.5
    assert abs(after[1] - before[1]) < 0.3
    chase.play(1, [Pace("sneak")])
    assert chase.state.gait == SNEAK
    chase.play(20, [Walk(0.0, 0.0)])
    np.testing.assert_allclose(chase.state.people.velocities[0], 0.0, atol=0.05)


@pytest.mark.parametrize("kind", KINDS_OF_MAPS)
def test_he_goes_where_he_is_told(kind: str) -> None:
    chase = begun(a_map(kind), hunters=1, civilians=0, items=0)
    space = chase.ground.space
    far = int(
        chase.ground.home[
            np.argmax(
                ((space.position_of(chase.ground.home) - chase.state.people.positions[0]) ** 2).sum(
                    axis=1
                )
            )
        ]
    )
    chase.put(1, space.position_of(far), moods=0)
    goal = next(
        cell
        for cell in chase.ground.home.tolist()
        if 3
        < np.linalg.norm(space.position_of(cell) - chase.state.people.positions[0])
        / chase.ground.unit
        < 8
    )
    x, y = space.position_of(goal)[:2].tolist()
    chase.play(1, [Go(x, y)])
    for _ in range(400):
        if chase.play().goal == NOTHING:
            break
    assert (
        np.linalg.norm(chase.state.people.positions[0] - space.position_of(goal))
        < 1.2 * chase.ground.unit + 1.0
    )


def test_on_waypoints_he_takes_the_edge_that_he_points_along() -> None:
    chase = begun(a_map("waypoints"), hunters=1, civilians=0)
    space = chase.ground.space
    middle = int(chase.ground.home[len(chase.ground.home) // 2])
    chase.put(0, space.position_of(middle))
    neighbor = int(space.neighbors_of(middle)[0])
    x, y = (space.position_of(neighbor) - space.position_of(middle)).tolist()
    chase.play(1, [Walk(x * 100, y * 100)])
    assert chase.state.people.ahead[0] == neighbor
    chase.play(1, [Walk(-x * 100, -y * 100)])
    chase.play(1)
    assert chase.state.people.ahead[0] in (middle, NOTHING) or chase.state.people.cells[0] == middle


@pytest.mark.parametrize(
    ("order", "kind", "words"),
    [
        (Walk(float("nan"), 0.0), InvalidValue, "x is"),
        (Pace("crawl"), InvalidValue, "gait"),
        (Throw(1.0, 1.0), InvalidValue, "A stone flies"),
        (Go(-50.0, 1.0), OutsideMap, ""),
        (SearchBy("luck"), InvalidValue, "how is"),
        (Lead(1), InvalidValue, "by_hand"),  # type: ignore[arg-type]
        ("north", InvalidValue, "An order is"),
    ],
)
def test_what_cannot_be_done_is_refused(
    order: Any, kind: type[FieldcraftError], words: str
) -> None:
    chase = begun(rooms())
    chase.put(0, chase.ground.space.position_of(chase.ground.home[-1]))
    before = chase.state
    with refused(kind, words):
        chase.play(1, [order])
    assert chase.state is before


def test_the_way_of_searching_can_be_changed_while_it_runs() -> None:
    match = Session(GAME, rooms(), SMALL, 1)
    ways = []
    for _ in range(5):
        ways.append(match.state.search)
        match.step(match.world.orders(match.state, hands(pressed={"search": None})))
    assert ways == ["flood", "belief", "last", "random", "party"]
    assert match.state.search == "flood"
    assert not match.state.by_hand


def test_a_companion_comes_along() -> None:
    chase = begun(rooms(), hunters=1)
    space, home = chase.ground.space, chase.ground.home
    chase.put(int(chase.state.people.rows(HUNTER)[0]), space.position_of(home[-1]))
    chase.put(0, space.position_of(home[0]))
    civilian = int(chase.state.people.rows(CIVILIAN)[0])
    chase.put(civilian, space.position_of(home[1]))
    x, y = space.position_of(home[len(home) // 3]).tolist()
    chase.play(1, [Call(), Go(x, y)])
    assert np.flatnonzero(chase.state.people.targets == 0).tolist() == [civilian]
    chase.play(200)
    people = chase.state.people
    assert np.hypot(*(people.positions[0] - space.position_of(home[0]))) > 5
    assert np.hypot(*(people.positions[civilian] - people.positions[0])) < 4
    labels = scene.scene_of(chase.derived, chase.state, frozenset()).labels
    assert "with you" in [label.text for label in labels]


def test_stones_run_out() -> None:
    chase = begun(rooms())
    x, y = chase.state.people.positions[0].tolist()
    for _ in range(chase.settings.player.stones):
        chase.play(1, [Throw(x, y)])
    with refused(InvalidValue, "You need a stone to throw"):
        chase.play(1, [Throw(x, y)])


def test_the_default_map_plays() -> None:
    space = GAME.default_map()
    assert space.same_cells(GAME.default_map())
    assert len(begun(space, Settings()).ground.home) > 2000
