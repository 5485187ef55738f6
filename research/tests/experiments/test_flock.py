from __future__ import annotations

import argparse

import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft.space import Grid
from fieldcraft_worlds.games.flock import Settings, play_flock
from research.experiments import run_study
from research.experiments.flock import flock_study, fly


def chosen(experiment, *words):
    parser = argparse.ArgumentParser()
    experiment.arguments(parser)
    return experiment.study(parser.parse_args(words))


def test_flights_are_measured_at_moments():
    study = flock_study(birds=120, size="40x30", seeds=1, seconds=6)
    rows = [fly(job) for job in study.jobs]
    assert [name for name in rows[0] if name.startswith("order")] == [
        "order 0 s",
        "order 2 s",
        "order 5 s",
        "order 6 s",
    ]
    flight = play_flock(Grid(40, 30, wrap=True), Settings(birds=120), seed=0, steps=180, every=30)
    assert rows[0]["digest"] == flight.digest
    assert rows[0]["order 5 s"] == flight.order[5]
    assert rows[0]["order 0 s"] == rows[1]["order 0 s"]
    assert rows[0]["among 6 s"] > 0.7
    assert 0 < rows[1]["nearest 6 s"] <= 4


def test_summary_over_time(tmp_path):
    report = run_study(flock_study(birds=60, size="40x30", seeds=2, seconds=2), tmp_path, workers=1)
    assert report.summary.groups == ("0", "2")
    assert report.summary.series == ("by layers", "by neighbours")
    assert report.summary.found["2", "by layers", "order among neighbours"].count == 2
    assert len(report.summary.found) == 2 * 2 * 3


@pytest.mark.parametrize(
    "bad",
    [
        {"birds": 1},
        {"birds": 10**9},
        {"seconds": 0},
        {"seconds": 10**6},
        {"size": "wide"},
        {"seeds": 0},
    ],
)
def test_what_is_refused(bad):
    with pytest.raises(InvalidValue):
        flock_study(**bad)
