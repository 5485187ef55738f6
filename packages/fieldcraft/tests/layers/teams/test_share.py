"""The share of a team, and the cells without any team."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.layers.teams.share import TeamShare


def test_cells_of_no_team_are_told_from_cells_of_others() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    teams = imap.add_teams(["red", "blue"], fc.Radial(2.5, "linear", metric="straight"))
    teams["red"].add_source((1.5, 2.5), 3)
    teams["blue"].add_source((7.5, 2.5), 2)
    share = teams.share("red")
    assert isinstance(share, TeamShare) and share.team == "red"
    imap.step()
    tension = teams["red"].values + teams["blue"].values
    assert np.array_equal(share.unknown, tension == 0)
    assert share.values[2, 7] == 0 and not share.unknown[2, 7]
    assert share.values[2, 4] == 0 and share.unknown[2, 4]
    teams["blue"].add_source((4.5, 2.5))
    imap.step()
    assert not share.unknown[2, 4]
