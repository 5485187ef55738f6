"""A search party: particles that may be true, who would be seen when, and who goes where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit import Motion, SearchParty
from fieldcraft.pursuit.party.particles import HIDES, RUNS, LostTarget, Particles
from support.parties import CAVE, party
from support.refusals import refused

TORUS = fc.Grid(30, 9, wrap=True)
LOT = fc.Grid(30, 11)


def test_what_is_not_seen_weighs_one_hypothesis_against_the_others() -> None:
    search, last = party(CAVE)
    rng = np.random.default_rng(1)
    here = CAVE.position_of(np.array([last]))
    search.places(here, rng)
    particles = search._particles
    assert particles is not None
    before = np.bincount(particles.kinds, weights=particles.weights, minlength=5)
    assert before == pytest.approx(np.array(Motion().shares) / sum(Motion().shares))
    away = fc.distance_map(CAVE, here[0]).values.reshape(-1)
    for _ in range(22):
        search.advance(1 / 3)
    search.observe(np.flatnonzero(np.isfinite(away) & (away > 17)))  # not far away
    search.places(here, rng)
    after = np.bincount(particles.kinds, weights=particles.weights, minlength=5)
    assert after[HIDES] > 1.5 * before[HIDES] and after[RUNS] < before[RUNS]
    found = search.hypotheses()
    assert found["hides"] == pytest.approx(after[HIDES]) and sum(found.values()) == pytest.approx(1)
    assert SearchParty(CAVE, 3.0).hypotheses() == {}


def test_two_searchers_take_two_corridors() -> None:
    # It ran east; behind the block both arms lead on, and both searchers stand where these part.
    walls = np.ones((9, 60), dtype=bool)
    walls[[1, 7], 1:59] = False
    walls[1:8, [1, 30, 58]] = False
    space = fc.Grid(60, 9, walls=walls, neighbors=4)
    search = SearchParty(
        space,
        3.0,
        sight=4.0,
        motion=Motion(runs=1, hides=0, doubles_back=0, stands=0, wanders=0, far=5),
    )
    search.lost((30.5, 4.5))
    rng, at = np.random.default_rng(0), np.array([(30.5, 3.5), (30.5, 3.5)])
    for _ in range(60):  # walked as they are told
        search.advance(1 / 3)
        search.observe(fc.visible(space, at, 4.0))
        at = np.array(
            [
                fc.distance_map(space, aim).step(here).positions
                for aim, here in zip(search.places(at, rng), at, strict=True)
            ]
        )
    assert abs(at[0, 0] - at[1, 0]) > 8 or abs(at[0, 1] - at[1, 1]) > 4


def test_a_party_goes_on_from_its_memory_bit_for_bit() -> None:
    search, last = party(CAVE, every=1.0)
    other = SearchParty(CAVE, search.speed, every=1.0)
    rng, dice = np.random.default_rng(1), np.random.default_rng(1)
    at = CAVE.position_of(np.array([last, last]))
    for moment in range(30):
        search.advance(1 / 3)
        search.observe(fc.visible(CAVE, at, 5.0))
        if moment % 7 == 3:
            other.restore(search.state())
            assert (other._waypoints == search._waypoints).all() and (
                other._ends == search._ends
            ).all()
            dice.bit_generator.state = rng.bit_generator.state
            assert (other.places(at, dice) == search.places(at, rng)).all()
        at = np.array(
            [
                fc.distance_map(CAVE, aim).step(here).positions
                for aim, here in zip(search.places(at, rng), at, strict=True)
            ]
        )


@pytest.mark.parametrize("space", [CAVE, LOT, TORUS], ids=["cave", "lot", "torus"])
def test_a_party_that_has_just_begun_goes_on_bit_for_bit(space: fc.Space) -> None:
    for seed in range(4):
        search, last = party(space)
        at = space.position_of(np.array([last]))
        search.places(at, np.random.default_rng(seed))
        search.advance(2.0)
        other = SearchParty(space, search.speed)
        other.restore(search.state())
        for each in (search, other):
            each.places(at, np.random.default_rng(seed))
        assert search.values is not None and other.values is not None
        assert (search.values == other.values).all()


def test_refusals() -> None:
    for options in ({"motion": "runs"}, {"particles": 0}, {"sight": -1.0}, {"every": 0}):
        with refused(InvalidValue):
            SearchParty(CAVE, 3.0, **options)
    with refused(InvalidValue, "Sight runs along straight lines", "wrap"):
        SearchParty(fc.HexGrid(8, 6, wrap="x"), 3.0)
    with refused(InvalidValue):
        Motion(runs=0, hides=0, doubles_back=0, stands=0, wanders=0)
    with refused(InvalidValue):
        Motion(turn=(3.0, 1.0))
    good = party(CAVE)[0].state()
    broken = ([], {}, {"last": 3}, good | {"last": 10**6}, good | {"ends": np.zeros(3)})
    for memory in (*broken, good | {"velocity": np.zeros(3)}, good | {"particles": {}}):
        with refused(InvalidValue, "A search party continues from its own state()"):
            SearchParty(CAVE, 3.0).restore(memory)  # type: ignore[arg-type]


def test_searchers_are_thought_of_in_turn() -> None:
    search, last = party(CAVE, every=3.0)
    rng, at = np.random.default_rng(1), CAVE.position_of(np.full(8, last))
    search.places(at, rng)
    assert (search._planned == 0).sum() == 3 and (search._planned == -1).sum() == 5
    assert (search._ends >= 0).all()  # and yet all were sent somewhere
    for _ in range(2):
        search.advance(0.25)
        search.places(at, rng)
    assert (search._planned >= 0).all()
    thoughts = search._planned.copy()
    search.advance(0.25)
    search.places(at, rng)
    assert (search._planned == thoughts).all()  # none is due
    search.advance(2.25)
    search.places(at, rng)
    assert (
        (search._planned != thoughts) == (thoughts == thoughts.min())
    ).all()  # who has waited longest


def test_looks_of_one_moment_are_one() -> None:
    search, last = party(CAVE)
    for _ in range(50):
        search.observe([last])
        search.observe([last + 1, last])
    assert [cells.tolist() for _, cells in search._observed] == [[last, last + 1]]


@pytest.mark.parametrize(
    "motion",
    [
        Motion(hides=0, doubles_back=0),
        Motion(doubles_back=1, turn=(1.0, 90.0)),
        Motion(0, 0, 0, 0, 1),
    ],
)
def test_any_motion_is_followed_and_remembered(motion: Motion) -> None:
    search, last = party(CAVE, motion=motion)
    at, rng = CAVE.position_of(np.array([last])), np.random.default_rng(0)
    other = SearchParty(CAVE, search.speed, motion=motion)
    for _ in range(10):
        search.places(at, rng)
        other.restore(search.state())
        search.advance(4.0)
    assert (
        search.values is not None
        and other.values is not None
        and (other.values == search.values).all()
    )


@pytest.mark.parametrize("space", [LOT, LOT.to_graph()], ids=["grid", "graph"])
def test_a_party_plans_with_heights(space: fc.Space) -> None:
    """A target that hides is behind the ridge, and the searcher goes where it sees it."""
    heights = np.zeros((11, 30))
    heights[1:10, 15] = 9.0
    hides = Motion(runs=0, hides=1, doubles_back=0, stands=0, wanders=0, near=(1.0, 8.0))

    def chance_and_goal(ground: np.ndarray | None) -> tuple[float, float]:
        over = None if ground is None else ground.reshape(space.shape)
        search = SearchParty(space, 2.0, sight=9.0, heights=over, motion=hides)
        search.lost((13.5, 5.5))
        search.advance(8.0)
        goals = search.places([[12.5, 5.5]], np.random.default_rng(1))
        chances = search.values
        assert chances is not None
        return float(chances.reshape(11, 30)[:, 15:].sum()), float(goals[0, 0])

    chance, goal = chance_and_goal(heights)
    assert chance > 0.99 and goal > 16
    chance, goal = chance_and_goal(None)
    assert chance < 0.6 and goal < 15


@pytest.mark.parametrize("space", [TORUS, TORUS.to_graph()], ids=["grid", "graph"])
def test_the_nearest_searcher_may_be_across_the_rim(
    space: fc.Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses: list[LostTarget] = []
    begin = Particles.begin

    def record(particles: Particles, count: int, lost: LostTarget, *rest: Any) -> None:
        losses.append(lost)
        begin(particles, count, lost, *rest)

    monkeypatch.setattr(Particles, "begin", record)
    start, inside, across = np.ravel_multi_index(([4, 4, 4], [1, 7, 28]), TORUS.shape)
    search = SearchParty(space, 2.0, sight=2.5 * space.typical_step)
    search.lost(space.position_of(start), (2.0, 0.0))
    search.places(space.position_of([inside, across]), np.random.default_rng(1))
    assert losses[0].watched[across]
    assert not losses[0].watched[inside]


def test_heights_of_a_party_are_those_of_a_grid() -> None:
    with pytest.raises(InvalidValue, match="Heights are those of squares"):
        SearchParty(fc.HexGrid(5, 4), 1.0, heights=np.zeros((4, 5)))
    with pytest.raises(InvalidValue, match="heights"):
        SearchParty(fc.Grid(5, 4), 1.0, heights=np.zeros((5, 4)))
    with pytest.raises(InvalidValue, match="eye"):
        SearchParty(fc.Grid(5, 4), 1.0, heights=np.zeros((4, 5)), eye=-1.0)
