"""Lines that are given as paths, front lines or positions."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.space.lines import line_of


def test_paths_and_front_lines_are_their_points() -> None:
    path = fc.shortest_path(fc.Grid(6, 4), (0.5, 0.5), (5.5, 3.5))
    assert line_of(path) is path.positions
    imap = fc.InfluenceMap(fc.Grid(6, 4))
    teams = imap.add_teams(["red", "blue"], fc.Radial(4.0, "linear"))
    teams["red"].add_source((0.5, 1.5))
    teams["blue"].add_source((5.5, 1.5))
    imap.step()
    line = teams.front_lines()[0]
    assert line_of(line) is line.points


def test_anything_else_stays() -> None:
    points = np.array([(1.0, 2.0)])
    assert line_of(points) is points
    assert line_of([(1, 2)]) == [(1, 2)]
