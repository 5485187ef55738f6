"""Motions learned from tracks: they come back out of tracks that were made by them, and foretell
others better than a plain belief.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.errors import InvalidValue
from research.search.fitting import fit_motion, score_motion
from support.refusals import refused

FIELD = fc.Grid(33, 21, neighbors=8)


def track(kind: str, seed: int, speed: float = 2.0) -> NDArray[np.float64]:
    """Rows of seconds, x and y of one who runs straight and turns at the rim, stands, or
    wanders.
    """
    dice = np.random.default_rng(seed)
    place, turned = dice.uniform((3, 3), (30, 18)), dice.uniform(0, 2 * np.pi)
    rows = []
    for step in range(50):
        rows.append((0.5 * step, *place))
        after = place
        if kind != "stands":
            turned = dice.uniform(0, 2 * np.pi) if kind == "wanders" else turned
            after = place + 0.5 * speed * np.array([np.cos(turned), np.sin(turned)])
            while not ((after > 0) & (after < (33, 21))).all():
                turned = dice.uniform(0, 2 * np.pi)
                after = place + 0.5 * speed * np.array([np.cos(turned), np.sin(turned)])
        place = after
    return np.array(rows)


@pytest.mark.parametrize("kind", ["runs", "stands", "wanders"])
def test_most_weight_comes_back_to_what_was_done(kind: str) -> None:
    tracks = [track("runs", 1), *(track(kind, seed) for seed in range(2, 6))]
    learned = fit_motion(tracks, FIELD, ahead=4.0, most=16)
    weights = {
        "runs": learned.runs + learned.hides + learned.doubles_back,
        "stands": learned.stands,
        "wanders": learned.wanders,
    }
    assert sum(weights.values()) == pytest.approx(1)
    assert max(weights, key=lambda name: weights[name]) == kind
    assert learned.speed == pytest.approx(2.0, rel=0.1)
    assert fc.Belief(FIELD, learned.speed, motion=learned).hypotheses().keys() <= {
        "runs",
        "hides",
        "doubles back",
        "stands",
        "wanders",
    }


def escaped(hides: bool, seed: int) -> NDArray[np.float64]:
    """Rows of seconds, x and y of one who is lost in a cave, and goes to a far cell, or to one near
    by that is not seen from the first.
    """
    dice = np.random.default_rng(seed)
    start = int(dice.choice(np.flatnonzero(~CAVE.walls.reshape(-1))))
    away = fc.distance_map(CAVE, CAVE.position_of(start)).values.reshape(-1)
    dark = (away >= 3) & (away <= 12) & ~fc.visible(CAVE, CAVE.position_of(start), 10).reshape(-1)
    far = np.isfinite(away) & (away >= np.median(away[np.isfinite(away)]))
    goal = int(dice.choice(np.flatnonzero(dark if hides and dark.any() else far)))
    places = CAVE.position_of(
        fc.distance_map(CAVE, CAVE.position_of(goal)).descend(CAVE.position_of(start)).cells
    )
    lengths = np.concatenate(
        [[0.0], np.cumsum(np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1)))]
    )
    seconds = np.arange(0.0, 13.0, 0.25)
    at = np.column_stack([np.interp(3.0 * seconds, lengths, places[:, axis]) for axis in range(2)])
    before = places[0] - 3 * (places[1] - places[0])
    return np.vstack([(-1.0, *before), np.column_stack([seconds, at])])


CAVE = fc.generate_map("cave", 60, 44, seed=7, neighbors=8)


def test_who_runs_and_who_hides_are_told_apart() -> None:
    for hides in (False, True):
        learned = fit_motion([escaped(hides, seed) for seed in range(4)], CAVE, ahead=4.0, most=4)
        one, other = (learned.hides, learned.runs) if hides else (learned.runs, learned.hides)
        assert one > 0.7 and other < 0.1


def test_foretells_others_better_than_a_plain_belief() -> None:
    learned = fit_motion([track("runs", seed) for seed in range(4)], FIELD, ahead=4.0, most=16)
    others = [track("runs", seed) for seed in range(10, 13)]
    plain = fc.Motion(0, 0, 0, 0, wanders=1)
    gained = score_motion(learned, others, FIELD, ahead=4.0, most=12) - score_motion(
        plain, others, FIELD, ahead=4.0, speed=2.0, most=12
    )
    assert gained.shape == (12,) and gained.mean() > 0.5
    assert learned.heading >= 2 and len(learned.paces) <= 3


def test_takes_timelines_and_lays_a_map_under_them() -> None:
    builder = fc.recordings.TimelineBuilder()
    for seconds, x, y in track("runs", 3)[:12].tolist():
        builder.add(seconds, "a", "thieves", (x, y))
    for seconds, x, y in track("runs", 4)[:12].tolist():
        builder.add(seconds, "b", "thieves", (x, y))
    learned = fit_motion(builder.build(), ahead=2.0, most=3)
    assert learned.speed == pytest.approx(2.0, rel=0.1)


def test_bad_input() -> None:
    one = track("runs", 1)
    calls: list[tuple[Any, str]] = [
        (lambda: fit_motion([]), "track"),
        (lambda: fit_motion(3), "tracks"),
        (lambda: fit_motion([one[:, :2]]), "seconds, x and y"),
        (lambda: fit_motion([one * np.nan]), "finite"),
        (lambda: fit_motion([one[:1]]), "two moments"),
        (lambda: fit_motion([track("stands", 1)]), "moves"),
        (lambda: fit_motion([one], ahead=-1), "ahead"),
        (lambda: fit_motion([one], FIELD, ahead=24.9), "long enough"),
        (lambda: fit_motion([one], FIELD, most=0), "most"),
        (lambda: fit_motion([np.c_[one, one[:, 1]]], FIELD), "on the map"),
        (lambda: score_motion(fc.Motion(), [one], FIELD), "speed"),
    ]
    for call, word in calls:
        with refused(InvalidValue, word):
            call()
