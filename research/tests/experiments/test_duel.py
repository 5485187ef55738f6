from __future__ import annotations

import math

import pytest

from fieldcraft.errors import InvalidValue
from research.experiments import run_study
from research.experiments.duel import MEASURES, duel_study, play, summarise
from research.experiments.statistics import ratio
from support.refusals import refused


def duel(
    seed: int,
    long: str,
    short: str,
    winner: str | None,
    damage: tuple[float, float],
    map_: str = "open",
) -> dict[str, object]:
    return {
        "map": map_,
        "width": 48,
        "height": 32,
        "fighters": 1,
        "limit": 90.0,
        "seed": seed,
        "long": long,
        "short": short,
        "measured": "a",
        "winner": winner,
        "damage by long": damage[0],
        "damage by short": damage[1],
        "hits by long": 3,
        "hits by short": 2,
        "long standing": 1,
        "short standing": 0,
        "steps": 100,
        "out of time": seed == 1,
        "digest": "d",
    }


def test_damage_is_that_of_the_measured_brain_whichever_range_it_has():
    rows = []
    for seed in range(4):
        rows += [
            duel(seed, "a", "b", "a", (90.0, 30.0)),
            duel(seed, "b", "a", "b", (60.0, 10.0 * seed)),
        ]
    summary = summarise(rows)
    found = summary.found
    assert summary.series == ("against b",)
    assert found["open 48 x 32", "against b", "as long range"].value == 3.0
    assert found["open 48 x 32", "against b", "as short range"].value == 0.25
    whole = found["open 48 x 32", "against b", "dealt to taken"]
    assert (whole.value, whole.count) == (pytest.approx(420 / 360), 4)
    won = found["open 48 x 32", "against b", "duels won"]
    assert (won.value, won.count) == (0.5, 8)


def test_what_has_no_ratio_is_said_in_words():
    rows = [
        duel(0, "a", "b", "a", (90.0, 0.0)),
        duel(0, "b", "a", None, (0.0, 0.0)),
        duel(1, "a", "c", "a", (5.0, 5.0), "maps/x.map"),
    ]
    summary = summarise(rows)
    notes = "\n".join(summary.notes)
    assert "against b, as long range: dealt 90, took 0" in notes
    assert "1 of 3 duels ran out of time" in notes
    assert "1 of 3 duels ended undecided" in notes
    assert "1 duel lacks its other side" in notes
    assert summary.groups == ("open 48 x 32", "x.map 48 x 32", "all maps")
    assert ("open 48 x 32", "against b", "dealt to taken") not in summary.found
    assert ("all maps", "against c", "as long range") in summary.found


def test_a_ratio_and_its_interval():
    found = ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert (found.value, found.low, found.high) == (2.0, pytest.approx(2.0), pytest.approx(2.0))
    one, other = ratio([2.0, 5.0, 6.0], [1.0, 2.0, 4.0]), ratio([1.0, 2.0, 4.0], [2.0, 5.0, 6.0])
    assert (one.low, one.high) == (pytest.approx(1 / other.high), pytest.approx(1 / other.low))
    assert math.isnan(ratio([1.0], [2.0]).low)
    for tops, bottoms in (
        ([0.0], [1.0]),
        ([1.0], [0.0]),
        ([-1.0, 2.0], [1.0, 1.0]),
        ([1.0], [1.0, 2.0]),
        ([], []),
    ):
        with pytest.raises(InvalidValue):
            ratio(tops, bottoms)


def test_the_jobs_of_a_study():
    study = duel_study(
        ["rooms"], seeds=3, first_seed=5, brains=("tether", "charge", "cover"), fighters=2
    )
    assert len(study.jobs) == 12
    assert [(job["seed"], job["long"], job["short"]) for job in study.jobs][:3] == [
        (5, "tether", "charge"),
        (5, "charge", "tether"),
        (6, "tether", "charge"),
    ]
    assert {job["map"] for job in duel_study(seeds=1).jobs} == {"open", "pillars", "rooms"}
    assert [measure.name for measure in MEASURES][1] == "dealt to taken"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kinds": ["swamp"]}, "kind is one of"),
        ({"brains": ["tether"]}, "one or more others"),
        ({"brains": ["tether", "tether"]}, "one or more others"),
        ({"brains": ["tether", "panic"]}, "brain is one of"),
        ({"fighters": 9}, "at most 5"),
        ({"limit": -1.0}, "limit"),
        ({"seeds": 0}, "seeds"),
    ],
)
def test_what_is_refused(arguments, says):
    with refused(InvalidValue, says):
        duel_study(**arguments)


def test_real_duels_by_one_worker_or_two(tmp_path):
    study = duel_study(["pillars"], size="30x22", seeds=1, brains=("tether", "charge"), limit=6.0)
    one, two = (run_study(study, tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert one.rows == two.rows
    assert one.failures == ()
    assert dict(one.rows[0]) == {**study.jobs[0], **play(study.jobs[0])}
