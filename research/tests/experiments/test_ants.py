from __future__ import annotations

import argparse

import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.ants import Settings, Tuning, play_ants
from fieldcraft_worlds.games.ants.plugin import meadow
from research.experiments import run_study
from research.experiments.ants import (
    ants_study,
    forage,
    vortex_study,
    watch_vortices,
)


def chosen(experiment, *words):
    parser = argparse.ArgumentParser()
    experiment.arguments(parser)
    return experiment.study(parser.parse_args(words))


def test_food_is_counted_once_trails_are_there():
    job = {"width": 48, "height": 36, "seed": 2, "ants": 150, "keep": 0.97, "seconds": 40}
    row = forage(job)
    seen = []
    colony = play_ants(
        meadow(48, 36, seed=2),
        Settings(ants=150, food=1_000_000, scalar=Tuning(keep=0.97)),
        seed=2,
        steps=1200,
        watch=lambda derived, state: seen.append(state.home),
    )
    assert row == {
        "food": colony.home,
        "food a minute": (seen[1200] - seen[900]) * 6.0,
        "digest": colony.digest,
    }
    assert row["food a minute"] > 0


def test_summary_of_food():
    study = ants_study([400, 100], [0.9, 0.5], seeds=2)
    assert len(study.jobs) == 12
    rows = [
        {
            **job,
            "food": 1,
            "food a minute": job["ants"] * (job["keep"] or 0.1) * (job["seed"] + 1),
            "digest": "d",
        }
        for job in study.jobs
    ]
    summary = study.summarise(rows)
    assert summary.groups == ("100", "400")
    assert summary.series == ("without trails", "keep 0.5", "keep 0.9")
    assert summary.log
    assert summary.found["400", "keep 0.9", "food a minute"].value == pytest.approx(540)
    assert summary.found["400", "keep 0.9", "per 100 ants"].value == pytest.approx(135)
    beside = summary.found["400", "keep 0.9", "beside the least keep, same meadow"]
    assert (beside.value, beside.low, beside.high) == pytest.approx((1.8, 1.8, 1.8))
    assert summary.found[
        "100", "without trails", "beside the least keep, same meadow"
    ].value == pytest.approx(0.2)


def test_without_trails_ants_heed_none():
    study = ants_study([200], [0.97], size="48x36", seeds=1, seconds=40)
    blind, led = (forage(job) for job in study.jobs)
    assert study.jobs[0]["keep"] is None
    assert led["food a minute"] > 2 * blind["food a minute"]


def test_vortices_are_watched_and_summed_up(tmp_path):
    study = vortex_study(ants=80, size="40x30", seeds=1, seconds=13)
    assert [job["ways"] for job in study.jobs] == [
        "without trails",
        "velocity trails alone",
        "and keeping apart",
    ]
    report = run_study(study, tmp_path, workers=1)
    assert report.summary.groups == ("6", "12")
    shares = [
        report.summary.found["12", name, "ants that go nowhere"].value
        for name in report.summary.series
    ]
    assert all(0 <= share <= 1 for share in shares)
    three = vortex_study(ants=40, size="40x30", seeds=3, seconds=6)
    found = three.summarise([{**job, **watch_vortices(job)} for job in three.jobs]).found
    assert all(0 <= each.low <= each.value <= each.high <= 1 for each in found.values())
    assert {file.name for file in report.files} == {"vortex.csv", "vortex.json", "vortex.png"}
    assert len({row["digest"] for row in report.rows}) == 3
    rim = vortex_study(ants=80, size="40x30", seeds=1, seconds=13, rim=True)
    assert watch_vortices(rim.jobs[1])["digest"] != report.rows[1]["digest"]


@pytest.mark.parametrize(
    "bad",
    [
        {"ants": []},
        {"ants": [0]},
        {"keep": [1.5]},
        {"keep": [float("nan")]},
        {"seconds": 30},
        {"seconds": 10**6},
        {"size": "4x4"},
        {"seeds": 0},
    ],
)
def test_what_is_refused(bad):
    with pytest.raises(InvalidValue):
        ants_study(**bad)


@pytest.mark.parametrize(
    "bad", [{"ants": 0}, {"keep": 2}, {"seconds": 5}, {"size": "x"}, {"rim": 1}]
)
def test_what_is_refused_of_vortices(bad):
    with pytest.raises(InvalidValue):
        vortex_study(**bad)
