"""Landmarks, far from each other."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.pursuit.landmarks import landmarks_of
from support.worlds import open_cells


def test_goals_become_the_landmarks_nearest_to_them() -> None:
    cave = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)
    start = int(open_cells(cave)[200])
    party = fc.SearchParty(cave, 3.0)
    party.lost(cave.position_of(start), (2.0, 1.0))
    party.places([cave.position_of(start)], np.random.default_rng(1))
    particles = party._particles
    assert particles is not None
    before = particles.marks[particles.goals]
    going = (particles.goals >= 0) & (particles.path_rows < 0)
    behind = particles.marks[particles.behind]
    cave.set_walls(np.setdiff1d(before[going], particles.cells))
    marks = landmarks_of(cave, start, 96)
    particles.follow(cave, marks)
    for old, new in ((before[going], particles.goals[going]), (behind, particles.behind)):
        away = marks.away[:, cave.nearest_open(old)]
        assert (away[new, np.arange(len(new))] == away.min(axis=0)).all()
    assert np.array_equal(particles.marks, marks.places)
    particles.follow(cave, marks)  # the same walls change nothing
    assert np.array_equal(particles.behind, new)
