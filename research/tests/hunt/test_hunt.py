from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from research.hunt.hunt import HUNTERS, hunt, hunt_study
from support.refusals import refused


def rows(**options):
    study = hunt_study(["cave"], size="40x30", seeds=6, seconds=20, **options)
    return study, [{**job, **hunt(job)} for job in study.jobs]


def test_the_same_target_is_followed_in_three_ways_and_looking_again_pays():
    study, found = rows()
    assert found == rows()[1]
    assert [row["by"] for row in found] == list(HUNTERS) * 6
    mean = {way: fmean(row["after"] for row in found if row["by"] == way) for way in HUNTERS}
    away = {way: fmean(row["away"] for row in found if row["by"] == way) for way in HUNTERS}
    assert mean["once"] > mean["again"] and mean["once"] > mean["influence"]
    assert away["once"] > 0.02 > max(away["again"], away["influence"])
    summary = study.summarise(found)
    assert summary.groups == ("cave 40 x 30",)
    assert set(summary.series) == set(HUNTERS.values())
    assert len(summary.found) == 3 * 4


def test_turns_are_angles_between_steps():
    _, found = rows()
    assert all(0 <= row["turned"] <= 180 for row in found)
    assert all(np.isfinite(row["turned"]) for row in found)


@pytest.mark.parametrize("options", [{"seeds": 0}, {"seconds": 0}, {"seconds": 1e9}])
def test_refusals(options):
    with refused(InvalidValue):
        hunt_study(["cave"], **options)
