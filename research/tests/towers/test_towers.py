from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from research.shared import run_study
from research.towers.towers import MEASURES, play, summarise, towers_study


def match(
    seed: int,
    first: str,
    second: str,
    winner: str | None,
    scores: tuple[int, int],
    map_: str = "open",
) -> dict[str, object]:
    return {
        "map": map_,
        "width": 64,
        "height": 48,
        "seed": seed,
        "first": first,
        "second": second,
        "winner": winner,
        "score by first": scores[0],
        "score by second": scores[1],
        "towers destroyed by first": 1,
        "towers destroyed by second": 2,
        "units sent by first": 9,
        "units sent by second": 9,
        "units lost by first": 4,
        "units lost by second": 6,
        "steps": 100,
        "out of time": seed == 1,
        "digest": "d",
    }


def test_sides_are_swapped_back_in_the_summary():
    rows = []
    for seed in range(10):
        # The first side is 20 ahead because of where it stands, and a 6 ahead because of who he is.
        rows += [
            match(seed, "a", "b", "a", (33 + seed, 7 + seed)),
            match(seed, "b", "a", "b", (27 + seed, 13 + seed)),
        ]
    found = summarise(rows).found
    assert found["open 64 x 48", "a", "matches won"].value == 0.5
    assert found["open 64 x 48", "a", "score"].value == 23 + 4.5
    assert found["open 64 x 48", "b", "score"].value == 17 + 4.5
    ahead = found["open 64 x 48", "a", "score ahead"]
    assert (ahead.value, ahead.low, ahead.high, ahead.count) == (6, 6, 6, 10)
    assert ("open 64 x 48", "b", "score ahead") not in found
    assert found["open 64 x 48", "a", "units lost"].value == 5
    assert found["open 64 x 48", "a", "towers destroyed"].value == 1.5


def test_maps_stand_alone_and_together():
    rows = [
        match(0, *pair, "a", (1, 2), map_)
        for map_ in ("open", "maps/b.map")
        for pair in (("a", "b"), ("b", "a"))
    ]
    summary = summarise(rows)
    assert summary.groups == ("open 64 x 48", "b.map 64 x 48", "all maps")
    assert summary.series == ("a", "b")
    assert [measure.name for measure in MEASURES] == [measure.name for measure in summary.measures]
    assert summary.found["all maps", "a", "matches won"].count == 4
    assert summarise(rows[:2]).groups == ("open 64 x 48",)


def test_the_jobs_of_a_study():
    study = towers_study(["cave", "cave"], size="40x30", seeds=3, first_seed=5)
    assert len(study.jobs) == 6
    assert [(job["seed"], job["first"], job["second"]) for job in study.jobs][:3] == [
        (5, "influence", "shortest"),
        (5, "shortest", "influence"),
        (6, "influence", "shortest"),
    ]
    assert {(job["map"], job["width"], job["height"]) for job in study.jobs} == {("cave", 40, 30)}
    assert len(towers_study(seeds=2).jobs) == 12


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kinds": ["swamp"]}, "kind is one of"),
        ({"kinds": []}, "has matches to run"),
        ({"size": "64"}, "WIDTHxHEIGHT"),
        ({"size": "1x1"}, "at least 8"),
        ({"seeds": 0}, "seeds is at least 1"),
        ({"seeds": 10**6}, "at most"),
        ({"first_seed": -1}, "first_seed is at least 0"),
        ({"commanders": ["influence"]}, "Two commanders"),
        ({"commanders": ["influence", "influence"]}, "Two commanders"),
        ({"commanders": ["influence", "human"]}, "commander is one of"),
        ({"towers": 0}, "towers is at least 1"),
        ({"limit": float("nan")}, "limit"),
    ],
)
def test_what_is_refused(arguments, says):
    with pytest.raises(InvalidValue, match=says):
        towers_study(**arguments)


def test_real_matches_by_one_worker_or_two(tmp_path):
    study = towers_study(["open"], size="40x32", seeds=1, towers=2, units=8, limit=4)
    one, two = (run_study(study, tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert one.rows == two.rows
    assert one.failures == ()
    assert len({row["digest"] for row in one.rows}) == 2
    assert dict(one.rows[0]) == {**study.jobs[0], **play(study.jobs[0])}
    assert np.isfinite([row["score by first"] for row in one.rows]).all()
